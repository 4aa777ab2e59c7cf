"""A key is frozen again only as a renewal with evidence of its own (SPEC 6.2, 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.lifetimes import frozen_lines
from freezegate.policy.renewals import chain_names, open_chains, renewed_by
from freezegate.policy.rules.asked import frozen_line, line_error
from freezegate.policy.settings import Preset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.finding import Finding
    from freezegate.model.ledger import Frozen
    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts
    from freezegate.policy.lifetimes import Landed
    from freezegate.policy.settings import FreezeSettings, Policy

_AGAIN = "budget.refreeze_without_new_evidence"


def judge_renewals(facts: Facts) -> Iterator[Finding]:
    """Refuse a second freeze of a key that names no older one, and renewals without ground."""
    policy = facts.judges.policy.value
    if policy is None:
        return
    keys = set()
    for claim in facts.claims:
        line = frozen_line(claim)
        if line is None or claim.request is None:
            continue
        if line.key in keys:
            yield _twice(claim, line)
        keys.add(line.key)
        yield from _judge(facts, policy, claim, line)


def _judge(facts: Facts, policy: Policy, claim: Claim, line: Frozen) -> Iterator[Finding]:
    older = renewed_by(facts.ledger.landed, line.key)
    wanted = older[0].freeze_id if older else None
    if line.renews != wanted:
        yield _wrong_link(claim, line, older)
    elif older is not None:
        yield from _judge_renewal(policy, claim, older)
    yield from _judge_length(facts, policy, claim, line)
    if line.evidence is not None and line.evidence in _known_evidence(facts):
        yield line_error(
            claim,
            _AGAIN,
            "evidence",
            got=f"{line.evidence}, which a landed line names already",
            expected="evidence that the base's ledger does not know",
            remedy="freezegate witness --refresh",
        )


def _judge_renewal(policy: Policy, claim: Claim, older: Landed) -> Iterator[Finding]:
    entry, _ = older
    if policy.preset is Preset.BASIC:
        yield line_error(
            claim,
            _AGAIN,
            "renews",
            got=f"a renewal of {entry.freeze_id}",
            expected="no renewals under the preset basic",
            remedy="land a `lifted` line for that freeze in a patch of its own: freezegate ledger "
            f"lift {entry.freeze_id}; or raise the preset",
        )
    evidence = claim.evidence
    if evidence is not None and evidence.evidence and not evidence.knows_renewed:
        yield line_error(
            claim,
            _AGAIN,
            "evidence",
            got=f"evidence whose base {evidence.evidence.base_rev[:12]} does not hold "
            f"{entry.freeze_id} in its ledger",
            expected="runs made after that freeze had landed",
            remedy="freezegate witness --refresh",
        )


def _judge_length(facts: Facts, policy: Policy, claim: Claim, line: Frozen) -> Iterator[Finding]:
    """Count freezes beyond those that may stand side by side, the worst of property and test.

    Another fixture, another parameter or another property of the test is no fresh start.
    """
    settings = policy.freeze
    chains = [(name, *_chain(facts, settings, line, name)) for name in chain_names(line)]
    name, renewals, landed = max(chains, key=lambda chain: chain[1])
    if landed and renewals > settings.max_renewals:
        latest, _ = landed[-1]
        yield line_error(
            claim,
            "budget.exceeded",
            "max_renewals",
            got=f"renewal {renewals} of the freeze of {name}, freezes on all of its fixtures, "
            "properties and parameters counted",
            expected=f"at most {settings.max_renewals} ([freeze] max_renewals)",
            remedy="repair the test; or begin anew: freezegate ledger lift "
            f"{latest.freeze_id}, land that line in a patch of its own, and ask on a branch from "
            "there",
        )


def _chain(
    facts: Facts, settings: FreezeSettings, line: Frozen, name: str
) -> tuple[int, tuple[Landed, ...]]:
    """Return how many renewals a request makes of a property or a test, and what has landed."""
    landed = open_chains(facts.ledger.landed, name)
    lines = [each for c in facts.claims if (each := frozen_line(c))]
    asked = {each.key for each in lines if name in chain_names(each)}
    beside = settings.max_active_per_test
    if name == line.property_id:
        beside = settings.max_active_per_property
    return len(landed) + len(asked) - max(1, beside), landed


def _wrong_link(claim: Claim, line: Frozen, older: Landed | None) -> Finding:
    got = f"a renewal of {line.renews}" if line.renews else "null, a first freeze"
    if older is None:
        return line_error(
            claim,
            _AGAIN,
            "renews",
            got=got,
            expected="null: no landed freeze of this key is to be renewed",
            remedy="freezegate witness --refresh",
        )
    return line_error(
        claim,
        _AGAIN,
        "renews",
        got=got,
        expected=f"{older[0].freeze_id}, the latest freeze of this key (owner "
        f"{older[1].owner}, until {older[1].expires_on}), with evidence of its own",
        remedy="freezegate witness --refresh, which asks for a renewal; or lift that freeze in a "
        f"patch of its own: freezegate ledger lift {older[0].freeze_id}",
    )


def _twice(claim: Claim, line: Frozen) -> Finding:
    return line_error(
        claim,
        _AGAIN,
        "property_id",
        got=f"a second request for {line.property_id or line.test_id} on the same fixture digest",
        expected="one request for a key in a patch",
        remedy="freezegate witness --refresh",
    )


def _known_evidence(facts: Facts) -> frozenset[str]:
    lines = (line for _, line in frozen_lines(facts.ledger.landed))
    return frozenset(line.evidence for line in lines if line.evidence)
