"""A folder of the git directory that only freezegate writes: did a run write there?

Runs have the same user as we do, so nothing keeps them from it; it is seen, told and undone.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from freezegate.witness.inventory import changed_paths, take_inventory
from freezegate.witness.removal import remove_folder

if TYPE_CHECKING:
    from pathlib import Path

    from freezegate.witness.inventory import Inventory


class KeptRows:
    """What stands in the folder by our own doing; anything else there is somebody else's."""

    def __init__(self, top: Path) -> None:
        """Take what stands there now for ours."""
        self.top = top
        self._stand = _inventory(top)

    def add(self, path: Path) -> None:
        """Take a file that we wrote, with the folders above it, for ours."""
        now, relative = _inventory(self.top), path.relative_to(self.top)
        own = {b"", *(os.fsencode(each) for each in (relative, *relative.parents))}
        self._stand |= {name: now[name] for name in own if name in now}

    def undo_others(self) -> str | None:
        """Remove what others made or changed there; return the first of it, None for nothing."""
        changed = changed_paths(self._stand, _inventory(self.top))
        for name in sorted(changed, reverse=True):
            _remove(self.top / os.fsdecode(name))
        if not changed:
            return None
        self._stand = _inventory(self.top)
        return f"{os.fsdecode(max(changed))!a} among the rows in {self.top}, which is removed"


def _inventory(top: Path) -> Inventory:
    try:
        info = top.lstat()
        return {b"": (stat.S_IFMT(info.st_mode), info.st_ino), **take_inventory(top)}
    except FileNotFoundError:
        return {}


def _remove(path: Path) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        if stat.S_ISDIR(path.lstat().st_mode):
            remove_folder(path)
        else:
            path.unlink()
