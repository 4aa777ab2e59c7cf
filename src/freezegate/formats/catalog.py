"""`.freeze/catalog.toml`: bytes to Catalog (SPEC section 3)."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from freezegate.errors import DecodeError
from freezegate.formats.fields import array, flag, inner, integer, of, read_object, text
from freezegate.formats.strict_toml import parse_toml, toml_line_of
from freezegate.model.catalog import Catalog, Property
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.paths import RepoPath

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_PROPERTIES = 10_000
_WORDS = array(text(200, 1), 0, 200)
_REQUIRED = {
    "statement": text(2000, 1),
    "oracle": of(RepoPath, "repo-path"),
    "property_test": of(TestId, "test-id"),
    "test": of(TestId, "test-id"),
    "fixtures": array(of(RepoPath, "repo-path"), 0, 200),
}
_OPTIONAL = {
    "keep": _WORDS,
    "repeat": integer(2, 10_000),
    "freezable": flag,
    "tags": _WORDS,
}


def parse_catalog(data: bytes) -> Catalog:
    """Decode a catalogue; raises DecodeError with the place, and the line where it is known."""
    value = parse_toml(data)
    try:
        tables = read_object(value, "", {}, {"property": _properties, "proposed": _properties})
    except DecodeError as error:
        error.line = error.line or toml_line_of(data, error.place)
        raise
    return Catalog(
        properties=tables.get("property", MappingProxyType({})),
        proposed=tables.get("proposed", MappingProxyType({})),
    )


def dump_catalog(catalog: Catalog) -> bytes:
    """Return the bytes of a new catalogue; what a person wrote is changed by text span instead."""
    import tomli_w

    tables = {"property": catalog.properties, "proposed": catalog.proposed}
    value = {
        table: {name: _plain_entry(entry) for name, entry in entries.items()}
        for table, entries in tables.items()
        if entries
    }
    return tomli_w.dumps(value).encode()


def _plain_entry(entry: Property) -> dict[str, object]:
    """Return an entry's keys, those left out that say what is so anyway."""
    defaults = Property._field_defaults
    values = {key: item for key, item in entry._asdict().items() if key != "property_id"}
    return {
        key: list(map(str, item)) if isinstance(item, tuple) else item
        for key, item in values.items()
        if key not in defaults or item != defaults[key]
    }


def _properties(value: object, place: str) -> Mapping[PropertyId, Property]:
    if not isinstance(value, dict) or len(value) > MAX_PROPERTIES:
        raise DecodeError(
            "record.wrong_type",
            place=place,
            got=type(value).__name__,
            expected=f"a table of at most {MAX_PROPERTIES} properties",
        )
    entries = (_property(name, item, inner(place, name)) for name, item in value.items())
    return MappingProxyType({entry.property_id: entry for entry in entries})


def _property(name: str, value: object, place: str) -> Property:
    values: dict[str, Any] = read_object(value, place, _REQUIRED, _OPTIONAL)
    entry = Property(property_id=of(PropertyId)(name, place), **values)
    if entry.property_test.path != entry.oracle:
        raise DecodeError(
            "record.wrong_type",
            place=f"{place}.property_test",
            got=ascii(entry.property_test),
            expected=f"a test in the oracle file {entry.oracle!a}",
            rule="property-test-in-oracle",
        )
    return entry
