"""Laws of the codecs: what comes back is equal, of the same type, and says the same once more."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import ipaddress
import json
import math
import pathlib
import sys
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freezegate.errors import DecodeError
from freezegate.formats.property_fixture import (
    PropertyFixture,
    dump_property_fixture,
    parse_property_fixture,
)
from freezegate.model.ids import PropertyId
from freezegate.witness.codecs import CodecError, decode, encode


class Colour(enum.Enum):
    """An enum whose values are no names."""

    RED = (1, "r")
    BLUE = (2, "b")


class Level(enum.IntEnum):
    """An enum that is an int as well."""

    LOW = 1


class Right(enum.Flag):
    """A flag: its members may be combined."""

    READ = 1
    WRITE = 2


@dataclasses.dataclass(frozen=True, slots=True)
class Money:
    """A frozen one, with slots."""

    cents: int
    colour: Colour


@dataclasses.dataclass
class Order:
    """One that computes a field, and is given more than its fields."""

    lines: list[Money]
    count: int = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        """Set what no constructor takes."""
        self.count = len(self.lines)


class Pair(NamedTuple):
    """A named tuple."""

    left: object
    right: object


TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates, too
ZONES = st.one_of(
    st.none(),
    st.timezones(),
    st.builds(
        datetime.timezone,
        st.timedeltas(datetime.timedelta(hours=-23), datetime.timedelta(hours=23)),
        st.text("abc", max_size=3),
    ),
    st.just(datetime.UTC),
)
MONEY = st.builds(Money, st.integers(), st.sampled_from(Colour))
ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(2**53 - 2, 2**53 + 2),
    st.floats(),
    st.complex_numbers(),
    TEXT,
    st.binary(),
    st.binary().map(bytearray),
    st.dates(),
    st.datetimes(timezones=ZONES, allow_imaginary=True),
    st.times(timezones=st.sampled_from([None, datetime.UTC])),
    st.timedeltas(),
    st.decimals(),
    st.fractions(),
    st.uuids(),
    st.ip_addresses(),
    st.builds(range, st.integers(), st.integers(), st.just(3)),
    st.sampled_from(Colour),
    st.sampled_from(Level),
    st.builds(Right, st.integers(0, 3)),
    MONEY,
    st.builds(Order, st.lists(MONEY, max_size=3)),
    st.sampled_from([pathlib.PurePosixPath("a/b"), pathlib.PureWindowsPath("c:\\d")]),
    st.sampled_from([pathlib.Path("/tmp"), ipaddress.ip_network("10.0.0.0/8")]),  # noqa: S108
)
HASHABLE = st.one_of(st.none(), st.integers(), TEXT, st.dates(), MONEY)
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(HASHABLE, inner, max_size=3),
        st.dictionaries(TEXT, inner, max_size=3),
        st.builds(Pair, inner, inner),
        st.sets(HASHABLE, max_size=3),
        st.frozensets(HASHABLE, max_size=3),
    ),
    max_leaves=8,
)


def shape(value: Any) -> Any:
    """A value with what `==` does not tell: types, order of keys, signs of zero, bits of NaN."""
    kind = type(value).__qualname__
    match value:
        case float():
            return (kind, math.copysign(1, value), repr(value))
        case complex():
            return (kind, shape(value.real), shape(value.imag))
        case dict():
            return (kind, [(shape(key), shape(part)) for key, part in value.items()])
        case set() | frozenset():
            return (kind, sorted(map(repr, map(shape, value))))
        case list() | tuple():
            return (kind, [shape(each) for each in value])
        case datetime.datetime() | datetime.time():
            return (kind, repr(value), value.fold)
        case Order():
            return (kind, shape(value.lines), value.count)
        case _:
            return (kind, repr(value))


@given(VALUES)
def test_what_is_decoded_is_equal(value: object) -> None:
    written = encode(value, {}, "x")
    assert shape(decode(json.loads(json.dumps(written)), {})) == shape(value)


@given(VALUES)
def test_a_fixture_is_read_as_it_was_written(value: object) -> None:
    fixture = PropertyFixture(PropertyId("order.total"), {"x": encode(value, {}, "x")})
    data = dump_property_fixture(fixture)
    assert parse_property_fixture(data) == fixture
    again = encode(decode(fixture.arguments["x"], {}), {}, "x")
    assert dump_property_fixture(fixture._replace(arguments={"x": again})) == data


@given(st.permutations([3, "a", None, (1, 2), 2.5]))
def test_the_order_in_a_set_is_no_matter(values: list[object]) -> None:
    written = encode({3, "a", None, (1, 2), 2.5}, {}, "x")
    assert encode(set(values), {}, "x") == written


@given(st.dictionaries(TEXT, st.integers()))
def test_no_dict_is_taken_for_a_tagged_value(value: dict[str, int]) -> None:
    tagged = {"$" + key: part for key, part in value.items()}
    assert decode(encode(tagged, {}, "x"), {}) == tagged


def _local() -> object:
    @dataclasses.dataclass
    class Local:
        pass

    return Local()


class _Strange(list[int]):
    """A list of another type."""


REFUSED = {
    "a_function": (len, "builtins.builtin_function_or_method, which no codec writes; let"),
    "a_subclass": (_Strange(), "give the type a codec in the oracle file: FREEZEGATE_CODECS"),
    "a_local_class": (_local(), "move the class to the top of its module"),
    "deep_inside": ({"a": [1, {2: object()}]}, "x.a[1][...] is of the type builtins.object"),
    "an_unknown_zone": (
        datetime.datetime(2020, 1, 1, tzinfo=type("Z", (datetime.tzinfo,), {})()),
        "x.tzinfo is of the type",
    ),
}


@pytest.mark.parametrize(("value", "expected"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_codec_is_named(value: object, expected: str) -> None:
    with pytest.raises(CodecError) as caught:
        encode(value, {}, "x")
    assert expected in str(caught.value)


def test_endless_nesting_is_refused() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(CodecError, match="nested deeper than 100 levels"):
        encode(value, {}, "x")


def test_the_deepest_that_is_written_is_read() -> None:
    value: object = {"deep": True}
    for _ in range(99):
        value = (value,)
    fixture = PropertyFixture(PropertyId("order.total"), {"x": encode(value, {}, "x")})
    assert (
        decode(parse_property_fixture(dump_property_fixture(fixture)).arguments["x"], {}) == value
    )


DAMAGED = {
    "nothing": b"",
    "other_json": b'{"lines":[1]}\n',
    "spaces": b'{"arguments": {}, "property_id": "a", "schema": "freezegate/fixture/v1"}\n',
    "no_newline": b'{"arguments":{},"property_id":"a","schema":"freezegate/fixture/v1"}',
    "twice": b'{"arguments":{},"arguments":{},"property_id":"a","schema":"x"}\n',
    "a_float": b'{"arguments":{"x":1.5},"property_id":"a","schema":"freezegate/fixture/v1"}\n',
    "another_schema": b'{"arguments":{},"property_id":"a","schema":"freezegate/fixture/v2"}\n',
    "more": b'{"arguments":{},"more":1,"property_id":"a","schema":"freezegate/fixture/v1"}\n',
    "arguments_of_another_kind": b'{"arguments":[],"property_id":"a","schema":"x"}\n',
    "no_utf8": b"\xff\xfe",
    "deep": b'{"arguments":' + b"[" * 100_000,
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_fixture_is_canonical_or_none(data: bytes) -> None:
    with pytest.raises(DecodeError):
        parse_property_fixture(data)


def test_only_classes_that_are_loaded_are_taken() -> None:
    assert "antigravity" not in sys.modules
    with pytest.raises(CodecError, match="which is no dataclass that the oracle loads"):
        decode({"$dataclass": ["antigravity:Thing", {}]}, {})
    assert "antigravity" not in sys.modules
