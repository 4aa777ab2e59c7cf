"""Laws of the codecs: what comes back is equal, of the same type, and says the same once more."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import io
import ipaddress
import json
import math
import pathlib
import struct
import sys
import types
import zoneinfo
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
    LEAST = 1


class Named(enum.Enum):
    """An enum with a name of its own."""

    FIRST = 1
    SECOND = 2

    @property
    def name(self) -> str:
        """Another member's name."""
        return "FIRST"


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


@dataclasses.dataclass
class _Rated:
    """One whose constructor takes what no instance keeps."""

    cents: int
    rate: dataclasses.InitVar[int] = 3


REFUSED = {
    "an_argument_that_is_not_kept": (_Rated(1), "x takes rate (InitVar), which no instance keeps"),
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


OTHERWISE = {
    "a_number_that_is_plain": {"$int": "0x5"},
    "a_float_with_a_line": {"$float": "1_0"},
    "a_float_with_a_space": {"$float": " 1.0"},
    "half_of_a_nan": {"$float": "nan:00"},
    "a_nan_without_its_bits": {"$float": "nan"},
    "a_plain_text": {"$str": "a"},
    "bytes_in_capitals": {"$bytes": "FF"},
    "a_tuple_of_a_text": {"$tuple": "ab"},
    "a_set_out_of_order": {"$set": [2, 1]},
    "a_set_with_one_twice": {"$set": [1, 1]},
    "a_plain_dict": {"$dict": [["a", 1]]},
    "a_dict_with_one_twice": {"$dict": [[1, 1], [1, 2]]},
    "a_pair_of_one": {"$dict": [[1]]},
    "a_fraction_to_be_shortened": {"$fraction": [2, 4]},
    "a_fraction_of_a_text": {"$fraction": ["1/3"]},
    "an_id_without_lines": {"$uuid": "0" * 32},
    "a_day_without_lines": {"$date": "20200101"},
    "days_in_seconds": {"$timedelta": [0, 86400, 0]},
    "a_path_that_is_cleaned": {"$path": ["PurePosixPath", "a//b"]},
    "an_alias": {"$enum": [f"{__name__}:Level", "LEAST"]},
    "no_name": {"$enum": []},
    "a_flag_that_has_a_name": {"$flag": [f"{__name__}:Right", 1]},
    "no_fields": {"$dataclass": [f"{__name__}:Money"]},
    "other_fields": {"$dataclass": [f"{__name__}:Money", {"cents": 1}]},
    "a_computed_field": {"$dataclass": [f"{__name__}:Order", {"lines": [], "count": 3}]},
    "too_few_parts": {"$namedtuple": [f"{__name__}:Pair", [1]]},
    "parts_in_bytes": {"$namedtuple": [f"{__name__}:Pair", {"$bytes": "0000"}]},
    "a_module_in_a_module": {"$enum": ["enum:sys.modules", "x"]},
    "no_path": {"$path": []},
    "a_folder_of_zones": {"$datetime": ["2020-01-01T00:00:00", {"$zone": "America"}, 0]},
    "a_zone_outside": {"$datetime": ["2020-01-01T00:00:00", {"$zone": "../../etc/x"}, 0]},
    "a_float": 1.5,
    "a_long_number": 2**53,
    "a_lone_surrogate": "\ud800",
    "keys_beside_a_tag": {"$int": "0x5", "a": 1},
    "a_key_that_is_not_ascii": {"é": 1},
}


@pytest.mark.parametrize("document", OTHERWISE.values(), ids=OTHERWISE)
def test_a_value_has_one_form(document: object) -> None:
    with pytest.raises(CodecError):
        decode(document, {})


def test_endless_documents_are_refused() -> None:
    document: object = []
    for _ in range(5000):
        document = [document]
    with pytest.raises(CodecError, match="nested deeper"):
        decode(document, {})


def test_an_enum_that_gives_itself_another_name_is_its_member() -> None:
    assert decode(encode(Named.SECOND, {}, "x"), {}) is Named.SECOND


def test_a_zone_from_a_file_is_none_of_the_database() -> None:
    counts = struct.pack(">6l", 0, 0, 0, 0, 1, 4)
    data = b"TZif" + bytes(16) + counts + struct.pack(">lbb", 0, 0, 0) + b"UTC\0"
    zone = zoneinfo.ZoneInfo.from_file(io.BytesIO(data), key="Europe/Berlin")
    with pytest.raises(CodecError, match=r"x\.tzinfo is of the type"):
        encode(datetime.datetime(2020, 1, 1, tzinfo=zone), {}, "x")


def test_no_code_of_a_module_is_asked_for_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    module = types.ModuleType("freezegate_asked")
    vars(module)["__getattr__"] = asked.append
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with pytest.raises(CodecError, match="which is no dataclass that the oracle loads"):
        decode({"$dataclass": ["freezegate_asked:Thing", {}]}, {})
    assert asked == []


def test_only_classes_that_are_loaded_are_taken() -> None:
    assert "antigravity" not in sys.modules
    with pytest.raises(CodecError, match="which is no dataclass that the oracle loads"):
        decode({"$dataclass": ["antigravity:Thing", {}]}, {})
    assert "antigravity" not in sys.modules
