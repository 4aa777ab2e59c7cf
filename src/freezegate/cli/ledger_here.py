"""The ledger of the work tree beside the trusted base's: what landed, and what the branch adds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.here import read_here
from freezegate.errors import Unanswerable
from freezegate.formats.ledger import MAX_LEDGER_BYTES
from freezegate.formats.policy import built_in
from freezegate.git.gather_ledger import gather_ages
from freezegate.git.own_lines import own_lines
from freezegate.git.session import Session
from freezegate.git.work_tree import work_tree
from freezegate.hooks.walk import named_base
from freezegate.policy.guards import LEDGER_PATH
from freezegate.policy.settings import Preset
from freezegate.policy.standing import stand_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from freezegate.git.base import TrustedBase
    from freezegate.git.candidate import Candidate
    from freezegate.git.own_lines import OwnLines
    from freezegate.policy.settings import Policy
    from freezegate.policy.standing import Standing


class Here(NamedTuple):
    """One repository: `data` are the ledger's bytes in the work tree, `own` the same in parts."""

    session: Session
    top: Path
    candidate: Candidate
    base: TrustedBase
    policy: Policy
    data: bytes
    own: OwnLines
    now: datetime

    def standings(self) -> tuple[Standing, ...]:
        """Return how each freeze stands, landed ones first."""
        cap = self.policy.freeze.max_lifetime_commits
        lines = (*self.own.landed, *self.own.added)
        ages = gather_ages(self.session.history, lines, self.base.rev, self.now, cap=cap)
        return stand_of(self.own.landed, self.own.added, ages, self.policy.freeze, self.now)


def look_here(base_name: str | None, environ: Mapping[str, str]) -> Here:
    """Return the work tree's ledger and T's; raises Unanswerable where no base is known."""
    session = Session.open(environ)
    top = work_tree(session)
    if session.repository.head_is_unborn:
        raise Unanswerable(
            "base.none",
            got="a branch without commits",
            expected="a branch on which a ledger may have landed",
            remedy="git commit, then run the same again",
        )
    candidate = session.candidate(None, staged=False)
    named = named_base(base_name, environ)
    base = (
        session.named_base(*named)
        if named
        else session.trusted_base(candidate, session.branch(None))
    )
    policy = session.policy_at(base).value or built_in(Preset.STANDARD)
    data = read_ledger(top)
    step = session.step(candidate, base, max_changes=policy.max_changed_entries)
    own = own_lines(session.store, step, data)
    return Here(session, top, candidate, base, policy, data, own, datetime.now(UTC))


def read_ledger(top: Path) -> bytes:
    """Return the work tree's ledger, empty where there is none; raises UsageError for links."""
    return read_here(top, LEDGER_PATH, MAX_LEDGER_BYTES) or b""
