"""Which record and which added ledger line ask for the same freeze (SPEC section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.ledger import BadLine, LedgerEntry
from freezegate.model.record import SHARED_KEYS, FreezeRecord
from freezegate.policy.lifetimes import frozen_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

Pair = tuple[FreezeRecord | None, LedgerEntry | None]


def pair_claims(
    record: FreezeRecord | None,
    added: Iterable[LedgerEntry | BadLine],
    landed: Iterable[LedgerEntry | BadLine] = (),
) -> tuple[Pair, ...]:
    """Return the freezes that a patch asks for; `record` is None where it asks for nothing.

    The record goes with the one request that says the same; where none or several do, it stands
    alone. A line that landed already asks for nothing, nor does the record that goes with it.
    """
    landed = tuple(landed)
    known = {entry.raw for entry in landed}
    requests = [entry for entry, _ in frozen_lines(added) if entry.raw not in known]
    fitting = [r for r in requests if record and not differing_keys(record, r)]
    if record and len(fitting) == 1:
        others: list[Pair] = [(None, r) for r in requests if r is not fitting[0]]
        return ((record, fitting[0]), *others)
    is_over = record and not fitting and is_asked_in(record, landed)
    alone: list[Pair] = [(record, None)] if record and not is_over else []
    return (*alone, *((None, request) for request in requests))


def is_asked_in(record: FreezeRecord, lines: Iterable[LedgerEntry | BadLine]) -> bool:
    """Say whether one of these lines asks for what a record asks for."""
    return any(not differing_keys(record, entry) for entry, _ in frozen_lines(lines))


def differing_keys(record: FreezeRecord, request: LedgerEntry) -> tuple[str, ...]:
    """Return the keys that both have and whose values differ."""
    return tuple(
        key
        for key in SHARED_KEYS
        if key in record.given and getattr(record, key) != getattr(request.line, key, None)
    )
