"""`freezegate doctor`: what is proved about the hooks here, and what is not."""

from __future__ import annotations

import os
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from freezegate import __version__
from freezegate.cli.canary import Canary
from freezegate.cli.hook_places import HOOKS, Found, HooksFolder, classify, hooks_folder
from freezegate.errors import Unanswerable, UsageError
from freezegate.git.repository import common_dir, git_faults_refuse
from freezegate.git.session import Session
from freezegate.policy.attributes import effective, rewriting

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

SUMMARY = "say what is proved about the hooks here, and refuse a bad patch to prove it"
EXAMPLES = """\
examples:
  freezegate doctor                       every check, and a canary
  freezegate doctor --no-canary           without the scratch clone

The canary is a clone below the git directory, removed afterwards: a bad patch is committed and
pushed there through the hooks as they are installed, and must be refused; an honest one must pass.

exit status: 0 nothing is wrong, 1 something is, 2 could not answer
"""
_SKIPS = ("SKIP", "PREK_SKIP")


class Health(StrEnum):
    """How a line of the doctor's report stands."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


class Line(NamedTuple):
    """One thing that was looked at, what was seen, and what to do where it is not well."""

    health: Health
    said: str
    remedy: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument("--no-canary", action="store_true", help="make no scratch clone")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Look at everything, print a line each, return 1 where something is wrong."""
    try:
        with git_faults_refuse():
            session = Session.open(environ)
            lines = list(examine(session, environ, canary=not options.no_canary))
    except Unanswerable as stop:
        msg = f"{stop.got}; expected {stop.expected}; {stop.remedy or ''}"
        raise UsageError(msg) from None
    if options.format == "json":
        import json

        print(json.dumps([line._asdict() for line in lines], indent=2))
    else:
        for line in lines:
            print(f"{line.health:<8} {line.said}")
            if line.remedy and line.health is not Health.OK:
                print(f"         remedy: {line.remedy}")
    return int(any(line.health is Health.ERROR for line in lines))


def examine(session: Session, environ: Mapping[str, str], *, canary: bool) -> Iterator[Line]:
    """Yield the report on one repository."""
    yield Line(Health.OK, f"freezegate {__version__}, Python {sys.version.split()[0]}")
    yield from _policy(session)
    yield from _history(session)
    folder = hooks_folder(session)
    yield from _folder(session, folder)
    yield from _hooks(folder)
    yield from _interpreter(session)
    yield from _fixtures(session)
    yield from _skips(environ)
    if canary and session.repository.workdir:
        yield from _canary(session, folder, environ)


def _policy(session: Session) -> Iterator[Line]:
    candidate = session.candidate(None, staged=True)
    try:
        base = session.trusted_base(candidate, session.branch(None))
    except Unanswerable as stop:
        yield Line(Health.ERROR, f"no trusted base: {stop.got}", stop.remedy or "")
        return
    policy = session.policy_at(base)
    if base.parent_only:
        yield Line(
            Health.WARNING,
            "no target found here: patches are judged against their own parent",
            "git fetch, and list your protected ref in [base] targets of .freeze/policy.toml",
        )
    elif policy.fault:
        yield Line(
            Health.ERROR,
            f"the policy at {base.source} does not decode: {policy.fault}",
            "send a patch that repairs it and changes nothing else",
        )
    elif policy.value is None:
        yield Line(
            Health.WARNING, f"no policy at {base.source} yet", "freezegate init, then land it"
        )
    else:
        yield Line(Health.OK, f"policy at {base.source}: preset {policy.value.preset}, it decodes")


def _history(session: Session) -> Iterator[Line]:
    if session.repository.is_shallow:
        yield Line(Health.WARNING, "this clone is shallow", "git fetch --unshallow")
    else:
        yield Line(Health.OK, "the clone is not shallow, and no graft rewrites its history")


def _folder(session: Session, folder: HooksFolder) -> Iterator[Line]:
    shown = folder.setting or "git's default"
    if not folder.path.is_dir():
        linked = session.repository.path != common_dir(session.repository)
        relative = folder.setting and not Path(folder.setting).expanduser().is_absolute()
        why = " (a relative path counts from this linked worktree)" if linked and relative else ""
        yield Line(
            Health.ERROR,
            f"core.hooksPath ({shown}) points at nothing: {folder.path}{why}",
            "git config core.hooksPath with an absolute path, or --unset it; freezegate install",
        )
        return
    yield Line(Health.OK, f"git looks for hooks in {folder.path} ({shown})")
    default = Path(common_dir(session.repository)) / "hooks"
    shadowed = [n for n in HOOKS if folder.setting and classify(default / n, n) is Found.OURS]
    if shadowed and default != folder.path:
        yield Line(
            Health.WARNING,
            f"shadowed by core.hooksPath, so never run: {default} ({', '.join(shadowed)})",
            "git config --unset core.hooksPath, or remove them",
        )


def _hooks(folder: HooksFolder) -> Iterator[Line]:
    for name in HOOKS:
        path = folder.path / name
        found = classify(path, name)
        managed = found in (Found.PRE_COMMIT, Found.PREK, Found.LEFTHOOK, Found.HUSKY)
        if found is Found.NONE:
            yield Line(Health.ERROR, f"{name}: missing", "freezegate install")
        elif not os.access(path, os.X_OK):
            yield Line(Health.ERROR, f"{name}: not executable, so git skips it", f"chmod +x {path}")
        elif found is Found.OURS:
            yield Line(Health.OK, f"{name}: freezegate's, of this version, executable")
        elif managed:
            said = f"{name}: {found.value}; only the canary can tell whether it asks freezegate"
            yield Line(Health.OK, said)
        else:
            yield Line(Health.WARNING, f"{name}: {found.value}", "freezegate install")


def _interpreter(session: Session) -> Iterator[Line]:
    config = session.repository.config
    if "freezegate.python" not in config:
        yield Line(Health.OK, "freezegate.python is not set: hooks take what PATH has")
        return
    python = str(config["freezegate.python"])
    try:
        done = subprocess.run(
            [python, "-I", "-c", "import freezegate; print(freezegate.__version__)"],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        version = done.stdout.strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        version, done = str(error), None
    if done is None or done.returncode:
        said = f"freezegate.python is {python}, which has no freezegate"
        yield Line(Health.ERROR, said, "git config freezegate.python /path/to/its/python")
    elif version != __version__:
        said = f"hooks run freezegate {version} ({python}), this is {__version__}"
        yield Line(Health.WARNING, said, "freezegate install")
    else:
        yield Line(Health.OK, f"hooks run freezegate {version} by {python}")


def _fixtures(session: Session) -> Iterator[Line]:
    filtered = 0
    for path, files in session.fixture_attributes():
        attributes = rewriting(effective(files, path.encode()))
        if attributes:
            filtered += 1
            yield Line(
                Health.WARNING,
                f"{path}: {', '.join(attributes)} lets a checkout hold other bytes than the blob",
                f"in .gitattributes: {path} -text -filter -ident",
            )
    if not filtered:
        yield Line(Health.OK, "no attribute rewrites a locked fixture")


def _skips(environ: Mapping[str, str]) -> Iterator[Line]:
    for name in _SKIPS:
        skipped = {word.strip() for word in environ.get(name, "").split(",")}
        if any(word.startswith("freezegate") for word in skipped):
            said = f"{name}={environ[name]} switches freezegate off under hook managers"
            yield Line(Health.WARNING, said, f"unset {name}")


def _canary(session: Session, folder: HooksFolder, environ: Mapping[str, str]) -> Iterator[Line]:
    with Canary(session, folder.path, environ) as canary:
        for proof in canary.prove():
            health = Health.OK if proof.holds else Health.ERROR
            yield Line(health, f"canary: {proof.said}", "freezegate install, then doctor again")
