"""Which freezes are active on the target, as far as that can be said here."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from freezegate.errors import DecodeError, Unanswerable
from freezegate.formats.ledger import MAX_LEDGER_BYTES, parse_ledger
from freezegate.git.documents import read_bounded, read_judges
from freezegate.git.gather_ledger import gather_ages
from freezegate.git.trees import Snapshot
from freezegate.policy.guards import LEDGER_PATH
from freezegate.policy.lifetimes import active_freezes, open_freezes

if TYPE_CHECKING:
    from freezegate.git.session import Session
    from freezegate.model.catalog import Catalog
    from freezegate.model.digests import ObjectId
    from freezegate.policy.lifetimes import Landed


def trusted_rev(session: Session) -> ObjectId | None:
    """Return the target's commit, else HEAD's; None where there is neither, or several could be."""
    try:
        found = session.target()
        if found is not None:
            return found.rev
        return None if session.repository.head_is_unborn else session.tip("HEAD")
    except Unanswerable:
        return None


def gather_active(session: Session) -> tuple[Landed, ...]:
    """Return the active freezes of the trusted commit; none where its ledger does not decode."""
    rev = trusted_rev(session)
    if rev is None:
        return ()
    tree = Snapshot(session.store, session.store.commit(rev).tree)
    entry = tree.entry(LEDGER_PATH)
    if entry is None:
        return ()
    try:
        landed = parse_ledger(read_bounded(session.store, entry, MAX_LEDGER_BYTES), canonical=False)
    except DecodeError:
        return ()
    now = datetime.now(UTC)
    policy = read_judges(session.store, tree).policy.value
    if policy is None:
        return open_freezes(landed, now)
    cap = policy.freeze.max_lifetime_commits
    ages = gather_ages(session.history, landed, rev, now, cap=cap)
    return active_freezes(landed, now, ages, policy.freeze)


def trusted_catalog(session: Session) -> Catalog | None:
    """Return the catalogue of the trusted commit; None where there is none that decodes."""
    rev = trusted_rev(session)
    if rev is None:
        return None
    tree = Snapshot(session.store, session.store.commit(rev).tree)
    return read_judges(session.store, tree).catalog.value
