"""What the runs of a window contradict in its own plan."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.window import planned_side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from freezegate.model.digests import Sha256
    from freezegate.model.evidence import Plan
    from freezegate.model.run import EvidenceRun


_SHOWN_INDICES = 8  # as many numbers as a person reads in one line


class WindowFault(NamedTuple):
    """Why a window is not whole: a reason code, the place in the evidence, got and expected."""

    code: str
    about: str
    got: str
    expected: str


def window_faults(
    plan: Plan, runs: Sequence[EvidenceRun], *, fixture: Sha256
) -> tuple[WindowFault, ...]:
    """Return why these runs are not the planned window on `fixture`; nothing where they are it.

    Runs are judged in the order in which they are listed. The codes are those of the catalogue of
    reasons. Times that touch are no overlap: the writer rounds start and duration down.
    """
    return (
        *_numbering_faults(plan, [run.index for run in runs]),
        *(fault for row, run in enumerate(runs) for fault in _run_faults(row, run, fixture)),
        *_time_faults(plan, runs),
    )


def digests_match(runs: Iterable[EvidenceRun], *, fixture: Sha256) -> bool:
    """Say whether the fixture had its digest before and after every run (table 5.1)."""
    return all(run.sha256_before == run.sha256_after == fixture for run in runs)


def _numbering_faults(plan: Plan, indices: list[int]) -> Iterator[WindowFault]:
    planned = 2 * plan.runs_per_side
    seen = Counter(indices)
    whole = f"each of 0 to {planned - 1} once"
    last = max((index for index in seen if index < planned), default=-1)
    for code, found, word in (
        ("runs.counter_gap", [i for i in range(last) if i not in seen], "no run"),
        ("evidence.incomplete", list(range(last + 1, planned)), "no run"),
        ("runs.same_run", sorted(i for i, times in seen.items() if times > 1), "several runs"),
        ("evidence.mismatch", sorted(i for i in seen if i >= planned or i < 0), "unplanned run"),
    ):
        if found:
            yield WindowFault(code, "runs", f"{word} {_listed(found)}", whole)
    if any(later < earlier for earlier, later in pairwise(indices)):
        yield WindowFault("evidence.mismatch", "runs", "runs out of their order", whole)


def _run_faults(row: int, run: EvidenceRun, fixture: Sha256) -> Iterator[WindowFault]:
    if run.side is not planned_side(run.index):
        yield WindowFault(
            "runs.not_isolated",
            f"runs[{row}].side",
            f"run {run.index} on the {run.side}",
            f"{planned_side(run.index)}: the sides in turn, base first",
        )
    for key, digest in (("sha256_before", run.sha256_before), ("sha256_after", run.sha256_after)):
        if digest != fixture:
            yield WindowFault("runs.fixture_drift", f"runs[{row}].{key}", digest, fixture)
    yield from _observation_faults(row, run)


def _observation_faults(row: int, run: EvidenceRun) -> Iterator[WindowFault]:
    """Yield why a run is no observation, or contradicts itself (SPEC section 4)."""
    word = "passed" if run.passed else "failed"
    if run.exit_status not in (0, 1):
        yield WindowFault(
            "runs.exit_not_0_or_1",
            f"runs[{row}].exit_status",
            str(run.exit_status),
            "0 (passed) or 1 (failed)",
        )
    elif run.passed is not (run.exit_status == 0):
        yield WindowFault(
            "runs.flag_contradicts_exit",
            f"runs[{row}].passed",
            f"{word} with exit status {run.exit_status}",
            "passed with 0, failed with 1",
        )
    if run.collected != 1:
        code = "test.not_single" if run.collected else "runs.outcome_not_executed"
        yield WindowFault(code, f"runs[{row}].collected", str(run.collected), "1")
    if not run.passed and not run.signature:
        yield WindowFault(
            "evidence.incomplete", f"runs[{row}].signature", "none", "how the run failed"
        )
    if run.passed and run.signature is not None:
        yield WindowFault(
            "evidence.mismatch", f"runs[{row}].signature", "one of a run that passed", "null"
        )


def _time_faults(plan: Plan, runs: Sequence[EvidenceRun]) -> Iterator[WindowFault]:
    starts = [_milliseconds(run.started_at) for run in runs]
    if starts and starts[0] < _milliseconds(plan.planned_at):
        yield WindowFault(
            "evidence.mismatch",
            "plan.planned_at",
            f"{plan.planned_at}, after the first run had started",
            f"at or before {runs[0].started_at}",
        )
    for row, (earlier, later) in enumerate(pairwise(runs), 1):
        place = f"runs[{row}].started_at"
        if starts[row] == starts[row - 1]:
            yield WindowFault(
                "runs.same_run",
                place,
                f"{later.started_at}, the same as of run {earlier.index}",
                "a process of its own for each run",
            )
        elif starts[row] < starts[row - 1] + earlier.duration_ms:
            yield WindowFault(
                "runs.not_isolated",
                place,
                f"{later.started_at}, before run {earlier.index} had ended",
                "one run after the other",
            )


def _milliseconds(instant: str) -> int:
    """Return an instant's milliseconds, whole ones, so that equal times are equal."""
    return round(datetime.fromisoformat(instant).timestamp() * 1000)


def _listed(indices: Sequence[int]) -> str:
    shown = ", ".join(map(str, indices[:_SHOWN_INDICES]))
    more = len(indices) - _SHOWN_INDICES
    return f"{shown} and {more} more" if more > 0 else shown
