"""Write the ledger: one writer at a time, whole lines or nothing, on disk at once."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import re
import tempfile
from typing import TYPE_CHECKING

from freezegate.errors import UsageError
from freezegate.formats.ledger import MAX_LEDGER_BYTES
from freezegate.ledger.regular_file import open_lock, read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


# What a process that is killed while it writes leaves beside the file: `.record.json.ab12cd34`.
_BEGUN = re.compile(r"\.(?P<name>.+)\.(freezegate-)?[a-z0-9_]{8}")


def swap_ledger(ledger: Path, lock: Path, *, before: bytes, after: bytes) -> None:
    """Put a ledger in another's place, if that is still what it was when it was judged.

    `lock` is a file in the git directory that only serves as a lock; it is made where it does not
    exist. A process that is killed leaves the ledger as it was, or with all the lines. Raises
    UsageError where somebody wrote to it meanwhile, or where it would be too large.
    """
    with locked(lock):
        refuse_swap(ledger, before=before, after=after)
        replace_file(ledger, after)


def refuse_swap(ledger: Path, *, before: bytes, after: bytes) -> None:
    """Raise UsageError as `swap_ledger` does; for whoever holds the lock already."""
    if len(after) > MAX_LEDGER_BYTES:
        msg = f"{ledger.name} would be larger than {MAX_LEDGER_BYTES} bytes"
        raise UsageError(msg)
    if (read_regular(ledger) or b"") != before:
        msg = f"{ledger.name} was changed meanwhile; look at it, then run again"
        raise UsageError(msg)


@contextlib.contextmanager
def locked(lock: Path) -> Iterator[None]:
    """Hold a lock file; the system lets go of it when a process ends, however it ends."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    descriptor = open_lock(lock)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file beside the old one, bring it to disk, and put it in the old one's place.

    What somebody who was killed began beside it goes: there is one writer at a time.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{glob.escape(path.name)}.freezegate-????????"):
        left.unlink(missing_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.freezegate-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    _sync_folder(path.parent)


def begun_for(name: str) -> str | None:
    """Return the name of the file for which one of this name was begun; None for any other."""
    found = _BEGUN.fullmatch(name)
    return found["name"] if found else None


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
