"""Trees for runs, written from blobs: outside the repository, without bytecode and caches."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from freezegate.errors import Unanswerable
from freezegate.model.entries import GITLINK_MODE, SYMLINK_MODE, Entry
from freezegate.model.paths import shown_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from concurrent.futures import Future
    from pathlib import Path

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


_BATCH = 64  # files handed to a thread at once
_Write: TypeAlias = "Callable[[bytes, bytes, Entry], None]"


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
    sides = (base, candidate)
    found = [
        {path: entry for path, entry in side.files() if not is_left_out(path)} for side in sides
    ]
    roots = [os.fsencode(top) + b"/" for top in tops]
    for root, files in zip(roots, found, strict=True):
        _make_folders(root, files)
    with _writers(len(roots)) as (first, second):
        for path, entry in found[0].items():
            data = _data(base, entry)
            first(roots[0] + path, data, entry)
            if found[1].get(path) == entry:
                second(roots[1] + path, data, entry)
        for path, entry in found[1].items():
            if found[0].get(path) != entry:
                second(roots[1] + path, _data(candidate, entry), entry)
    return Pair(Tree(tops[0], found[0]), Tree(tops[1], found[1]))


def _make_folders(root: bytes, files: Iterable[bytes]) -> None:
    os.mkdir(root)
    for folder in sorted({path.rpartition(b"/")[0] for path in files} - {b""}):
        os.makedirs(root + folder, exist_ok=True)


def is_left_out(path: bytes) -> bool:
    """Say whether a path is bytecode or a cache: runs start without any."""
    return path.endswith((b".pyc", b".pyo")) or not _LEFT_OUT.isdisjoint(path.split(b"/"))


@contextlib.contextmanager
def _writers(count: int) -> Iterator[tuple[_Write, ...]]:
    """Give each tree a thread that writes it: most of the time goes into the file system."""
    from concurrent.futures import ThreadPoolExecutor

    pools = [ThreadPoolExecutor(max_workers=1) for _ in range(count)]
    waiting: list[list[tuple[bytes, bytes, Entry]]] = [[] for _ in pools]
    futures: list[Future[None]] = []

    def send(number: int) -> None:
        if waiting[number]:
            futures.append(pools[number].submit(_write_all, waiting[number]))
            waiting[number] = []

    def writer(number: int) -> _Write:
        def put(place: bytes, data: bytes, entry: Entry) -> None:
            waiting[number].append((place, data, entry))
            if len(waiting[number]) >= _BATCH:
                send(number)

        return put

    try:
        yield tuple(writer(number) for number in range(count))
        for number in range(count):
            send(number)
        for future in futures:
            future.result()
    finally:
        for pool in pools:
            pool.shutdown(cancel_futures=True)


def _write_all(batch: Iterable[tuple[bytes, bytes, Entry]]) -> None:
    for place, data, entry in batch:
        write_entry(place, data, entry)


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
    _make_folders(root, tree.files)
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
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    finally:
        os.close(descriptor)
