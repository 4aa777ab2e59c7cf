"""One freeze that a patch asks for, with all that was read for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from freezegate.errors import DecodeError
    from freezegate.model.digests import Sha256
    from freezegate.model.domain import Domain, DomainChange
    from freezegate.model.entries import Entry
    from freezegate.model.evidence import Evidence
    from freezegate.model.ledger import LedgerEntry
    from freezegate.model.paths import RepoPath
    from freezegate.model.record import FreezeRecord
    from freezegate.policy.domain.surface import Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """What stands at a path of one tree: `link` is a link or submodule on the way to it."""

    path: RepoPath
    entry: Entry | None
    link: tuple[str, Entry] | None = None
    sha256: Sha256 | None = None
    size: int | None = None
    is_lfs_pointer: bool = False
    twins: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedDomain:
    """What decides the oracle's answer at T and what the patch changes of it.

    `reach` is what the test's own module resolves to, `test_changes` what differs in the test and
    in the helpers and fixtures that it reaches.
    """

    domain: Domain
    changes: tuple[DomainChange, ...]
    reach: Domain
    reach_changes: tuple[DomainChange, ...]
    test_changes: tuple[Difference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedEvidence:
    """The evidence file that a claim names, as N holds it: decoded, or why not.

    `stale_reads` are files that the runs read and that T holds otherwise, `changed_reads` those
    that the patch changes and that are neither subject nor a declared fixture. `knows_renewed`
    says that the freeze which the claim renews stands in the ledger of the evidence's base.
    """

    path: str
    evidence: Evidence | None
    fault: DecodeError | None
    digest_fits: bool
    stale_reads: tuple[RepoPath, ...]
    changed_reads: tuple[RepoPath, ...]
    knows_renewed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One freeze that the patch asks for: by its record, by an added `frozen` line, or by both.

    `base_distance` is the number of commits from the claimed base to T, None where it is no
    ancestor of T; `oracle_at_parents` holds the oracle's entry at each parent of N; `domain` is
    None where oracle or test are no files at T, `evidence` None where the claim names none.
    """

    record: FreezeRecord | None
    request: LedgerEntry | None
    fixture: FileFacts
    snapshot: FileFacts
    oracle: FileFacts
    oracle_at_base: FileFacts
    oracle_at_merge_base: Entry | None
    oracle_at_parents: tuple[Entry | None, ...]
    test: FileFacts
    test_twins: tuple[bytes, ...]
    test_source: bytes | None
    base_distance: int | None
    attributes: tuple[tuple[bytes, bytes, bytes], ...]
    domain: ClaimedDomain | None
    evidence: ClaimedEvidence | None
