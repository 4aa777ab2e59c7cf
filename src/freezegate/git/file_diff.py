"""How one path differs between two trees, as a unified diff of the objects alone.

Two blobs are compared without a name that attributes could match: no driver, no text conversion and
no external program has a say in what is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygit2
from pygit2.enums import ObjectType

from freezegate.git.limits import MAX_SOURCE_BYTES

if TYPE_CHECKING:
    from freezegate.git.store import ObjectStore
    from freezegate.model.entries import Change, Entry


def file_diff(store: ObjectStore, change: Change) -> str:
    """Return the hunks of a changed path, or one line where there are none to show."""
    old, new = _content(store, change.old), _content(store, change.new)
    if isinstance(old, str) or isinstance(new, str):
        return f"- {_named(old)}\n+ {_named(new)}\n"
    patch = pygit2.Patch.create_from(old, new)
    text = (patch.data if patch is not None else b"").decode("utf-8", "backslashreplace")
    _, start, hunks = text.partition("\n@@")
    return f"@@{hunks}" if start else _modes(change)


def _named(side: bytes | str) -> str:
    return side if isinstance(side, str) else f"{len(side)} bytes of text"


def _content(store: ObjectStore, entry: Entry | None) -> bytes | str:
    """Return a side's bytes, or what it is where it has none to compare line by line."""
    if entry is None:
        return b""
    if not entry.is_regular:
        return f"{entry.kind}, {entry.hex}"
    size = store.size(entry.oid, ObjectType.BLOB)
    if size > MAX_SOURCE_BYTES:
        return f"a file of {size} bytes, {entry.hex}"
    data = store.blob(entry.oid, max_bytes=MAX_SOURCE_BYTES)
    return f"a binary file of {size} bytes, {entry.hex}" if b"\0" in data else data


def _modes(change: Change) -> str:
    old, new = (f"{entry.mode:06o}" if entry else "absent" for entry in (change.old, change.new))
    return f"mode {old} -> {new}\n"
