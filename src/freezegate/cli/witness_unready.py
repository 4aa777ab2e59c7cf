"""What of the work tree is in the way of runs, which are made on commits?"""

from __future__ import annotations

import os
import shlex
import stat
import sys
from typing import TYPE_CHECKING

from freezegate.cli.witness_cut import cut_off
from freezegate.git.work_tree import dirty_files, notes_folder, strangers_here, work_tree
from freezegate.ledger.append import begun_for, locked
from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import AT_TOP, shell_paths, shown_path
from freezegate.policy.guards import FOLDER, is_kept_file, is_request_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from freezegate.git.session import Session
    from freezegate.git.work_tree import Stranger


def strangers(session: Session) -> list[Finding]:
    """Return what stands under `.freeze/` and could never be committed there.

    Files that a killed freezegate only began are removed first, and told of.
    """
    found = strangers_here(session)
    begun = [each for each in found if _is_begun(each)]
    if begun:
        with locked(notes_folder(session) / "writing.lock"):  # whoever writes one is alive no more
            for each in begun:
                _remove_begun(work_tree(session), each)
        found = strangers_here(session)
    return [_stranger(each) for each in found]


def _is_begun(found: Stranger) -> bool:
    folder, _, name = os.fsdecode(found.path).rpartition("/")
    whole = begun_for(name)
    kept = whole is not None and is_kept_file(os.fsencode(f"{folder}/{whole}"))
    return kept and found.kind == stat.S_IFREG


def _remove_begun(top: Path, found: Stranger) -> None:
    (top / os.fsdecode(found.path)).unlink(missing_ok=True)
    print(
        f"freezegate: removed {shown_path(found.path)}, which a killed freezegate had begun",
        file=sys.stderr,
        flush=True,
    )


def uncommitted(session: Session, marked: Collection[bytes], *, refresh: bool) -> list[Finding]:
    """Return what is in no commit, all files of an earlier request as one finding.

    `marked` are sources with nothing more than markers of that request. With `refresh` its files
    may differ: they are replaced.
    """
    sources = set(map(os.fsdecode, marked))
    changed = dirty_files(session, request_files=True)
    own = [path for path in changed if path in sources or is_request_file(os.fsencode(path))]
    others = [_dirty(path) for path in changed if path not in own]
    return others if refresh or not own else [_asked(session, own), *others]


def drop_command(revision: str, back: Sequence[str], gone: Sequence[str]) -> str:
    """Return the command that takes files of a request out of index and work tree."""
    return " && ".join(_drop_commands(revision, back, gone))


def _drop_commands(revision: str, back: Sequence[str], gone: Sequence[str]) -> Iterator[str]:
    if back:
        yield f"git checkout {revision} -- {shell_paths(back)}"
    if gone:
        yield f"git rm -q -f --ignore-unmatch -- {shell_paths(gone)}"
        yield f"git clean -q -f -x -- {shell_paths(gone)}"


def _asked(session: Session, paths: Sequence[str]) -> Finding:
    """Return that a request stands in the work tree, and what can be done with it."""
    top = work_tree(session)
    if not any(os.path.lexists(top / path) for path in paths):
        return _deleted(paths)
    gone = [path for path in paths if not session.is_in_head(path)]
    back = [path for path in paths if path not in gone]
    add = shell_paths([".freeze", *(path for path in paths if not path.startswith(".freeze/"))])
    drop = drop_command("HEAD", back, gone)
    missing = cut_off(session, frozenset(paths))
    got = (
        f"{len(paths)} {'files' if len(paths) > 1 else 'file'} of an earlier request in no commit: "
        f"{', '.join(paths)}"
    )
    if missing is not None:
        got += f"; it was cut off while it was written: {missing}"
        remedy = f"{drop}; or to take it anew, the same command with --refresh"
    else:
        remedy = (
            f"git add {add} && git commit; or to replace it: freezegate witness --refresh; or to "
            f"drop it: {drop}"
        )
    return Finding(
        code="repository.dirty",
        severity=Severity.ERROR,
        path=FOLDER.decode(),
        got=got,
        expected="every file as HEAD has it: runs are made on commits",
        remedy=remedy,
    )


def _deleted(paths: Sequence[str]) -> Finding:
    """Return that nothing of a request was written, but files of it are gone."""
    return Finding(
        code="repository.dirty",
        severity=Severity.ERROR,
        path=FOLDER.decode(),
        got=f"{', '.join(paths)}: in HEAD, and gone from the work tree",
        expected="every file as HEAD has it: runs are made on commits",
        remedy=f"git checkout HEAD -- {shell_paths(paths)}; or to take it anew: "
        "freezegate witness --refresh",
    )


def _dirty(path: str) -> Finding:
    """Return that a file of the work tree is not as HEAD has it."""
    return Finding(
        code="repository.dirty",
        severity=Severity.ERROR,
        path=path,
        got="changes that are in no commit",
        expected="the file as HEAD has it: runs are made on commits",
        remedy=f"git commit -- {shell_paths([path])}, or git stash; then run again",
    )


def _stranger(found: Stranger) -> Finding:
    """Return that something under `.freeze/` can never be committed there."""
    path = found.path
    codes = {stat.S_IFLNK: "path.symlink", stat.S_IFREG: "path.unexpected"}
    words = {stat.S_IFLNK: "a symbolic link", stat.S_IFREG: "a file", stat.S_IFDIR: "a folder"}
    return Finding(
        code=codes.get(found.kind, "path.not_regular"),
        severity=Severity.ERROR,
        path=shown_path(path),
        got=words.get(found.kind, "a special file"),
        expected="nothing under .freeze/ but regular files that freezegate keeps there: the gate "
        "would refuse the patch whatever the runs say",
        remedy=f"move it away: {AT_TOP}mv {shlex.quote(shown_path(path))} ..",
    )
