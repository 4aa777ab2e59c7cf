"""Reruns of a verdict's requests: a line each for people, objects for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from freezegate.model.run import RunOutcome
from freezegate.report.text import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from freezegate.model.rerun import Rerun


def rerun_lines(reruns: Sequence[Rerun]) -> Iterator[str]:
    """Yield a line for each request, or that there is none."""
    for rerun in reruns:
        yield f"rerun of {escaped(rerun.test_id)}: {rerun.result}: {escaped(_shown(rerun))}"
    if not reruns:
        yield "rerun: no request that could be repeated"


def rerun_document(rerun: Rerun) -> dict[str, Any]:
    """Return one rerun as the verdict's JSON has it."""
    return {
        "property_id": rerun.property_id,
        "test_id": rerun.test_id,
        "fixture_path": rerun.fixture_path,
        "evidence": rerun.evidence,
        "result": rerun.result,
        "class": rerun.variance,
        "status": rerun.status,
        "reason": rerun.reason,
        "base_runs": list(rerun.base_runs),
        "candidate_runs": list(rerun.candidate_runs),
        "fail_signatures": list(rerun.fail_signatures),
        "why": rerun.why,
    }


def _shown(rerun: Rerun) -> str:
    if rerun.why is not None:
        return rerun.why
    runs = (*rerun.base_runs, *rerun.candidate_runs)
    fails = runs.count(RunOutcome.FAIL)
    noun = "run" if len(runs) == 1 else "runs"
    return f"{rerun.variance} ({rerun.reason}), {fails} of {len(runs)} {noun} failed"
