"""The ledger lines that a branch added itself: those that are not T's."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from freezegate.formats.ledger import MAX_LEDGER_BYTES, parse_ledger
from freezegate.policy.guards import LEDGER_PATH

if TYPE_CHECKING:
    from freezegate.git.candidate import Step
    from freezegate.git.store import ObjectStore
    from freezegate.git.trees import Snapshot
    from freezegate.model.ledger import BadLine, LedgerEntry


class OwnLines(NamedTuple):
    """A ledger in two parts: what the branch started from, and what it added behind that.

    `landed` is T's ledger, line by line; `before` the merge base's bytes.
    """

    start: bytes
    added: tuple[LedgerEntry | BadLine, ...]
    landed: tuple[LedgerEntry | BadLine, ...]
    before: bytes


def own_lines(store: ObjectStore, step: Step, ledger: bytes) -> OwnLines:
    """Split a ledger as the gate does; one that continues no known ledger adds nothing to T's."""
    landed = _bytes(store, step.base_tree)
    before = _bytes(store, step.merge_base_tree)
    start = landed if ledger.startswith(landed) else before
    entries = parse_ledger(landed, canonical=False)
    if not ledger.startswith(start):
        return OwnLines(landed, (), entries, before)
    added = parse_ledger(ledger.removeprefix(start), first_line=start.count(b"\n") + 1)
    return OwnLines(start, added, entries, before)


def _bytes(store: ObjectStore, tree: Snapshot) -> bytes:
    entry = tree.entry(LEDGER_PATH)
    if entry is None or not entry.is_regular:
        return b""
    return store.blob(entry.oid, max_bytes=MAX_LEDGER_BYTES)
