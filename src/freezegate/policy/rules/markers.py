"""A skip marker of ours stands only while its freeze does (SPEC 6.2, 4)."""

from __future__ import annotations

import shlex
from datetime import date
from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.policy.lifetimes import day_has_passed, ended_ids, frozen_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.digests import Blake3
    from freezegate.model.ledger import Frozen
    from freezegate.policy.facts import Facts
    from freezegate.policy.lifetimes import Landed
    from freezegate.policy.marked_tests import Place
    from freezegate.policy.settings import FreezeSettings


def judge_markers(facts: Facts) -> Iterator[Finding]:
    """Tell of markers whose freeze is over: for some days, and of other modules, as warnings."""
    policy = facts.judges.policy.value
    if policy is None or not facts.ledger.appends:
        return
    ended = ended_ids((*facts.ledger.landed, *facts.ledger.added))
    for entry, line in frozen_lines(facts.ledger.landed):
        place = facts.stale_markers.get(entry.freeze_id)
        if place is not None:
            is_ended = entry.freeze_id in ended
            yield _finding(facts, policy.freeze, (entry, line), place, is_ended=is_ended)


def _finding(
    facts: Facts, settings: FreezeSettings, landed: Landed, place: Place, *, is_ended: bool
) -> Finding:
    entry, line = landed
    touched = place.path.encode("utf-8", "surrogateescape") in facts.changes
    in_grace = not is_ended and _days_over(facts, line) <= settings.grace_days
    state = _state(facts, line, is_ended=is_ended)
    lift = "" if is_ended else f", then: freezegate ledger lift {entry.freeze_id}"
    first = "land the line that ends it, then " if _ends_here(facts, entry.freeze_id) else ""
    return Finding(
        code="freeze.stale_marker",
        severity=Severity.ERROR if touched and (place.is_new or not in_grace) else Severity.WARNING,
        path=place.path,
        line=place.line,
        about=entry.freeze_id,
        got=f"a skip marker {'in its place ' if place.is_new else ''}on {place.node_id}, whose "
        f"freeze {state}",
        expected=f"no marker without an active freeze, {settings.grace_days} days behind its end "
        "at the latest",
        remedy=f"where the test still wavers, {first}ask anew ({_again(line)}); else take the "
        f"marker out of {place.path}{lift}",
    )


def _ends_here(facts: Facts, freeze: Blake3) -> bool:
    return freeze in ended_ids(facts.ledger.added)


def _again(line: Frozen) -> str:
    words = ["--property", line.property_id] if line.property_id else [line.test_id]
    return f"freezegate witness {shlex.join(words)} --owner NAME --expires-on DATE"


def _state(facts: Facts, line: Frozen, *, is_ended: bool) -> str:
    if is_ended:
        return "has been ended by a line of the ledger"
    if day_has_passed(line.expires_on, facts.now):
        return f"ended on {line.expires_on}"
    return f"has outlived its commits ({line.expires_after_commits or 'the policy caps them'})"


def _days_over(facts: Facts, line: Frozen) -> int:
    """Return the days since the last one; none yet where the number of commits ended it."""
    if line.expires_on is None:
        return 0
    return max(0, (facts.now.date() - date.fromisoformat(line.expires_on)).days)
