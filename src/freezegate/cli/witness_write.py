"""Write a request into the work tree: each file whole or not at all, and all of them or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.errors import UsageError
from freezegate.git.work_tree import notes_folder
from freezegate.ledger.append import locked, refuse_swap, replace_file
from freezegate.ledger.regular_file import read_or_nothing
from freezegate.policy.guards import LEDGER_PATH, RECORD_PATH
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
    with ending_signals_wait(), locked(lock):
        _refuse_moved_files(case)
        after = files.files.get(LEDGER_PATH) or b""
        refuse_swap(top / LEDGER_PATH.decode(), before=case.ledger.before, after=after)
        for path, data in _in_order({**files.files, **case.sources}):
            place = top / path.decode()
            if data is not None:
                if not _stands(place, data):
                    replace_file(place, data)
                    written.append(path.decode())
            elif place.exists():
                place.unlink()
                removed.append(path.decode())
    return tuple(written), tuple(removed)


def _stands(place: Path, data: bytes) -> bool:
    """Whether a file has these bytes already; its mode and time then stay as they are."""
    return read_or_nothing(place) == data


def _in_order(files: Mapping[bytes, bytes | None]) -> Iterator[tuple[bytes, bytes | None]]:
    """Yield evidence first, then snapshot, ledger, record and sources; what goes away comes last.

    Should the process be killed between two of them, no line names what is not there.
    """
    yield from sorted(files.items(), key=lambda item: (item[1] is None, _rank(item[0])))


def _rank(path: bytes) -> int:
    starts = (b".freeze/evidence/", b".freeze/snapshots/", LEDGER_PATH, RECORD_PATH)
    return next((at for at, start in enumerate(starts) if path.startswith(start)), len(starts))


def _refuse_moved_files(case: Case) -> None:
    """Raise where, while the runs were made, HEAD moved or a file was edited that is marked."""
    session = case.setting.session
    head = str(session.repository.head.target)
    if head != case.setting.head:
        msg = (
            f"HEAD moved from {case.setting.head[:12]} to {head[:12]} while the runs were made; "
            "nothing was written. Go back there (git reflog tells), or run the same again"
        )
        raise UsageError(msg)
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
