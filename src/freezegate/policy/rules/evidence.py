"""The evidence was taken for this patch, this domain and this base (SPEC 6.2, 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.policy.rules.asked import adding, asked_by, claim_error, frozen_line, line_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts
    from freezegate.policy.settings import Policy

_UNTAKEN = "blake3:" + "0" * 64  # what docs/freeze-by-hand.md writes before the gate was asked


def judge_evidence(facts: Facts) -> Iterator[Finding]:
    """Refuse evidence that was taken for another patch, another domain, or on a foreign base."""
    policy = facts.judges.policy.value
    for claim in facts.claims:
        yield from _judge_patch_digest(facts, claim)
        yield from _judge_domain_digest(facts, claim)
        if policy:
            yield from _judge_base(facts, claim, policy)


def _judge_patch_digest(facts: Facts, claim: Claim) -> Iterator[Finding]:
    line = frozen_line(claim)
    in_record = claim.record.patch_digest if claim.record else None
    stale = [d for d in (in_record, line.patch_digest if line else None) if d]
    for digest in dict.fromkeys(d for d in stale if d != facts.patch_digest):
        place = claim_error if digest == in_record else line_error
        untaken = digest == _UNTAKEN
        yield place(
            claim,
            "evidence.stale_patch",
            "patch_digest",
            got=digest,
            expected=f"{facts.patch_digest}, the digest of this patch",
            severity=Severity.WARNING if facts.place.advises else Severity.ERROR,
            remedy=f"write {facts.patch_digest} there" if untaken else _unmarked(facts, claim),
        )


def _unmarked(facts: Facts, claim: Claim) -> str:
    """Return what to do where the marker of `witness --mark` is what the patch lacks."""
    path = asked_by(claim).test_id.path
    if path not in facts.left_out:
        return ""
    return f"commit the marked test file {path}, too: {adding(facts, path)}"


def _judge_domain_digest(facts: Facts, claim: Claim) -> Iterator[Finding]:
    """The digest that stands in the request is the one that the gate resolves itself, at T."""
    if claim.domain is None:
        return
    actual, line = claim.domain.domain.digest, frozen_line(claim)
    record = claim.record
    named = record is not None and "domain_digest" in record.given
    asked = [(claim_error, record.domain_digest)] if record and named else []
    for place, digest in (*asked, *([(line_error, line.domain_digest)] if line else [])):
        if digest != actual:
            yield place(
                claim,
                "evidence.stale_domain",
                "domain_digest",
                got=str(digest or "null"),
                expected=f"{actual}, the digest of the domain of {claim.domain.domain.oracle}",
                severity=Severity.WARNING if facts.place.advises else Severity.ERROR,
                remedy=f"write {actual} there" if digest in (None, _UNTAKEN) else "",
            )


def _judge_base(facts: Facts, claim: Claim, policy: Policy) -> Iterator[Finding]:
    asked, line = asked_by(claim), frozen_line(claim)
    rev = asked.base_rev or (line.base_rev if line else None)
    limit = policy.evidence.max_base_age_commits
    if rev is None:
        return
    if claim.base_distance is None:
        yield claim_error(
            claim,
            "base.mismatch",
            "base_rev",
            got=f"{rev}, which is no ancestor of the trusted base",
            expected=f"{facts.base.rev} ({facts.base.source}) or an ancestor of it",
        )
    elif claim.base_distance > limit:
        yield claim_error(
            claim,
            "evidence.stale_base",
            "base_rev",
            got=f"{rev}, more than {limit} commits behind the trusted base",
            expected=f"at most {limit} commits behind ([evidence] max_base_age_commits)",
            severity=Severity.WARNING if facts.place.advises else Severity.ERROR,
        )
