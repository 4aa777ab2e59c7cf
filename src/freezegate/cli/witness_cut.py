"""Was the request in the work tree cut off while it was written, as by SIGKILL?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from freezegate.cli.here import read_here
from freezegate.formats.ledger import MAX_LEDGER_BYTES, parse_ledger
from freezegate.git.work_tree import work_tree
from freezegate.model.ledger import Classified, Frozen, LedgerEntry
from freezegate.policy.guards import LEDGER_PATH, RECORD_PATH

if TYPE_CHECKING:
    from collections.abc import Collection

    from freezegate.git.session import Session


def cut_off(session: Session, uncommitted: Collection[str]) -> str | None:
    """Return in words what does not fit together in uncommitted files of a request."""
    top = work_tree(session)
    lines = _lines(read_here(top, LEDGER_PATH, MAX_LEDGER_BYTES) or b"")
    named = {path for line in lines for path in _files(line)}
    for path in sorted(uncommitted):
        if path.startswith((".freeze/evidence/", ".freeze/snapshots/")) and path not in named:
            return f"no ledger line names {path}"
    if LEDGER_PATH.decode() not in uncommitted or not lines:
        return None
    last = lines[-1]
    absent = [path for path in _files(last) if not os.path.lexists(top / path)]
    if absent:
        return f"there is no {absent[0]}, which the ledger's last request names"
    if isinstance(last, Frozen) and not session.differs_from_head(RECORD_PATH.decode()):
        return "there is no record of the ledger's last request"
    return None


def _lines(ledger: bytes) -> list[Classified]:
    entries = parse_ledger(ledger, canonical=False)
    lines = [each.line for each in entries if isinstance(each, LedgerEntry)]
    return [line for line in lines if isinstance(line, Classified)]


def _files(line: Classified) -> list[str]:
    """Return what a request has beside its line, in the order in which it is written."""
    evidence = [f".freeze/evidence/{line.evidence.hex}.json"] if line.evidence else []
    return [*evidence, f".freeze/snapshots/{line.fixture_sha256}"]
