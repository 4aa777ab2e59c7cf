"""Rows of samples in the git directory: JSON for this clone alone, one file a row."""

from __future__ import annotations

import json
from typing import Any

from freezegate.errors import InvalidValue
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
    """Return the row, None for bytes that are none: it is taken anew then."""
    try:
        return _row(json.loads(data))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, InvalidValue):
        return None


def _row(document: dict[str, Any]) -> SampleRow:
    if document["schema"] != SCHEMA:
        raise ValueError
    candidate = document["candidate_rev"]
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
        signature=document["signature"],
        message=document["message"],
        arguments=document["arguments"],
        problem=document["problem"],
        from_pytest=tuple(document["from_pytest"]),
        calls=int(document["calls"]),
        settings=dict(document["settings"]),
        environment=dict(document["environment"]),
        started_at=document["started_at"],
        duration_ms=int(document["duration_ms"]),
    )
