"""A freeze has an owner and an end, and there are not too many of them (SPEC 6.2, 2)."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from freezegate.model.ids import names_nobody
from freezegate.policy.lifetimes import active_freezes, day_has_passed, ended_ids
from freezegate.policy.rules.asked import asked_by, frozen_line, line_error
from freezegate.policy.settings import FreezeSettings, Policy, Preset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from freezegate.model.finding import Finding
    from freezegate.model.ledger import Frozen
    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts


def judge_budgets(facts: Facts) -> Iterator[Finding]:
    """Refuse freezes without owner or end, with a far end, or over budget."""
    policy = facts.judges.policy.value
    if policy is None:
        return
    for claim in facts.claims:
        yield from _judge_owner(claim)
        yield from _judge_end(facts, claim, policy.freeze)
    yield from _judge_counts(facts, policy)


def _judge_owner(claim: Claim) -> Iterator[Finding]:
    line = frozen_line(claim)
    owner = line.owner if line else asked_by(claim).owner
    if owner is None or names_nobody(owner):
        yield line_error(
            claim,
            "budget.owner_missing",
            "owner",
            got="null" if owner is None else ascii(owner),
            expected="the name of a person or a team",
        )


def _judge_end(facts: Facts, claim: Claim, settings: FreezeSettings) -> Iterator[Finding]:
    line = frozen_line(claim)
    asked = line or asked_by(claim)
    latest = facts.now.date() + timedelta(days=settings.max_lifetime_days)
    if asked.expires_on is None:
        yield line_error(
            claim,
            "budget.expiry_missing",
            "expires_on",
            got="null",
            expected=f"a date up to {latest} (UTC)",
        )
    elif day_has_passed(asked.expires_on, facts.now):
        yield line_error(
            claim,
            "freeze.expired",
            "expires_on",
            got=asked.expires_on,
            expected=f"a date from {facts.now.date()} to {latest} (UTC)",
        )
    elif date.fromisoformat(asked.expires_on) > latest:
        yield line_error(
            claim,
            "budget.expiry_too_far",
            "expires_on",
            got=asked.expires_on,
            expected=f"at most {latest} (UTC), {settings.max_lifetime_days} days from now",
        )
    commits = asked.expires_after_commits
    if commits is not None and not 1 <= commits <= settings.max_lifetime_commits:
        yield line_error(
            claim,
            "budget.expiry_too_far",
            "expires_after_commits",
            got=str(commits),
            expected=f"1 to {settings.max_lifetime_commits}, or null for that cap",
        )
    elif commits is not None and (claim.base_distance or 0) > commits:
        yield line_error(
            claim,
            "freeze.expired",
            "expires_after_commits",
            got=f"{commits}, while the target is {claim.base_distance} commits ahead of its base",
            expected="a number that the target has not passed already",
            remedy="freezegate witness --refresh, or ask with a larger number",
        )


def _judge_counts(facts: Facts, policy: Policy) -> Iterator[Finding]:
    requests = [(c, line) for c in facts.claims if (line := frozen_line(c))]
    if policy.preset is Preset.BASIC and len(requests) > 1:
        yield line_error(
            requests[1][0],
            "budget.exceeded",
            "event",
            got=f"{len(requests)} freezes in one patch",
            expected="one freeze a patch under the preset basic",
            remedy="Ask for the second freeze in a patch of its own, after the first has landed.",
        )
    settings = policy.freeze
    active = active_freezes(facts.ledger.landed, facts.now, facts.age_commits, settings)
    ended_here = ended_ids(facts.ledger.added)
    standing = [line for entry, line in active if entry.freeze_id not in ended_here]
    asked = tuple({line.key: line for _, line in requests}.values())  # twice is its own finding
    for claim, line in requests:
        for key, limit, counted, own in _limits(settings, standing, asked, line):
            if counted > limit:
                also = f", {own - 1} of which this patch asks for as well" if own > 1 else ""
                yield line_error(
                    claim,
                    "budget.exceeded",
                    key,
                    got=f"{counted} active freezes with this one{also}",
                    expected=f"at most {limit} ([freeze] {key})",
                )


def _limits(
    settings: FreezeSettings, standing: Sequence[Frozen], asked: Sequence[Frozen], line: Frozen
) -> Iterator[tuple[str, int, int, int]]:
    """Yield each budget of a request: key, limit, what counts, and how many of those are new."""
    alike: list[tuple[str, int, Callable[[Frozen], object]]] = [
        ("max_active", settings.max_active, lambda _: None),
        ("max_active_per_test", settings.max_active_per_test, _function),
        ("max_active_per_file", settings.max_active_per_file, lambda each: each.test_id.path),
    ]
    if line.property_id:
        limit = settings.max_active_per_property
        alike.insert(1, ("max_active_per_property", limit, lambda each: each.property_id))
    for key, limit, kind in alike:
        own = sum(kind(each) == kind(line) for each in asked)
        yield key, limit, own + sum(kind(each) == kind(line) for each in standing), own


def _function(line: Frozen) -> tuple[str, tuple[str, ...]]:
    """The function that a test id names: parameters, true or invented, share its budget."""
    return line.test_id.path, line.test_id.names
