"""What one property of `witness --all` scores, from its window or without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.cli.witness_asked import Wanted
from freezegate.model.run import RunOutcome, Side
from freezegate.policy.variance import missing_fixture
from freezegate.report.scores import (
    ActiveFreeze,
    Score,
    Unseen,
)

if TYPE_CHECKING:
    from freezegate.policy.standing import Standing
    from freezegate.report.window import WindowPage


def shown_freeze(standing: Standing | None) -> ActiveFreeze | None:
    if standing is None:
        return None
    line = standing.line
    return ActiveFreeze(standing.freeze, line.owner, line.expires_on, line.expires_after_commits)


def score_of(wanted: Wanted, page: WindowPage, freeze: ActiveFreeze | None) -> Score:
    assert wanted.entry is not None  # noqa: S101 - each is an entry of the catalogue
    rows = {
        side: tuple(
            RunOutcome.PASS if run.observation.passed else RunOutcome.FAIL
            for run in page.window.runs
            if run.side is side
        )
        for side in Side
    }
    seen = page.window.stopped.unobserved if page.window.stopped else None
    return Score(
        property_id=wanted.entry.property_id,
        test_id=page.test_id,
        variance=page.variance,
        status=page.status,
        reason=page.reason,
        base_runs=rows[Side.BASE],
        candidate_runs=rows[Side.CANDIDATE],
        fail_signatures=page.signatures,
        next_step=seen.remedy if seen else page.next_step,
        unobserved=Unseen(str(seen.word), seen.got) if seen else None,
        freeze=freeze,
    )


def without_fixture(wanted: Wanted) -> Score:
    assert wanted.entry is not None  # noqa: S101 - each is an entry of the catalogue
    answer = missing_fixture(wanted.fixture)
    return Score(
        property_id=wanted.entry.property_id,
        test_id=wanted.test_id,
        variance=None,
        status=answer.status,
        reason=answer.reason,
        base_runs=(),
        candidate_runs=(),
        fail_signatures=(),
        next_step=answer.next_step,
        unobserved=None,
    )
