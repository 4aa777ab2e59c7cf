"""The evidence file is whole, and it says what the request says (SPEC sections 3, 5 and 6.2)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.run import RunOutcome, Side
from freezegate.policy.rules.asked import (
    asked_by,
    claim_error,
    entries_of,
    frozen_line,
    property_of,
)
from freezegate.policy.settings import Preset
from freezegate.policy.variance import judge_variance
from freezegate.policy.window import digests_match, window_faults, window_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.evidence import Evidence
    from freezegate.model.run import EvidenceRun, RecordRun
    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts
    from freezegate.policy.settings import Policy

_KEYS = (
    "property_id",
    "test_id",
    "fixture_path",
    "fixture_sha256",
    "oracle_path",
    "oracle_blob",
    "base_rev",
    "patch_digest",
    "domain_digest",
)
_GRACE_MS = 10_000  # to end what does not end by itself
_CLOCK = timedelta(minutes=10)  # clocks of two machines differ
_SEVERITY = {
    Preset.BASIC: Severity.NOTE,
    Preset.STANDARD: Severity.WARNING,
    Preset.STRICT: Severity.ERROR,
}


def judge_witnessed(facts: Facts) -> Iterator[Finding]:
    """Refuse evidence that is not there, not whole, or not about this very request."""
    policy = facts.judges.policy.value
    if policy is None:
        return
    for claim in facts.claims:
        if claim.evidence is None:
            yield from _judge_absence(claim, policy)
        elif claim.evidence.evidence is None or not claim.evidence.digest_fits:
            yield from _judge_file(claim)
        else:
            yield from _judge(facts, policy, claim, claim.evidence.evidence)


def _judge_absence(claim: Claim, policy: Policy) -> Iterator[Finding]:
    if policy.preset is not Preset.BASIC:
        yield claim_error(
            claim,
            "evidence.missing",
            "evidence",
            got="null",
            expected=f"what the preset {policy.preset} asks: a complete window on base and "
            "candidate, in a file under .freeze/evidence/",
        )


def _judge_file(claim: Claim) -> Iterator[Finding]:
    named = claim.evidence
    assert named  # noqa: S101 - the caller's own question
    if named.fault:
        yield Finding(
            code=named.fault.code,
            severity=Severity.ERROR,
            path=named.path,
            line=named.fault.line,
            about=named.fault.place,
            got=named.fault.got,
            expected=named.fault.expected,
        )
        return
    yield claim_error(
        claim,
        "evidence.mismatch" if named.evidence else "evidence.missing",
        "evidence",
        got=f"{named.path} with other bytes" if named.evidence else f"no file {named.path}",
        expected="the evidence file, named by the BLAKE3 of its bytes",
    )


def _judge(facts: Facts, policy: Policy, claim: Claim, evidence: Evidence) -> Iterator[Finding]:
    yield from _judge_keys(claim, evidence)
    yield from _judge_making(facts, policy, claim, evidence)
    yield from _judge_domain(claim, evidence)
    yield from _judge_window(facts, policy, claim, evidence)
    yield from _judge_line_runs(claim, evidence)
    yield from _judge_disagreement(claim, evidence)
    yield from _judge_oracle_run(policy, claim, evidence)
    yield from _judge_effects(policy, claim, evidence)
    yield from _judge_reads(facts, claim, evidence)


def _judge_keys(claim: Claim, evidence: Evidence) -> Iterator[Finding]:
    for document in (claim.record, frozen_line(claim)):
        for key in _KEYS if document else ():
            given = getattr(document, "given", frozenset(_KEYS))
            asked, witnessed = getattr(document, key), getattr(evidence, key)
            if key in given and asked != witnessed:
                yield _mismatch(claim, key, got=str(witnessed), expected=str(asked))


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
    listed = [entry.path.encode("utf-8", "surrogateescape") for entry in evidence.domain]
    for key, wrong, got, expected in (
        ("runs", late, f"a time to come: {late[:1]}", f"times up to {facts.now:%Y-%m-%dT%H:%MZ}"),
        ("runs", long, f"run {long[:1]} of more than its time", f"at most {limit_ms} ms a run"),
        (
            "plan.timeout_s",
            plan.timeout_s > policy.evidence.timeout_s,
            str(plan.timeout_s),
            f"at most {policy.evidence.timeout_s}, [evidence] timeout_s",
        ),
        (
            "environment.plugins",
            environment.plugins != policy.runner.plugins,
            _listed(environment.plugins),
            f"{_listed(policy.runner.plugins)}, [runner] plugins",
        ),
        ("environment.isolation", environment.isolation != "process", "another word", "process"),
        (
            "oracle_run",
            not oracle.independent and (oracle.passed or oracle.failed),
            "counts of an oracle that has no test of its own",
            "no counts there",
        ),
        ("reads", len(set(paths)) != len(paths), "a path twice", "each path once"),
        ("domain", listed != sorted(listed), "paths out of their order", "raw path order"),
    ):
        if wrong:
            yield _mismatch(claim, key, got=got, expected=expected)


def _judge_domain(claim: Claim, evidence: Evidence) -> Iterator[Finding]:
    """The list counts as much as its digest: the plugin compares files with it."""
    if claim.domain is None:
        return
    actual = {
        path: (reached.entry.mode, reached.entry.hex) if reached.entry else (0, None)
        for path, reached in claim.domain.domain.entries.items()
    }
    listed = {entry.path: (entry.mode, entry.blob) for entry in evidence.domain}
    differing = sorted(
        path for path in actual.keys() | listed.keys() if actual.get(path) != listed.get(path)
    )
    if differing or len(listed) != len(evidence.domain):
        yield _mismatch(
            claim,
            "domain",
            got=f"{len(differing)} paths that differ, {differing[0]!a} the first"
            if differing
            else "a path twice",
            expected="the domain of the oracle as the gate resolves it at the trusted base",
        )


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
        _outcomes(evidence, Side.BASE),
        _outcomes(evidence, Side.CANDIDATE),
        digests_match=digests_match(evidence.runs, fixture=fixture),
        signatures=_signatures(evidence),
        complete=not faults,
    )
    if not answer.may_freeze:
        yield claim_error(
            claim,
            "runs.no_base_disagreement",
            "evidence",
            got=f"{answer.variance or answer.reason} ({_shown(evidence)})",
            expected="env_unstable: base and candidate both mixed, with one fail signature",
            remedy=answer.next_step,
        )


def _judge_line_runs(claim: Claim, evidence: Evidence) -> Iterator[Finding]:
    line = frozen_line(claim)
    if line is None:
        return
    for key, told, witnessed in (
        ("base_runs", line.base_runs, _outcomes(evidence, Side.BASE)),
        ("candidate_runs", line.candidate_runs, _outcomes(evidence, Side.CANDIDATE)),
        ("fail_signatures", line.fail_signatures, _signatures(evidence)),
        ("seed", line.seed, evidence.plan.hypothesis_seed),
        ("candidate_rev", line.candidate_rev, evidence.candidate_rev),
    ):
        if told != witnessed:
            yield _mismatch(claim, key, got=_listed(told), expected=_listed(witnessed))


def _judge_disagreement(claim: Claim, evidence: Evidence) -> Iterator[Finding]:
    """The record shows the candidate's first run that passed and its first that failed."""
    if claim.record is None:
        return
    runs = [run for run in evidence.runs if run.side is Side.CANDIDATE]
    firsts = [next((run for run in runs if run.passed is passed), None) for passed in (True, False)]
    for place, (told, witnessed) in enumerate(zip(claim.record.disagreement, firsts, strict=True)):
        if witnessed is None or not _same(told, witnessed):
            yield _mismatch(
                claim,
                f"disagreement[{place}]",
                got=f"run {told.index}",
                expected=f"run {witnessed.index} as the evidence has it"
                if witnessed
                else "a run that the evidence does not have",
            )


def _same(told: RecordRun, witnessed: EvidenceRun) -> bool:
    given = [
        (told.started_at, witnessed.started_at),
        (told.duration_ms, witnessed.duration_ms),
    ]
    return (
        (told.index, told.passed, told.exit_status, told.collected, told.signature)
        == (
            witnessed.index,
            witnessed.passed,
            witnessed.exit_status,
            witnessed.collected,
            witnessed.signature,
        )
        and told.fixture_sha256 == witnessed.sha256_before
        and all(mine is None or mine == theirs for mine, theirs in given)
    )


def _judge_oracle_run(policy: Policy, claim: Claim, evidence: Evidence) -> Iterator[Finding]:
    run = evidence.oracle_run
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
            got=f"runs that used: {', '.join(evidence.effects)}",
            expected="runs that a fixture's bytes alone decide: no socket, no other process",
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


def _outcomes(evidence: Evidence, side: Side) -> tuple[RunOutcome, ...]:
    return tuple(
        RunOutcome.PASS if run.passed else RunOutcome.FAIL
        for run in evidence.runs
        if run.side is side
    )


def _signatures(evidence: Evidence) -> tuple[str, ...]:
    """Base's first, as the ledger has them."""
    return tuple(
        run.signature or ""
        for side in (Side.BASE, Side.CANDIDATE)
        for run in evidence.runs
        if run.side is side and not run.passed
    )


def _shown(evidence: Evidence) -> str:
    parts = []
    for side in (Side.BASE, Side.CANDIDATE):
        outcomes = _outcomes(evidence, side)
        parts.append(f"{side}: {outcomes.count(RunOutcome.FAIL)} of {len(outcomes)} runs failed")
    return ", ".join(parts)


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _mismatch(claim: Claim, key: str, *, got: str, expected: str) -> Finding:
    return claim_error(claim, "evidence.mismatch", key, got=got, expected=expected)
