"""Trees for runs, written from blobs: outside the repository, without bytecode and caches."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Protocol

from freezegate.errors import Unanswerable
from freezegate.model.entries import GITLINK_MODE, SYMLINK_MODE, Entry
from freezegate.model.paths import shown_path
from freezegate.witness.removal import remove_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

# No identifiers: pytest must not take the folder itself for a package (ADR 7).
BASE_FOLDER, CANDIDATE_FOLDER = "base-tree", "candidate-tree"
_LEFT_OUT = frozenset({b"__pycache__", b".hypothesis", b".pytest_cache"})
# What pytest would read in folders above a tree.
_OUTER = (
    "pytest.toml",
    ".pytest.toml",
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
    "setup.py",
    "conftest.py",
    "__init__.py",
)


_WORTH_A_PROCESS = 2000  # files, below which a second process costs more than it brings


class TreeSource(Protocol):
    """One revision's files; the command hands one in, since runs know nothing of git."""

    def files(self) -> Iterator[tuple[bytes, Entry]]:
        """Yield every file, link and submodule with its path."""
        ...

    def blob(self, entry: Entry) -> bytes:
        """Return a file's bytes."""
        ...


class Tree(NamedTuple):
    """A written tree: its top, and what stands in it as it was written."""

    top: Path
    files: Mapping[bytes, Entry]


class Pair(NamedTuple):
    """The two trees of a window."""

    base: Tree
    candidate: Tree


def build_pair(base: TreeSource, candidate: TreeSource, folder: Path) -> Pair:
    """Write both revisions below an empty folder; what they share is read from git once.

    Raises Unanswerable where folders above would take part in the runs. Nothing is shared on
    disk: a hard link would let a test on one side write into the other.
    """
    tops = (folder / BASE_FOLDER, folder / CANDIDATE_FOLDER)
    refuse_outer_files(tops[0])
    one, other = _side(tops[0], base), _side(tops[1], candidate)
    if not _written_by_two(one, other):
        _make_folders(one, other)
        _write_paths(one, other, _paths_of(one, other))
    return Pair(Tree(tops[0], one.files), Tree(tops[1], other.files))


class _Side(NamedTuple):
    root: bytes  # with the final slash
    files: Mapping[bytes, Entry]
    source: TreeSource


def _side(top: Path, source: TreeSource) -> _Side:
    files = {path: entry for path, entry in source.files() if not is_left_out(path)}
    return _Side(os.fsencode(top) + b"/", files, source)


def _paths_of(base: _Side, candidate: _Side) -> list[bytes]:
    return sorted(base.files.keys() | candidate.files.keys())


def _written_by_two(base: _Side, candidate: _Side) -> bool:
    """Write large trees in two processes, and say whether they stand.

    Most of the time goes into the kernel, and it locks folders: each process has its own. What
    goes wrong in the second one is left to happen again in the first, which can tell of it.
    """
    paths = _paths_of(base, candidate)
    if len(paths) < _WORTH_A_PROCESS or not _may_fork():
        return False
    _make_folders(base, candidate)
    half = len(paths) // 2
    child = os.fork()
    if not child:
        _write_and_leave(base, candidate, paths[half:])
    try:
        _write_paths(base, candidate, paths[:half])
    finally:
        status = os.waitpid(child, 0)[1]
    if status:
        for side in (base, candidate):
            remove_folder(Path(os.fsdecode(side.root)))
    return status == 0


def _may_fork() -> bool:
    """Threads do not survive a fork, so there may be none."""
    return sys.platform == "linux" and threading.active_count() == 1 and (os.cpu_count() or 1) > 1


def _write_and_leave(base: _Side, candidate: _Side, paths: Sequence[bytes]) -> NoReturn:
    status = 1
    try:
        _write_paths(base, candidate, paths)
        status = 0
    finally:
        os._exit(status)


def _write_paths(base: _Side, candidate: _Side, paths: Iterable[bytes]) -> None:
    for path in paths:
        old, new = base.files.get(path), candidate.files.get(path)
        data = b""
        if old:
            data = _data(base.source, old)
            write_entry(base.root + path, data, old)
        if new:
            data = data if old == new else _data(candidate.source, new)
            write_entry(candidate.root + path, data, new)


def _make_folders(*sides: _Side) -> None:
    for root, files, _ in sides:
        os.mkdir(root)
        for folder in sorted({path.rpartition(b"/")[0] for path in files} - {b""}):
            os.makedirs(root + folder, exist_ok=True)


def is_left_out(path: bytes) -> bool:
    """Say whether a path is bytecode or a cache: runs start without any."""
    return path.endswith((b".pyc", b".pyo")) or not _LEFT_OUT.isdisjoint(path.split(b"/"))


def _data(source: TreeSource, entry: Entry) -> bytes:
    return b"" if entry.mode == GITLINK_MODE else source.blob(entry)


def write_entry(place: bytes, data: bytes, entry: Entry) -> None:
    """Write a file, a link, or an empty folder for a submodule."""
    if entry.mode == GITLINK_MODE:
        os.makedirs(place, exist_ok=True)
    elif entry.mode == SYMLINK_MODE:
        os.symlink(data, place)
    else:
        _write(place, data, entry)


def rebuild_tree(source: TreeSource, tree: Tree) -> None:
    """Write a tree again where nothing stands any more."""
    root = os.fsencode(tree.top) + b"/"
    _make_folders(_Side(root, tree.files, source))
    for path, entry in tree.files.items():
        write_entry(root + path, _data(source, entry), entry)


def refuse_outer_files(top: Path) -> None:
    """Raise where a folder above the tree holds what pytest would read as the tree's own."""
    for folder in top.parents:
        for name in _OUTER:
            if (folder / name).exists():
                raise Unanswerable(
                    "repository.bad_place",
                    got=f"{shown_path(os.fsencode(folder / name))}, which pytest would read for "
                    "the runs' trees",
                    expected="a temporary folder with no pytest configuration above it",
                    remedy="TMPDIR=/var/tmp freezegate ...",
                )


def _write(path: bytes, data: bytes, entry: Entry) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, entry.mode & 0o777)
    try:
        written = os.write(descriptor, data)
        while written < len(data):  # a signal, or 2 GiB at once
            written += os.write(descriptor, memoryview(data)[written:])
    finally:
        os.close(descriptor)
