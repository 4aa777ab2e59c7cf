"""Which freeze a request renews, and which ones of its property count with it (SPEC 6.2, 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.ledger import Ended, Ending, LedgerEntry
from freezegate.policy.lifetimes import frozen_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from freezegate.model.digests import Blake3, Sha256
    from freezegate.model.ledger import BadLine, Frozen
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


def open_chains(lines: Iterable[LedgerEntry | BadLine], name: str) -> tuple[Landed, ...]:
    """Return the landed freezes of a property or a test, whatever their fixture, that none closed.

    `name` is one of `chain_names`. A `lifted` or `void` line closes its freeze and all that this
    one renewed.
    """
    known = tuple(lines)
    closed = set(_closed(known))
    found: list[Landed] = []
    for entry, line in reversed(frozen_lines(known)):
        if entry.freeze_id in closed:
            closed.update([line.renews] if line.renews else ())
        elif name in chain_names(line):
            found.append((entry, line))
    return tuple(reversed(found))


def chain_names(line: Frozen) -> tuple[str, ...]:
    """Return whose freezes count together: those of the test's function, and of the property.

    A parameter, true or invented, and another property of the same test are no fresh start.
    """
    function = "::".join((line.test_id.path, *line.test_id.names))
    return (function, line.property_id) if line.property_id else (function,)


def _closed(lines: Iterable[LedgerEntry | BadLine]) -> frozenset[Blake3]:
    ends = (e.line for e in lines if isinstance(e, LedgerEntry) and isinstance(e.line, Ended))
    return frozenset(end.freeze for end in ends if end.event is not Ending.EXPIRED)
