"""Property, oracle, fixture and test are as the catalogue at T has them (SPEC 6.2, 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.rules.asked import asked_by, claim_error, property_of
from freezegate.policy.settings import Preset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.catalog import Property
    from freezegate.model.finding import Finding
    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts


def judge_catalogued(facts: Facts) -> Iterator[Finding]:
    """Refuse properties that the base does not know, and values that contradict its entry."""
    policy, catalog = facts.judges.policy.value, facts.judges.catalog.value
    known = catalog.properties if catalog else {}
    for claim in facts.claims:
        property_id = property_of(claim)
        if property_id is None:
            if policy and policy.preset is not Preset.BASIC:
                yield _not_catalogued(claim, f"null, under the preset {policy.preset}")
        elif property_id not in known:
            yield _not_catalogued(claim, property_id)
        else:
            yield from _judge_entry(claim, known[property_id])


def _not_catalogued(claim: Claim, got: str) -> Finding:
    return claim_error(
        claim,
        "budget.id_not_catalogued",
        "property_id",
        got=got,
        expected="a property of .freeze/catalog.toml at the trusted base",
    )


def _judge_entry(claim: Claim, entry: Property) -> Iterator[Finding]:
    asked = asked_by(claim)
    expectations = (
        ("test_id", asked.test_id, (entry.test,)),
        ("oracle_path", asked.oracle_path, (entry.oracle,)),
        ("fixture_path", asked.fixture_path, entry.fixtures),
    )
    for key, got, expected in expectations:
        if got not in expected:
            yield claim_error(
                claim,
                "record.contradicts_catalog",
                key,
                got=ascii(got),
                expected=f"{' or '.join(expected)}, as the entry of {entry.property_id} says",
            )
