"""`freezegate ledger rebase`: put the branch's own lines behind the target's."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.ledger_here import look_here
from freezegate.errors import UsageError
from freezegate.formats.ledger import MAX_LEDGER_BYTES, parse_ledger
from freezegate.formats.record import MAX_RECORD_BYTES
from freezegate.git.conflict import conflict_at, is_applying
from freezegate.git.repository import git_faults_refuse
from freezegate.git.trees import Snapshot
from freezegate.git.work_tree import notes_folder
from freezegate.ledger.append import replace_file, swap_ledger
from freezegate.model.entries import EMPTY_TREE
from freezegate.policy.guards import LEDGER_PATH, RECORD_PATH
from freezegate.policy.own_part import put_behind

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from freezegate.cli.ledger_here import Here

_LEDGER, _RECORD = LEDGER_PATH.decode(), RECORD_PATH.decode()


class _Done(NamedTuple):
    """Which files were written, how many own lines stand and how many were dropped."""

    written: tuple[str, ...]
    kept: int
    dropped: int
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
        }
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
        return 0
    print(f"{_number(done.kept)} of this branch behind those of {here.base.source}", end="")
    print(f", {_number(done.dropped)} landed already and dropped" if done.dropped else "")
    for path in done.written:
        print(f"wrote {path}")
    if done.in_conflict:
        step = "git rebase --continue" if applies else "git merge --continue"
        print(f"next: git add {' '.join(done.written)} && {step}")
    elif done.written:
        print(f"next: git add {' '.join(done.written)} && git commit")
    else:
        print("nothing to do: they stand there already")
    return 0


def _rebase(here: Here) -> _Done:
    sides = conflict_at(here.session, LEDGER_PATH, max_bytes=MAX_LEDGER_BYTES)
    ledgers = [here.data] if sides is None else [sides.ours or b"", sides.theirs or b""]
    landed = _at_base(here, LEDGER_PATH, MAX_LEDGER_BYTES)
    after = put_behind(landed, ledgers)
    _refuse_damage(after.removeprefix(landed), first=landed.count(b"\n") + 1)
    written = []
    if after != here.data:
        lock = notes_folder(here.session) / "writing.lock"
        swap_ledger(here.top / _LEDGER, lock, before=here.data, after=after)
        written.append(_LEDGER)
    elif sides is not None:
        written.append(_LEDGER)
    record = conflict_at(here.session, RECORD_PATH, max_bytes=MAX_RECORD_BYTES)
    if record is not None:
        own = _own_record(here, record.ours, record.theirs)
        if own is not None:
            replace_file(here.top / _RECORD, own)
            written.append(_RECORD)
    lines = {line for ledger in ledgers for line in ledger.split(b"\n")[:-1]}
    kept = after.removeprefix(landed).count(b"\n")
    dropped = len(lines & set(_after_start(here, landed)))
    return _Done(tuple(written), kept, dropped, sides is not None or record is not None)


def _after_start(here: Here, landed: bytes) -> list[bytes]:
    """T's lines that are none of the ledger which the branch began with."""
    return landed.removeprefix(here.own.before).split(b"\n")[:-1]


def _own_record(here: Here, ours: bytes | None, theirs: bytes | None) -> bytes | None:
    """Return the branch's own side: never the one that the base has already."""
    at_base = _at_base(here, RECORD_PATH, MAX_RECORD_BYTES)
    own, other = (theirs, ours) if is_applying(here.session) else (ours, theirs)
    return other if own == at_base and other is not None else own


def _at_base(here: Here, path: bytes, max_bytes: int) -> bytes:
    store = here.session.store
    root = store.commit(here.base.rev).tree if here.base.rev else EMPTY_TREE
    entry = Snapshot(store, root).entry(path)
    if entry is None or not entry.is_regular:
        return b""
    return store.blob(entry.oid, max_bytes=max_bytes)


def _refuse_damage(own: bytes, *, first: int) -> None:
    """Raise UsageError where an own line does not decode: conflict markers, most of all."""
    bad = next((line for line in parse_ledger(own, first_line=first) if line.is_damaged), None)
    if bad is None:
        return
    if b"<<<<<<<" in own or b">>>>>>>" in own:
        msg = (
            f"{_LEDGER} holds conflict markers that git does not know of any more; take the "
            f"conflict back, then run again: git checkout --merge -- {_LEDGER}"
        )
    else:
        shown = ascii(bad.raw[:60].decode("utf-8", "replace"))
        msg = f"{_LEDGER}: an own line does not decode: {shown}; freezegate ledger verify"
    raise UsageError(msg)


def _number(count: int) -> str:
    return f"{count} line{'s' * (count != 1)}"
