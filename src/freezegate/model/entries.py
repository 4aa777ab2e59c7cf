"""What git's trees hold at a path, and how two trees differ."""

from __future__ import annotations

from typing import NamedTuple

REGULAR_MODES = frozenset({0o100644, 0o100755})
SYMLINK_MODE = 0o120000
GITLINK_MODE = 0o160000
TREE_MODE = 0o40000
# Old tools wrote other permission bits than git does now; the type bits say what an entry is.
FILE_TYPE, REGULAR_TYPE = 0o170000, 0o100000
KNOWN_MODES = REGULAR_MODES | {0o100664, SYMLINK_MODE, GITLINK_MODE, TREE_MODE}

# Git's hash of the tree without entries; it need not be stored anywhere.
EMPTY_TREE = bytes.fromhex("4b825dc642cb6eb9a060e54bf8d69288fbee4904")


class Entry(NamedTuple):
    """A mode and the 20 bytes of an object id; equal entries hold equal content."""

    mode: int
    oid: bytes

    @property
    def is_regular(self) -> bool:
        """Whether this is an ordinary file, executable or not."""
        return self.mode in REGULAR_MODES

    @property
    def hex(self) -> str:
        """The object id as git prints it."""
        return self.oid.hex()

    @property
    def kind(self) -> str:
        """The word that people know this kind of entry by."""
        match self.mode:
            case mode if mode in REGULAR_MODES:
                return "a regular file"
            case 0o120000:
                return "a symbolic link"
            case 0o160000:
                return "a submodule (gitlink)"
            case 0o40000:
                return "a folder"
            case _:
                return f"an entry of mode {self.mode:06o}"


class Change(NamedTuple):
    """A path at which two trees differ; None stands for absence."""

    path: bytes
    old: Entry | None
    new: Entry | None


def shown_entry(entry: Entry | None) -> str:
    """Return an entry as findings show it."""
    if entry is None:
        return "absent"
    return f"{entry.hex} (mode {entry.mode:06o})"
