"""Rows of samples in the git directory: JSON for this clone alone, one file a row."""

from __future__ import annotations

import json
from typing import Any

from freezegate.errors import InvalidValue
from freezegate.formats.property_fixture import parse_arguments
from freezegate.formats.strict_json import plain
from freezegate.model.digests import Blake3, ObjectId
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.run import RunOutcome, Side
from freezegate.model.sample import SampleKey, SampleRow

SCHEMA = "freezegate/sample/v1"


def dump_sample(row: SampleRow) -> bytes:
    """Return a row's bytes."""
    document = sample_document(row)
    return (json.dumps(document, indent=2, sort_keys=True, ensure_ascii=True) + "\n").encode()


def sample_document(row: SampleRow) -> dict[str, object]:
    """Return what a row says as JSON has it, its key beside the rest."""
    document: dict[str, object] = plain(row)
    key: dict[str, object] = plain(row.key)
    del document["key"]
    return {"schema": SCHEMA, **key, **document}


def parse_sample(data: bytes) -> SampleRow | None:
    """Return the row, None for bytes that `dump_sample` never writes: it is taken anew then."""
    try:
        row = _row(json.loads(data))
        return row if dump_sample(row) == data else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, InvalidValue):
        return None


def _row(document: dict[str, Any]) -> SampleRow:
    if document["schema"] != SCHEMA:
        raise ValueError
    candidate, arguments = document["candidate_rev"], document["arguments"]
    return SampleRow(
        key=SampleKey(
            property_id=PropertyId(document["property_id"]),
            seed=int(document["seed"]),
            side=Side(document["side"]),
            base_rev=ObjectId(document["base_rev"]),
            candidate_rev=None if candidate is None else ObjectId(candidate),
            property_test=TestId(document["property_test"]),
            oracle_blob=ObjectId(document["oracle_blob"]),
            domain_digest=Blake3(document["domain_digest"]),
        ),
        outcome=RunOutcome(document["outcome"]),
        signature=_text_or_none(document["signature"]),
        signatures=_texts(document["signatures"]),
        message=_text_or_none(document["message"]),
        arguments=None if arguments is None else parse_arguments(arguments),
        problem=_text_or_none(document["problem"]),
        from_pytest=_texts(document["from_pytest"]),
        calls=int(document["calls"]),
        rejected=int(document["rejected"]),
        settings={name: _text(value) for name, value in document["settings"].items()},
        environment={name: _text_or_none(v) for name, v in document["environment"].items()},
        started_at=_text(document["started_at"]),
        duration_ms=int(document["duration_ms"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _text_or_none(value: object) -> str | None:
    return None if value is None else _text(value)


def _texts(values: list[object]) -> tuple[str, ...]:
    return tuple(_text(value) for value in values)
