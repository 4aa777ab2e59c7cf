"""`.freeze/ledger.jsonl`: canonical lines to ledger entries and back (SPEC section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from freezegate.errors import DecodeError
from freezegate.formats.fields import (
    MAX_OWNER_CHARS,
    MAX_SIGNATURE_CHARS,
    array,
    choice,
    constant,
    day,
    flag,
    integer,
    nullable,
    of,
    read_object,
    text,
    type_name,
)
from freezegate.formats.strict_json import dump_canonical, parse_json, plain
from freezegate.model.digests import Blake3, ObjectId, Sha256
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.ledger import (
    BadLine,
    Classified,
    Ended,
    Ending,
    Frozen,
    LedgerEntry,
    LedgerLine,
    LineReason,
    LineStatus,
    VarianceClass,
)
from freezegate.model.paths import RepoPath
from freezegate.model.run import RunOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    QuickReader = Callable[[bytes], "LedgerLine | None"]

MAX_LEDGER_BYTES = 256 * 1024 * 1024  # 100,000 lines of a usual 1.5 KB
MAX_LINE_BYTES = 256 * 1024  # a hundred runs with the longest signatures
MAX_RUNS = 10_000  # far beyond any max_runs of a policy
MAX_REASON_CHARS = 4096
_LONG_BYTES = 512 * 1024  # from here on patterns save more than their own compilation takes

MAX_ADDED_BYTES = 1024 * 1024
MAX_ADDED_LINES = 1000  # far beyond any budget of freezes, and quick to decode
_CONFLICT = (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")
# Faults of the JSON text itself keep their own code; all else of a line is `ledger.bad_row`.
_TEXT_CODES = frozenset(
    f"record.{word}"
    for word in (
        "duplicate_key",
        "number_not_int",
        "bad_encoding",
        "bad_string",
        "too_large",
        "too_deep",
    )
)

_CLASSIFIED = {
    "event": constant("classified"),
    "property_id": nullable(of(PropertyId)),
    "test_id": of(TestId, "test-id"),
    "fixture_path": of(RepoPath, "repo-path"),
    "fixture_sha256": of(Sha256),
    "oracle_path": of(RepoPath, "repo-path"),
    "oracle_blob": of(ObjectId),
    "seed": nullable(integer(0)),
    "base_rev": of(ObjectId),
    "candidate_rev": nullable(of(ObjectId)),
    "base_runs": array(choice(RunOutcome), 0, MAX_RUNS),
    "candidate_runs": array(choice(RunOutcome), 0, MAX_RUNS),
    "runs": integer(0),
    "passes": integer(0),
    "fails": integer(0),
    "fail_signatures": array(text(MAX_SIGNATURE_CHARS), 0, 2 * MAX_RUNS),
    "class": nullable(choice(VarianceClass)),
    "freeze_eligible": flag,
    "status": choice(LineStatus),
    "reason": choice(LineReason),
    "patch_digest": of(Blake3),
    "domain_digest": of(Blake3),
    "evidence": nullable(of(Blake3)),
}
_FROZEN = _CLASSIFIED | {
    "event": constant("frozen"),
    "owner": nullable(text(MAX_OWNER_CHARS)),
    "expires_on": nullable(day),
    "expires_after_commits": nullable(integer()),
    "renews": nullable(of(Blake3)),
}
_ENDED = {
    "event": choice(Ending),
    "freeze": of(Blake3),
    "base_rev": of(ObjectId),
    "fixture_sha256": of(Sha256),
    "reason": text(MAX_REASON_CHARS),
    "owner": text(MAX_OWNER_CHARS, 1),
}
_EVENTS = ("classified", "frozen", *Ending)


def parse_ledger(
    data: bytes, *, first_line: int = 1, canonical: bool = True
) -> tuple[LedgerEntry | BadLine, ...]:
    """Decode ledger lines one by one; a bad line does not hide the others.

    `first_line` is the number of the first of them in the whole ledger; lines that landed need
    not be checked for their canonical spelling again.
    """
    if len(data) > MAX_LEDGER_BYTES:
        error = _bad("", f"{len(data)} bytes", f"at most {MAX_LEDGER_BYTES}", "record.too_large")
        return (BadLine(number=first_line, raw=b"", error=error),)
    added = data.count(b"\n")
    if canonical and (added > MAX_ADDED_LINES or len(data) > MAX_ADDED_BYTES):
        got = f"{added} added lines of {len(data)} bytes together"
        expected = f"at most {MAX_ADDED_LINES} lines and {MAX_ADDED_BYTES} bytes in one patch"
        error = _bad("", got, expected, "record.too_large")
        return (BadLine(number=first_line, raw=b"", error=error),)
    return tuple(read_lines(data, first_line=first_line, canonical=canonical))


def read_lines(
    data: bytes, *, first_line: int = 1, canonical: bool = True
) -> Iterator[LedgerEntry | BadLine]:
    """Yield the lines of a ledger of any length, one by one as they are decoded."""
    start, number, quick = 0, first_line, _quick_reader(data)
    while (end := data.find(b"\n", start)) >= 0:
        yield _entry(data[start:end], number, canonical, quick)
        start, number = end + 1, number + 1
    if start < len(data):
        error = _bad("", "a last line without newline", "one newline behind each line")
        yield BadLine(number=number, raw=data[start:], error=error)


def parse_line(raw: bytes, *, canonical: bool = True) -> LedgerLine:
    """Decode one line, newline left out; raises DecodeError."""
    if raw.startswith(_CONFLICT):
        raise _bad("", "a merge conflict marker", "a ledger line", "ledger.conflict_markers")
    if not raw:
        raise _bad("", "a blank line", "a ledger line: one event as canonical JSON")
    value = parse_json(raw, max_bytes=MAX_LINE_BYTES)
    line = _read_line(value)
    if canonical and dump_canonical(value) != raw:
        raise _bad("", "another spelling", "RFC 8785 canonical JSON", rule="canonical")
    return _consistent(line)


def dump_line(line: LedgerLine) -> bytes:
    """Return a line's canonical bytes, newline left out."""
    value = plain(line)
    if not isinstance(line, Ended):
        value["event"] = "frozen" if isinstance(line, Frozen) else "classified"
        value["class"] = value.pop("variance")
    return dump_canonical(value)


def _quick_reader(data: bytes) -> QuickReader:
    if len(data) < _LONG_BYTES:
        return lambda _raw: None
    from freezegate.formats.ledger_canonical import read_canonical

    return read_canonical


def _entry(raw: bytes, number: int, canonical: bool, quick: QuickReader) -> LedgerEntry | BadLine:
    try:
        known = quick(raw)
        line = _consistent(known) if known else parse_line(raw, canonical=canonical)
        return LedgerEntry(number=number, raw=raw, line=line)
    except DecodeError as error:
        if error.code not in _TEXT_CODES and not error.code.startswith("ledger."):
            error.code = "ledger.bad_row"
        return BadLine(number=number, raw=raw, error=error)


def _read_line(value: object) -> LedgerLine:
    event = value.get("event") if isinstance(value, dict) else None
    match event:
        case "classified":
            return Classified(**_renamed(read_object(value, "", _CLASSIFIED)))
        case "frozen":
            return Frozen(**_renamed(read_object(value, "", _FROZEN)))
        case "lifted" | "void" | "expired":
            return Ended(**read_object(value, "", _ENDED))
        case _:
            got = type_name(event) if isinstance(value, dict) else type_name(value)
            raise _bad("event", got, f"an object whose event is one of {', '.join(_EVENTS)}")


def _renamed(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values as keyword arguments: `class` is no name that Python lets us use."""
    del values["event"]
    values["variance"] = values.pop("class")
    return values


def _consistent(line: LedgerLine) -> LedgerLine:
    """Return the line; raise where its counts contradict its runs, or a `frozen` line is none."""
    if isinstance(line, Ended):
        return line
    outcomes = line.base_runs + line.candidate_runs
    fails = outcomes.count(RunOutcome.FAIL)
    _must(len(outcomes), line.runs, "runs")
    _must(len(outcomes) - fails, line.passes, "passes")
    _must(fails, line.fails, "fails")
    if isinstance(line, Frozen):
        _must(LineStatus.FROZEN, line.status, "status")
        _must(fails, len(line.fail_signatures), "fail_signatures")
    elif line.status is LineStatus.FROZEN:
        raise _bad("status", "frozen", "another status on a `classified` line", rule="frozen-line")
    return line


def _must(expected: object, got: object, place: str) -> None:
    if expected != got:
        raise _bad(place, str(got), f"{expected}, as the runs say", rule="counts")


def _bad(
    place: str, got: str, expected: str, code: str = "ledger.bad_row", rule: str | None = None
) -> DecodeError:
    return DecodeError(code, place=place, got=got, expected=expected, rule=rule)
