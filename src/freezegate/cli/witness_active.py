"""Which landed freezes stand on what is witnessed: who owns them, and until when?"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from freezegate.git.gather_ledger import gather_ages
from freezegate.model.finding import Finding, Severity
from freezegate.model.ledger import Ended, Ending, Frozen, LedgerEntry
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


def frozen_already(case: Case) -> tuple[Finding, ...]:
    """Return why a freeze of these keys cannot be asked for: each has one already."""
    pairs = zip(case.subjects, standing_freezes(case), strict=True)
    return tuple(_again(about, standing) for about, standing in pairs if standing is not None)


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
    return about.property_id or f"test:{about.test_id}", about.fixture_sha256


def _again(about: Subject, standing: Standing) -> Finding:
    line = standing.line
    state = "active" if standing.is_active else "past its end, but neither lifted nor void"
    wait = f"wait until it ends ({line.expires_on}), and " if standing.is_active else ""
    return Finding(
        code="budget.refreeze_without_new_evidence",
        severity=Severity.ERROR,
        about=about.test_id,
        got=f"a freeze of {about.property_id or about.test_id} on this fixture digest that is "
        f"{state}: {standing.freeze}, owner {line.owner}, until {line.expires_on}",
        expected="a key that was never frozen, or whose freeze was lifted or voided",
        remedy=f"{wait}land a `lifted` line for it in a patch of its own (docs/freeze-by-hand.md), "
        "then ask again; to renew a freeze is not possible yet",
    )
