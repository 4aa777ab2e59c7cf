"""The ledger as a branch has it: what is kept of it, and what a refresh takes anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.here import read_here
from freezegate.cli.witness_own import own_requests
from freezegate.cli.witness_setting import head_step, head_tree
from freezegate.formats.ledger import MAX_LEDGER_BYTES
from freezegate.git.own_lines import own_lines
from freezegate.git.trees import Snapshot
from freezegate.git.work_tree import request_files_here
from freezegate.model.ledger import Classified, LedgerEntry
from freezegate.policy.guards import LEDGER_PATH

if TYPE_CHECKING:
    from freezegate.cli.witness_setting import Setting
    from freezegate.git.own_lines import OwnLines
    from freezegate.model.ledger import BadLine

_FOLDERS = (b".freeze/evidence", b".freeze/snapshots")


class Ledger(NamedTuple):
    """The ledger: `before` as it stands in the work tree, `kept` what new lines go behind.

    `dropped` are the files that only dropped lines named, `previous` the dropped lines themselves,
    `landed` the ledger at T, `asked` what the branch asks for.
    """

    before: bytes
    kept: bytes
    dropped: frozenset[bytes]
    previous: tuple[Classified, ...]
    landed: tuple[LedgerEntry | BadLine, ...]
    asked: tuple[Classified, ...]


def own_ledger(setting: Setting) -> OwnLines:
    """Return the lines that the branch added itself, as the work tree has them."""
    return own_part(setting, refresh=True)[0]


def own_part(setting: Setting, *, refresh: bool) -> tuple[OwnLines, bytes]:
    """Return what the branch added to the ledger, and the ledger of the work tree.

    As HEAD has it, with --refresh as the work tree does.
    """
    before = read_here(setting.top, LEDGER_PATH, MAX_LEDGER_BYTES) or b""
    entry = head_tree(setting).entry(LEDGER_PATH)
    committed = entry is not None and entry.is_regular
    if refresh and not before and committed and entry is not None:
        committed_bytes = setting.session.store.blob(entry.oid, max_bytes=2**26)
        return own_lines(setting.session.store, head_step(setting), committed_bytes), before
    return own_lines(setting.session.store, head_step(setting), before), before


def ledger_of(setting: Setting, own: OwnLines, before: bytes, *, refresh: bool) -> Ledger:
    """Return the ledger for a request; with --refresh without the branch's own requests."""
    asked = own_requests(own.added)
    if not refresh:
        return Ledger(before, before, frozenset(), (), own.landed, asked)
    entries = [entry for entry in own.added if isinstance(entry, LedgerEntry)]
    kept = [entry for entry in entries if not isinstance(entry.line, Classified)]
    return Ledger(
        before=before,
        kept=own.start + b"".join(entry.raw + b"\n" for entry in kept),
        dropped=frozenset(_own_files(setting)),
        previous=tuple(e.line for e in entries if isinstance(e.line, Classified)),
        landed=own.landed,
        asked=asked,
    )


def _own_files(setting: Setting) -> set[bytes]:
    """Evidence and snapshots that the trusted base does not have, in HEAD or the work tree."""
    store = setting.session.store
    base = Snapshot(store, setting.view.root)
    head = head_tree(setting)
    found = {folder + b"/" + name for folder in _FOLDERS for name in head.names(folder)}
    found |= {path.encode() for path in request_files_here(setting.session)}
    return {path for path in found if path.startswith(_FOLDERS) and base.entry(path) is None}
