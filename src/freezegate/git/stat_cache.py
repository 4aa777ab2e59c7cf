"""What files were hashed to when they had these stat data: a memory that only saves time.

It is kept in the git directory of one work tree, for `freezegate lock` alone: the gate never reads
it. Rules as of git's index: a file whose times are not older than the memory's own is hashed again
(git, Documentation/technical/racy-git.adoc).
"""

from __future__ import annotations

import os
import sys
import zlib
from array import array
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from freezegate.ledger.regular_file import read_or_nothing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Byte order and width of a number, so that another machine's file is no memory here.
_MAGIC = f"freezegate lock 2 {sys.byteorder} {array('Q').itemsize}\n".encode()
_DIGEST, _CHECK = 32, 4
FIELDS = 4  # size, mtime_ns, ctime_ns, inode


class Seen(NamedTuple):
    """Files in one order: paths, four numbers for each, 32 bytes for each.

    `mark` stands for all else that decided which files these are and for the lock that holds them
    (zeros: it is not known); the last paths are folders that were looked into, without a digest.
    """

    paths: list[str]
    stats: array[int]
    digests: bytes
    mark: bytes = bytes(_DIGEST)

    @property
    def files(self) -> int:
        """How many of the paths are files."""
        return len(self.digests) // _DIGEST

    def digest(self, place: int) -> bytes:
        """Return the SHA-256 of the file at a place."""
        return self.digests[place * _DIGEST : (place + 1) * _DIGEST]

    def only(self, places: Sequence[int]) -> Seen:
        """Return the files at some places, without folders and mark."""
        stats = array("Q")
        for place in places:
            stats.extend(self.stats[place * FIELDS : (place + 1) * FIELDS])
        return Seen(
            [self.paths[place] for place in places], stats, b"".join(map(self.digest, places))
        )


NOTHING = Seen([], array("Q"), b"")


def read_seen(file: Path) -> Seen:
    """Return what was seen before; nothing where there is no memory or it is damaged."""
    data = read_or_nothing(file) or b""
    start = len(_MAGIC) + _CHECK
    body = memoryview(data)[start:]
    if not data.startswith(_MAGIC) or _checksum(body) != data[len(_MAGIC) : start]:
        return NOTHING
    files, count = (int.from_bytes(body[at : at + 8], "little") for at in (0, 8))
    first = 16 + _DIGEST
    second = first + 8 * FIELDS * count
    third = second + _DIGEST * files
    stats = array("Q")
    stats.frombytes(body[first:second])
    names = str(body[third:], "utf-8", "surrogateescape").split("\0") if count else []
    return Seen(names, stats, bytes(body[second:third]), bytes(body[16:first]))


def _checksum(body: bytes | memoryview) -> bytes:
    """Return what shows a file that was cut off or damaged; nobody has to be kept out here."""
    return zlib.crc32(body).to_bytes(_CHECK, "little")


def begin(file: Path) -> int:
    """Return the file system's own time before anything is looked at; 0: nothing can be kept."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        probe = _beside(file)
        probe.touch()
        began_ns = probe.stat().st_mtime_ns
        probe.unlink()
        return began_ns
    return 0


def keep_seen(file: Path, seen: Seen, began_ns: int) -> None:
    """Keep what was seen of files that are older than the look at them; failing is no fault."""
    old = _older(seen, began_ns)
    body = b"".join(
        (
            old.files.to_bytes(8, "little"),
            len(old.paths).to_bytes(8, "little"),
            old.mark,
            old.stats.tobytes(),
            old.digests,
            "\0".join(old.paths).encode("utf-8", "surrogateescape"),
        )
    )
    beside = _beside(file)
    with suppress(OSError):
        beside.unlink(missing_ok=True)
        with beside.open("xb") as new:
            new.write(_MAGIC + _checksum(body) + body)
        os.replace(beside, file)


def _beside(file: Path) -> Path:
    return file.with_name(f"{file.name}.{os.getpid()}")


def _older(seen: Seen, began_ns: int) -> Seen:
    """Leave out what may have changed again within one tick of the clock, and the mark then."""
    stats = seen.stats
    newest = max(
        max(stats[1::FIELDS], default=0),
        max(stats[2::FIELDS], default=0),
    )
    if newest < began_ns:
        return seen
    good = [
        place
        for place in range(seen.files)
        if stats[place * FIELDS + 1] < began_ns and stats[place * FIELDS + 2] < began_ns
    ]
    return seen.only(good)


def packed(numbers: Sequence[int]) -> array[int]:
    """Return numbers as they are kept."""
    try:
        return array("Q", numbers)
    except OverflowError:  # times before 1970
        return array("Q", [number & 0xFFFF_FFFF_FFFF_FFFF for number in numbers])
