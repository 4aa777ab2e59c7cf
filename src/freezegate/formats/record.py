"""`.freeze/record.json`: bytes to FreezeRecord and back (SPEC section 4)."""

from __future__ import annotations

import json

from freezegate.errors import DecodeError
from freezegate.formats.fields import (
    MAX_OWNER_CHARS,
    MAX_SIGNATURE_CHARS,
    array,
    day,
    flag,
    instant,
    integer,
    nullable,
    of,
    read_object,
    text,
)
from freezegate.formats.strict_json import line_of, parse_json, plain
from freezegate.model.digests import Blake3, ObjectId, Sha256
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.paths import RepoPath
from freezegate.model.record import FreezeRecord
from freezegate.model.run import RecordRun

MAX_RECORD_BYTES = 64 * 1024  # SPEC section 4

_RUN = {
    "index": integer(0),
    "passed": flag,
    "exit_status": integer(),
    "collected": integer(0),
    "fixture_sha256": of(Sha256),
    "signature": nullable(text(MAX_SIGNATURE_CHARS)),
}
_RUN_OPTIONAL = {"started_at": instant, "duration_ms": integer(0)}


def _run(value: object, place: str) -> RecordRun:
    return RecordRun(**read_object(value, place, _RUN, _RUN_OPTIONAL))


_REQUIRED = {
    "test_id": of(TestId, "test-id"),
    "fixture_path": of(RepoPath, "repo-path"),
    "fixture_sha256": of(Sha256),
    "disagreement": array(_run, 2, 2),
    "oracle_path": of(RepoPath, "repo-path"),
    "oracle_blob": of(ObjectId),
}
_OPTIONAL = {
    "property_id": nullable(of(PropertyId)),
    "owner": nullable(text(MAX_OWNER_CHARS)),
    "expires_on": nullable(day),
    "expires_after_commits": nullable(integer()),
    "base_rev": nullable(of(ObjectId)),
    "patch_digest": nullable(of(Blake3)),
    "domain_digest": nullable(of(Blake3)),
    "evidence": nullable(of(Blake3)),
    "notes": nullable(text(32_768)),
}


def parse_record(data: bytes) -> FreezeRecord:
    """Decode a record; raises DecodeError with place and line."""
    value = parse_json(data, max_bytes=MAX_RECORD_BYTES)
    try:
        values = read_object(value, "", _REQUIRED, _OPTIONAL)
    except DecodeError as error:
        error.line = line_of(data, error.place)
        raise
    return FreezeRecord(**values, given=frozenset(values))


def dump_record(record: FreezeRecord) -> bytes:
    """Return the bytes of a record: sorted keys, two spaces, one newline at the end."""
    value = {key: plain(getattr(record, key)) for key in record.given}
    for run in value["disagreement"]:
        for key in _RUN_OPTIONAL:
            if run[key] is None:
                del run[key]
    return (json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()
