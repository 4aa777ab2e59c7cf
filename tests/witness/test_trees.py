"""Both trees stand as their sources say, whether one process wrote them or two."""

from __future__ import annotations

import os
from hashlib import sha1
from typing import TYPE_CHECKING

import pytest

from freezegate.model.entries import Entry
from freezegate.witness.trees import build_pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

MANY = 2500  # enough for a second process
Content = tuple[int, bytes]


class FaultError(Exception):
    """What a source cannot read."""


class Source:
    """Files in memory, behind the port that a command fills with git's blobs."""

    def __init__(
        self, files: Mapping[bytes, Content], *, broken: Callable[[bytes], bool] = lambda _: False
    ) -> None:
        """Hold files; reading one that is `broken` raises FaultError."""
        self._entries = {
            path: Entry(mode, sha1(data, usedforsecurity=False).digest())
            for path, (mode, data) in files.items()
        }
        self._data = {self._entries[path].oid: data for path, (_, data) in files.items()}
        self._broken = broken

    def files(self) -> Iterator[tuple[bytes, Entry]]:
        """Yield every file."""
        return iter(self._entries.items())

    def blob(self, entry: Entry) -> bytes:
        """Return a file's bytes."""
        if self._broken(self._data[entry.oid]):
            raise FaultError
        return self._data[entry.oid]


def many(count: int) -> dict[bytes, Content]:
    """Plain files in folders, a program and a link among them."""
    files = {
        b"f%02d/%04d.py" % (number % 50, number): (0o100644, b"x = %d\n" % number)
        for number in range(count)
    }
    return files | {b"bin/run": (0o100755, b"#!/bin/sh\n"), b"link": (0o120000, b"bin/run")}


def standing(top: Path) -> dict[bytes, Content]:
    """What really stands below a folder."""
    found = {}
    for path in top.rglob("*"):
        name = os.fsencode(path.relative_to(top))
        if path.is_symlink():
            found[name] = (0o120000, os.readlink(os.fsencode(path)))
        elif path.is_file():
            mode = 0o100755 if os.access(path, os.X_OK) else 0o100644
            found[name] = (mode, path.read_bytes())
    return found


@pytest.mark.parametrize("count", [3, MANY], ids=["one_process", "two_processes"])
def test_both_trees_stand_as_their_sources_say(tmp_path: Path, count: int) -> None:
    base = many(count)
    candidate = base | {b"f01/0001.py": (0o100644, b"x = -1\n"), b"new/it.py": (0o100644, b"")}
    del candidate[b"f02/0002.py"]
    pair = build_pair(Source(base), Source(candidate), tmp_path)
    assert standing(pair.base.top) == base
    assert standing(pair.candidate.top) == candidate


@pytest.mark.parametrize("place", [0, MANY - 1], ids=["first_half", "second_half"])
def test_what_cannot_be_read_is_told_whichever_process_met_it(tmp_path: Path, place: int) -> None:
    broken = b"x = %d\n" % sorted(range(MANY), key=lambda n: (n % 50, n))[place]
    files = Source(many(MANY), broken=lambda data: data == broken)
    with pytest.raises(FaultError):
        build_pair(files, files, tmp_path)


def test_what_only_the_second_process_cannot_do_the_first_does(tmp_path: Path) -> None:
    here = os.getpid()
    files = many(MANY)
    source = Source(files, broken=lambda _: os.getpid() != here)
    pair = build_pair(source, source, tmp_path)
    assert standing(pair.base.top) == standing(pair.candidate.top) == files
