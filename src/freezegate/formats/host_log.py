"""The host's log: JSON lines of plain ASCII, keys sorted, which no pushed text can break out of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from freezegate.formats.fields import array, choice, instant, nullable, of, read_object, text
from freezegate.formats.strict_json import parse_json
from freezegate.model.digests import ObjectId
from freezegate.model.host import LogEntry, LogEvent, LoggedFreeze

if TYPE_CHECKING:
    from datetime import datetime

MAX_ENTRY_BYTES = 1024 * 1024
_TEXT = text(4096)
_OID = nullable(of(ObjectId))
_FREEZE = {"freeze": _TEXT, "test_id": _TEXT, "status": _TEXT}


def dump_entry(entry: LogEntry) -> str:
    """Return an entry as one line, without its newline."""
    value = entry._asdict() | {"freezes": [freeze._asdict() for freeze in entry.freezes]}
    value["ref"] = entry.ref.encode("utf-8", "backslashreplace").decode()
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def parse_entry(line: bytes) -> LogEntry:
    """Decode one line; raises DecodeError."""
    value = parse_json(line, max_bytes=MAX_ENTRY_BYTES)
    return LogEntry(**read_object(value, "", _KEYS, _LATER_KEYS))


def instant_of(now: datetime) -> str:
    """Return an aware UTC time as the log writes it."""
    return now.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _freeze(value: object, place: str) -> LoggedFreeze:
    return LoggedFreeze(**read_object(value, place, _FREEZE))


_KEYS: dict[str, Any] = {
    "event": choice(LogEvent),
    "time": instant,
    "push": nullable(_TEXT),
    "repository": _TEXT,
    "ref": _TEXT,
    "old": _OID,
    "new": _OID,
    "verdict": nullable(_TEXT),
    "digest": nullable(_TEXT),
    "codes": array(_TEXT),
    "freezes": array(_freeze),
}
_LATER_KEYS: dict[str, Any] = {"warnings": array(_TEXT), "detail": nullable(_TEXT)}
