"""Which active freezes stand on what is witnessed: who owns them, and until when?"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from freezegate.git.gather_ledger import gather_ages
from freezegate.model.ledger import freeze_key
from freezegate.policy.standing import State, stand_of

if TYPE_CHECKING:
    from freezegate.cli.witness_case import Case
    from freezegate.policy.standing import Standing


def active_on(case: Case) -> tuple[Standing | None, ...]:
    """Return, for each subject, the active freeze of its key."""
    setting, landed = case.setting, case.ledger.landed
    now, settings = datetime.now(UTC), setting.policy.freeze
    cap = settings.max_lifetime_commits
    ages = gather_ages(setting.session.history, landed, setting.base_rev, now, cap=cap)
    stands = stand_of(landed, (), ages, settings, now)
    found = {each.line.key: each for each in stands if each.state is State.ACTIVE}
    keys = [freeze_key(s.property_id, s.test_id, s.fixture_sha256) for s in case.subjects]
    return tuple(found.get(key) for key in keys)
