"""What one process finds out about fixtures, file by file; the loops are kept bare."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from array import array
from typing import TYPE_CHECKING, NamedTuple

from freezegate.git.lfs import is_lfs_pointer
from freezegate.git.stat_cache import FIELDS, packed

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from freezegate.git.fixture_walk import Folder
    from freezegate.git.stat_cache import Seen

_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SMALL = 256 * 1024  # one read
_NO_NUMBERS = (0,) * FIELDS
_NO_DIGEST = bytes(32)
FINE, POINTER, GONE, OTHER, LEFT_OUT = range(5)


class Part(NamedTuple):
    """What was found, in the order of the names: numbers, digests, a word for each."""

    stats: array[int]
    digests: bytes
    words: bytes


class Reader:
    """Reads the fixtures below a folder, those aside that are as they were before.

    `left_out` returns the names of a folder that are not to be read.
    """

    def __init__(
        self, top: str, before: Seen, left_out: Callable[[Folder], Container[str]]
    ) -> None:
        self._top = top
        self._left_out = left_out
        self._known = dict(zip(before.paths[: before.files], range(before.files), strict=True))
        self._before = before
        self._numbers: list[int] = []
        self._digests: list[bytes] = []
        self._words = bytearray()

    def observe(self, folders: Sequence[Folder]) -> Part:
        """Look at all files of these folders; raises OSError where one cannot be read."""
        for folder in folders:
            descriptor = os.open(f"{self._top}/{folder.path}", _FOLDER)
            try:
                self._observe_folder(descriptor, folder)
            finally:
                os.close(descriptor)
        part = Part(packed(self._numbers), b"".join(self._digests), bytes(self._words))
        self._numbers, self._digests, self._words = [], [], bytearray()
        return part

    def _observe_folder(self, descriptor: int, folder: Folder) -> None:
        prefix = f"{folder.path}/" if folder.path else ""
        known, left_out = self._known, self._left_out(folder)
        for name in folder.names:
            place = known.get(prefix + name) if known else None
            if name in left_out:
                self._add(_NO_NUMBERS, _NO_DIGEST, LEFT_OUT)
            elif place is None or not self._is_as_before(descriptor, name, place):
                self._add(*_read(descriptor, name))

    def _is_as_before(self, descriptor: int, name: str, place: int) -> bool:
        """Whether a file has the stat data that it had; then its digest is taken over."""
        old, at = self._before.stats, place * FIELDS
        try:
            now = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return False  # reading it says so
        if (
            now.st_mtime_ns != old[at + 1]
            or now.st_size != old[at]
            or now.st_ctime_ns != old[at + 2]
            or now.st_ino != old[at + 3]
        ):
            return False
        self._add(tuple(old[at : at + FIELDS]), self._before.digest(place), FINE)
        return True

    def _add(self, numbers: tuple[int, ...], digest: bytes, word: int) -> None:
        self._numbers += numbers
        self._digests.append(digest)
        self._words.append(word)


def _read(descriptor: int, name: str) -> tuple[tuple[int, ...], bytes, int]:
    """Return a file's stat data as they were before its first byte was read, digest and word."""
    try:
        file = os.open(name, _OPEN, dir_fd=descriptor)
    except FileNotFoundError:
        return _NO_NUMBERS, _NO_DIGEST, GONE
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        return _NO_NUMBERS, _NO_DIGEST, OTHER
    try:
        now = os.fstat(file)
        if not stat.S_ISREG(now.st_mode):
            return _NO_NUMBERS, _NO_DIGEST, OTHER
        size = now.st_size
        numbers = size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino
        data = os.read(file, min(size, _SMALL) + 1)
        if len(data) != size:
            return numbers, _whole(file), FINE
        word = POINTER if is_lfs_pointer(data) else FINE
        return numbers, hashlib.sha256(data).digest(), word
    finally:
        os.close(file)


def _whole(descriptor: int) -> bytes:
    with open(descriptor, "rb", buffering=0, closefd=False) as file:
        file.seek(0)
        return hashlib.file_digest(file, "sha256").digest()
