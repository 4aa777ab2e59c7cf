"""Append to the host's log: one writer at a time, whole lines or nothing, on disk at once."""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BLOCK = 65_536


def append_log(path: str, lines: Iterable[str]) -> None:
    """Append lines of ASCII in a folder that stands; raises OSError, and the log is as it was."""
    data = "".join(f"{line}\n" for line in lines).encode("ascii")
    log = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o640)
    try:
        fcntl.flock(log, fcntl.LOCK_EX)
        size = os.fstat(log).st_size
        # What a machine that lost its power left half written must not swallow the next line.
        torn = size > 0 and os.pread(log, 1, size - 1) != b"\n"
        try:
            _write(log, b"\n" * torn + data)
            os.fsync(log)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(log, size)
            raise
        if size == 0:
            _sync_folder(os.path.dirname(path))
    finally:
        os.close(log)


def read_log(path: str) -> Iterator[bytes]:
    """Yield the lines of a log from the first to the last; none where there is no log yet."""
    try:
        with open(path, "rb") as file:
            yield from (line.rstrip(b"\n") for line in file)
    except FileNotFoundError:
        return


def read_log_backwards(path: str) -> Iterator[bytes]:
    """Yield the lines of a log from the last to the first."""
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below; a missing log is no error
    except FileNotFoundError:
        return
    with file:
        rest, end = b"", file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(end - _BLOCK, 0)
            file.seek(start)
            first, *lines = (file.read(end - start) + rest).split(b"\n")
            yield from (line for line in reversed(lines) if line)
            rest, end = first, start
        if rest:
            yield rest


def _write(log: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(log, view) :]


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
