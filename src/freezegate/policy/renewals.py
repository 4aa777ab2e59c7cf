"""Which freeze a request for a key must renew, and how long its chain is by then (SPEC 6.2, 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.ledger import Ended, Ending, LedgerEntry
from freezegate.policy.lifetimes import frozen_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from freezegate.model.digests import Blake3, Sha256
    from freezegate.model.ledger import BadLine
    from freezegate.policy.lifetimes import Landed


def renewed_by(lines: Iterable[LedgerEntry | BadLine], key: tuple[str, Sha256]) -> Landed | None:
    """Return the landed freeze that a request for this key renews; None opens a new chain.

    That is the latest one of the key, active or past its end. Behind a `lifted` or `void` line a
    new chain begins.
    """
    known = tuple(lines)
    latest = next((each for each in reversed(frozen_lines(known)) if each[1].key == key), None)
    if latest is None or latest[0].freeze_id in _closed(known):
        return None
    return latest


def renewals_until(lines: Iterable[LedgerEntry | BadLine], freeze: Blake3) -> int:
    """Return how many renewals stand in the chain that ends with a freeze."""
    renews = {entry.freeze_id: line.renews for entry, line in frozen_lines(lines)}
    count, older = 0, renews.get(freeze)
    while older is not None and count < len(renews):
        count, older = count + 1, renews.get(older)
    return count


def _closed(lines: Iterable[LedgerEntry | BadLine]) -> frozenset[Blake3]:
    ends = (e.line for e in lines if isinstance(e, LedgerEntry) and isinstance(e.line, Ended))
    return frozenset(end.freeze for end in ends if end.event is not Ending.EXPIRED)
