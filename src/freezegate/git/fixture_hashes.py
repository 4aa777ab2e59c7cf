"""The SHA-256 of fixtures: from stat data where they are as they were, else from their bytes."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import threading
from array import array
from typing import TYPE_CHECKING, NamedTuple

from freezegate.git.fixture_walk import Folder, Refused
from freezegate.git.lfs import is_lfs_pointer
from freezegate.git.stat_cache import FIELDS, Seen

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SMALL = 256 * 1024  # one read
_WORTH_A_PROCESS = 4_000  # files; fewer are done before a second process has started
_FINE, _POINTER, _GONE, _OTHER = range(4)
_GOT = {
    _POINTER: ("path.lfs_pointer", "a git-lfs pointer", "the file itself, stored in git"),
    _GONE: ("fixture.missing", "no file any more", "files that stand still while they are read"),
    _OTHER: ("path.not_regular", "no regular file any more", "a regular file"),
}


class Hashed(NamedTuple):
    """What was read of all files, and what turned out to be none; `read` were opened."""

    seen: Seen
    refused: tuple[Refused, ...]
    read: int


class _Part(NamedTuple):
    """What one process found, in the order of its folders: numbers, digests, a word for each."""

    stats: array[int]
    digests: bytearray
    words: bytearray
    read: int


def hash_fixtures(top: str, folders: Sequence[Folder], before: Seen) -> Hashed:
    """Return the digests of files by folder; raises OSError where one cannot be read.

    Many files are shared with a second process: opening and reading them is what takes the time,
    and threads take turns at that.
    """
    known = dict(zip(before.paths[: before.files], range(before.files), strict=True))
    mine, other = _halves(folders)
    if not other:
        return _joined(folders, [_observe(top, mine, known, before)])
    reader, child = _fork(top, other, known, before)
    try:
        # Closed before it is waited for: a child that still writes then ends, too.
        with os.fdopen(reader, "rb") as pipe:
            first = _observe(top, mine, known, before)
            raw = pipe.read()
    finally:
        _, status = os.waitpid(child, 0)
    # A child that failed says nothing: what stopped it is raised here.
    second = _observe(top, other, known, before) if status else _loaded(raw)
    return _joined((*mine, *other), [first, second])


def with_folders(top: str, seen: Seen, folders: Sequence[str], mark: bytes) -> Seen:
    """Return what was seen with the folders that were looked into, and a mark for all of it."""
    stats = array("Q", seen.stats)
    for folder in folders:
        now = os.lstat(f"{top}/{folder}")
        stats.extend(map(_unsigned, _numbers(now)))
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
    stats, look, at = before.stats, os.stat, start * FIELDS
    descriptor = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for path in before.paths[start:end]:
            now = look(path or ".", dir_fd=descriptor, follow_symlinks=False)
            if (
                now.st_mtime_ns != stats[at + 1]
                or now.st_ctime_ns != stats[at + 2]
                or now.st_size != stats[at]
                or now.st_ino != stats[at + 3]
            ):
                return False
            at += FIELDS
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


def _fork(
    top: str, folders: Sequence[Folder], known: dict[str, int], before: Seen
) -> tuple[int, int]:
    """Start a child that observes some folders; return its pipe and its id."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return reader, child
    status = 1
    try:
        part = _observe(top, folders, known, before)
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(part.read.to_bytes(8, "little") + len(part.words).to_bytes(8, "little"))
            pipe.write(part.stats.tobytes() + part.digests + part.words)
        status = 0
    finally:
        os._exit(status)


def _loaded(raw: bytes) -> _Part:
    read, count = int.from_bytes(raw[:8], "little"), int.from_bytes(raw[8:16], "little")
    stats = array("Q")
    end = 16 + 8 * FIELDS * count
    stats.frombytes(raw[16:end])
    return _Part(stats, bytearray(raw[end:-count]), bytearray(raw[-count:]), read)


def _observe(top: str, folders: Sequence[Folder], known: dict[str, int], before: Seen) -> _Part:
    part = _Part(array("Q"), bytearray(), bytearray(), 0)
    read = 0
    for folder in folders:
        descriptor = os.open(f"{top}/{folder.path}", _FOLDER)
        try:
            read += _observe_folder(descriptor, folder, known, before, part)
        finally:
            os.close(descriptor)
    return part._replace(read=read)


def _observe_folder(
    descriptor: int, folder: Folder, known: dict[str, int], before: Seen, part: _Part
) -> int:
    """Add a folder's files to a part and return how many were opened; the loop is kept bare."""
    prefix = f"{folder.path}/" if folder.path else ""
    old, digests = before.stats, before.digests
    read = 0
    for name in folder.names:
        place = known.get(prefix + name)
        if place is not None:
            at = place * FIELDS
            try:
                now = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except FileNotFoundError:
                _add(part, None, b"", _GONE)
                continue
            if (
                now.st_mtime_ns == old[at + 1]
                and now.st_size == old[at]
                and now.st_ctime_ns == old[at + 2]
                and now.st_ino == old[at + 3]
            ):
                part.stats.extend(old[at : at + FIELDS])
                part.digests.extend(digests[place * 32 : place * 32 + 32])
                part.words.append(_FINE)
                continue
        read += 1
        _add(part, *_read(descriptor, name))
    return read


def _read(descriptor: int, name: str) -> tuple[os.stat_result | None, bytes, int]:
    """Return a file's stat data as they were before its first byte was read, digest and word."""
    try:
        file = os.open(name, _OPEN, dir_fd=descriptor)
    except FileNotFoundError:
        return None, b"", _GONE
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        return None, b"", _OTHER
    try:
        now = os.fstat(file)
        if not stat.S_ISREG(now.st_mode):
            return None, b"", _OTHER
        expected = min(now.st_size, _SMALL)
        data = os.read(file, expected + 1)
        if len(data) != now.st_size:
            return now, _whole(file), _FINE
        return now, hashlib.sha256(data).digest(), _POINTER if is_lfs_pointer(data) else _FINE
    finally:
        os.close(file)


def _whole(descriptor: int) -> bytes:
    with open(descriptor, "rb", buffering=0, closefd=False) as file:
        file.seek(0)
        return hashlib.file_digest(file, "sha256").digest()


def _add(part: _Part, now: os.stat_result | None, digest: bytes, word: int) -> None:
    part.stats.extend(map(_unsigned, _numbers(now) if now else (0,) * FIELDS))
    part.digests.extend(digest or bytes(32))
    part.words.append(word)


def _numbers(now: os.stat_result) -> tuple[int, ...]:
    return now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino


def _unsigned(number: int) -> int:
    return number & 0xFFFF_FFFF_FFFF_FFFF  # times before 1970


def _joined(folders: Sequence[Folder], parts: Sequence[_Part]) -> Hashed:
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
    read = sum(part.read for part in parts)
    if not any(words):
        return Hashed(Seen(paths, stats, digests), (), read)
    return _without_others(Seen(paths, stats, digests), words, read)


def _without_others(seen: Seen, words: bytes, read: int) -> Hashed:
    good = [place for place, word in enumerate(words) if word == _FINE]
    stats = array("Q")
    for place in good:
        stats.extend(seen.stats[place * FIELDS : (place + 1) * FIELDS])
    kept = Seen(
        [seen.paths[place] for place in good], stats, b"".join(seen.digest(p) for p in good)
    )
    refused = tuple(
        Refused(seen.paths[place], *_GOT[word]) for place, word in enumerate(words) if word
    )
    return Hashed(kept, refused, read)
