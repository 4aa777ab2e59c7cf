"""What stands in a tree: taken before and after a run, it shows what the run left behind.

The audit hook of a run does not see what C code and other processes write.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_JOURNALS = (b"-journal", b"-wal", b"-shm")  # what SQLite makes beside a file that it opens
Inventory = dict[bytes, tuple[int, ...]]


def take_inventory(top: Path) -> Inventory:
    """Return each path below a folder with what changes when somebody writes there."""
    found: Inventory = {}
    root = os.fsencode(top) + b"/"
    waiting = [root]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                info = entry.stat(follow_symlinks=False)
                path = entry.path[len(root) :]
                if stat.S_ISDIR(info.st_mode):
                    found[path] = (info.st_mode,)
                    waiting.append(entry.path + b"/")
                else:
                    # The time of change too: nobody can set it back.
                    times = (info.st_mtime_ns, info.st_ctime_ns)
                    found[path] = (info.st_mode, info.st_size, info.st_ino, *times)
    return found


def changed_paths(before: Mapping[bytes, object], after: Mapping[bytes, object]) -> set[bytes]:
    """Return the paths at which two inventories differ."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def untold_paths(changed: set[bytes], told: Iterable[str]) -> set[bytes]:
    """Return the changed paths that a run did not tell of, nor a changed folder above them.

    What stands in a folder that was moved, made or removed is told by the folder.
    """
    named = {path.encode() for path in told}
    folders = named & changed
    return {
        path
        for path in changed
        if _as_told(path) not in named and folders.isdisjoint(_parents(path))
    }


def _as_told(path: bytes) -> bytes:
    """Return a path as facts have it: without lone surrogates, a journal under its database."""
    for ending in _JOURNALS:
        path = path.removesuffix(ending)
    return path.decode("utf-8", "surrogateescape").encode("utf-8", "backslashreplace")


def _parents(path: bytes) -> set[bytes]:
    parts = path.split(b"/")
    return {b"/".join(parts[:count]) for count in range(1, len(parts))}
