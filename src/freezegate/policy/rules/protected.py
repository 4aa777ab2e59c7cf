"""What is protected is never frozen: by the paths of a claim, or by its property's tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.paths import shown_path
from freezegate.policy.globs import first_match
from freezegate.policy.rules.asked import asked_by, claim_error, entries_of

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """What test or oracle import of the subject, themselves or through their helpers."""
    if claim.domain is None:
        return
    imported = {**claim.domain.domain.subject, **claim.domain.reach.subject}
    raw = {path.encode("utf-8", "surrogateescape"): by for path, by in imported.items()}
    inside = first_match(policy.protected_paths, sorted(raw))
    if inside is not None:
        yield claim_error(
            claim,
            "area.protected",
            "test_id",
            got=f"{shown_path(inside)}, imported by {raw[inside]}, lies under [protected] paths",
            expected="a test and an oracle that import nothing protected",
        )
