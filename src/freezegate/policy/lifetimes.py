"""Which landed freezes are still active, and why the others are not (SPEC sections 2 and 6.2)."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from freezegate.model.ledger import BadLine, Ended, Frozen, LedgerEntry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from freezegate.model.digests import Blake3, ObjectId
    from freezegate.policy.settings import FreezeSettings

Landed = tuple[LedgerEntry, Frozen]


def frozen_lines(entries: Iterable[LedgerEntry | BadLine]) -> tuple[Landed, ...]:
    """Return the `frozen` lines among ledger lines, in order."""
    return tuple(
        (entry, entry.line)
        for entry in entries
        if isinstance(entry, LedgerEntry) and isinstance(entry.line, Frozen)
    )


def ended_ids(entries: Iterable[LedgerEntry | BadLine]) -> frozenset[Blake3]:
    """Return the freezes that a line lifted, voided, let expire or renewed."""
    ended: set[Blake3] = set()
    for entry in entries:
        if not isinstance(entry, LedgerEntry):
            continue
        if isinstance(entry.line, Ended):
            ended.add(entry.line.freeze)
        elif isinstance(entry.line, Frozen) and entry.line.renews:
            ended.add(entry.line.renews)
    return frozenset(ended)


def open_freezes(entries: Iterable[LedgerEntry | BadLine], now: datetime) -> tuple[Landed, ...]:
    """Return the freezes that no line ended and whose day has not passed; `now` is UTC.

    One walk: of a stream of lines only those freezes are kept that are open so far.
    """
    ended: set[Blake3] = set()
    timely: dict[Blake3, list[Landed]] = {}
    for entry in entries:
        if not isinstance(entry, LedgerEntry):
            continue
        line = entry.line
        if isinstance(line, Frozen):
            over = line.renews
            if not day_has_passed(line.expires_on, now):
                timely.setdefault(entry.freeze_id, []).append((entry, line))
        else:
            over = line.freeze if isinstance(line, Ended) else None
        if over:
            ended.add(over)
            timely.pop(over, None)
    return tuple(each for key, same in timely.items() if key not in ended for each in same)


def active_freezes(
    entries: Iterable[LedgerEntry | BadLine],
    now: datetime,
    ages: Mapping[ObjectId, int | None],
    settings: FreezeSettings,
) -> tuple[Landed, ...]:
    """Return the open freezes that are within their number of commits too.

    `ages` are commits since each freeze's base; where that is not known the freeze counts.
    """
    return tuple(
        (entry, frozen)
        for entry, frozen in open_freezes(entries, now)
        if (age := ages.get(frozen.base_rev)) is None or age <= commit_limit(frozen, settings)
    )


def freezes_over(
    landed: Iterable[LedgerEntry | BadLine],
    added: Iterable[LedgerEntry | BadLine],
    active: Iterable[Landed],
) -> tuple[Landed, ...]:
    """Return the last landed freeze of each test that no freeze covers any more.

    `active` are the landed freezes that are; lines of `added` end some and ask for others.
    """
    new = tuple(added)
    ended = ended_ids(new)
    covered = {line.test_id for entry, line in active if entry.freeze_id not in ended}
    covered |= {line.test_id for _, line in frozen_lines(new)}
    last = {line.test_id: (entry, line) for entry, line in frozen_lines(landed)}
    return tuple(each for test_id, each in last.items() if test_id not in covered)


def day_has_passed(day: str | None, now: datetime) -> bool:
    """Say whether a date's last moment, in UTC, lies behind; no date never passes."""
    return day is not None and date.fromisoformat(day) < now.date()


def commit_limit(frozen: Frozen, settings: FreezeSettings) -> int:
    """Return how many commits a freeze may live: its own number, the policy's cap at most."""
    cap = settings.max_lifetime_commits
    own = frozen.expires_after_commits
    return cap if own is None else min(own, cap)
