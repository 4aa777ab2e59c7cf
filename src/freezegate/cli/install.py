"""`freezegate install`: put the hooks in place, keep what was there, and undo it byte for byte."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from freezegate.cli.hook_places import (
    BEFORE,
    HOOKS,
    Found,
    HooksFolder,
    classify,
    hooks_folder,
    require_work_tree,
)
from freezegate.cli.managers import LINES, join_pre_commit_config
from freezegate.cli.placed import Placed
from freezegate.errors import UsageError
from freezegate.git.repository import common_dir, git_faults_refuse
from freezegate.git.session import Session
from freezegate.report.text import escaped
from freezegate.resources import read_shipped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

SUMMARY = "put the git hooks in place, or undo that"
EXAMPLES = """\
examples:
  freezegate install                      git's own hooks; hooks that are there go on running
  freezegate install --manager pre-commit into .pre-commit-config.yaml
  freezegate install --manager lefthook   the lines to paste (also: prek, husky)
  freezegate install --undo               everything as it was, byte for byte

writes: the hooks folder that git uses (core.hooksPath counts), .pre-commit-config.yaml if asked,
the repository's own git config (freezegate.python), and freezegate/ in the git directory
"""
_MANAGED = {
    Found.PRE_COMMIT: "pre-commit",
    Found.PREK: "prek",
    Found.LEFTHOOK: "lefthook",
    Found.HUSKY: "husky",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument("--manager", choices=("native", "pre-commit", *LINES), default="native")
    parser.add_argument("--undo", action="store_true", help="take back what install did here")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Install or undo, and say each thing that was done."""
    with git_faults_refuse():
        return _run(options, Session.open(environ))


def _run(options: argparse.Namespace, session: Session) -> int:
    top = require_work_tree(session)
    placed = Placed.open(session)
    if options.undo:
        for said in placed.undo():
            print(escaped(said))
        return 0
    if options.manager in LINES:
        print(LINES[options.manager])
        return 0
    if options.manager == "pre-commit":
        placed.write(top / ".pre-commit-config.yaml", join_pre_commit_config(top))
        print(
            "freezegate's hooks are in .pre-commit-config.yaml; let the framework place its own:\n"
            "  git add ':/.pre-commit-config.yaml' && pre-commit install (prek: prek install)\n"
            "it shows the hook one ref of a push only, and none of a deletion: run `freezegate\n"
            "install` first, and pre-commit keeps and calls the native hooks, which see them all"
        )
        folder = hooks_folder(session)
        if folder.setting:
            print(
                f"core.hooksPath is {folder.setting}: `pre-commit install` refuses to place hooks"
            )
        return 0
    _install_native(session, placed)
    return 0


def _install_native(session: Session, placed: Placed) -> None:
    folder = hooks_folder(session)
    found = {name: classify(folder.path / name, name) for name in HOOKS}
    _refuse(folder, found, Path(common_dir(session.repository)) / "hooks")
    placed.configure("freezegate.python", sys.executable)
    for name in HOOKS:
        _place(folder.path, name, found[name], placed)
    print(f"git asks freezegate from {escaped(str(folder.path))}; try it: freezegate doctor")


def _refuse(folder: HooksFolder, found: Mapping[str, Found], default: Path) -> None:
    if folder.is_shared:
        msg = (
            f"core.hooksPath is {folder.setting} for more than this repository; hooks there would "
            f"run everywhere, and these go on for others only. Set one for this repository: "
            f"git config core.hooksPath '{default}'"
        )
        raise UsageError(msg)
    above = next(each for each in (folder.path, *folder.path.parents) if each.exists())
    if not above.is_dir():
        msg = (
            f"core.hooksPath ({folder.setting}) leads through {above}, which is no folder; name an "
            f"absolute one: git config core.hooksPath '{default}'"
        )
        raise UsageError(msg)
    for name, what in found.items():
        path = folder.path / name
        if what in _MANAGED:
            manager = _MANAGED[what]
            msg = f"{path} is {what.value}: freezegate install --manager {manager}"
            raise UsageError(msg)
        if what is Found.STRANGE:
            msg = f"{path} is {what.value}; make it an executable script, or move it away"
            raise UsageError(msg)
        if what is Found.FOREIGN and (folder.path / f"{name}{BEFORE}").exists():
            msg = f"{path}{BEFORE} is there already; move it away, then install again"
            raise UsageError(msg)


def _place(folder: Path, name: str, found: Found, placed: Placed) -> None:
    path = folder / name
    if found is Found.OURS:
        print(f"{name}: in place already")
        return
    if found is Found.FOREIGN:
        placed.move(path, folder / f"{name}{BEFORE}")
        print(f"{name}: placed; the hook that was there runs first, as {name}{BEFORE}")
    else:
        print(f"{name}: placed")
    placed.write(path, read_shipped("hooks", name), executable=True)
