"""The work tree beside HEAD: which files differ, and where freezegate keeps its own notes."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pygit2.enums import FileStatus

from freezegate.errors import Unanswerable
from freezegate.git.repository import common_dir
from freezegate.policy.guards import FOLDER, is_kept_file, is_request_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pygit2

    from freezegate.git.session import Session

_FOLDERS = frozenset({FOLDER, FOLDER + b"/evidence", FOLDER + b"/snapshots"})


class Stranger(NamedTuple):
    """Something under `.freeze/` in the work tree: its path, and its kind as `stat` has it."""

    path: bytes
    kind: int


def work_tree(session: Session) -> Path:
    """Return the work tree's top; raises Unanswerable in a bare repository."""
    return top_of(session.repository)


def top_of(repository: pygit2.Repository) -> Path:
    """Return the top of a repository's work tree; raises Unanswerable in a bare one."""
    if not repository.workdir:
        raise Unanswerable(
            "repository.unsupported",
            got="a repository without a work tree",
            expected="a clone with a work tree, in which the evidence can be written",
            remedy="git clone REPOSITORY, then run there",
        )
    return Path(repository.workdir)


def work_trees(session: Session) -> tuple[Path, ...]:
    """Return the tops of all work trees of this repository, linked ones too."""
    repository = session.repository
    linked = [repository.lookup_worktree(name).path for name in repository.list_worktrees()]
    main = Path(common_dir(repository)).parent
    own = [Path(repository.workdir)] if repository.workdir else []
    tops = [*own, main if (main / ".git").exists() else None, *map(Path, linked)]
    return tuple(dict.fromkeys(Path(os.path.realpath(top)) for top in tops if top))


def notes_folder(session: Session) -> Path:
    """Return the folder for locks and refused windows, in the git directory that all share."""
    return notes_of(session.repository)


def notes_of(repository: pygit2.Repository) -> Path:
    """Return the same folder of a repository that was only opened."""
    return Path(common_dir(repository)) / "freezegate"


def dirty_files(session: Session, *, request_files: bool) -> tuple[str, ...]:
    """Return the tracked files in which index or work tree differ from HEAD, sorted.

    Files of a request count as well where they are not tracked yet; without `request_files` all
    of those are left out.
    """
    changed = {
        path
        for path, status in session.repository.status(untracked_files="no").items()
        if status not in (FileStatus.CURRENT, FileStatus.IGNORED)
    }
    index = frozenset(entry.path for entry in session.repository.index)
    changed |= {path for path in request_files_here(session) if path not in index}
    return tuple(
        sorted(
            path
            for path in changed
            if request_files or not is_request_file(path.encode("utf-8", "surrogateescape"))
        )
    )


def strangers_here(session: Session) -> tuple[Stranger, ...]:
    """Return what stands under `.freeze/` in the work tree, and could never be committed there.

    That is: links, folders or files in another one's place, and untracked files that no request
    has. Files that git ignores go nowhere.
    """
    top = os.fsencode(work_tree(session))
    tracked = {entry.path.encode("utf-8", "surrogateescape") for entry in session.repository.index}
    found = (each for each in _below(top, FOLDER) if not _is_ignored(session, each.path))
    return tuple(each for each in found if _is_strange(each, tracked))


def _below(top: bytes, path: bytes) -> Iterator[Stranger]:
    """Yield a path and all that is below it; links are never followed."""
    try:
        mode = os.lstat(top + b"/" + path).st_mode
    except OSError:
        return
    yield Stranger(path, stat.S_IFMT(mode))
    if stat.S_ISDIR(mode):
        for name in sorted(os.listdir(top + b"/" + path)):
            yield from _below(top, path + b"/" + name)


def _is_strange(found: Stranger, tracked: set[bytes]) -> bool:
    if found.path in _FOLDERS:
        return found.kind != stat.S_IFDIR
    if found.kind == stat.S_IFDIR:
        return is_kept_file(found.path)
    if is_kept_file(found.path):
        return found.kind != stat.S_IFREG
    return found.path not in tracked


def _is_ignored(session: Session, path: bytes) -> bool:
    name = path.decode("utf-8", "surrogateescape")
    return not is_kept_file(path) and path not in _FOLDERS and session.is_ignored(name)


def request_files_here(session: Session) -> tuple[str, ...]:
    """Return the files of requests that stand in the work tree, tracked or not."""
    top = work_tree(session)
    folder = top / FOLDER.decode()
    found = [folder / "record.json", folder / "ledger.jsonl"]
    for name in ("evidence", "snapshots"):
        found += (folder / name).iterdir() if (folder / name).is_dir() else ()
    return tuple(sorted(str(path.relative_to(top)) for path in found if path.is_file()))
