"""Open a file of ours where anybody may have put a link, a pipe or a folder in its place.

What lies below `.freeze/` and in the git directory is read and locked through here: a pipe keeps
nobody waiting, a link leads nowhere, and nothing larger than expected is read.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from freezegate.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

_CAREFULLY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# No limit of a file in `.freeze/` is higher; theirs would cost the decoders' import.
MAX_BYTES = 256 * 1024 * 1024


def read_regular(path: Path, max_bytes: int = MAX_BYTES) -> bytes | None:
    """Return a regular file's bytes, None where there is none; raises OSError for anything else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _CAREFULLY)
    except FileNotFoundError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(None, "no regular file", str(path))
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(max_bytes + 1)
    finally:
        os.close(descriptor)
    if len(data) > max_bytes:
        raise OSError(None, f"larger than {max_bytes} bytes", str(path))
    return data


def read_or_nothing(path: Path, max_bytes: int = MAX_BYTES) -> bytes | None:
    """Return a regular file's bytes, None where anything else or nothing stands."""
    try:
        return read_regular(path, max_bytes)
    except OSError:
        return None


def open_lock(path: Path) -> int:
    """Open a lock file, made where there is none; raises UsageError where it is something else."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _CAREFULLY, 0o644)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise _no_lock(path) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _no_lock(path)
    return descriptor


def _no_lock(path: Path) -> UsageError:
    import shlex  # not on the fast path

    msg = (
        f"{path} is no regular file; expected a lock of freezegate's own, or nothing there: "
        f"rm -r {shlex.quote(str(path))}"
    )
    return UsageError(msg)
