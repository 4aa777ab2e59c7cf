"""Remove a folder with all that runs left in it: as deep, wide and locked as it may be.

Folders are lifted to the top before they are emptied: no path grows too long, nothing recurses,
and two descriptors are enough.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_folder(folder: Path) -> None:
    """Remove a folder, whatever the permissions in it are; nothing is removed through a link.

    What is gone already, by whoever removes it as well, is no error.
    """
    with suppress(FileNotFoundError):
        top = _open(str(folder), None)
        try:
            _empty(top)
        finally:
            os.close(top)
        os.rmdir(folder)


def _empty(top: int) -> None:
    prefix = secrets.token_hex(8)  # a name that no run can have taken
    names = (f"{prefix}-{number}" for number in count())
    waiting = _lift(top, top, names)
    while waiting:
        name = waiting.pop()
        with suppress(FileNotFoundError):
            folder = _open(name, top)
            try:
                waiting += _lift(folder, top, names)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=top)


def _lift(folder: int, top: int, names: Iterator[str]) -> list[str]:
    """Remove the files of a folder and move its folders to the top; return their names there."""
    lifted = []
    with os.scandir(folder) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    for name, is_folder in entries:
        with suppress(FileNotFoundError):
            if not is_folder:
                os.unlink(name, dir_fd=folder)
                continue
            os.close(_open(name, folder))  # a folder that is moved must be writable itself
            lifted.append(next(names))
            os.rename(name, lifted[-1], src_dir_fd=folder, dst_dir_fd=top)
    return lifted


def _open(name: str, parent: int | None) -> int:
    """Open a folder and let its owner write in it; one that may not be read is opened up first."""
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:
        if not stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            raise
        os.chmod(name, stat.S_IRWXU, dir_fd=parent)
        descriptor = os.open(name, _FOLDER, dir_fd=parent)
    if stat.S_IMODE(os.fstat(descriptor).st_mode) & stat.S_IRWXU != stat.S_IRWXU:
        os.fchmod(descriptor, stat.S_IRWXU)
    return descriptor
