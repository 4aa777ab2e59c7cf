"""What stands in a tree: taken before and after a run, it shows what the run left behind.

The audit hook of a run does not see what C code and other processes write.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

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
