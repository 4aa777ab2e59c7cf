"""Every catalogued property on one patch: a line each for people, one object for programs."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.model.ledger import LineReason, LineStatus
from freezegate.model.run import RunOutcome
from freezegate.report.text import escaped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from freezegate.model.digests import Blake3, ObjectId
    from freezegate.model.ids import PropertyId, TestId
    from freezegate.model.ledger import VarianceClass
    from freezegate.model.verdict import Base

SCORES_SCHEMA = "freezegate/scores/v1"
_NOT_OBSERVED = "not observed"
_MAX_GOT = 100  # characters of a reason in a line; --format json has it whole
_NEXT: Mapping[LineReason, str] = {
    LineReason.PROPERTY_HOLDS: "nothing to do here",
    LineReason.INTERMITTENT: "freezegate witness --property {id} --owner NAME --expires-on DATE",
    LineReason.STABLE_VIOLATION: "reject the patch, or repair it",
    LineReason.FIXTURE_DRIFT: "keep the runs from writing to the fixture",
    LineReason.SEED_UNSTABLE: "repair the patch: only its side wavers",
    LineReason.DIVERGENT_SIGNATURES: "isolate the runner; more runs will not help",
    LineReason.UNRESOLVED: "freezegate classify --property {id} --runs N, or ask a person",
    LineReason.MISSING_FIXTURE: "put the fixture back, or correct the catalogue",
}


_RECORDED = "freezegate freeze {id} --owner NAME --expires-on DATE"


class Unseen(NamedTuple):
    """Why a property could not be observed."""

    word: str
    got: str


class ActiveFreeze(NamedTuple):
    """A landed freeze of this property and these bytes that has not ended."""

    freeze: Blake3
    owner: str | None
    expires_on: str | None
    expires_after_commits: int | None


class Score(NamedTuple):
    """What the tables say of one property; `variance` is None where no run was made.

    `evidence` is the path of the file that was written, None where none was; `freeze` never
    changes what the tables say.
    """

    property_id: PropertyId
    test_id: TestId
    variance: VarianceClass | None
    status: LineStatus
    reason: LineReason
    base_runs: tuple[RunOutcome, ...]
    candidate_runs: tuple[RunOutcome, ...]
    fail_signatures: tuple[str, ...]
    next_step: str
    unobserved: Unseen | None
    evidence: str | None = None
    freeze: ActiveFreeze | None = None

    @property
    def is_open(self) -> bool:
        """Whether it says nothing only because a run could not be observed."""
        return self.unobserved is not None and self.reason is LineReason.UNRESOLVED


def scores_status(scores: Sequence[Score]) -> int:
    """Return 1 where a property blocks or could not be observed, else 0."""
    return int(any(score.status is LineStatus.BLOCK or score.unobserved for score in scores))


def score_line(score: Score, *, width: int, record: bool) -> str:
    """Return the line of one property; `width` is that of the longest id.

    With `record` its evidence waits for the freeze when the line is read.
    """
    word = str(score.variance or "no class")
    name = escaped(score.property_id)
    status = _NOT_OBSERVED if score.is_open else score.status
    row = f"{name:<{width}}  {word:<18}  {_counts(score)}  {status:<16}"
    return f"{row}  {_next(score, record=record)}"


def scores_document(
    scores: Sequence[Score], base: Base, candidate: ObjectId
) -> Mapping[str, object]:
    """Return the object that CI keeps."""
    return {
        "schema": SCORES_SCHEMA,
        "base": {"rev": base.rev, "from": base.source},
        "candidate": {"rev": candidate},
        "properties": [_document(score) for score in scores],
    }


def dump_scores(scores: Sequence[Score], base: Base, candidate: ObjectId) -> str:
    """Return the JSON text, ASCII alone, one newline at the end."""
    return json.dumps(scores_document(scores, base, candidate), indent=2, ensure_ascii=True) + "\n"


def _counts(score: Score) -> str:
    sides = (("base", score.base_runs), ("candidate", score.candidate_runs))
    words = [f"{side} {_fails(runs)}" for side, runs in sides]
    return f"{words[0]:<19}  {words[1]:<24}"


def _fails(runs: Sequence[RunOutcome]) -> str:
    if not runs:
        return "not seen"
    return f"{runs.count(RunOutcome.FAIL)} of {len(runs)} failed"


def closing_line(scores: Sequence[Score]) -> str:
    """Return how many properties there are of each status, in one line."""
    words = [_NOT_OBSERVED if score.is_open else str(score.status) for score in scores]
    counted = ", ".join(f"{number} {word}" for word, number in sorted(Counter(words).items()))
    noun = "property" if len(scores) == 1 else "properties"
    return f"{len(scores)} {noun}: {counted}; a number of runs is not a failure rate"


def _next(score: Score, *, record: bool) -> str:
    if score.freeze is None:
        return _step(score, record=record)
    held = f"frozen until {score.freeze.expires_on}, owner {escaped(score.freeze.owner or '-')}"
    asks = score.reason is LineReason.INTERMITTENT
    return held if asks else f"{held}; {_step(score, record=record)}"


def _step(score: Score, *, record: bool) -> str:
    if record and score.reason is LineReason.INTERMITTENT and score.unobserved is None:
        return _RECORDED.format(id=score.property_id)
    if score.unobserved is not None:
        got = escaped(score.unobserved.got)
        return f"{score.unobserved.word}: {got[:_MAX_GOT]}{'...' if len(got) > _MAX_GOT else ''}"
    return _NEXT[score.reason].format(id=score.property_id)


def _document(score: Score) -> dict[str, Any]:
    unseen, freeze = score.unobserved, score.freeze
    return {
        "property_id": score.property_id,
        "test_id": score.test_id,
        "class": score.variance,
        "status": None if score.is_open else score.status,
        "reason": score.reason,
        "base_runs": list(score.base_runs),
        "candidate_runs": list(score.candidate_runs),
        "fail_signatures": list(score.fail_signatures),
        "evidence": score.evidence,
        "freeze": None if freeze is None else freeze._asdict(),
        "next_step": score.next_step,
        "unobserved": None if unseen is None else {"word": unseen.word, "got": unseen.got},
    }
