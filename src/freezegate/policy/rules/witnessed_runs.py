"""The runs of an evidence file are a whole window, made as this policy has them (SPEC 5)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from freezegate.model.evidence import EffectKind
from freezegate.model.finding import Finding, Severity
from freezegate.model.run import RunOutcome, Side
from freezegate.policy.rules.asked import asked_by, claim_error, entries_of, property_of
from freezegate.policy.settings import Preset
from freezegate.policy.variance import judge_variance, refusal_code
from freezegate.policy.window import window_size
from freezegate.policy.window_faults import digests_match, window_faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.evidence import Evidence
    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts
    from freezegate.policy.settings import Policy

_UNORDERED, _ORDER = "paths out of their order", "raw path order"
_ISOLATION = "process"  # the only kind that this version makes
_GRACE_MS = 10_000  # to end what does not end by itself
_CLOCK = timedelta(minutes=10)  # clocks of two machines differ
_SEVERITY = {
    Preset.BASIC: Severity.NOTE,
    Preset.STANDARD: Severity.WARNING,
    Preset.STRICT: Severity.ERROR,
}
_REACHED = {
    EffectKind.OUTSIDE: "files or processes outside",
    EffectKind.SOCKET: "sockets",
    EffectKind.SUBPROCESS: "other processes",
}


def judge_witnessed_runs(
    facts: Facts, policy: Policy, claim: Claim, evidence: Evidence
) -> Iterator[Finding]:
    """Refuse windows that are not whole, decide nothing, or depend on more than a fixture."""
    yield from _judge_making(facts, policy, claim, evidence)
    yield from _judge_window(facts, policy, claim, evidence)
    yield from _judge_oracle_run(policy, claim, evidence)
    yield from _judge_effects(policy, claim, evidence)
    yield from _judge_reads(facts, claim, evidence)


def _judge_making(
    facts: Facts, policy: Policy, claim: Claim, evidence: Evidence
) -> Iterator[Finding]:
    """What is told of how the runs were made is what `witness` makes under this policy."""
    plan, environment, oracle = evidence.plan, evidence.environment, evidence.oracle_run
    limit_ms = policy.evidence.timeout_s * 1000 + _GRACE_MS
    starts = [plan.planned_at, *(run.started_at for run in evidence.runs)]
    late = [start for start in starts if datetime.fromisoformat(start) > facts.now + _CLOCK]
    long = [run.index for run in evidence.runs if run.duration_ms > limit_ms]
    paths = [read.path for read in evidence.reads]
    opened = evidence.candidate_reads
    in_order = [sorted(each, key=lambda path: path.raw) for each in (paths, opened)]
    listed = [entry.path.encode("utf-8", "surrogateescape") for entry in evidence.domain]
    for key, wrong, got, expected in (
        (
            "runs",
            late,
            f"{', '.join(late[:1])}, a time to come",
            f"times up to {facts.now:%Y-%m-%dT%H:%MZ}",
        ),
        (
            "runs",
            long,
            f"{len(long)} runs that took longer than they may",
            f"at most {limit_ms} ms a run",
        ),
        (
            "plan.timeout_s",
            plan.timeout_s > policy.evidence.timeout_s,
            str(plan.timeout_s),
            f"at most {policy.evidence.timeout_s}, [evidence] timeout_s",
        ),
        (
            "environment.plugins",
            environment.plugins != policy.runner.plugins,
            shown_value(environment.plugins),
            f"{shown_value(policy.runner.plugins)}, [runner] plugins",
        ),
        (
            "environment.isolation",
            environment.isolation != "process",
            environment.isolation,
            "process",
        ),
        (
            "oracle_run",
            oracle is not None and not oracle.independent and bool(oracle.passed or oracle.failed),
            "counts of an oracle that has no test of its own",
            "no counts there",
        ),
        ("reads", len(set(paths)) != len(paths), "a path twice", "each path once"),
        ("candidate_reads", len(set(opened)) != len(opened), "a path twice", "each path once"),
        ("reads", paths != in_order[0], _UNORDERED, _ORDER),
        ("candidate_reads", list(opened) != in_order[1], _UNORDERED, _ORDER),
        ("domain", listed != sorted(listed), _UNORDERED, _ORDER),
    ):
        if wrong:
            yield mismatch(claim, key, got=got, expected=expected)


def _judge_window(
    facts: Facts, policy: Policy, claim: Claim, evidence: Evidence
) -> Iterator[Finding]:
    fixture = asked_by(claim).fixture_sha256
    catalog = facts.judges.catalog.value
    entry = next(
        (e for e in entries_of(claim, catalog) if e.property_id == property_of(claim)), None
    )
    least = window_size(policy.evidence, entry, None)
    if evidence.plan.runs_per_side < least:
        yield claim_error(
            claim,
            "runs.too_few",
            "evidence",
            got=f"a window of {evidence.plan.runs_per_side} runs on each side",
            expected=f"at least {least}",
        )
    faults = window_faults(evidence.plan, evidence.runs, fixture=fixture)
    for fault in faults:
        yield claim_error(
            claim,
            fault.code,
            f"{fault.about} of the evidence",
            got=fault.got,
            expected=fault.expected,
        )
    answer = judge_variance(
        evidence.outcomes(Side.BASE),
        evidence.outcomes(Side.CANDIDATE),
        digests_match=digests_match(evidence.runs, fixture=fixture),
        signatures=evidence.fail_signatures,
        complete=not faults,
    )
    if not answer.may_freeze:
        yield claim_error(
            claim,
            refusal_code(answer.reason, evidence.outcomes(Side.CANDIDATE)),
            "evidence",
            got=f"{answer.variance or answer.reason} ({_shown(evidence)})",
            expected="env_unstable: base and candidate both mixed, with one fail signature",
            remedy=answer.next_step,
        )


def _judge_oracle_run(policy: Policy, claim: Claim, evidence: Evidence) -> Iterator[Finding]:
    run = evidence.oracle_run
    if run is None:
        yield claim_error(
            claim,
            "evidence.incomplete",
            "evidence",
            got="no run of the oracle on the snapshot (oracle_run)",
            expected="the oracle's own run, which every freeze rests on",
        )
        return
    if run.failed or (run.independent and not run.passed):
        yield claim_error(
            claim,
            "oracle.failed_on_snapshot",
            "evidence",
            got=f"{run.passed} tests of the oracle passed and {run.failed} failed",
            expected="at least one that passed and none that failed",
        )
    if not run.independent:
        yield claim_error(
            claim,
            "oracle.not_independent",
            "evidence",
            got="an oracle file whose only test is the one to be frozen",
            expected="an oracle with a test of its own",
            severity=_SEVERITY[policy.preset],
        )


def _judge_effects(policy: Policy, claim: Claim, evidence: Evidence) -> Iterator[Finding]:
    if evidence.effects:
        yield claim_error(
            claim,
            "runs.not_isolated",
            "evidence",
            got=f"runs that reached out: {', '.join(_REACHED[kind] for kind in evidence.effects)}",
            expected="runs that a fixture's bytes alone decide: no socket, no other process, "
            "nothing written but in their own tree and temporary folder",
            severity=_SEVERITY[policy.preset],
        )


def _judge_reads(facts: Facts, claim: Claim, evidence: Evidence) -> Iterator[Finding]:
    named = claim.evidence
    assert named  # noqa: S101 - the caller's own question
    if evidence.fixture_path not in {read.path for read in evidence.reads}:
        yield claim_error(
            claim,
            "fixture.not_read",
            "fixture_path",
            got=f"no run opened {evidence.fixture_path}",
            expected="a fixture that the test reads",
        )
    for path in named.stale_reads:
        yield claim_error(
            claim,
            "evidence.stale_base",
            "evidence",
            got=f"{path}, which the runs read, is another file at the trusted base",
            expected="runs on the files as they are there",
            severity=Severity.WARNING if facts.place.advises else Severity.ERROR,
        )
    for path in named.changed_reads:
        yield claim_error(
            claim,
            "fixture.undeclared",
            "evidence",
            got=f"{path}, which the runs read, is in the patch",
            expected="nothing in the patch that the runs read, but subject and declared fixtures",
        )


def _shown(evidence: Evidence) -> str:
    parts = []
    for side in (Side.BASE, Side.CANDIDATE):
        outcomes = evidence.outcomes(side)
        parts.append(f"{side}: {outcomes.count(RunOutcome.FAIL)} of {len(outcomes)} runs failed")
    return ", ".join(parts)


def shown_value(value: object) -> str:
    """Return a value as findings show it."""
    if value is None:
        return "null"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def mismatch(claim: Claim, key: str, *, got: str, expected: str) -> Finding:
    """Return the finding on a value of the evidence that is not what it must be."""
    return claim_error(claim, "evidence.mismatch", key, got=got, expected=expected)
