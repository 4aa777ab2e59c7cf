"""Two runs of the candidate disagreed, each a true observation (SPEC sections 4 and 5)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from freezegate.model.ledger import Frozen, LineReason, VarianceClass
from freezegate.model.run import RecordRun, RunOutcome
from freezegate.policy.rules.asked import claim_error, frozen_line, line_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.finding import Finding
    from freezegate.model.record import FreezeRecord
    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts
    from freezegate.policy.settings import Policy


def judge_runs(facts: Facts) -> Iterator[Finding]:
    """Refuse runs that agree, contradict themselves, or are no observation."""
    policy = facts.judges.policy.value
    for claim in facts.claims:
        if claim.record:
            yield from _judge_record(claim, claim.record)
        line = frozen_line(claim)
        if line and policy:
            yield from _judge_line(claim, line, policy)
        if claim.record and line:
            yield from _judge_both(claim, claim.record, line)


def _judge_record(claim: Claim, record: FreezeRecord) -> Iterator[Finding]:
    first, second = record.disagreement
    for place, run in enumerate(record.disagreement):
        yield from _judge_run(claim, f"disagreement[{place}]", run, record)
    if first.passed == second.passed:
        word = "passed" if first.passed else "failed"
        yield claim_error(
            claim,
            "runs.no_disagreement",
            "disagreement",
            got=f"both runs {word}",
            expected="the first run that passed and the first that failed",
        )
    if first.index == second.index or _same_start(first, second):
        yield claim_error(
            claim,
            "runs.same_run",
            "disagreement",
            got="two entries with one index or one starting time",
            expected="two runs, each in a process of its own",
        )
    elif _overlap(*sorted(record.disagreement, key=lambda run: run.index)):
        yield claim_error(
            claim,
            "runs.not_isolated",
            "disagreement",
            got="a run that started before the run numbered before it had ended",
            expected="runs one after the other",
        )


def _judge_run(claim: Claim, place: str, run: RecordRun, record: FreezeRecord) -> Iterator[Finding]:
    if run.exit_status not in (0, 1):
        yield claim_error(
            claim,
            "runs.exit_not_0_or_1",
            f"{place}.exit_status",
            got=str(run.exit_status),
            expected="0 (passed) or 1 (failed)",
        )
    elif run.passed is not (run.exit_status == 0):
        yield claim_error(
            claim,
            "runs.flag_contradicts_exit",
            f"{place}.passed",
            got=f"passed {str(run.passed).lower()} with exit status {run.exit_status}",
            expected="passed true with 0, passed false with 1",
        )
    if run.collected != 1:
        none = run.collected == 0
        yield claim_error(
            claim,
            "runs.outcome_not_executed" if none else "test.not_single",
            f"{place}.collected",
            got=str(run.collected),
            expected="1",
        )
    if run.fixture_sha256 != record.fixture_sha256:
        yield claim_error(
            claim,
            "runs.fixture_drift",
            f"{place}.fixture_sha256",
            got=run.fixture_sha256,
            expected=record.fixture_sha256,
        )


def _same_start(first: RecordRun, second: RecordRun) -> bool:
    return first.started_at is not None and first.started_at == second.started_at


def _overlap(earlier: RecordRun, later: RecordRun) -> bool:
    if earlier.started_at is None or later.started_at is None:
        return False
    end_ms = _milliseconds(earlier.started_at) + (earlier.duration_ms or 0)
    return _milliseconds(later.started_at) < end_ms


def _milliseconds(instant: str) -> float:
    return datetime.fromisoformat(instant).timestamp() * 1000


def _judge_line(claim: Claim, line: Frozen, policy: Policy) -> Iterator[Finding]:
    runs = len(line.candidate_runs)
    if runs < policy.evidence.runs:
        yield line_error(
            claim,
            "runs.too_few",
            "candidate_runs",
            got=f"{runs} runs of the candidate",
            expected=f"at least {policy.evidence.runs} ([evidence] runs)",
        )
    if max(runs, len(line.base_runs)) > policy.evidence.max_runs:
        yield line_error(
            claim,
            "runs.too_many",
            "candidate_runs",
            got=f"{max(runs, len(line.base_runs))} runs on one side",
            expected=f"at most {policy.evidence.max_runs} ([evidence] max_runs)",
        )
    if not _is_mixed(line.candidate_runs):
        yield line_error(
            claim,
            "runs.no_disagreement",
            "candidate_runs",
            got=_shown(line.candidate_runs),
            expected="runs that passed and runs that failed",
        )
    if line.base_runs and not _is_mixed(line.base_runs):
        yield line_error(
            claim,
            "runs.no_base_disagreement",
            "base_runs",
            got=_shown(line.base_runs),
            expected="runs that passed and runs that failed on the base as well",
        )
    if len(set(line.fail_signatures)) > 1:
        yield line_error(
            claim,
            "runs.divergent_signatures",
            "fail_signatures",
            got=f"{len(set(line.fail_signatures))} different signatures",
            expected="one",
        )
    yield from _judge_words(claim, line)


def _judge_words(claim: Claim, line: Frozen) -> Iterator[Finding]:
    """What the line says of its runs is what the tables say of them."""
    variance = VarianceClass.ENV_UNSTABLE if line.base_runs else None
    for key, got, expected in (
        ("class", line.variance, variance),
        ("reason", line.reason, LineReason.INTERMITTENT),
        ("freeze_eligible", line.freeze_eligible, True),
    ):
        if got != expected:
            yield line_error(
                claim,
                "ledger.bad_row",
                key,
                got=str(got).lower(),
                expected="null" if expected is None else str(expected).lower(),
            )


def _judge_both(claim: Claim, record: FreezeRecord, line: Frozen) -> Iterator[Finding]:
    yield from _judge_positions(claim, record, line)
    signatures = [run.signature for run in record.disagreement if not run.passed]
    for signature in signatures[:1]:
        if signature is not None and signature not in line.fail_signatures:
            yield claim_error(
                claim,
                "evidence.mismatch",
                "disagreement",
                got="a fail signature that the ledger line does not have",
                expected="one of the line's fail_signatures",
            )


def _judge_positions(claim: Claim, record: FreezeRecord, line: Frozen) -> Iterator[Finding]:
    """The record shows the line's first run that passed and its first that failed."""
    if line.base_runs or not _is_mixed(line.candidate_runs):
        return
    places = [line.candidate_runs.index(each) for each in (RunOutcome.PASS, RunOutcome.FAIL)]
    shown = {run.passed: run.index for run in record.disagreement}
    if set(shown) != {True, False}:
        return
    apart = shown[False] - shown[True]
    within = max(shown.values()) <= len(line.candidate_runs)
    if apart != places[1] - places[0] or not within:
        yield claim_error(
            claim,
            "evidence.mismatch",
            "disagreement",
            got=f"run {shown[True]} that passed and run {shown[False]} that failed",
            expected=f"the first of each in the line's candidate_runs: {_listed(line)}",
        )


def _listed(line: Frozen) -> str:
    return ", ".join(line.candidate_runs)


def _is_mixed(runs: tuple[RunOutcome, ...]) -> bool:
    return len(set(runs)) == 2


def _shown(runs: tuple[RunOutcome, ...]) -> str:
    fails = runs.count(RunOutcome.FAIL)
    return f"{fails} of {len(runs)} runs failed"
