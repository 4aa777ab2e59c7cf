"""The SHA-256 of fixtures: from stat data where they are as they were, else from their bytes."""

from __future__ import annotations

import os
import threading
from array import array
from typing import TYPE_CHECKING, NamedTuple

from freezegate.git.fixture_read import FINE, GONE, LEFT_OUT, OTHER, POINTER, Part, Reader
from freezegate.git.fixture_walk import Folder, Refused
from freezegate.git.stat_cache import FIELDS, Seen, packed

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

_WORTH_A_PROCESS = 4_000  # files; fewer are done before a second process has started
_GOT = {
    POINTER: ("path.lfs_pointer", "a git-lfs pointer", "the file itself, stored in git"),
    GONE: ("fixture.missing", "no file any more", "files that stand still while they are read"),
    OTHER: ("path.not_regular", "no regular file any more", "a regular file"),
}


class Hashed(NamedTuple):
    """What was read of all files, what turned out to be none, and how many were left out."""

    seen: Seen
    refused: tuple[Refused, ...]
    left_out: int


def hash_fixtures(
    top: str, folders: Sequence[Folder], before: Seen, left_out: Callable[[Folder], Container[str]]
) -> Hashed:
    """Return the digests of files by folder; raises OSError where one cannot be read.

    `left_out` returns the names of a folder that are not wanted. Many files are shared with a
    second process: opening and reading them is what takes the time, and threads take turns at
    that.
    """
    reader = Reader(top, before, left_out)
    mine, other = _halves(folders)
    if not other:
        return _joined(folders, [reader.observe(mine)])
    pipe_end, child = _fork(reader, other)
    try:
        # Closed before it is waited for: a child that still writes then ends, too.
        with os.fdopen(pipe_end, "rb") as pipe:
            first = reader.observe(mine)
            raw = pipe.read()
    finally:
        _, status = os.waitpid(child, 0)
    # A child that failed says nothing: what stopped it is raised here.
    second = reader.observe(other) if status else _loaded(raw)
    return _joined((*mine, *other), [first, second])


def with_folders(top: str, seen: Seen, folders: Sequence[str], mark: bytes) -> Seen:
    """Return what was seen with the folders that were looked into, and a mark for all of it."""
    stats = array("Q", seen.stats)
    for folder in folders:
        now = os.lstat(f"{top}/{folder}")
        stats.extend(packed((now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino)))
    return seen._replace(paths=[*seen.paths, *folders], stats=stats, mark=mark)


def are_unchanged(top: str, before: Seen) -> bool:
    """Say whether files and folders have the stat data that they had then.

    A folder's own times change with every name that comes or goes, so nothing is listed.
    """
    count = len(before.paths)
    half = count // 2 if _has_a_process_more(count) else count
    if half == count:
        return _have_stats(top, before, 0, count)
    child = os.fork()
    if not child:
        same = False
        try:
            same = _have_stats(top, before, half, count)
        finally:
            os._exit(0 if same else 1)
    same = False
    try:
        same = _have_stats(top, before, 0, half)
    finally:
        _, status = os.waitpid(child, 0)
    return same and status == 0


def _have_stats(top: str, before: Seen, start: int, end: int) -> bool:
    """Compare in one loop that is kept bare."""
    stats, look = before.stats[start * FIELDS : end * FIELDS], os.stat
    numbers = (stats[field::FIELDS] for field in range(FIELDS))
    descriptor = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for path, size, mtime, ctime, inode in zip(before.paths[start:end], *numbers, strict=True):
            now = look(path or ".", dir_fd=descriptor, follow_symlinks=False)
            if (
                now.st_mtime_ns != mtime
                or now.st_ctime_ns != ctime
                or now.st_size != size
                or now.st_ino != inode
            ):
                return False
    except OSError:  # gone, or no folder any more: the long way says what
        return False
    finally:
        os.close(descriptor)
    return True


def _has_a_process_more(files: int) -> bool:
    """Whether a second process is worth its start: threads do not survive a fork, so none then."""
    alone = threading.active_count() > 1 or (os.cpu_count() or 1) < 2
    return files >= _WORTH_A_PROCESS and not alone


def _halves(folders: Sequence[Folder]) -> tuple[Sequence[Folder], Sequence[Folder]]:
    total = sum(len(folder.names) for folder in folders)
    if not _has_a_process_more(total):
        return folders, ()
    count, mine, other = 0, list[Folder](), list[Folder]()
    for folder in folders:
        room = total // 2 - count
        count += len(folder.names)
        if room <= 0:
            other.append(folder)
            continue
        mine.append(Folder(folder.path, folder.names[:room]))
        if len(folder.names) > room:
            other.append(Folder(folder.path, folder.names[room:]))
    return mine, other


def _fork(reader: Reader, folders: Sequence[Folder]) -> tuple[int, int]:
    """Start a child that observes some folders; return its pipe and its id."""
    pipe_end, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return pipe_end, child
    status = 1
    try:
        part = reader.observe(folders)
        with os.fdopen(writer, "wb") as pipe:
            pipe.writelines((part.stats, part.digests, part.words))
        status = 0
    finally:
        os._exit(status)


def _loaded(raw: bytes) -> Part:
    count = len(raw) // (8 * FIELDS + 32 + 1)
    stats = array("Q")
    end = 8 * FIELDS * count
    stats.frombytes(raw[:end])
    return Part(stats, raw[end:-count], raw[-count:])


def _joined(folders: Sequence[Folder], parts: Sequence[Part]) -> Hashed:
    """Return all parts as one, what is no fixture taken out."""
    paths = [
        f"{folder.path}/{name}" if folder.path else name
        for folder in folders
        for name in folder.names
    ]
    stats = array("Q")
    for part in parts:
        stats.extend(part.stats)
    digests = b"".join(part.digests for part in parts)
    words = b"".join(part.words for part in parts)
    if not any(words):
        return Hashed(Seen(paths, stats, digests), (), 0)
    return _without_others(Seen(paths, stats, digests), words)


def _without_others(seen: Seen, words: bytes) -> Hashed:
    kept = seen.only([place for place, word in enumerate(words) if word == FINE])
    refused = tuple(
        Refused(seen.paths[place], *_GOT[word]) for place, word in enumerate(words) if word in _GOT
    )
    return Hashed(kept, refused, words.count(LEFT_OUT))
