"""`freezegate ledger rebase`: put the branch's own lines behind the target's."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.here import read_here
from freezegate.cli.ledger_here import look_here
from freezegate.cli.ledger_sound import (
    is_marker,
    parsed,
    refuse_damage,
    refuse_line_endings,
)
from freezegate.errors import DecodeError
from freezegate.formats.ledger import MAX_LEDGER_BYTES
from freezegate.formats.record import MAX_RECORD_BYTES, parse_record
from freezegate.git.conflict import conflict_at, is_applying
from freezegate.git.repository import git_faults_refuse
from freezegate.git.trees import Snapshot
from freezegate.git.work_tree import notes_folder
from freezegate.ledger.append import locked, replace_file, swap_ledger
from freezegate.model.entries import EMPTY_TREE
from freezegate.model.paths import shell_paths
from freezegate.policy.claims import is_asked_in
from freezegate.policy.guards import LEDGER_PATH, RECORD_PATH
from freezegate.policy.own_part import put_behind

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping

    from freezegate.cli.ledger_here import Here
    from freezegate.git.conflict import Sides

_LEDGER, _RECORD = LEDGER_PATH.decode(), RECORD_PATH.decode()


class _Done(NamedTuple):
    """Which files were written, how many own lines stand, were dropped, and were in no stage."""

    written: tuple[str, ...]
    kept: int
    dropped: int
    unknown: int
    in_conflict: bool


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Rewrite the branch's part of the ledger, and keep its own record in a conflict."""
    with git_faults_refuse():
        here = look_here(options.base, environ)
        done = _rebase(here)
        applies = is_applying(here.session)
    if options.format == "json":
        document = {
            "schema": "freezegate/rebased/v1",
            "written": list(done.written),
            "kept": done.kept,
            "dropped": done.dropped,
            "unknown": done.unknown,
        }
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
        return 0
    print(f"{_number(done.kept)} of this branch behind those of {here.base.source}", end="")
    print(f", {_number(done.dropped)} landed already and dropped" if done.dropped else "")
    if done.unknown:
        print(f"{_number(done.unknown)} of the work tree, on no side of the conflict, kept behind")
    for path in done.written:
        print(f"wrote {path}")
    if done.in_conflict:
        step = "git rebase --continue" if applies else "git merge --continue"
        print(f"next: git add {shell_paths(done.written)} && {step}")
    elif done.written:
        print(f"next: git add {shell_paths(done.written)} && git commit")
    else:
        print("nothing to do: they stand there already")
    return 0


def _rebase(here: Here) -> _Done:
    refuse_line_endings(here.data)
    sides = conflict_at(here.session, LEDGER_PATH, max_bytes=MAX_LEDGER_BYTES)
    landed = _at_base(here, LEDGER_PATH, MAX_LEDGER_BYTES)
    unknown = [] if sides is None else _of_nobody(here.data, [*sides, landed])
    after = put_behind(landed, here.own.before, [*_parts(here, sides), *unknown])
    refuse_damage(here, parsed(after, landed))
    written = []
    if after != here.data:
        lock = notes_folder(here.session) / "writing.lock"
        swap_ledger(here.top / _LEDGER, lock, before=here.data, after=after)
        written.append(_LEDGER)
    elif sides is not None:
        written.append(_LEDGER)
    record = conflict_at(here.session, RECORD_PATH, max_bytes=MAX_RECORD_BYTES)
    stands = read_here(here.top, RECORD_PATH, MAX_RECORD_BYTES)
    told_apart = (record.ours, record.theirs) if record else _marked_sides(stands)
    if told_apart is not None:
        own = _own_record(here, *told_apart)
        if own is not None:
            with locked(notes_folder(here.session) / "writing.lock"):
                replace_file(here.top / _RECORD, own)
            written.append(_RECORD)
    elif _is_over(here, stands):
        replace_file(here.top / _RECORD, _at_base(here, RECORD_PATH, MAX_RECORD_BYTES))
        written.append(_RECORD)
    return _Done(
        tuple(written),
        kept=after.removeprefix(landed).count(b"\n"),
        dropped=len(_own(here, sides) & set(landed.split(b"\n"))),
        unknown=len(unknown),
        in_conflict=sides is not None or record is not None,
    )


def _parts(here: Here, sides: Sides | None) -> tuple[bytes, ...]:
    """Return the ledgers that are brought together; a conflict's second side by its own lines."""
    if sides is None:  # markers that git knows nothing of any more stood between whole lines
        return (b"\n".join(li for li in here.data.split(b"\n") if not is_marker(li)),)
    return sides.ours or b"", b"\n".join(_less(sides.theirs, sides.ancestor))


def _own(here: Here, sides: Sides | None) -> set[bytes]:
    """Return the lines that the branch itself added, or the commit of it that is applied."""
    if sides is None:
        return set(_less(here.data, here.own.before))
    side = sides.theirs if is_applying(here.session) else sides.ours
    return set(_less(side, sides.ancestor))


def _of_nobody(data: bytes, known: Iterable[bytes | None]) -> list[bytes]:
    """Return lines that somebody appended to a file in conflict: git holds them nowhere."""
    held = b"\n".join(each or b"" for each in known)
    return [line for line in _less(data, held) if not is_marker(line)]


def _less(data: bytes | None, other: bytes | None) -> list[bytes]:
    """Return lines without those of another ledger, in order; there is always the empty one."""
    held = {b"", *(other or b"").split(b"\n")}
    return [line for line in (data or b"").split(b"\n") if line not in held]


def _marked_sides(data: bytes | None) -> tuple[bytes, bytes] | None:
    """Return both sides of a file with conflict markers that git knows nothing of any more."""
    if data is None or not any(map(is_marker, data.split(b"\n"))):
        return None
    sides: tuple[list[bytes], list[bytes]] = ([], [])
    into: tuple[int, ...] = (0, 1)
    for line in data.splitlines(keepends=True):
        match line[:7]:
            case b"<<<<<<<":
                into = (0,)
            case b"|||||||":
                into = ()
            case b"=======":
                into = (1,)
            case b">>>>>>>":
                into = (0, 1)
            case _:
                for side in into:
                    sides[side].append(line)
    return b"".join(sides[0]), b"".join(sides[1])


def _own_record(here: Here, ours: bytes | None, theirs: bytes | None) -> bytes | None:
    """Return the branch's own side: never one that the base has, or whose request landed."""
    at_base = _at_base(here, RECORD_PATH, MAX_RECORD_BYTES)
    own, other = (theirs, ours) if is_applying(here.session) else (ours, theirs)
    own = other if own == at_base and other is not None else own
    return at_base if _is_over(here, own) else own


def _is_over(here: Here, record: bytes | None) -> bool:
    """Whether a record is another one than the base's, of a request that the base holds."""
    at_base = _at_base(here, RECORD_PATH, MAX_RECORD_BYTES)
    if not record or not at_base or record == at_base:
        return False
    try:
        return is_asked_in(parse_record(record), here.own.landed)
    except DecodeError:
        return False


def _at_base(here: Here, path: bytes, max_bytes: int) -> bytes:
    store = here.session.store
    root = store.commit(here.base.rev).tree if here.base.rev else EMPTY_TREE
    entry = Snapshot(store, root).entry(path)
    if entry is None or not entry.is_regular:
        return b""
    return store.blob(entry.oid, max_bytes=max_bytes)


def _number(count: int) -> str:
    return f"{count} line{'s' * (count != 1)}"
