"""`freezegate doctor`: what is proved about the hooks here, and what is not."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from freezegate import __version__
from freezegate.cli.canary import Canary
from freezegate.cli.doctor_fixtures import examine_fixtures
from freezegate.cli.doctor_interpreter import interpreter_line, skip_lines
from freezegate.cli.doctor_line import Health, Line
from freezegate.cli.hook_places import (
    HOOKS,
    Found,
    HooksFolder,
    classify,
    hooks_folder,
    require_work_tree,
)
from freezegate.errors import Unanswerable
from freezegate.git.repository import common_dir, git_faults_refuse
from freezegate.git.session import Session
from freezegate.git.work_tree import work_tree
from freezegate.model.paths import shell_paths
from freezegate.report.text import escaped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from freezegate.git.base import TrustedBase
    from freezegate.policy.facts import Document
    from freezegate.policy.settings import Policy

SUMMARY = "say what is proved about the hooks here, and refuse a bad patch to prove it"
EXAMPLES = """\
examples:
  freezegate doctor                       every check, and a canary
  freezegate doctor --no-canary           without the scratch clone
  freezegate doctor --host /srv/shop.git  the same for a repository on a git host

The canary is a clone below the git directory, removed afterwards: a bad patch is committed and
pushed there through the hooks as they are installed, and must be refused; an honest one must pass.
With --host it is a push into an empty repository with the host's hooks and settings.

exit status: 0 nothing is wrong, 1 something is, 2 could not answer
"""
_MANAGED = (Found.PRE_COMMIT, Found.PREK, Found.LEFTHOOK, Found.HUSKY)


_CONFIGURATIONS = {
    Found.PRE_COMMIT: ".pre-commit-config.yaml",
    Found.PREK: ".pre-commit-config.yaml",
    Found.LEFTHOOK: "lefthook.yml",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument("--no-canary", action="store_true", help="make no scratch clone")
    parser.add_argument("--host", metavar="PATH", help="a repository on a git host, by its folder")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Look at everything, print a line each, return 1 where something is wrong."""
    lines = _lines(options, environ)
    _print(lines, options.format)
    return int(any(line.health is Health.ERROR for line in lines))


def _lines(options: argparse.Namespace, environ: Mapping[str, str]) -> list[Line]:
    if options.host is not None:
        from freezegate.cli.doctor_host import examine_host

        return list(examine_host(Path(options.host), environ, canary=not options.no_canary))
    with git_faults_refuse():
        session = Session.open(environ)
        require_work_tree(session)
        return list(examine(session, environ, canary=not options.no_canary))


def _print(lines: list[Line], form: str) -> None:
    if form == "json":
        import json

        print(json.dumps([line._asdict() for line in lines], indent=2))
        return
    for line in lines:
        print(f"{line.health:<8} {escaped(line.said)}")
        if line.remedy and line.health is not Health.OK:
            print(f"         remedy: {escaped(line.remedy)}")


def examine(session: Session, environ: Mapping[str, str], *, canary: bool) -> Iterator[Line]:
    """Yield the report on one repository with a work tree."""
    yield Line(Health.OK, f"freezegate {__version__}, Python {sys.version.split()[0]}")
    yield from _base(session)
    yield _history(session)
    folder = hooks_folder(session)
    yield _folder(session, folder)
    yield from _shadowed(session, folder)
    missing = _install_command(session)
    yield from (_hook(folder.path / name, name, missing) for name in HOOKS)
    yield interpreter_line(session, environ)
    yield from examine_fixtures(session)
    yield from skip_lines(environ)
    if canary:
        yield from _configuration(session, folder)
        yield from _canary(session, folder, environ)
    else:
        yield Line(Health.WARNING, "no canary: nobody saw these hooks refuse", "freezegate doctor")


def _base(session: Session) -> Iterator[Line]:
    try:
        candidate = session.candidate(None, staged=True)
        base = session.trusted_base(candidate, session.branch(None))
        yield _policy(base, session.policy_at(base))
    except Unanswerable as stop:
        yield Line(Health.ERROR, f"no trusted base: {stop.got}", stop.remedy or "")


def _policy(base: TrustedBase, policy: Document[Policy]) -> Line:
    if base.parent_only:
        said = "no target found here: patches are judged against their own parent"
        remedy = "git fetch, and list your protected ref in [base] targets of .freeze/policy.toml"
        if policy.value is None and not policy.is_damaged:
            remedy = "freezegate init, then land it"
        return Line(Health.WARNING, said, remedy)
    if policy.fault and policy.fault.place == "version":
        said = (
            f"the policy at {base.source} wants another version of freezegate: its format is "
            f"{policy.fault.got}, {__version__} reads {policy.fault.expected}"
        )
        return Line(Health.ERROR, said, "install the version of freezegate that your project uses")
    if policy.is_damaged:
        said = f"the policy at {base.source} does not decode: {policy.fault}"
        return Line(Health.ERROR, said, "send a patch that repairs it and changes nothing else")
    if policy.value is None:
        remedy = "freezegate init, then land it"
        return Line(Health.WARNING, f"no policy at {base.source} yet", remedy)
    said = f"policy at {base.source}: preset {policy.value.preset}, it decodes"
    empty = [
        f"[{table}] paths"
        for table, globs in (
            ("oracle", policy.value.oracle_paths),
            ("fixtures", policy.value.fixture_paths),
        )
        if not globs
    ]
    if empty:
        said += f", but no {' and no '.join(empty)}: nothing can be frozen"
        return Line(Health.WARNING, said, "fill them in, in .freeze/policy.toml, and land that")
    return Line(Health.OK, said)


def _history(session: Session) -> Line:
    """Grafts need no look here: no repository with one is opened."""
    if session.repository.is_shallow:
        return Line(Health.WARNING, "this clone is shallow", "git fetch --unshallow")
    return Line(Health.OK, "the clone is not shallow, and no graft rewrites its history")


def _folder(session: Session, folder: HooksFolder) -> Line:
    if folder.path.is_dir():
        source = f"core.hooksPath is {folder.setting}" if folder.setting else "git's default"
        return Line(Health.OK, f"git looks for hooks in {folder.path} ({source})")
    if folder.setting is None:
        return Line(Health.ERROR, f"no folder for hooks: {folder.path}", "freezegate install")
    linked = session.repository.path != common_dir(session.repository)
    relative = not Path(folder.setting).expanduser().is_absolute()
    why = "; a relative path counts from this linked worktree" if linked and relative else ""
    said = f"core.hooksPath ({folder.setting}) points at nothing: {folder.path}{why}"
    remedy = "git config core.hooksPath with an absolute path, or --unset it; freezegate install"
    return Line(Health.ERROR, said, remedy)


def _shadowed(session: Session, folder: HooksFolder) -> Iterator[Line]:
    default = Path(common_dir(session.repository)) / "hooks"
    if folder.setting is None or default.resolve() == folder.path.resolve():
        return
    ours = (Found.OURS, Found.OUTDATED)
    shadowed = [name for name in HOOKS if classify(default / name, name) in ours]
    if shadowed:
        said = f"shadowed by core.hooksPath, so never run: {default} ({', '.join(shadowed)})"
        yield Line(Health.WARNING, said, "git config --unset core.hooksPath, or remove them")


def _install_command(session: Session) -> str:
    """Return what puts hooks in place: a manager that has our lines does that itself."""
    config = work_tree(session) / _CONFIGURATIONS[Found.PRE_COMMIT]
    if config.is_file() and b"freezegate" in config.read_bytes():
        return (
            "pre-commit install (with prek: prek install), or the native hooks: freezegate install"
        )
    return "freezegate install"


def _hook(path: Path, name: str, missing: str) -> Line:
    found = classify(path, name)
    if found is Found.NONE:
        return Line(Health.ERROR, f"{name}: missing", missing)
    if not path.is_file():
        said = f"{name}: {found.value}: a folder, or a link to nothing, so git skips it"
        return Line(Health.ERROR, said, f"move {path} away, then freezegate install")
    if not os.access(path, os.X_OK):
        return Line(Health.ERROR, f"{name}: not executable, so git skips it", f"chmod +x {path}")
    if found is Found.OURS:
        return Line(Health.OK, f"{name}: freezegate's, of this version, executable")
    if found in _MANAGED:
        said = f"{name}: {found.value}; only the canary can tell whether it asks freezegate"
        return Line(Health.OK, said)
    return Line(Health.WARNING, f"{name}: {found.value}", "freezegate install")


def _configuration(session: Session, folder: HooksFolder) -> Iterator[Line]:
    """Managers read their configuration from the work tree; the canary's clone has HEAD's."""
    managed = {classify(folder.path / name, name) for name in HOOKS} & _CONFIGURATIONS.keys()
    for found in managed:
        path = _CONFIGURATIONS[found]
        if session.differs_from_head(path):
            said = f"{path} is not HEAD's, which the canary tries: what it proves is not for yours"
            yield Line(
                Health.WARNING, said, f"git add {shell_paths([path])}, commit it, then ask again"
            )


def _canary(session: Session, folder: HooksFolder, environ: Mapping[str, str]) -> Iterator[Line]:
    with Canary(session, folder.path, environ) as canary:
        for proof in canary.prove():
            health = Health.OK if proof.holds else Health.ERROR
            yield Line(health, f"canary: {proof.said}", proof.remedy)
