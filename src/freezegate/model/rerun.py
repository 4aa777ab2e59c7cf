"""What fresh runs of a request's evidence showed; a verdict never rests on it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from freezegate.model.digests import Blake3
    from freezegate.model.ids import PropertyId, TestId
    from freezegate.model.ledger import LineReason, LineStatus, VarianceClass
    from freezegate.model.paths import RepoPath
    from freezegate.model.run import RunOutcome


class RerunResult(StrEnum):
    """Whether fresh runs are `env_unstable` again; another class refutes nothing."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    COULD_NOT_RUN = "could not run"


class Rerun(NamedTuple):
    """One request, run again as its evidence planned it.

    `variance`, `status` and `reason` are None where it could not be run, which `why` explains;
    what was observed until then stands in the rows.
    """

    property_id: PropertyId | None
    test_id: TestId
    fixture_path: RepoPath
    evidence: Blake3 | None
    result: RerunResult
    variance: VarianceClass | None = None
    status: LineStatus | None = None
    reason: LineReason | None = None
    base_runs: tuple[RunOutcome, ...] = ()
    candidate_runs: tuple[RunOutcome, ...] = ()
    fail_signatures: tuple[str, ...] = ()
    why: str | None = None
