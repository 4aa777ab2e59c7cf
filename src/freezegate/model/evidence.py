"""Evidence: every run of a window (SPEC section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from freezegate.model.run import RunOutcome, Side, outcomes_of

if TYPE_CHECKING:
    from freezegate.model.digests import Blake3, ObjectId, Sha256
    from freezegate.model.ids import PropertyId, TestId
    from freezegate.model.paths import RepoPath
    from freezegate.model.run import EvidenceRun

EVIDENCE_SCHEMA = "freezegate/evidence/v1"


class EffectKind(StrEnum):
    """What in a run a file's digest cannot explain."""

    OUTSIDE = "outside"  # written beside its own tree and folder, or done to another process
    SOCKET = "socket"
    SUBPROCESS = "subprocess"


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainEntry:
    """One path that decides what the oracle says; `blob` is None where its absence counts."""

    path: str
    mode: int
    blob: ObjectId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """A repository file that the base runs opened."""

    path: RepoPath
    blob: ObjectId


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The window as it was fixed before its first run."""

    runs_per_side: int
    timeout_s: int
    pythonhashseed: int
    hypothesis_seed: int | None
    planned_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleRun:
    """The oracle's own run on the snapshot: how many of its tests passed and failed."""

    passed: int
    failed: int
    independent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What the runs were made with; never a host name or a user name.

    `plugins` are those that alone were loaded, None where all installed ones were.
    """

    python: str
    platform: str
    pytest: str
    hypothesis: str | None
    isolation: str
    plugins: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Every run of one window, with all that it was made on.

    `oracle_run` is None where the runs alone ruled a freeze out, and the oracle was not asked.
    `candidate_reads` are the files of the patch that the candidate's runs opened.
    """

    tool: str
    property_id: PropertyId | None
    test_id: TestId
    fixture_path: RepoPath
    fixture_sha256: Sha256
    oracle_path: RepoPath
    oracle_blob: ObjectId
    base_rev: ObjectId
    candidate_rev: ObjectId | None
    patch_digest: Blake3
    domain_digest: Blake3
    domain: tuple[DomainEntry, ...]
    reads: tuple[ReadFile, ...]
    candidate_reads: tuple[RepoPath, ...]
    effects: tuple[EffectKind, ...]
    plan: Plan
    runs: tuple[EvidenceRun, ...]
    oracle_run: OracleRun | None
    environment: Environment

    def outcomes(self, side: Side) -> tuple[RunOutcome, ...]:
        """Return a side's row of outcomes."""
        return outcomes_of(run.passed for run in self.runs if run.side is side)

    @property
    def fail_signatures(self) -> tuple[str, ...]:
        """The signatures of the failing runs, the base's first, as the ledger has them."""
        return tuple(
            run.signature or ""
            for side in (Side.BASE, Side.CANDIDATE)
            for run in self.runs
            if run.side is side and not run.passed
        )
