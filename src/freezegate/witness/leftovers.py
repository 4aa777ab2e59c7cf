"""The folder of a window: locked as long as its witness lives, removed by the next one if not.

A witness that is killed (SIGKILL, loss of power) removes nothing. The system lets go of its lock;
whoever can take the lock of such a folder is alone with it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from freezegate.witness.removal import remove_folder
from freezegate.witness.strays import end_strays

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "freezegate-runs-"


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold a folder for ours; where its file system has no locks nobody removes it for us."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def remove_leftovers() -> None:
    """Remove what killed witnesses of this user left in the temporary folder, processes too."""
    with contextlib.suppress(OSError):
        for place in Path(tempfile.gettempdir()).glob(PREFIX + "*"):
            with contextlib.suppress(Exception):  # one that resists stops nobody
                _remove_if_left(place)


def _remove_if_left(place: Path) -> None:
    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        info = os.fstat(descriptor)
        ours = info.st_uid == os.geteuid() and stat.S_IMODE(info.st_mode) == stat.S_IRWXU
        # An empty one was made just now, and is about to be locked.
        if ours and os.listdir(descriptor):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            folder = os.path.realpath(place)
            end_strays(folder)
            remove_folder(Path(folder))
    finally:
        os.close(descriptor)
