"""Whether lines may be put behind the work tree's ledger: refused by name where they may not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.cli.line_endings import crlf_remedy, is_crlf
from freezegate.errors import UsageError
from freezegate.formats.ledger import parse_ledger
from freezegate.git.trees import Snapshot
from freezegate.model.ledger import BadLine
from freezegate.model.paths import shell_path
from freezegate.policy.guards import LEDGER_PATH
from freezegate.policy.ledger_mending import mending

if TYPE_CHECKING:
    from collections.abc import Iterable

    from freezegate.cli.ledger_here import Here
    from freezegate.model.ledger import LedgerEntry

_LEDGER = LEDGER_PATH.decode()
_PATHSPEC = shell_path(LEDGER_PATH)
_MARKERS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")


def refuse_unsound(here: Here) -> None:
    """Raise UsageError where a line behind this ledger would be lost, or would not land."""
    refuse_line_endings(here.data)
    if not here.data.startswith(here.own.start):
        raise UsageError(_not_continued(here))
    if here.data and not here.data.endswith(b"\n"):
        msg = (
            f"{_LEDGER} does not end in a newline; take it back: "
            f"git checkout {nearest(here)} -- {_PATHSPEC}"
        )
        raise UsageError(msg)
    refuse_damage(here, here.own.added)


def refuse_line_endings(data: bytes) -> None:
    """Raise UsageError where lines end as on Windows: no such line is the one that was written."""
    if is_crlf(data):
        msg = f"{_LEDGER} has line endings CRLF; expected {crlf_remedy(_LEDGER)}"
        raise UsageError(msg)


def refuse_damage(here: Here, own: Iterable[LedgerEntry | BadLine]) -> None:
    """Raise UsageError where an own line does not decode, with the command that mends it."""
    bad = next((line for line in own if isinstance(line, BadLine)), None)
    if bad is None:
        return
    shown = ascii(bad.raw[:60].decode("utf-8", "replace"))
    what = "conflict markers" if is_marker(bad.raw) else "an own line does not decode"
    msg = f"{_LEDGER}:{bad.number}: {what}: {shown}; mend it: {mending(bad, nearest(here))}"
    raise UsageError(msg)


def nearest(here: Here) -> str:
    """Return the revision to take the ledger back from: HEAD, if that has another one."""
    entry = Snapshot(here.session.store, here.candidate.root).entry(LEDGER_PATH)
    known = entry is not None and entry.oid == here.session.store.lay(here.data).oid
    return str(here.base.rev) if known else "HEAD"


def is_marker(line: bytes) -> bool:
    """Say whether git wrote this line between two sides of a conflict."""
    return line.startswith(_MARKERS)


def parsed(data: bytes, start: bytes) -> tuple[LedgerEntry | BadLine, ...]:
    """Return the lines behind a start, numbered as in the whole file."""
    return parse_ledger(data.removeprefix(start), first_line=start.count(b"\n") + 1)


def _not_continued(here: Here) -> str:
    if not here.data:
        return (
            f"{_LEDGER} is not in the work tree, and lines stand in it at {here.base.source}; get "
            f"it back, then run again: git checkout -- {_PATHSPEC}"
        )
    return (
        f"{_LEDGER} has other bytes where the lines of {here.base.source} stand; expected those "
        "byte for byte, then run again: freezegate ledger rebase"
    )
