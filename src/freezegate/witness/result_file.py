"""Read what a run's process wrote down, where the code under test could put anything."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Twenty thousand paths of a few hundred bytes; what is larger was not written by child/.
MAX_RESULT_BYTES = 32 * 1024 * 1024
# A FIFO would keep us waiting for ever.
_CAREFULLY = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC

_NO_FILE = "something else than a file of its own in the place of its result"


class NoResult(Exception):  # noqa: N818 - a child that ended early is no error of ours
    """There is no result; the text says what stands in its place, empty where nothing does."""


def read_result(path: Path) -> bytes:
    """Return the bytes of a result; raises NoResult."""
    try:
        descriptor = os.open(path, _CAREFULLY)
    except FileNotFoundError:
        raise NoResult from None
    except OSError:
        raise NoResult(_NO_FILE) from None
    try:
        data = _read(descriptor)
    finally:
        os.close(descriptor)
    if len(data) > MAX_RESULT_BYTES:
        msg = f"a result of more than {MAX_RESULT_BYTES // 1024 // 1024} MiB"
        raise NoResult(msg)
    return data


def _read(descriptor: int) -> bytes:
    info = os.fstat(descriptor)
    if not stat.S_ISREG(info.st_mode) or info.st_uid != os.geteuid():
        raise NoResult(_NO_FILE)
    with open(descriptor, "rb", closefd=False) as file:
        return file.read(MAX_RESULT_BYTES + 1)
