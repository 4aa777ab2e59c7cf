"""Which files of a request stand in the work tree and not in what was committed or staged?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.git.limits import MAX_SOURCE_BYTES
from freezegate.policy.marked_tests import MARK
from freezegate.policy.rules.asked import asked_by

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from freezegate.git.store import ObjectStore
    from freezegate.model.entries import Change
    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts


def left_out(top: Path, facts: Facts, store: ObjectStore) -> frozenset[str]:
    """Return the paths, from the repository's top, that somebody forgot to add."""
    return frozenset(path for claim in facts.claims for path in _left_out(top, claim, facts, store))


def _left_out(top: Path, claim: Claim, facts: Facts, store: ObjectStore) -> Iterator[str]:
    evidence = claim.evidence
    if evidence is not None and evidence.evidence is None and evidence.fault is None:
        yield from _lying(top, evidence.path)
    if claim.snapshot.entry is None:
        yield from _lying(top, str(claim.snapshot.path))
    path = asked_by(claim).test_id.path
    if MARK not in _source(claim, facts.changes.get(path.raw), store) and _is_marked(top / path):
        yield str(path)


def _source(claim: Claim, change: Change | None, store: ObjectStore) -> bytes:
    """Return the test's module as the patch leaves it."""
    if change is None:
        return claim.test_source or b""
    if change.new is None or not change.new.is_regular:
        return b""
    return store.blob(change.new.oid, max_bytes=MAX_SOURCE_BYTES)


def _is_marked(file: Path) -> bool:
    return file.is_file() and MARK in file.read_bytes()


def _lying(top: Path, path: str) -> Iterator[str]:
    if (top / path).is_file():
        yield path
