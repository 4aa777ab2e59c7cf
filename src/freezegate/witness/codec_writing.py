"""A value as plain JSON, with a tag where JSON alone would lose its type.

Executed inside the guarded project's interpreter as well: standard library alone, Python 3.8 and
later. Of a dataclass its constructor's arguments are written and nothing that was computed from
them: what one side's code computed would be set on the other.
"""

from __future__ import annotations

import contextlib
import datetime
import decimal
import fractions
import ipaddress
import json
import math
import pathlib
import struct
import uuid

from .codec_classes import (
    CodecError,
    by_codec,
    derived_state,
    given_fields,
    is_dataclass,
    is_enum,
    is_named_tuple,
    label_of,
    name_of,
    unkept_arguments,
    unknown,
)
from .codec_zones import write_span, write_zone

TYPE_CHECKING = False  # as in child/
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Own = Mapping[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]]

MAX_EXACT = 2**53 - 1  # what every reader of JSON takes for the same number (RFC 8785)
MAX_DEPTH = 100
PATHS = {kind.__name__: kind for kind in (pathlib.PurePosixPath, pathlib.PureWindowsPath)}
PATHS.update((kind.__name__, kind) for kind in (pathlib.PosixPath, pathlib.WindowsPath))
ADDRESSES = {
    kind.__name__: kind
    for kind in (
        *(ipaddress.IPv4Address, ipaddress.IPv6Address),
        *(ipaddress.IPv4Network, ipaddress.IPv6Network),
    )
}


class Encoder:
    """Writes values; one that is `whole` writes what was computed, too, only to be compared."""

    def __init__(self, own: Own, *, whole: bool = False) -> None:
        self.own, self.whole = own, whole
        self.inside: set[int] = set()

    def encode(self, value: Any, place: str, depth: int = 0) -> Any:
        """Return a value as JSON has it; raises CodecError with the place of what is unknown."""
        if depth > MAX_DEPTH:
            raise CodecError(place + " is nested deeper than " + str(MAX_DEPTH) + " levels")
        kind = type(value)
        write = WRITERS.get(kind)
        if kind in self.own:
            plain = self.encode(self.own[kind][0](value), place, depth + 1)
            return {"$codec": [label_of(kind), plain]}
        if write is not None:
            return write(self, value, place, depth)
        if is_enum(kind):
            return self._enum(value, place, depth)
        if is_named_tuple(kind):
            parts = [
                self.encode(part, place + "." + name, depth + 1)
                for name, part in zip(kind._fields, value)  # noqa: B905 - Python 3.8
            ]
            return {"$namedtuple": [name_of(kind, place), parts]}
        if is_dataclass(kind):
            return self._dataclass(value, place, depth)
        raise unknown(kind, place)

    def items(self, values: Any, place: str, depth: int) -> list[Any]:
        """Return the parts of a sequence, each with its place."""
        return [
            self.encode(each, place + "[" + str(number) + "]", depth + 1)
            for number, each in enumerate(values)
        ]

    def _dataclass(self, value: Any, place: str, depth: int) -> Any:
        lost = unkept_arguments(type(value))
        if lost:
            text = place + " takes " + ", ".join(lost) + " (InitVar), which no instance keeps"
            raise CodecError(text + by_codec(type(value)))
        written: list[Any] = [name_of(type(value), place), self._given(value, place, depth)]
        if self.whole:
            self.inside.add(id(value))
            written.append(self._derived(value, place, depth))
            self.inside.discard(id(value))
        return {"$dataclass": written}

    def _given(self, value: Any, place: str, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in given_fields(type(value)):
            inner = place + "." + name
            try:
                part = getattr(value, name)
            except AttributeError:
                text = " is not set, although the constructor takes it"
                raise CodecError(inner + text + by_codec(type(value))) from None
            found[name] = self.encode(part, inner, depth + 1)
        return found

    def _derived(self, value: Any, place: str, depth: int) -> dict[str, Any]:
        """Return the rest of an instance; of what no codec writes the type alone."""
        found: dict[str, Any] = {}
        for name, part in sorted(derived_state(value).items(), key=lambda item: ascii(item[0])):
            kept = {"$of": label_of(type(part))}
            if id(part) not in self.inside:
                with contextlib.suppress(CodecError):
                    kept = self.encode(part, place + "." + ascii(name), depth + 1)
            found[name if type(name) is str and name.isidentifier() else ascii(name)] = kept
        return found

    def _enum(self, value: Any, place: str, depth: int) -> Any:
        name, members = name_of(type(value), place), type(value)._member_map_
        if members.get(value._name_) is value:
            return {"$enum": [name, value._name_]}
        return {"$flag": [name, self.encode(value._value_, place, depth + 1)]}


# --- writers, by exact type: a subclass would come back as another type


def _write_int(_encoder: Encoder, value: Any, _place: str, _depth: int) -> Any:
    return value if abs(value) <= MAX_EXACT else {"$int": hex(value)}


def _write_float(_encoder: Encoder, value: Any, _place: str, _depth: int) -> Any:
    if math.isnan(value):  # there are many of them, and code can tell them apart
        return {"$float": "nan:" + struct.pack(">d", value).hex()}
    return {"$float": repr(value)}


def _write_str(_encoder: Encoder, value: Any, _place: str, _depth: int) -> Any:
    try:
        value.encode()
    except UnicodeEncodeError:  # lone surrogates, which no JSON may hold
        return {"$str": value.encode("unicode_escape").decode("ascii")}
    return value


def _write_dict(encoder: Encoder, value: Any, place: str, depth: int) -> Any:
    parts = [
        (key, encoder.encode(part, _inside(place, key), depth + 1)) for key, part in value.items()
    ]
    if is_plain(list(value)):
        return dict(parts)
    return {"$dict": [[encoder.encode(key, place, depth + 1), part] for key, part in parts]}


def is_plain(keys: list[Any]) -> bool:
    """Say whether a plain object loses nothing of these keys: canonical JSON sorts them."""
    told = [key for key in keys if type(key) is str and key.isascii() and key[:1] != "$"]
    return len(told) == len(keys) and sorted(told) == told


def _inside(place: str, key: Any) -> str:
    return place + "." + key if type(key) is str and key.isidentifier() else place + "[...]"


def _write_set(encoder: Encoder, value: Any, place: str, depth: int) -> Any:
    parts = [encoder.encode(each, place + "{...}", depth + 1) for each in value]
    return {"$" + type(value).__name__: sorted(parts, key=as_text)}


def as_text(document: Any) -> str:
    """Return JSON as one text: equal for equal documents alone, unlike `1 == True`."""
    return json.dumps(document, sort_keys=True)


def _write_time(_encoder: Encoder, value: Any, place: str, _depth: int) -> Any:
    zone = write_zone(value.tzinfo, place)
    text = value.replace(tzinfo=None).isoformat()
    return {"$" + type(value).__name__: [text, zone, value.fold]}


def _decimal(value: decimal.Decimal) -> str:
    return str(value).replace("e", "E")  # which of them is a setting of the context


def _tagged(tag: str, write: Callable[[Any], Any]) -> Any:
    return lambda _encoder, value, _place, _depth: {tag: write(value)}


def _within(tag: str, parts: Callable[[Any], Any]) -> Any:
    return lambda encoder, value, place, depth: {tag: encoder.items(parts(value), place, depth)}


def _itself(_encoder: Encoder, value: Any, _place: str, _depth: int) -> Any:
    return value


WRITERS: dict[type, Any] = {
    type(None): _itself,
    bool: _itself,
    int: _write_int,
    float: _write_float,
    str: _write_str,
    bytes: _tagged("$bytes", bytes.hex),
    bytearray: _tagged("$bytearray", bytearray.hex),
    list: lambda encoder, value, place, depth: encoder.items(value, place, depth),
    tuple: _within("$tuple", tuple),
    set: _write_set,
    frozenset: _write_set,
    dict: _write_dict,
    complex: _within("$complex", lambda value: (value.real, value.imag)),
    range: _within("$range", lambda value: (value.start, value.stop, value.step)),
    fractions.Fraction: _within("$fraction", lambda v: (v.numerator, v.denominator)),
    decimal.Decimal: _tagged("$decimal", _decimal),
    uuid.UUID: _tagged("$uuid", str),
    datetime.datetime: _write_time,
    datetime.time: _write_time,
    datetime.date: _tagged("$date", datetime.date.isoformat),
    datetime.timedelta: _tagged("$timedelta", write_span),
    **{
        kind: _tagged("$path", lambda value: [type(value).__name__, str(value)])
        for kind in PATHS.values()
    },
    **{
        kind: _tagged("$address", lambda value: [type(value).__name__, str(value)])
        for kind in ADDRESSES.values()
    },
}
