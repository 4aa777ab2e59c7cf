"""The frozen test, its helpers and its fixtures are what they were, but for one skip marker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import shown_path
from freezegate.policy.rules.asked import asked_by, claim_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts

_EXPECTED = "the test with its helpers and fixtures as at the trusted base, but for one skip marker"


def judge_frozen_test(facts: Facts) -> Iterator[Finding]:
    """Refuse to freeze tests that the patch changes or takes away (SPEC 6.2, 2)."""
    for claim in facts.claims:
        if claim.domain is None:
            continue
        test_id = asked_by(claim).test_id
        change = facts.changes.get(test_id.path.raw)
        if change and (change.new is None or not change.new.is_regular):
            yield claim_error(
                claim,
                "test.lost",
                "test_id",
                got=f"{change.new.kind if change.new else 'nothing'} at {test_id.path}",
                expected="the test that is to be frozen",
            )
        else:
            yield from _judge(claim)


def _judge(claim: Claim) -> Iterator[Finding]:
    assert claim.domain  # noqa: S101 - the caller's own question
    test_id = asked_by(claim).test_id
    for each in claim.domain.test_changes:
        yield Finding(
            code="test.changed_in_patch",
            severity=Severity.ERROR,
            path=shown_path(each.path.encode("utf-8", "surrogateescape")),
            line=each.line,
            about=f"{each.name or each.path}, which {test_id} reaches",
            got=each.word,
            expected=_EXPECTED,
        )
