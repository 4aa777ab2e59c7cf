"""Which files of a request stand in the work tree and not in what was committed or staged?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.marked_tests import MARK
from freezegate.policy.rules.asked import asked_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from freezegate.policy.claim import Claim


def left_out(top: Path, claims: Iterable[Claim]) -> frozenset[str]:
    """Return the paths, from the repository's top, that somebody forgot to add."""
    return frozenset(path for claim in claims for path in _left_out(top, claim))


def _left_out(top: Path, claim: Claim) -> Iterator[str]:
    evidence = claim.evidence
    if evidence is not None and evidence.evidence is None and evidence.fault is None:
        yield from _lying(top, evidence.path)
    if claim.snapshot.entry is None:
        yield from _lying(top, str(claim.snapshot.path))
    path = str(asked_by(claim).test_id.path)
    if claim.test_source is not None and MARK not in claim.test_source and _is_marked(top / path):
        yield path


def _is_marked(file: Path) -> bool:
    return file.is_file() and MARK in file.read_bytes()


def _lying(top: Path, path: str) -> Iterator[str]:
    if (top / path).is_file():
        yield path
