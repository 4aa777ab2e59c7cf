"""The catalogue: properties by their ids, each with oracle, test and fixtures."""

from __future__ import annotations

from typing import Any

import pytest
import tomli_w

from freezegate.errors import DecodeError
from freezegate.formats.catalog import dump_catalog, parse_catalog
from freezegate.model.ids import PropertyId

NAME = "order_total.non_negative"
ORACLE = "tests/properties/test_order_props.py"


def _entry(**changes: Any) -> dict[str, Any]:
    return {
        "statement": "The total of an order is never negative.",
        "oracle": ORACLE,
        "property_test": f"{ORACLE}::test_total_is_never_negative",
        "test": "tests/test_order.py::test_total",
        "fixtures": ["tests/fixtures/order.json"],
    } | changes


def _bytes(entry: object, name: str = NAME, table: str = "property") -> bytes:
    return tomli_w.dumps({table: {name: entry}}).encode()


def _refusal(data: bytes) -> DecodeError:
    with pytest.raises(DecodeError) as refused:
        parse_catalog(data)
    return refused.value


def test_an_empty_catalogue_has_no_properties() -> None:
    catalog = parse_catalog(b"")
    assert (dict(catalog.properties), dict(catalog.proposed)) == ({}, {})


def test_a_property_keeps_what_it_says() -> None:
    entry = _entry(keep=["lines"], repeat=7, freezable=False, tags=["orders", "clock"])
    found = parse_catalog(_bytes(entry)).properties[PropertyId(NAME)]
    assert found.property_id == NAME
    assert found.oracle == found.property_test.path == ORACLE
    assert found.test.names == ("test_total",)
    assert found.fixtures == ("tests/fixtures/order.json",)
    assert (found.keep, found.repeat, found.freezable) == (("lines",), 7, False)
    assert found.tags == ("orders", "clock")


def test_a_property_that_says_no_more_may_be_frozen_after_two_runs() -> None:
    found = parse_catalog(_bytes(_entry())).properties[PropertyId(NAME)]
    assert (found.keep, found.repeat, found.freezable, found.tags) == ((), 2, True, ())


def test_drafts_count_for_nothing_but_are_checked() -> None:
    catalog = parse_catalog(_bytes(_entry(), table="proposed"))
    assert (list(catalog.properties), list(catalog.proposed)) == ([], [NAME])
    assert _refusal(_bytes(_entry(repeat=1), table="proposed")).code == "record.wrong_type"


def test_properties_keep_their_order() -> None:
    data = _bytes(_entry(), "z") + b"\n" + _bytes(_entry(), "a.b")
    assert list(parse_catalog(data).properties) == ["z", "a.b"]


@pytest.mark.parametrize("key", [pytest.param(key, id=f"without_{key}") for key in _entry()])
def test_no_required_key_may_be_missing(key: str) -> None:
    error = _refusal(_bytes({name: item for name, item in _entry().items() if name != key}))
    assert (error.code, error.place) == ("record.missing_key", f"property.{NAME!r}.{key}")


@pytest.mark.parametrize(
    ("changes", "code", "key", "line", "rule"),
    [
        pytest.param({"statement": ""}, "record.bad_string", "statement", 2, None, id="empty"),
        pytest.param({"statement": 1}, "record.wrong_type", "statement", 2, None, id="number"),
        pytest.param(
            {"statement": "a\u202eb"}, "record.bad_string", "statement", 2, None, id="bidi"
        ),
        pytest.param({"fixtures": "x"}, "record.wrong_type", "fixtures", 6, None, id="one_text"),
        pytest.param({"repeat": 1}, "record.wrong_type", "repeat", 9, None, id="one_run"),
        pytest.param({"repeat": 7.0}, "record.wrong_type", "repeat", None, None, id="float"),
        pytest.param({"repeat": True}, "record.wrong_type", "repeat", 9, None, id="true"),
        pytest.param({"freezable": 1}, "record.wrong_type", "freezable", 9, None, id="one"),
        pytest.param({"freezable": "yes"}, "record.wrong_type", "freezable", 9, None, id="yes"),
        pytest.param({"tags": "orders"}, "record.wrong_type", "tags", 9, None, id="text_of_tags"),
        pytest.param({"skip": True}, "record.unknown_key", "skip", 9, None, id="unknown_key"),
        pytest.param({"oracle": "../x.py"}, "path.dotdot", "oracle", 3, "repo-path", id="dotdot"),
        pytest.param({"test": "tests"}, "test.not_single", "test", 5, "test-id", id="folder"),
        pytest.param(
            {"property_test": "tests/other.py::test_it"},
            "record.wrong_type",
            "property_test",
            4,
            "property-test-in-oracle",
            id="property_test_elsewhere",
        ),
    ],
)
def test_values_of_another_form_are_refused_where_they_stand(
    changes: dict[str, Any], code: str, key: str, line: int | None, rule: str | None
) -> None:
    error = _refusal(_bytes(_entry(**changes)))
    assert (error.code, error.place) == (code, f"property.{NAME!r}.{key}")
    assert (error.line, error.rule) == (line, rule)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("Order", id="upper_case"),
        pytest.param("order total", id="space"),
        pytest.param("", id="empty"),
        pytest.param(".order", id="leading_dot"),
        pytest.param("order.", id="trailing_dot"),
        pytest.param("a..b", id="two_dots"),
        pytest.param("1a", id="leading_digit"),
        pytest.param("tests/test_a.py::test_b", id="test_id"),
        pytest.param("größe", id="foreign_letter"),
        pytest.param("a" * 201, id="too_long"),
    ],
)
def test_a_property_has_a_stable_dotted_name(name: str) -> None:
    assert _refusal(_bytes(_entry(), name)).code == "record.bad_string"


@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        pytest.param(b"version = 1\n", "record.unknown_key", "version", id="unknown_table"),
        pytest.param(b"property = 1\n", "record.wrong_type", "property", id="number"),
        pytest.param(b"[[property]]\n", "record.wrong_type", "property", id="array_of_tables"),
        pytest.param(b"[property]\na = 1\n", "record.wrong_type", "property.a", id="no_table"),
        pytest.param(
            b"[property.order_total.non_negative]\n",
            "record.unknown_key",
            "property.order_total.non_negative",
            id="name_without_quotes",
        ),
    ],
)
def test_tables_of_another_form_are_refused(data: bytes, code: str, place: str) -> None:
    error = _refusal(data)
    assert (error.code, error.place) == (code, place)


def test_a_property_that_stands_twice_is_refused() -> None:
    error = _refusal(_bytes(_entry()) * 2)
    assert error.code in ("record.duplicate_key", "record.bad_encoding")
    assert error.line


def test_a_new_catalogue_is_written_as_it_is_read() -> None:
    table = {
        "property": {
            "order_total.non_negative": {
                "statement": "The total is never negative.",
                "oracle": "tests/props.py",
                "property_test": "tests/props.py::test_total",
                "test": "tests/test_order.py::test_total",
                "fixtures": ["tests/order.json"],
                "tags": ["orders"],
                "freezable": False,
            }
        }
    }
    catalog = parse_catalog(tomli_w.dumps(table).encode())
    written = dump_catalog(catalog)
    assert parse_catalog(written) == catalog
    assert b"repeat" not in written
    assert dump_catalog(parse_catalog(b"")) == b""
