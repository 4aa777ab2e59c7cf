"""A patch that renames or removes a frozen test is told what becomes of the freeze."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.policy.lifetimes import frozen_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.ledger import Frozen, LedgerEntry
    from freezegate.policy.facts import Facts
    from freezegate.policy.frozen_tests import Successor


def judge_departed(facts: Facts) -> Iterator[Finding]:
    """Warn of freezes that nothing will be skipped by; what voids one is judged elsewhere."""
    if facts.frozen_tests is None or not facts.ledger.appends:
        return
    departed = facts.frozen_tests.departed
    for entry, line in frozen_lines(facts.ledger.landed):
        if entry.freeze_id in departed:
            successor = departed[entry.freeze_id]
            yield _lost(entry, line) if successor is None else _moved(entry, line, successor)


def _lost(entry: LedgerEntry, line: Frozen) -> Finding:
    return Finding(
        code="test.lost",
        severity=Severity.WARNING,
        path=line.test_id.path,
        about=entry.freeze_id,
        got=f"{line.test_id} is gone, while it is frozen",
        expected="the test, or a line that ends its freeze",
        remedy=f"in the same patch: {_lift(entry, 'removed')}",
    )


def _moved(entry: LedgerEntry, line: Frozen, successor: Successor) -> Finding:
    place = successor.place
    keeps = line.property_id is not None and line.test_id.parameter is None
    goes_on = keeps and successor.claims
    keep = (
        f'put @pytest.mark.property_id("{line.property_id}") on it, and the freeze goes on; else '
    )
    return Finding(
        code="test.moved",
        severity=Severity.NOTE if goes_on else Severity.WARNING,
        path=place.path,
        line=place.line,
        about=entry.freeze_id,
        got=f"{line.test_id}, which is frozen, is {place.node_id} now"
        + ("; its marker claims the property, so the freeze goes on" if goes_on else ""),
        expected="the name that was frozen, a marker that claims the property, or the freeze ended",
        remedy=""
        if goes_on
        else f"{keep if keeps else ''}take its skip marker out, then: {_lift(entry, 'renamed')}",
    )


def _lift(entry: LedgerEntry, why: str) -> str:
    return f'freezegate ledger lift {entry.freeze_id} --reason "the test was {why}"'
