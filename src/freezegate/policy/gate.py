"""Decide on one step: facts in, a transition with all its findings out (SPEC 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.verdict import Outcome, ShownFreeze, Transition, judged
from freezegate.policy.damage import damaged_judges
from freezegate.policy.facts import Place
from freezegate.policy.rules.areas import judge_areas
from freezegate.policy.rules.base import judge_base
from freezegate.policy.rules.judges import judge_judges
from freezegate.policy.settings import Preset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.facts import Facts
    from freezegate.policy.rules import Rule

STEP_RULES: tuple[Rule, ...] = (
    judge_judges,
    judge_areas,
    judge_base,
)


def decide(facts: Facts, ref: str) -> Transition:
    """Return the transition for a step: every rule is asked, all findings are listed."""
    if facts.nothing_new and not facts.divided:
        return _transition(facts, ref, (_nothing_to_judge(facts),))
    if damaged_judges(facts):
        from freezegate.policy.repair import decide_repair

        outcome, findings = decide_repair(facts)
        return _transition(facts, ref, findings, outcome)
    findings = tuple(finding for rule in _rules(facts) for finding in rule(facts))
    if facts.judges.policy.value is None:
        findings += _no_policy(facts)
    return _transition(facts, ref, findings)


def _rules(facts: Facts) -> Iterator[Rule]:
    """Rules that cannot say anything are not even loaded: hooks run at every commit."""
    if facts.divided:
        yield judge_base  # without one merge base nobody knows which changes are the patch's
    else:
        yield from STEP_RULES
        yield from _ledger_rules(facts)
    if facts.place is Place.PRE_RECEIVE:
        from freezegate.policy.rules.names import judge_names

        yield judge_names
    if facts.twins:
        from freezegate.policy.rules.twins import judge_twins

        yield judge_twins
    if facts.mutes:
        from freezegate.policy.rules.mutes import judge_mutes

        yield judge_mutes
    if facts.claims or facts.record:
        from freezegate.policy.claim_rules import CLAIM_RULES

        yield from CLAIM_RULES


def _ledger_rules(facts: Facts) -> tuple[Rule, ...]:
    ledger = facts.ledger
    if not facts.kept_files and not ledger.landed and ledger.appends:
        return ()
    from freezegate.policy.ledger_rules import LEDGER_RULES

    return LEDGER_RULES


def _transition(
    facts: Facts, ref: str, findings: tuple[Finding, ...], outcome: Outcome | None = None
) -> Transition:
    return Transition(
        ref=ref,
        outcome=outcome or judged(findings),
        base=facts.base,
        candidate=facts.candidate,
        freezes=(*_requested(facts), *_ended(facts)),
        findings=tuple(dict.fromkeys(findings)),
        assurance=tuple(_assurance(facts)),
    )


def _requested(facts: Facts) -> tuple[ShownFreeze, ...]:
    if not facts.ledger.added:
        return ()
    from freezegate.policy.lifetimes import frozen_lines

    domains = {
        claim.request.freeze_id: claim.domain.domain.digest
        for claim in facts.claims
        if claim.request and claim.domain
    }
    return tuple(
        ShownFreeze(
            freeze=entry.freeze_id,
            property_id=line.property_id,
            test_id=line.test_id,
            status="requested",
            domain_digest=domains.get(entry.freeze_id),
        )
        for entry, line in frozen_lines(facts.ledger.added)
    )


def _ended(facts: Facts) -> tuple[ShownFreeze, ...]:
    """The freezes that an added line lifts, voids or lets expire."""
    if not facts.ledger.added:
        return ()
    from freezegate.model.ledger import Ended, LedgerEntry
    from freezegate.policy.lifetimes import frozen_lines

    landed = {entry.freeze_id: line for entry, line in frozen_lines(facts.ledger.landed)}
    ended = [e.line for e in facts.ledger.added if isinstance(e, LedgerEntry)]
    return tuple(
        ShownFreeze(
            freeze=line.freeze,
            property_id=landed[line.freeze].property_id,
            test_id=landed[line.freeze].test_id,
            status=str(line.event),
        )
        for line in ended
        if isinstance(line, Ended) and line.freeze in landed
    )


def _assurance(facts: Facts) -> Iterator[str]:
    yield "parent-only" if facts.parent_only else "step"
    policy = facts.judges.policy.value
    if facts.claims and policy and policy.preset is Preset.BASIC:
        yield "candidate-only"


def _nothing_to_judge(facts: Facts) -> Finding:
    return Finding(
        code="base.nothing_to_judge",
        severity=Severity.NOTE,
        got=f"no difference to {facts.base.source}",
        expected="a patch, where one was meant",
    )


def _no_policy(facts: Facts) -> tuple[Finding, ...]:
    """Without a policy at T any freeze is refused; adopting freezegate is an ordinary patch."""
    asks = bool(facts.claims)
    adopts = facts.new_judges.policy.entry is not None
    got = f"no .freeze/policy.toml at the trusted base ({facts.base.source})"
    return (
        Finding(
            code="judge.no_policy",
            severity=Severity.ERROR if asks else Severity.NOTE,
            path=".freeze/policy.toml",
            got=f"{got}; this patch adds one" if adopts else got,
            expected="a policy at the base before any freeze",
            remedy="Nothing: patches are judged by it once it has landed."
            if adopts and not asks
            else "",
        ),
    )
