"""T's ledger, and what the candidate adds behind the ledger that it started from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.errors import DecodeError, Unanswerable
from freezegate.formats.ledger import MAX_LEDGER_BYTES, parse_ledger
from freezegate.git.documents import read_bounded
from freezegate.model.ledger import BadLine
from freezegate.policy.facts import LedgerStep
from freezegate.policy.guards import LEDGER_PATH
from freezegate.policy.lifetimes import open_freezes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from freezegate.git.candidate import Step
    from freezegate.git.history import History
    from freezegate.git.store import ObjectStore
    from freezegate.model.digests import ObjectId
    from freezegate.model.entries import Entry
    from freezegate.model.ledger import LedgerEntry


def gather_ledger(store: ObjectStore, step: Step) -> LedgerStep:
    """Return both ledgers line by line; where T's is damaged, the candidate's whole."""
    landed = _read(store, step.base_tree.entry(LEDGER_PATH))
    landed_lines = (
        (_damaged(landed),)
        if isinstance(landed, DecodeError)
        else parse_ledger(landed, canonical=False)
    )
    entry = step.candidate_tree.entry(LEDGER_PATH)
    started = step.merge_base_tree.entry(LEDGER_PATH)
    if entry == started:
        return LedgerStep(landed=landed_lines, added=(), appends=True, entry=entry)
    now, before = _read(store, entry), _read(store, started)
    if isinstance(now, DecodeError):
        return LedgerStep(landed=landed_lines, added=(_damaged(now),), appends=True, entry=entry)
    lines = tuple(now.split(b"\n"))
    damaged = any(isinstance(line, BadLine) for line in landed_lines)
    if isinstance(before, DecodeError) or isinstance(landed, DecodeError) or damaged:
        return LedgerStep(
            landed=landed_lines,
            added=parse_ledger(now, canonical=False),
            appends=False,
            entry=entry,
            candidate_lines=lines,
        )
    # A candidate that holds T's ledger already (T was merged, or squashed what the branch added)
    # adds what stands behind that; any other adds what stands behind the ledger it started from.
    start = landed if now.startswith(landed) else before
    appends = now.startswith(start)
    first = landed.count(b"\n") + 1
    added = parse_ledger(now.removeprefix(start), first_line=first) if appends else ()
    return LedgerStep(
        landed=landed_lines, added=added, appends=appends, entry=entry, candidate_lines=lines
    )


def gather_ages(
    history: History,
    landed: Iterable[LedgerEntry | BadLine],
    base: ObjectId | None,
    now: datetime,
    *,
    cap: int,
) -> dict[ObjectId, int | None]:
    """Return how many commits T is ahead of the base of each freeze that may still be active.

    None where that base is no ancestor, or a shallow clone hides whether it is.
    """
    revs = {frozen.base_rev for _, frozen in open_freezes(landed, now)}
    return {rev: _age(history, rev, base, cap) for rev in revs} if base else {}


def _age(history: History, rev: ObjectId, base: ObjectId, cap: int) -> int | None:
    try:
        return history.distance(rev, base, cap=cap)
    except Unanswerable:
        return None


def _read(store: ObjectStore, entry: Entry | None) -> bytes | DecodeError:
    if entry is None:
        return b""
    try:
        return read_bounded(store, entry, MAX_LEDGER_BYTES)
    except DecodeError as error:
        return error


def _damaged(error: DecodeError) -> BadLine:
    return BadLine(number=1, raw=b"", error=error)
