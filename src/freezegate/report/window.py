"""A window for people: both rows, the class with its counts, and the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from freezegate.model.run import Side
from freezegate.report.text import escaped, painted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.digests import Blake3
    from freezegate.model.ids import PropertyId, TestId
    from freezegate.model.ledger import LineReason, LineStatus, VarianceClass
    from freezegate.model.paths import RepoPath
    from freezegate.model.window import Stopped, Window

_OUTPUT_LINES = 12  # of a run that showed nothing; the kept window has more


class WindowPage(NamedTuple):
    """A window with what the tables say of it; `signatures` has one for each failing run.

    `evidence` is None where the window was not whole; `near` are ids close to an unknown one,
    `unproven` is the property's own test where the oracle's run did not show it pass.
    """

    test_id: TestId
    property_id: PropertyId | None
    oracle_path: RepoPath
    window: Window
    variance: VarianceClass
    status: LineStatus
    reason: LineReason
    next_step: str
    signatures: tuple[str, ...]
    evidence: Blake3 | None
    near: tuple[str, ...] = ()
    unproven: TestId | None = None


def window_lines(page: WindowPage, *, colour: bool = False) -> Iterator[str]:
    """Yield the lines of one window."""
    about = f" for {page.property_id}" if page.property_id else ""
    yield f"window of {escaped(page.test_id)}{about}"
    for side in (Side.BASE, Side.CANDIDATE):
        yield f"  {side + ':':<11}{_row(page.window, side)}"
    oracle = page.window.oracle
    if oracle is not None:
        told = f"{oracle.passed} passed, {oracle.failed} failed, {oracle.other} without an outcome"
        yield f"  oracle:    {escaped(page.oracle_path)} by itself: {told}"
    for kind, what in sorted(page.window.first_effects.items()):
        yield f"  reached:   {kind}: {escaped(what)}"
    for signature in dict.fromkeys(page.signatures):
        yield f"  failure:   {escaped(signature)} ({page.signatures.count(signature)} times)"
    if page.window.stopped is not None:
        yield from _stopped_lines(page, page.window.stopped)
    else:
        answer = painted(f"{page.status} / {page.reason}", "1", colour)
        yield f"  class:     {page.variance}: {answer}"
    fails, runs = len(page.signatures), len(page.window.runs)
    if runs:
        noun = "run" if runs == 1 else "runs"
        yield f"  {fails} of {runs} {noun} failed; this is not a failure rate"
    yield f"  next step: {escaped(page.next_step)}"


def _row(window: Window, side: Side) -> str:
    seen = window.outcomes(side)
    planned = window.plan.runs_per_side
    rest = f" ({planned - len(seen)} of {planned} runs not observed)" if len(seen) < planned else ""
    return (" ".join(seen) or "none") + rest


def _stopped_lines(page: WindowPage, stopped: Stopped) -> Iterator[str]:
    total = 2 * page.window.plan.runs_per_side
    place = "the oracle's own run"
    if stopped.index is not None:
        place = f"run {stopped.index + 1} of {total} ({stopped.side})"
    seen = stopped.unobserved
    if seen is None:
        run = page.window.runs[-1]
        yield f"  stopped:   {place}: fixture_drift: the fixture was rewritten"
        yield f"    got:      {run.sha256_before} before, {run.sha256_after} after"
        yield f"    expected: {page.window.fixture_sha256} all the time"
        yield f"  class:     {page.variance}: {page.status} / {page.reason}"
        return
    yield f"  stopped:   {place}: {seen.word}: the window is incomplete"
    yield f"    got:      {escaped(seen.got)}"
    yield f"    expected: {escaped(seen.expected)}"
    yield f"    remedy:   {escaped(seen.remedy)}"
    if page.near:
        yield f"    nearest:  {escaped(', '.join(page.near))}"
    output = [line for line in seen.output.splitlines() if line.strip()][-_OUTPUT_LINES:]
    yield from (f"    | {escaped(line)}" for line in output)


def window_page_document(page: WindowPage) -> dict[str, object]:
    """Return what a page says as JSON has it."""
    window, stopped = page.window, page.window.stopped
    unobserved = stopped.unobserved if stopped else None
    rows = {
        str(side): [
            "pass" if run.observation.passed else "fail" for run in window.runs if run.side is side
        ]
        for side in (Side.BASE, Side.CANDIDATE)
    }
    return {
        "test_id": page.test_id,
        "property_id": page.property_id,
        "runs_per_side": window.plan.runs_per_side,
        "runs": rows,
        "fails": len(page.signatures),
        "fail_signatures": list(dict.fromkeys(page.signatures)),
        "effects": dict(sorted(window.first_effects.items())),
        "class": str(page.variance),
        "status": str(page.status),
        "reason": str(page.reason),
        "next_step": page.next_step,
        "evidence": page.evidence,
        "stopped": None
        if stopped is None
        else {
            "index": stopped.index,
            "side": str(stopped.side),
            "word": str(unobserved.word) if unobserved else "fixture_drift",
            "got": unobserved.got if unobserved else "the fixture was rewritten",
            "remedy": unobserved.remedy if unobserved else page.next_step,
            "nearest": list(page.near),
        },
    }
