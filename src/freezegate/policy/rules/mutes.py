"""Every mute is covered by exactly one active freeze or this patch's request (SPEC 6.2, 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.policy.lifetimes import active_freezes, ended_ids, frozen_lines
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.rules.mute_remedies import remedy_of
from freezegate.policy.settings import Weight

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.facts import Facts
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.settings import Policy

_SEVERITY = {
    Weight.REFUSE: Severity.ERROR,
    Weight.WARN: Severity.WARNING,
    Weight.NOTE: Severity.NOTE,
}
_ORDER = (Weight.OFF, Weight.NOTE, Weight.WARN, Weight.REFUSE)


def judge_mutes(facts: Facts) -> Iterator[Finding]:
    """Tell of each mute as heavily as the policy takes it; a freeze of just that test allows it."""
    policy = facts.judges.policy.value or facts.standard
    frozen = frozen_tests(facts, policy)
    for mute in facts.mutes:
        weight = weight_of(mute, policy)
        if weight is Weight.OFF or (mute.freezable and mute.test in frozen):
            continue
        remedy = remedy_of(mute, weight, facts.judges, facts.base)
        yield _finding(mute, weight, remedy, wider=_covered_in_part(mute, frozen))


def weight_of(mute: Mute, policy: Policy) -> Weight:
    """Return how heavily a mute is taken: never more than its family, less where it is unsure."""
    family = policy.mutes[mute.family]
    most = {
        Certainty.CLEAR: Weight.REFUSE,
        Certainty.DOUBTFUL: policy.doubtful_mutes,
        Certainty.TOLD: Weight.NOTE,
    }[mute.certainty]
    return min(family, most, key=_ORDER.index)


def frozen_tests(facts: Facts, policy: Policy) -> frozenset[str]:
    """Return the tests that exactly one active freeze, or this patch's request, is about."""
    ledger = facts.ledger
    ended = ended_ids(ledger.added)
    active = active_freezes(ledger.landed, facts.now, facts.age_commits, policy.freeze)
    standing = [line for entry, line in active if entry.freeze_id not in ended]
    tests = [line.test_id for line in standing]
    tests += [line.test_id for _, line in frozen_lines(ledger.added)]
    return frozenset(test for test in tests if tests.count(test) == 1)


def _covered_in_part(mute: Mute, frozen: frozenset[str]) -> str | None:
    """Return a frozen test that the mute silences together with others."""
    if mute.test is None:
        return None
    starts = tuple(mute.test + end for end in ("::", "["))
    return next((test for test in sorted(frozen) if test.startswith(starts)), None)


def _finding(mute: Mute, weight: Weight, remedy: str, wider: str | None) -> Finding:
    code = "mute.opaque" if mute.opaque else "mute.unrecorded"
    expected = f"as before: {mute.was}"
    if wider:
        code = "mute.wider_than_record"
        expected = f"a marker on {wider} alone, as its freeze says"
    return Finding(
        code=code,
        severity=_SEVERITY[weight],
        path=mute.path,
        line=mute.line,
        about=mute.test if mute.test != mute.path else None,
        detector=mute.detector,
        got=mute.now,
        expected=expected,
        remedy=remedy,
        before=mute.before,
        after=mute.after,
    )
