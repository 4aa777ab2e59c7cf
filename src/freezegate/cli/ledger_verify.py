"""`freezegate ledger verify`: every line, and the evidence and snapshots that lines name."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.ledger_here import look_here
from freezegate.cli.ledger_sound import nearest
from freezegate.cli.line_endings import crlf_remedy, is_crlf
from freezegate.cli.witness_unready import drop_command
from freezegate.errors import DecodeError
from freezegate.formats.evidence import MAX_EVIDENCE_BYTES, parse_evidence
from freezegate.formats.ledger import parse_ledger, parse_line
from freezegate.git.repository import git_faults_refuse
from freezegate.ledger.regular_file import read_or_nothing
from freezegate.model.digests import Blake3
from freezegate.model.ledger import BadLine, Classified, Ended, Frozen
from freezegate.model.paths import shell_paths
from freezegate.policy.guards import LEDGER_PATH
from freezegate.policy.ledger_mending import mending
from freezegate.policy.standing import State
from freezegate.report.text import escaped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from freezegate.cli.ledger_here import Here
    from freezegate.model.ledger import LedgerLine

VERIFY_SCHEMA = "freezegate/ledger-verified/v1"
_LEDGER = LEDGER_PATH.decode()
_FILES = frozenset({"fixture.missing", "digest.mismatch", "evidence.missing", "evidence.mismatch"})
_Lines = list[tuple[int, bytes, "LedgerLine"]]


class Fault(NamedTuple):
    """Something wrong in the ledger or in a file that it names; `line` counts from 1."""

    code: str
    path: str
    line: int | None
    got: str
    expected: str


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print every fault; the exit status is 1 where there is one."""
    with git_faults_refuse():
        here = look_here(options.base, environ)
        lines, faults = _look(here)
    if options.format == "json":
        document = {
            "schema": VERIFY_SCHEMA,
            "lines": here.data.count(b"\n"),
            "faults": [fault._asdict() for fault in faults],
        }
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
    else:
        _print(faults, lines)
        command = _next(here, faults)
        if command is not None and not is_crlf(here.data):  # else the fault has it
            print(f"next: {command}")
    return int(bool(faults))


def _next(here: Here, faults: Sequence[Fault]) -> str | None:
    """Return what mends the first kind of fault: lines, then files that git has, then the rest."""
    bad = next((each for each in parse_ledger(here.data) if isinstance(each, BadLine)), None)
    if bad is not None:
        return mending(bad, nearest(here))
    wrong = [fault.path for fault in faults if fault.code in _FILES]
    if not here.data and not (here.top / _LEDGER).exists():
        wrong = [_LEDGER, *wrong]
    back = [path for path in dict.fromkeys(wrong) if here.session.is_in_head(path)]
    if back:
        return f"git checkout HEAD -- {shell_paths(back)}"
    if any(fault.code == "ledger.not_append_only" for fault in faults):
        return "freezegate ledger rebase"
    gone = [fault.path for fault in faults if fault.code == "path.unexpected"]
    return drop_command("HEAD", [], gone) if gone else None


def _look(here: Here) -> tuple[_Lines, list[Fault]]:
    if is_crlf(here.data):  # one fault of the whole file, not one of each line
        return [], [
            Fault("ledger.bad_row", _LEDGER, None, "line endings: CRLF", crlf_remedy(_LEDGER))
        ]
    lines, bad = _read(here.data)
    return lines, [*bad, *_of_lines(lines), *_of_base(here), *_of_files(here, lines)]


def _print(faults: Iterable[Fault], lines: _Lines) -> None:
    found = tuple(faults)
    for fault in found:
        place = fault.path if fault.line is None else f"{fault.path}:{fault.line}"
        got, expected = escaped(fault.got), escaped(fault.expected)
        print(f"{escaped(place)}: {fault.code}: {got}; expected {expected}")
    if not found:
        freezes = sum(isinstance(line, Frozen) for _, _, line in lines)
        count = f"{len(lines)} line{'s' * (len(lines) != 1)}"
        print(f"ok: {count}, {freezes} of them freezes, and what those name that stand")


def _read(data: bytes) -> tuple[_Lines, list[Fault]]:
    *raws, rest = data.split(b"\n")
    lines: _Lines = []
    bad = []
    for number, raw in enumerate(raws, 1):
        try:
            lines.append((number, raw, parse_line(raw)))
        except DecodeError as error:
            got = f"{error.place}: {error.got}" if error.place else error.got
            bad.append(Fault(error.code, _LEDGER, number, got, error.expected))
    if rest:
        got = "a last line without newline"
        bad.append(Fault("ledger.bad_row", _LEDGER, len(raws) + 1, got, "one newline behind each"))
    return lines, bad


def _of_lines(lines: _Lines) -> Iterator[Fault]:
    """Yield lines that stand twice, and ends of freezes that no line above opened."""
    seen: set[bytes] = set()
    opened: dict[str, Frozen] = {}
    for number, raw, line in lines:
        if raw in seen:
            yield Fault("ledger.duplicate_row", _LEDGER, number, "a line that stands above", "once")
        seen.add(raw)
        ended = line.freeze if isinstance(line, Ended) else getattr(line, "renews", None)
        if ended is not None and opened.pop(ended, None) is None:
            got = f"an end of {ended}, which no line above opened, or which is over already"
            yield Fault("ledger.bad_row", _LEDGER, number, got, "the id of a freeze that stands")
        if isinstance(line, Frozen):
            opened[Blake3.of(raw)] = line


def _of_base(here: Here) -> Iterator[Fault]:
    """Yield that the ledger does not go on where a known one ended."""
    if not here.data.startswith(here.own.start):
        yield Fault(
            "ledger.not_append_only",
            _LEDGER,
            None,
            f"other bytes where the lines of {here.base.source} stand",
            "those lines byte for byte, new ones below: freezegate ledger rebase",
        )


def _of_files(here: Here, lines: _Lines) -> Iterator[Fault]:
    standing = {
        each.freeze for each in here.standings() if each.state in (State.ACTIVE, State.REQUESTED)
    }
    named: set[str] = set()
    for number, raw, line in lines:
        if not isinstance(line, Classified):
            continue
        needed = isinstance(line, Frozen) and Blake3.of(raw) in standing
        snapshot = f".freeze/snapshots/{line.fixture_sha256}"
        named.add(snapshot)
        yield from _of_snapshot(here.top, snapshot, number, needed=needed)
        if line.evidence is not None:
            path = f".freeze/evidence/{line.evidence.hex}.json"
            named.add(path)
            yield from _of_evidence(here.top, path, line.evidence, number, needed=needed)
    for folder in ("evidence", "snapshots"):
        for path in _names(here.top, f".freeze/{folder}"):
            if path not in named:
                got = "a file that no line names"
                yield Fault("path.unexpected", path, None, got, "files that ledger lines name")


def _of_snapshot(top: Path, path: str, number: int, *, needed: bool) -> Iterator[Fault]:
    data = read_or_nothing(top / path)
    if data is None and needed:
        yield Fault("fixture.missing", path, None, f"no file, named by line {number}", "the bytes")
    elif data is not None and not path.endswith(hashlib.sha256(data).hexdigest()):
        yield Fault("digest.mismatch", path, None, "bytes of another SHA-256", "those of its name")


def _of_evidence(
    top: Path, path: str, digest: Blake3, number: int, *, needed: bool
) -> Iterator[Fault]:
    data = read_or_nothing(top / path)
    if data is None:
        if needed:
            got = f"no file, named by line {number}"
            yield Fault("evidence.missing", path, None, got, "the evidence")
        return
    if Blake3.of(data) != digest:
        yield Fault("evidence.mismatch", path, None, "bytes of another BLAKE3", "those of its name")
        return
    try:
        if len(data) <= MAX_EVIDENCE_BYTES:
            parse_evidence(data)
    except DecodeError as error:
        yield Fault(error.code, path, error.line, f"{error.place}: {error.got}", error.expected)


def _names(top: Path, folder: str) -> list[str]:
    place = top / folder
    return sorted(f"{folder}/{p.name}" for p in place.iterdir()) if place.is_dir() else []
