"""Which variance class the runs of base and candidate have, and what follows (SPEC 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, assert_never

from freezegate.model.ledger import LineReason, LineStatus, VarianceClass
from freezegate.model.run import RunOutcome
from freezegate.policy.window import MIN_RUNS, Answer, judge_window

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALL_PASS = frozenset({RunOutcome.PASS})
_ALL_FAIL = frozenset({RunOutcome.FAIL})
_MIXED = frozenset(RunOutcome)

_ROWS = {
    (_ALL_PASS, _ALL_PASS): VarianceClass.PASS,
    (_ALL_PASS, _ALL_FAIL): VarianceClass.DETERMINISTIC_MISS,
    (_ALL_PASS, _MIXED): VarianceClass.SEED_UNSTABLE,
    (_MIXED, _MIXED): VarianceClass.ENV_UNSTABLE,
}

DRIFT = Answer(
    LineStatus.BLOCK,
    LineReason.FIXTURE_DRIFT,
    "The fixture's bytes are not the ones that were locked, so older runs tell nothing of them: "
    "where the test itself changes its fixture, let it work on a copy; else end the old freeze "
    "with a `void` line and lock the new bytes in a patch of its own.",
)
_PASS = Answer(
    LineStatus.MERGE_OK,
    LineReason.PROPERTY_HOLDS,
    "The property held in every run of both sides; there is nothing to freeze. Keep the other "
    "gates.",
)
_MISS = Answer(
    LineStatus.BLOCK,
    LineReason.STABLE_VIOLATION,
    "The patch breaks the property: reject or repair it, and keep the fixture as a regression "
    "lock.",
)
_SEED = Answer(
    LineStatus.BLOCK,
    LineReason.SEED_UNSTABLE,
    "Only the candidate wavers, so the patch may have brought it in: look for chance in what it "
    "changed, or take more runs: --runs N (for good: `repeat` of a catalogued property).",
)
_UNRESOLVED = Answer(
    LineStatus.BLOCK,
    LineReason.UNRESOLVED,
    "These rows decide nothing: `freezegate plan` says how many runs a flake needs; take them with "
    "--runs N (for good: `repeat` of a catalogued property), or hand the test to a human.",
)


_OLD_BUG = (
    "Every run failed on both sides, so the bug is older than the patch: repair it, or leave the "
    "test red and say so."
)
_BROKEN = (_MIXED, _ALL_FAIL)
_NEVER_PASSED = (
    "The base wavers, and the candidate never passed: perhaps the patch broke what only wavered. "
    "Repair it; or take more runs, --runs N, to see the candidate pass."
)
_CODES = {
    LineReason.FIXTURE_DRIFT: "runs.fixture_drift",
    LineReason.DIVERGENT_SIGNATURES: "runs.divergent_signatures",
    LineReason.PROPERTY_HOLDS: "runs.no_disagreement",
    LineReason.STABLE_VIOLATION: "runs.no_disagreement",
}


class Variance(NamedTuple):
    """A variance class and its answer; `may_freeze` still needs an owner and an expiry."""

    variance: VarianceClass
    may_freeze: bool
    status: LineStatus
    reason: LineReason
    next_step: str


def variance_class(
    base: Sequence[RunOutcome], candidate: Sequence[RunOutcome], *, digests_match: bool
) -> VarianceClass:
    """Return the class that table 5.1 gives two rows of runs; the order in a row is no matter."""
    if not digests_match:
        return VarianceClass.FIXTURE_DRIFT
    if min(len(base), len(candidate)) < MIN_RUNS:
        return VarianceClass.UNRESOLVED
    return _ROWS.get((frozenset(base), frozenset(candidate)), VarianceClass.UNRESOLVED)


def refusal_code(reason: LineReason, candidate: Sequence[RunOutcome]) -> str:
    """Return the reason code for a window that is no ground for a freeze.

    Where the candidate's runs agree nothing wavers there, whatever the base did.
    """
    mixed = frozenset(candidate) == _MIXED
    return _CODES.get(reason) or ("runs.no_base_disagreement" if mixed else "runs.no_disagreement")


def judge_variance(
    base: Sequence[RunOutcome],
    candidate: Sequence[RunOutcome],
    *,
    digests_match: bool,
    signatures: Sequence[str],
    complete: bool,
) -> Variance:
    """Return class and answer of tables 5.1 and 5.2 for a window.

    `signatures` has one entry for each failing run of both sides, `complete` says that every
    planned run was observed. A run that was not observed could turn any class into another but
    `fixture_drift` and `env_unstable`; those others are then `unresolved`.
    """
    variance = variance_class(base, candidate, digests_match=digests_match)
    window = judge_window((*base, *candidate), signatures, complete=complete)
    if not complete and variance not in (VarianceClass.FIXTURE_DRIFT, VarianceClass.ENV_UNSTABLE):
        variance = VarianceClass.UNRESOLVED
        answer = _UNRESOLVED._replace(next_step=window.next_step)
    else:
        answer = _answer(variance, window)
        if answer is _UNRESOLVED and frozenset((*base, *candidate)) == _ALL_FAIL:
            answer = answer._replace(next_step=_OLD_BUG)
        elif answer is _UNRESOLVED and (frozenset(base), frozenset(candidate)) == _BROKEN:
            answer = answer._replace(next_step=_NEVER_PASSED)
    return Variance(variance, answer.status is LineStatus.FREEZE_CANDIDATE, *answer)


def missing_fixture(path: str) -> Answer:
    """Return the answer where a catalogued fixture is not there: no run, and so no class."""
    return Answer(
        LineStatus.BLOCK,
        LineReason.MISSING_FIXTURE,
        f"{path} is not there, so the catalogue is broken: put the file back, or correct the entry "
        "in a patch of its own.",
    )


def _answer(variance: VarianceClass, window: Answer) -> Answer:
    match variance:
        case VarianceClass.FIXTURE_DRIFT:
            return DRIFT
        case VarianceClass.PASS:
            return _PASS
        case VarianceClass.DETERMINISTIC_MISS:
            return _MISS
        case VarianceClass.SEED_UNSTABLE:
            return _SEED
        case VarianceClass.ENV_UNSTABLE:
            return window
        case VarianceClass.UNRESOLVED:
            return _UNRESOLVED
        case _:
            assert_never(variance)
