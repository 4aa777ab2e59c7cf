"""Which landed freezes stand on what is witnessed: who owns them, and until when?"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from freezegate.git.gather_ledger import gather_ages
from freezegate.model.ledger import Ended, Ending, Frozen, LedgerEntry, freeze_key
from freezegate.policy.lifetimes import active_freezes, frozen_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.cli.witness_case import Case
    from freezegate.model.digests import Blake3, Sha256
    from freezegate.witness.request import Subject


class Standing(NamedTuple):
    """A landed freeze of a key that no line lifted or voided; past its end it is not active."""

    freeze: Blake3
    line: Frozen
    is_active: bool


def standing_freezes(case: Case) -> tuple[Standing | None, ...]:
    """Return, for each subject, the last freeze of its property and fixture digest."""
    found = {each.line.key: each for each in _standing(case)}
    return tuple(found.get(_key(about)) for about in case.subjects)


def _standing(case: Case) -> Iterator[Standing]:
    setting, landed = case.setting, case.ledger.landed
    now, settings = datetime.now(UTC), setting.policy.freeze
    cap = settings.max_lifetime_commits
    ages = gather_ages(setting.session.history, landed, setting.base_rev, now, cap=cap)
    active = {entry.freeze_id for entry, _ in active_freezes(landed, now, ages, settings)}
    ended = [e.line for e in landed if isinstance(e, LedgerEntry) and isinstance(e.line, Ended)]
    closed = {line.freeze for line in ended if line.event is not Ending.EXPIRED}
    for entry, line in frozen_lines(landed):
        if entry.freeze_id not in closed:
            yield Standing(entry.freeze_id, line, entry.freeze_id in active)


def _key(about: Subject) -> tuple[str, Sha256]:
    return freeze_key(about.property_id, about.test_id, about.fixture_sha256)
