"""How fixtures differ from the lock, file by file, and what their old bytes tell about it."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from freezegate.errors import DecodeError, Unanswerable
from freezegate.formats.lock import parse_lock, split_lock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from freezegate.git.session import Session
    from freezegate.git.store import ObjectStore
    from freezegate.git.trees import Snapshot
    from freezegate.policy.lifetimes import Landed

_MAX_COMPARED = 64 * 1024 * 1024  # bytes of a file whose change is looked into


class Drift(StrEnum):
    """How a file stands to its line of the lock."""

    CHANGED = "changed"
    UNLOCKED = "not locked"
    MISSING = "missing"
    UNMATCHED = "not a fixture"


class Content(NamedTuple):
    """A digest, and the size where it is known."""

    sha256: str
    size: int | None


class Difference(NamedTuple):
    """One path: what the lock says, what stands there; `only` names a change of blanks alone.

    `freezes` are the active ones that stand on the old bytes: a new line makes them void.
    """

    path: str
    drift: Drift
    old: Content | None
    new: Content | None
    only: str | None = None
    freezes: tuple[Landed, ...] = ()


def locked_digests(data: bytes) -> dict[str, str]:
    """Return a lock's digests by path; raises DecodeError where it is no lock."""
    found = split_lock(data)
    return found if found is not None else {str(p): str(d) for p, d in parse_lock(data).items()}


def known_lines(data: bytes) -> dict[str, str] | None:
    """Return the same, None for a damaged lock, of which nothing is known."""
    try:
        return locked_digests(data)
    except DecodeError:
        return None


def differences(
    locked: Mapping[str, str], here: Mapping[str, Content], standing: Iterable[str]
) -> Iterator[Difference]:
    """Yield what differs, by path; `standing` are locked files here that are no fixtures."""
    others = frozenset(standing)
    for path in sorted(locked.keys() | here.keys()):
        digest, now = locked.get(path), here.get(path)
        old = Content(digest, None) if digest else None
        if now is None:
            drift = Drift.UNMATCHED if path in others else Drift.MISSING
            yield Difference(path, drift, old, None)
        elif old is None:
            yield Difference(path, Drift.UNLOCKED, None, now)
        elif digest != now.sha256:
            yield Difference(path, Drift.CHANGED, old, now)


def explained(
    found: Iterable[Difference], top: Path, session: Session, active: Iterable[Landed]
) -> tuple[Difference, ...]:
    """Return the differences with the old sizes, blanks and freezes that can be told."""
    old = _OldBytes(session.store, session.trees_here())
    freezes = tuple(active)
    return tuple(_explained(each, top, old, freezes) for each in found)


class _OldBytes(NamedTuple):
    """Where locked bytes may still be: the index and HEAD."""

    store: ObjectStore
    trees: tuple[Snapshot, ...]

    def find(self, path: str, digest: str) -> bytes | None:
        """Return the bytes of a digest that stand or stood at a path, None where none are left."""
        entries = (tree.entry(path.encode()) for tree in self.trees)
        for oid in dict.fromkeys(each.oid for each in entries if each and each.is_regular):
            try:
                data = self.store.blob(oid, max_bytes=_MAX_COMPARED)
            except Unanswerable:  # larger, or not fetched
                continue
            if hashlib.sha256(data).hexdigest() == digest:
                return data
        return None


def _explained(
    each: Difference, top: Path, bytes_then: _OldBytes, active: tuple[Landed, ...]
) -> Difference:
    if each.old is None:
        return each
    digest = each.old.sha256
    standing = tuple(
        (entry, line)
        for entry, line in active
        if line.fixture_path == each.path and line.fixture_sha256 == digest
    )
    before = bytes_then.find(each.path, digest)
    if before is None:
        return each._replace(freezes=standing)
    only = _blanks(before, top / each.path, each.new) if each.new else None
    return each._replace(old=Content(digest, len(before)), only=only, freezes=standing)


def _blanks(before: bytes, file: Path, new: Content) -> str | None:
    if new.size is None or new.size > _MAX_COMPARED:
        return None
    now = file.read_bytes()
    if _one_ending(before) == _one_ending(now):
        return "line endings"
    return "whitespace" if b"".join(before.split()) == b"".join(now.split()) else None


def _one_ending(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
