"""The record: the freeze that a patch asks for (SPEC section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from freezegate.model.digests import Blake3, ObjectId, Sha256
    from freezegate.model.ids import PropertyId, TestId
    from freezegate.model.paths import RepoPath
    from freezegate.model.run import RecordRun


@dataclass(frozen=True, slots=True, kw_only=True)
class FreezeRecord:
    """The six required keys and the known optional ones.

    `given` names the keys that the document holds: an absent key and a null are told apart, since
    only keys that record and ledger line both have must be equal. `expires_on` is a date in UTC.
    """

    test_id: TestId
    fixture_path: RepoPath
    fixture_sha256: Sha256
    disagreement: tuple[RecordRun, RecordRun]
    oracle_path: RepoPath
    oracle_blob: ObjectId
    property_id: PropertyId | None = None
    owner: str | None = None
    expires_on: str | None = None
    expires_after_commits: int | None = None
    base_rev: ObjectId | None = None
    patch_digest: Blake3 | None = None
    domain_digest: Blake3 | None = None
    evidence: Blake3 | None = None
    notes: str | None = None
    given: frozenset[str]


# The keys that a record and a `frozen` ledger line can both have.
SHARED_KEYS = (
    "test_id",
    "fixture_path",
    "fixture_sha256",
    "oracle_path",
    "oracle_blob",
    "property_id",
    "owner",
    "expires_on",
    "expires_after_commits",
    "base_rev",
    "patch_digest",
    "domain_digest",
    "evidence",
)
