"""Which judges do not decode at the trusted base: then no ordinary patch can be judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.guards import FOLDER, LEDGER_PATH

if TYPE_CHECKING:
    from freezegate.policy.facts import Facts


def damaged_judges(facts: Facts) -> tuple[bytes, ...]:
    """Return the judge files, and the ledger, that do not decode at the trusted base."""
    judges = [document.path for document in facts.judges.all if document.is_damaged]
    if any(document.is_damaged and document.entry is None for document in facts.judges.all):
        judges.append(FOLDER)  # `.freeze` itself is a link or a file
    ledger = any(entry.is_damaged for entry in facts.ledger.landed)
    return (*judges, *([LEDGER_PATH] if ledger else []))
