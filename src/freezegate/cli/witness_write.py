"""Write a request into the work tree: each file whole or not at all, and all of them or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.errors import UsageError
from freezegate.git.work_tree import notes_folder
from freezegate.ledger.append import replace_file, swap_ledger
from freezegate.policy.guards import LEDGER_PATH
from freezegate.witness.interruption import ending_signals_wait

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

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
        _refuse_moved_files(case)
        for path, data in _in_order({**files.files, **case.sources}):
            place = top / path.decode()
            if path == LEDGER_PATH and data is not None:
                swap_ledger(place, lock, before=case.ledger.before, after=data)
                written.append(path.decode())
            elif data is not None:
                if not _stands(place, data):
                    replace_file(place, data)
                    written.append(path.decode())
            elif place.exists():
                place.unlink()
                removed.append(path.decode())
    return tuple(written), tuple(removed)


def _stands(place: Path, data: bytes) -> bool:
    """Whether a file has these bytes already; its mode and time then stay as they are."""
    return place.is_file() and not place.is_symlink() and place.read_bytes() == data


def _in_order(files: Mapping[bytes, bytes | None]) -> Iterator[tuple[bytes, bytes | None]]:
    """Yield the ledger first, since it may have moved meanwhile; what goes away comes last."""
    yield from sorted(files.items(), key=lambda item: (item[1] is None, item[0] != LEDGER_PATH))


def _refuse_moved_files(case: Case) -> None:
    """Raise where somebody edited a file while the runs were made that is to be marked."""
    session = case.setting.session
    for path in case.sources:
        if path in case.standing:
            moved = not _stands(case.setting.top / path.decode(), case.standing[path])
        else:
            moved = session.differs_from_head(path.decode())
        if moved:
            msg = (
                f"{path.decode()} was edited while the runs were made; nothing was written. "
                "Commit or undo the edit, then run the same again"
            )
            raise UsageError(msg)
