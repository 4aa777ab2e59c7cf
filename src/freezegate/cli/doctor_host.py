"""What is proved about the hooks of a repository on a git host, and what is not."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from freezegate import __version__
from freezegate.cli.canary import run_alone
from freezegate.cli.canary_host import HostCanary
from freezegate.cli.doctor_interpreter import version_of
from freezegate.cli.doctor_line import Health, Line
from freezegate.errors import Unanswerable
from freezegate.hooks.host_place import SETTINGS_KEY, find_host
from freezegate.policy.globs import ref_matches
from freezegate.resources import read_shipped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.hooks.host_place import HostPlace
    from freezegate.model.host import HostSettings

_WHAT_IS_LOST = {
    "pre-receive": (Health.ERROR, "every push goes in unseen"),
    "post-receive": (Health.WARNING, "the log never says what landed"),
}
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def examine_host(repository: Path, environ: Mapping[str, str], *, canary: bool) -> Iterator[Line]:
    """Yield the report on one repository of a host; nothing in it is changed."""
    yield Line(Health.OK, f"freezegate {__version__}, Python {sys.version.split()[0]}")
    if not (repository / "HEAD").is_file():
        yield Line(
            Health.ERROR, f"{repository} is no git directory", "doctor --host REPOSITORY.git"
        )
        return
    ask = _Git(repository.resolve(), environ)
    folder = repository.resolve() / ask("rev-parse", "--git-path", "hooks")
    yield from (_hook(folder / name, name) for name in _WHAT_IS_LOST)
    yield _interpreter(ask("config", "--type=path", "--get", "freezegate.python"), environ)
    try:
        place = find_host({**environ, "GIT_DIR": str(repository)})
    except Unanswerable as stop:
        yield Line(Health.ERROR, stop.got, f"docs/host.md; git config {SETTINGS_KEY} PATH")
        return
    yield from _settings(place)
    refs = ask("for-each-ref", "--format=%(refname)").splitlines()
    yield from _protected(refs, ask("symbolic-ref", "-q", "HEAD"), place.settings)
    yield _log(Path(place.log), usual=place.settings.log is None)
    if not canary:
        yield Line(Health.WARNING, "no canary: nobody saw this host decline", "doctor --host PATH")
        return
    config = ask("config", "--get-regexp", r"^freezegate\.")
    with HostCanary(place, folder, config, environ) as tried:
        for proof in tried.prove():
            health = Health.OK if proof.holds else Health.ERROR
            yield Line(health, f"canary: {proof.said}", proof.remedy)


class _Git:
    """Ask git about one repository, as it will see it in a push."""

    def __init__(self, repository: Path, environ: Mapping[str, str]) -> None:
        self._repository = repository
        kept = {key: value for key, value in environ.items() if not key.startswith("GIT_")}
        self._environ = kept | {"GIT_DIR": str(repository)}

    def __call__(self, *arguments: str) -> str:
        done = run_alone(["git", *arguments], self._repository, self._environ)
        return done.stdout.strip() if done.returncode == 0 else ""


def _hook(path: Path, name: str) -> Line:
    health, lost = _WHAT_IS_LOST[name]
    if not path.is_file():
        remedy = "git config core.hooksPath to freezegate's hooks/, or copy the file: docs/host.md"
        return Line(health, f"{name}: missing ({path}), so {lost}", remedy)
    if not os.access(path, os.X_OK):
        said = f"{name}: not executable, so git skips it and {lost}"
        return Line(health, said, f"chmod +x {path}")
    if path.read_bytes() == read_shipped("hooks", name):
        return Line(Health.OK, f"{name}: freezegate's, of this version, executable")
    return Line(Health.OK, f"{name}: another file; only the canary can tell whether it asks us")


def _interpreter(configured: str, environ: Mapping[str, str]) -> Line:
    source = "freezegate.python is" if configured else "freezegate.python is not set, hooks take"
    python = configured or "python3"
    version = version_of(python, environ)
    remedy = f"git config freezegate.python {sys.executable}"
    if version is None:
        return Line(Health.ERROR, f"{source} {python}, which has no freezegate", remedy)
    if version != __version__:
        said = f"hooks run freezegate {version} ({python}), this is {__version__}"
        return Line(Health.WARNING, said, remedy)
    return Line(Health.OK, f"hooks run freezegate {version} by {python}")


def _settings(place: HostPlace) -> Iterator[Line]:
    protected = ", ".join(place.settings.protected)
    limits = place.settings.limits
    yield Line(
        Health.OK,
        f"settings at {place.settings_path} decode: protected {protected}; "
        f"{limits.wall_s} s, {limits.memory_mib} MiB",
    )
    if os.stat(place.settings_path).st_mode & _OTHERS_WRITE:
        said = f"others than the owner may write {place.settings_path}"
        yield Line(Health.WARNING, said, f"chmod go-w {place.settings_path}")


def _protected(refs: list[str], head: str, settings: HostSettings) -> Iterator[Line]:
    """Settings that protect nothing here decode as well as others."""
    globs = ", ".join(settings.protected)
    protected = [ref for ref in refs if ref_matches(settings.protected, ref)]
    if not refs:
        yield Line(Health.OK, "no ref stands here yet; the first protected one needs no parent")
        return
    if not protected:
        said = f"none of the {len(refs)} refs here is protected, so every push goes in unjudged"
        yield Line(Health.ERROR, said, f"name them in `protected`, which has {globs}")
        return
    yield Line(Health.OK, f"{len(protected)} of the {len(refs)} refs here are protected")
    if head in refs and head not in protected:
        yield Line(
            Health.WARNING, f"HEAD's branch {head} is not protected", "add it to `protected`"
        )
    for glob, parent in settings.parents:
        if parent not in refs:
            said = f"no {parent} stands here, so new refs like {glob} are declined"
            yield Line(Health.WARNING, said, "name a protected ref of this repository in [parents]")


def _log(path: Path, *, usual: bool) -> Line:
    """Whether the user who asks may write the log: ask as the user who receives pushes."""
    if not usual and not path.parent.is_dir():
        said = f"the log's folder does not stand, so every push is declined: {path.parent}"
        return Line(Health.ERROR, said, "make it, for the user who receives pushes; we make none")
    standing = next(each for each in (path, *path.parents) if each.exists())
    writable = os.access(standing, os.W_OK) and (standing == path or standing.is_dir())
    if writable and not path.is_dir():
        return Line(Health.OK, f"the log can be written: {path}")
    remedy = "let the user who receives pushes write there, or name another [log]"
    return Line(
        Health.ERROR, f"the log cannot be written, so every push is declined: {path}", remedy
    )
