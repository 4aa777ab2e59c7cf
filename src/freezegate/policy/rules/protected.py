"""What is protected is never frozen: by the paths of a claim, or by its property's tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.domain import Why
from freezegate.model.paths import shown_path
from freezegate.policy.globs import first_match
from freezegate.policy.rules.asked import asked_by, claim_error, entries_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.domain import Domain
    from freezegate.model.finding import Finding
    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts
    from freezegate.policy.settings import Policy


def judge_protected(facts: Facts) -> Iterator[Finding]:
    """Refuse freezes of tests, oracles, fixtures and properties that the policy protects."""
    policy = facts.judges.policy.value
    if policy is None:
        return
    for claim in facts.claims:
        yield from _judge_claim(facts, policy, claim)


def _judge_claim(facts: Facts, policy: Policy, claim: Claim) -> Iterator[Finding]:
    yield from _judge_imports(policy, claim)
    asked = asked_by(claim)
    paths = (asked.test_id.path.raw, asked.oracle_path.raw, asked.fixture_path.raw)
    inside = first_match(policy.protected_paths, paths)
    if inside is not None:
        yield claim_error(
            claim,
            "area.protected",
            "test_id",
            got=f"{shown_path(inside)} lies under [protected] paths",
            expected="a freeze outside protected areas",
        )
    for entry in entries_of(claim, facts.judges.catalog.value):
        tags = sorted(set(entry.tags) & set(policy.protected_tags))
        if tags or not entry.freezable:
            why = f"the protected tags {', '.join(tags)}" if tags else "freezable = false"
            yield claim_error(
                claim,
                "area.protected",
                "property_id",
                got=f"{entry.property_id}, which the catalogue gives {why}",
                expected="a test of no property that must stay red",
            )


def _judge_imports(policy: Policy, claim: Claim) -> Iterator[Finding]:
    """What test or oracle import, themselves or through their helpers, subject or not."""
    if claim.domain is None:
        return
    raw = {
        path.encode("utf-8", "surrogateescape"): by
        for domain in (claim.domain.domain, claim.domain.reach)
        for path, by in _imported(domain)
    }
    inside = first_match(policy.protected_paths, sorted(raw))
    if inside is not None:
        yield claim_error(
            claim,
            "area.protected",
            "test_id",
            got=f"{shown_path(inside)}, imported by {raw[inside]}, lies under [protected] paths",
            expected="a test and an oracle that import nothing protected",
        )


def _imported(domain: Domain) -> Iterator[tuple[str, str]]:
    yield from domain.subject.items()
    for path in domain.present:
        reached = domain.entries[path]
        if reached.why in (Why.IMPORTED, Why.PLUGIN):
            yield path, reached.by or domain.oracle
