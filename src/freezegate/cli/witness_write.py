"""Write a request into the work tree: each file whole or not at all, and all of them or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.git.work_tree import notes_folder
from freezegate.ledger.append import replace_file, swap_ledger
from freezegate.policy.guards import LEDGER_PATH
from freezegate.witness.interruption import ending_signals_wait

if TYPE_CHECKING:
    from freezegate.cli.witness_case import Case
    from freezegate.cli.witness_gate import Files


def write_request(case: Case, files: Files) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Write evidence, snapshot, ledger, record and marked sources; return what came and went.

    Signals wait until everything stands there: what the gate accepted is whole.
    """
    top = case.setting.top
    lock = notes_folder(case.setting.session) / "writing.lock"
    written: list[str] = []
    removed: list[str] = []
    with ending_signals_wait():
        for path, data in (*files.files.items(), *case.sources.items()):
            place = top / path.decode()
            if path == LEDGER_PATH and data is not None:
                swap_ledger(place, lock, before=case.ledger.before, after=data)
                written.append(path.decode())
            elif data is not None:
                replace_file(place, data)
                written.append(path.decode())
            elif place.exists():
                place.unlink()
                removed.append(path.decode())
    return tuple(written), tuple(removed)
