"""The id selects exactly one test, and that test stood at T (SPEC section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.module_source import Named, find_test
from freezegate.policy.rules.asked import asked_by, claim_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.finding import Finding
    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts


def judge_test_identity(facts: Facts) -> Iterator[Finding]:
    """Refuse ids of classes and families, and tests that the trusted base does not have."""
    for claim in facts.claims:
        yield from _judge(claim)


def _judge(claim: Claim) -> Iterator[Finding]:
    test_id = asked_by(claim).test_id
    if claim.test_source is None:
        kind = claim.test.entry.kind if claim.test.entry else "no file"
        yield claim_error(
            claim,
            "test.not_found_at_base",
            "test_id",
            got=f"{kind} at {test_id.path} in the trusted base",
            expected="a regular file that holds the test",
        )
        return
    named = find_test(claim.test_source, test_id.names, has_parameter=test_id.parameter is not None)
    name = "::".join(test_id.names)
    match named:
        case Named.ONE_TEST:
            return
        case Named.CLASS | Named.FAMILY:
            code, expected = "test.not_single", "one test, its parameters between brackets"
        case Named.NOTHING | Named.UNREADABLE:
            code, expected = "test.not_found_at_base", "the definition of one test function"
    yield claim_error(
        claim,
        code,
        "test_id",
        got=f"{named.value} under {name!a} in {test_id.path} at the trusted base",
        expected=expected,
    )
