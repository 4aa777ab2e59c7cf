"""The fixture of a property: one input as canonical JSON, and nothing of where it came from.

The same input of the same property has the same bytes, whatever seed and revision it was found on.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from freezegate.errors import DecodeError, InvalidValue
from freezegate.formats.strict_json import dump_canonical
from freezegate.model.ids import PropertyId

if TYPE_CHECKING:
    from freezegate.model.sample import Encoded

SCHEMA = "freezegate/fixture/v1"
MAX_PROPERTY_FIXTURE_BYTES = 4 * 1024 * 1024
_CANONICAL = "canonical JSON (RFC 8785) and one newline, as `freezegate shrink` writes it"


class PropertyFixture(NamedTuple):
    """An input of a property, argument by argument, as witness/codecs.py writes it."""

    property_id: PropertyId
    arguments: Encoded


def dump_property_fixture(fixture: PropertyFixture) -> bytes:
    """Return the fixture's bytes."""
    document = {
        "schema": SCHEMA,
        "property_id": str(fixture.property_id),
        "arguments": fixture.arguments,
    }
    return dump_canonical(document) + b"\n"


def parse_property_fixture(data: bytes) -> PropertyFixture:
    """Decode a fixture; raises DecodeError for anything but what `dump_property_fixture` writes."""
    if len(data) > MAX_PROPERTY_FIXTURE_BYTES:
        raise _bad("record.too_large", f"{len(data)} bytes", f"{MAX_PROPERTY_FIXTURE_BYTES} bytes")
    try:
        document: Any = json.loads(data, parse_float=_refuse, parse_constant=_refuse)
        is_whole = document.keys() == {"schema", "property_id", "arguments"}
        arguments = parse_arguments(document["arguments"])
        fixture = PropertyFixture(PropertyId(document["property_id"]), arguments)
        is_canonical = dump_property_fixture(fixture) == data
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, InvalidValue) as error:
        raise _bad("record.bad_encoding", f"no fixture: {error}", _CANONICAL) from None
    if not (is_whole and is_canonical):
        raise _bad("record.bad_encoding", "other bytes than the ones it stands for", _CANONICAL)
    return fixture


def parse_arguments(document: object) -> Encoded:
    """Return an input as a fixture may hold it; raises TypeError or ValueError for any other."""
    if not isinstance(document, dict) or not all(isinstance(name, str) for name in document):
        msg = f"{type(document).__name__}, where arguments stand by their names"
        raise TypeError(msg)
    _refuse_floats(document)
    dump_canonical(document)
    return document


def _refuse_floats(document: object) -> None:
    if isinstance(document, float):
        _refuse(repr(document))
    if isinstance(document, dict):
        document = list(document.values())
    for part in document if isinstance(document, list) else ():
        _refuse_floats(part)


def _refuse(text: str) -> NoReturn:
    msg = f"the number {text[:40]}, where codecs write a text"
    raise ValueError(msg)


def _bad(code: str, got: str, expected: str) -> DecodeError:
    return DecodeError(code, place="", got=got, expected=expected)
