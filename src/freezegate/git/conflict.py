"""The sides of a path in a conflicted index, and what git was doing when they met."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from freezegate.git.session import Session

# What a rebase and its relatives leave in a work tree's git directory while they wait: there,
# "theirs" is the branch's own commit that is applied anew (git-rebase(1), "ours" and "theirs").
_APPLYING = ("rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD")


class Sides(NamedTuple):
    """A conflicted path's bytes: what both came from, HEAD's, and those that come to it.

    None where a side has none.
    """

    ancestor: bytes | None
    ours: bytes | None
    theirs: bytes | None


def conflict_at(session: Session, path: bytes, *, max_bytes: int) -> Sides | None:
    """Return the sides of a path of the index, None where it is not in conflict."""
    for sides in session.repository.index.conflicts or ():
        entries = [entry for entry in sides if entry is not None]
        if any(entry.path == path.decode() for entry in entries):
            read = [
                None
                if e is None
                else session.store.blob(bytes.fromhex(str(e.id)), max_bytes=max_bytes)
                for e in sides
            ]
            return Sides(*read)
    return None


def is_applying(session: Session) -> bool:
    """Say whether a rebase, cherry-pick or revert waits: the branch's own side is "theirs"."""
    folder = Path(session.repository.path)
    return any((folder / name).exists() for name in _APPLYING)
