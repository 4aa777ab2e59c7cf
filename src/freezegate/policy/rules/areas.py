"""What is protected is never frozen, and a person looks at every patch that touches it."""

from __future__ import annotations

from collections.abc import Iterator

from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import shown_path
from freezegate.policy.facts import Claim, Facts
from freezegate.policy.globs import first_match
from freezegate.policy.rules.asked import asked_by, claim_error
from freezegate.policy.settings import Policy


def judge_areas(facts: Facts) -> Iterator[Finding]:
    """Refuse freezes in or beside protected areas; warn of patches there without a freeze."""
    policy = facts.judges.policy.value
    if policy is None:
        return
    touched = first_match(policy.protected_paths, sorted(facts.changes))
    if touched is not None:
        yield Finding(
            code="area.protected" if facts.claims else "area.needs_human",
            severity=Severity.ERROR if facts.claims else Severity.WARNING,
            path=shown_path(touched),
            got="a protected path in the patch",
            expected="no freeze beside it" if facts.claims else "a person's review",
        )
    for claim in facts.claims:
        yield from _judge_claim(facts, policy, claim)


def _judge_claim(facts: Facts, policy: Policy, claim: Claim) -> Iterator[Finding]:
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
    catalog = facts.judges.catalog.value
    entry = catalog.properties.get(asked.property_id) if catalog and asked.property_id else None
    tags = sorted(set(entry.tags) & set(policy.protected_tags)) if entry else []
    if tags:
        yield claim_error(
            claim,
            "area.protected",
            "property_id",
            got=f"a property with the protected tags {', '.join(tags)}",
            expected="a property without them",
        )
