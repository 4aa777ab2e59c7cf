"""How each freeze of a ledger stands: requested, active, or over and why (SPEC sections 2, 6.2)."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from freezegate.model.ledger import Classified, Ended, Frozen, LedgerEntry
from freezegate.policy.lifetimes import (
    active_freezes,
    commit_limit,
    day_has_passed,
    frozen_lines,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from freezegate.model.digests import Blake3, ObjectId
    from freezegate.model.ledger import BadLine
    from freezegate.policy.settings import FreezeSettings

    Lines = Sequence[LedgerEntry | BadLine]


class State(StrEnum):
    """How a freeze stands; what waits is evidence that nobody asked a freeze on."""

    WAITING = "waiting"
    REQUESTED = "requested"
    ACTIVE = "active"
    EXPIRED = "expired"
    LIFTED = "lifted"
    VOID = "void"
    RENEWED = "renewed"


class Standing(NamedTuple):
    """One freeze: `why` tells of its end, `days_left` may be negative, None means no such limit.

    One that a line ended has no limits any more. `age_commits` are commits of the target since its
    base, None where they are not known.
    """

    freeze: Blake3
    line: Frozen
    state: State
    why: str | None
    days_left: int | None
    age_commits: int | None
    commits_left: int | None


def stand_of(
    landed: Lines,
    added: Lines,
    ages: Mapping[ObjectId, int | None],
    settings: FreezeSettings,
    now: datetime,
) -> tuple[Standing, ...]:
    """Return how each freeze of T's ledger, and of a branch's own lines behind it, stands."""
    ends = _ends((*landed, *added))
    active = {entry.number for entry, _ in active_freezes(landed, now, ages, settings)}
    lines = [*((True, *each) for each in frozen_lines(landed))]
    lines += ((False, *each) for each in frozen_lines(added))
    found = []
    for is_landed, entry, line in lines:
        age = ages.get(line.base_rev)
        left = _commits_left(line, age, settings, is_landed=is_landed)
        end = ends.get(entry.freeze_id)
        is_active = entry.number in active if is_landed else None
        state, why = end or _unended(line, left, now, is_active=is_active)
        days, left = (None, None) if end else (_days_left(line, now), left)
        found.append(Standing(entry.freeze_id, line, state, why, days, age, left))
    return tuple(found)


def waiting_evidence(added: Lines) -> tuple[Classified, ...]:
    """Return a branch's own classified lines that may be frozen, and are not yet."""
    lines = [entry.line for entry in added if isinstance(entry, LedgerEntry)]
    asked = {line.evidence for line in lines if isinstance(line, Frozen)}
    return tuple(
        line
        for line in lines
        if type(line) is Classified
        and line.freeze_eligible
        and line.evidence
        and line.evidence not in asked
    )


def is_due(standing: Standing, days: int) -> bool:
    """Say whether a freeze ends within some days, or has ended and was not closed by a line.

    One that has no commits left ends with the next one, whatever its date.
    """
    if standing.state is State.EXPIRED:
        return standing.why is None or not standing.why.startswith("line ")
    soon = standing.days_left is not None and standing.days_left <= days
    last = standing.commits_left is not None and standing.commits_left <= 0
    return standing.state is State.ACTIVE and (soon or last)


def _unended(
    line: Frozen, commits_left: int | None, now: datetime, *, is_active: bool | None
) -> tuple[State, str | None]:
    """Return how a freeze stands that no line ended; a request is neither active nor not."""
    if is_active is None:
        return State.REQUESTED, None
    if is_active:
        return State.ACTIVE, None
    if commits_left is None or day_has_passed(line.expires_on, now):
        return State.EXPIRED, None
    return State.EXPIRED, f"{-commits_left} commit{'s' * (commits_left != -1)} over its limit"


def _commits_left(
    line: Frozen, age: int | None, settings: FreezeSettings, *, is_landed: bool
) -> int | None:
    """Return what is left of the limit: all of it for a request, which counts from its base."""
    if age is None and is_landed:
        return None
    return commit_limit(line, settings) - (age or 0)


def _ends(lines: Iterable[LedgerEntry | BadLine]) -> dict[Blake3, tuple[State, str]]:
    """Return the first end of each freeze that a line ended."""
    found: dict[Blake3, tuple[State, str]] = {}
    for entry in lines:
        if not isinstance(entry, LedgerEntry):
            continue
        if isinstance(entry.line, Ended):
            told = f"line {entry.number}: {entry.line.reason} ({entry.line.owner})"
            found.setdefault(entry.line.freeze, (State(str(entry.line.event)), told))
        elif isinstance(entry.line, Frozen) and entry.line.renews:
            found.setdefault(entry.line.renews, (State.RENEWED, f"line {entry.number} renews it"))
    return found


def _days_left(line: Frozen, now: datetime) -> int | None:
    if line.expires_on is None:
        return None
    return (date.fromisoformat(line.expires_on) - now.date()).days
