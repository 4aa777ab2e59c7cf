"""The evidence file is there, and it says what the request says (SPEC sections 3 and 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.run import Side
from freezegate.policy.rules.asked import adding, claim_error, frozen_line, witness_command
from freezegate.policy.rules.witnessed_runs import judge_witnessed_runs, mismatch, shown_value
from freezegate.policy.settings import Preset

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


def judge_witnessed(facts: Facts) -> Iterator[Finding]:
    """Refuse evidence that is not there, not whole, or not about this very request."""
    policy = facts.judges.policy.value
    if policy is None:
        return
    for claim in facts.claims:
        if claim.evidence is None:
            yield from _judge_absence(claim, policy)
        elif claim.evidence.evidence is None or not claim.evidence.digest_fits:
            yield from _judge_file(facts, claim)
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
            remedy=f"take it: {witness_command(claim)}",
        )


def _judge_file(facts: Facts, claim: Claim) -> Iterator[Finding]:
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
        remedy=f"it lies in the work tree, untracked: {adding(facts, '.freeze')}"
        if named.path in facts.left_out
        else "take it anew: freezegate witness --refresh"
        if claim.request is not None
        else f"take it: {witness_command(claim)}",
    )


def _judge(facts: Facts, policy: Policy, claim: Claim, evidence: Evidence) -> Iterator[Finding]:
    yield from _judge_keys(claim, evidence)
    yield from _judge_domain(claim, evidence)
    yield from _judge_line_runs(claim, evidence)
    yield from _judge_disagreement(claim, evidence)
    yield from judge_witnessed_runs(facts, policy, claim, evidence)


def _judge_keys(claim: Claim, evidence: Evidence) -> Iterator[Finding]:
    for document in (claim.record, frozen_line(claim)):
        for key in _KEYS if document else ():
            given = getattr(document, "given", frozenset(_KEYS))
            asked, witnessed = getattr(document, key), getattr(evidence, key)
            if key in given and asked != witnessed:
                yield mismatch(claim, key, got=str(witnessed), expected=str(asked))


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
        yield mismatch(
            claim,
            "domain",
            got=f"{len(differing)} paths that differ, {differing[0]!a} the first"
            if differing
            else "a path twice",
            expected="the domain of the oracle as the gate resolves it at the trusted base",
        )


def _judge_line_runs(claim: Claim, evidence: Evidence) -> Iterator[Finding]:
    line = frozen_line(claim)
    if line is None:
        return
    for key, told, witnessed in (
        ("base_runs", line.base_runs, evidence.outcomes(Side.BASE)),
        ("candidate_runs", line.candidate_runs, evidence.outcomes(Side.CANDIDATE)),
        ("fail_signatures", line.fail_signatures, evidence.fail_signatures),
        ("seed", line.seed, evidence.plan.hypothesis_seed),
        ("candidate_rev", line.candidate_rev, evidence.candidate_rev),
    ):
        if told != witnessed:
            yield mismatch(claim, key, got=shown_value(told), expected=shown_value(witnessed))


def _judge_disagreement(claim: Claim, evidence: Evidence) -> Iterator[Finding]:
    """The record shows the candidate's first run that passed and its first that failed."""
    if claim.record is None:
        return
    runs = [run for run in evidence.runs if run.side is Side.CANDIDATE]
    firsts = [next((run for run in runs if run.passed is passed), None) for passed in (True, False)]
    for place, (told, witnessed) in enumerate(zip(claim.record.disagreement, firsts, strict=True)):
        if witnessed is None or not _same(told, witnessed):
            yield mismatch(
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
