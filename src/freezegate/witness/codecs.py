"""Arguments of a property as plain JSON, and back: equal objects of the same types.

Executed inside the guarded project's interpreter as well, which may know neither freezegate nor a
new Python: standard library alone, Python 3.8 and later.

What JSON has stands for itself; anything else is an object with one key that begins with `$`.
Decoding is about data: it takes classes from modules that are loaded already, and only dataclasses,
enums and named tuples, whose parts it sets; no code of theirs is called. A project's own types have
codecs in its oracle file: `FREEZEGATE_CODECS = {Money: (to_plain, from_plain)}`.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import ipaddress
import json
import math
import pathlib
import struct
import sys
import uuid

TYPE_CHECKING = False  # as in child/
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Own = Mapping[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]]

REGISTRY = "FREEZEGATE_CODECS"
_MAX_EXACT = 2**53 - 1  # what every reader of JSON takes for the same number (RFC 8785)
_MAX_DEPTH = 100
_PATHS = {kind.__name__: kind for kind in (pathlib.PurePosixPath, pathlib.PureWindowsPath)}
_PATHS.update((kind.__name__, kind) for kind in (pathlib.PosixPath, pathlib.WindowsPath))
_ADDRESSES = {
    kind.__name__: kind
    for kind in (
        *(ipaddress.IPv4Address, ipaddress.IPv6Address),
        *(ipaddress.IPv4Network, ipaddress.IPv6Network),
    )
}


class CodecError(Exception):
    """Say which value no codec writes or reads, where it stands, and what to do."""


def encode(value: Any, own: Own, place: str) -> Any:
    """Return a value as JSON has it; raises CodecError. `place` is `discount`, `order.lines[2]`."""
    return _Encoder(own).encode(value, place, 0)


def decode(document: Any, own: Own) -> Any:
    """Return what `encode` was given; raises CodecError for anything that it never returns."""
    return _Decoder(own).decode(document)


def own_codecs(module: Any) -> Own:
    """Return the codecs of an oracle file: a mapping of types to pairs of functions."""
    found: Own = getattr(module, REGISTRY, {})
    return found


class _Encoder:
    def __init__(self, own: Own) -> None:
        self.own = own

    def encode(self, value: Any, place: str, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise CodecError(place + " is nested deeper than " + str(_MAX_DEPTH) + " levels")
        kind = type(value)
        write = _WRITERS.get(kind)
        if kind in self.own:
            plain = self.encode(self.own[kind][0](value), place, depth + 1)
            return {"$codec": [_name_of(kind, place), plain]}
        if write is not None:
            return write(self, value, place, depth)
        if isinstance(value, enum.Enum):
            return self._enum(value, place, depth)
        if isinstance(value, tuple) and hasattr(kind, "_fields") and not hasattr(value, "__dict__"):
            parts = [
                self.encode(part, place + "." + name, depth + 1)
                for name, part in zip(kind._fields, value)  # noqa: B905 - Python 3.8
            ]
            return {"$namedtuple": [_name_of(kind, place), parts]}
        if _is_dataclass(kind):
            return {"$dataclass": [_name_of(kind, place), self._state(value, place, depth)]}
        raise _unknown(kind, place)

    def items(self, values: Any, place: str, depth: int) -> list[Any]:
        return [
            self.encode(each, place + "[" + str(number) + "]", depth + 1)
            for number, each in enumerate(values)
        ]

    def _state(self, value: Any, place: str, depth: int) -> dict[str, Any]:
        """Return all that an instance holds: its fields, set or not, and what else it was given."""
        names = [*type(value).__dataclass_fields__, *getattr(value, "__dict__", ())]
        return {
            name: self.encode(getattr(value, name), place + "." + name, depth + 1)
            for name in sorted(set(names))
            if hasattr(value, name)
        }

    def _enum(self, value: Any, place: str, depth: int) -> Any:
        name = _name_of(type(value), place)
        if value.name in type(value).__members__:
            return {"$enum": [name, value.name]}
        return {"$flag": [name, self.encode(value.value, place, depth + 1)]}


def _unknown(kind: type, place: str) -> CodecError:
    called = kind.__module__ + "." + kind.__qualname__
    if kind.__name__ in ("function", "method", "builtin_function_or_method", "type"):
        more = "; let the strategy draw data, and make this of it in the test"
    else:
        more = "; give the type a codec in the oracle file: " + REGISTRY + " = {"
        more += kind.__name__ + ": (to_plain, from_plain)}"
    return CodecError(place + " is of the type " + called + ", which no codec writes" + more)


def _name_of(kind: type, place: str) -> str:
    if "<" in kind.__qualname__:
        text = place + " is of the class " + kind.__qualname__ + ", which only a function knows"
        raise CodecError(text + "; move the class to the top of its module")
    return kind.__module__ + ":" + kind.__qualname__


def _maker(kind: type) -> Any:
    return kind.__new__


def _is_dataclass(kind: type) -> bool:
    """Say so of plain ones: what also is a list or an exception has more than its fields."""
    return "__dataclass_fields__" in kind.__dict__ and _maker(kind) is object.__new__


# --- writers, by exact type: a subclass would come back as another type


def _write_int(_encoder: _Encoder, value: Any, _place: str, _depth: int) -> Any:
    return value if abs(value) <= _MAX_EXACT else {"$int": hex(value)}


def _write_float(_encoder: _Encoder, value: Any, _place: str, _depth: int) -> Any:
    if math.isnan(value):  # there are many of them, and code can tell them apart
        return {"$float": "nan:" + struct.pack(">d", value).hex()}
    return {"$float": repr(value)}


def _write_str(_encoder: _Encoder, value: Any, _place: str, _depth: int) -> Any:
    try:
        value.encode()
    except UnicodeEncodeError:  # lone surrogates, which no JSON may hold
        return {"$str": value.encode("unicode_escape").decode("ascii")}
    return value


def _write_dict(encoder: _Encoder, value: Any, place: str, depth: int) -> Any:
    """Return a plain object where nothing is lost by it: canonical JSON sorts its keys."""
    keys = [key for key in value if type(key) is str and key.isascii() and key[:1] != "$"]
    parts = [
        (key, encoder.encode(part, _inside(place, key), depth + 1)) for key, part in value.items()
    ]
    if len(keys) == len(value) and sorted(keys) == keys:
        return dict(parts)
    return {"$dict": [[encoder.encode(key, place, depth + 1), part] for key, part in parts]}


def _inside(place: str, key: Any) -> str:
    return place + "." + key if type(key) is str and key.isidentifier() else place + "[...]"


def _write_set(encoder: _Encoder, value: Any, place: str, depth: int) -> Any:
    parts = [encoder.encode(each, place + "{...}", depth + 1) for each in value]
    return {"$" + type(value).__name__: sorted(parts, key=lambda part: json.dumps(part))}


def _write_time(_encoder: _Encoder, value: Any, place: str, _depth: int) -> Any:
    zone = _write_zone(value.tzinfo, place)
    text = value.replace(tzinfo=None).isoformat()
    return {"$" + type(value).__name__: [text, zone, value.fold]}


def _write_zone(zone: Any, place: str) -> Any:
    if zone is None:
        return None
    if type(zone) is datetime.timezone:
        offset = zone.utcoffset(None)
        given = zone.__getinitargs__()  # type: ignore[attr-defined]  # as pickle asks it
        return {"$timezone": [_span(offset), given[1] if len(given) > 1 else None]}
    if type(zone).__module__.partition(".")[0] in ("zoneinfo", "backports") and zone.key:
        return {"$zone": zone.key}
    raise _unknown(type(zone), place + ".tzinfo")


def _span(value: datetime.timedelta) -> list[int]:
    return [value.days, value.seconds, value.microseconds]


def _tagged(tag: str, write: Callable[[Any], Any]) -> Any:
    return lambda _encoder, value, _place, _depth: {tag: write(value)}


def _within(tag: str, parts: Callable[[Any], Any]) -> Any:
    return lambda encoder, value, place, depth: {tag: encoder.items(parts(value), place, depth)}


def _itself(_encoder: _Encoder, value: Any, _place: str, _depth: int) -> Any:
    return value


_WRITERS: dict[type, Any] = {
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
    decimal.Decimal: _tagged("$decimal", str),
    uuid.UUID: _tagged("$uuid", str),
    datetime.datetime: _write_time,
    datetime.time: _write_time,
    datetime.date: _tagged("$date", datetime.date.isoformat),
    datetime.timedelta: _tagged("$timedelta", _span),
    **{
        kind: _tagged("$path", lambda value: [type(value).__name__, str(value)])
        for kind in _PATHS.values()
    },
    **{
        kind: _tagged("$address", lambda value: [type(value).__name__, str(value)])
        for kind in _ADDRESSES.values()
    },
}


# --- readers


class _Decoder:
    def __init__(self, own: Own) -> None:
        self.own = {_name_of(kind, REGISTRY): pair[1] for kind, pair in own.items()}

    def decode(self, document: Any) -> Any:
        if isinstance(document, list):
            return [self.decode(each) for each in document]
        if not isinstance(document, dict):
            return document
        tags = [key for key in document if key[:1] == "$"]
        if not tags:
            return {key: self.decode(part) for key, part in document.items()}
        read = _READERS.get(tags[0]) if len(document) == 1 else None
        if read is None:
            raise CodecError("the fixture holds " + ascii(tags[0]) + ", which no codec writes")
        try:
            return read(self, document[tags[0]])
        except (ValueError, TypeError, KeyError, ArithmeticError, AttributeError) as error:
            told = tags[0] + " (" + type(error).__name__ + ": " + str(error) + ")"
            raise CodecError("the fixture holds a damaged " + told) from None

    def of(self, name: str, expected: str) -> Any:
        """Return a class that loaded code has under this name, if it is of the kind expected."""
        module, _, qualname = name.partition(":")
        found: Any = sys.modules.get(module)
        for part in qualname.split("."):
            found = getattr(found, part, None)
        if isinstance(found, type) and _KINDS[expected](found):
            return found
        text = "the fixture names " + ascii(name) + ", which is no " + expected + " that the "
        raise CodecError(text + "oracle loads: import it there, or shrink again")


_KINDS: dict[str, Any] = {
    "enum": lambda kind: issubclass(kind, enum.Enum),
    "dataclass": _is_dataclass,
    "named tuple": lambda kind: issubclass(kind, tuple) and hasattr(kind, "_fields"),
}


def _read_dataclass(decoder: _Decoder, document: Any) -> Any:
    kind = decoder.of(document[0], "dataclass")
    made = object.__new__(kind)
    for name, part in document[1].items():
        object.__setattr__(made, name, decoder.decode(part))
    return made


def _read_enum(decoder: _Decoder, document: Any) -> Any:
    return decoder.of(document[0], "enum").__members__[document[1]]


def _read_codec(decoder: _Decoder, document: Any) -> Any:
    read = decoder.own.get(document[0])
    if read is None:
        text = "the fixture names " + ascii(document[0]) + ", which has no codec any more in "
        raise CodecError(text + REGISTRY + " of the oracle file")
    return read(decoder.decode(document[1]))


def _read_float(_decoder: _Decoder, document: Any) -> float:
    name, _, bits = document.partition(":")
    if not bits:
        return float(name)
    value: float = struct.unpack(">d", bytes.fromhex(bits))[0]
    return value


def _read_time(kind: Any) -> Any:
    def read(_decoder: _Decoder, document: Any) -> Any:
        text, zone, fold = document
        return kind.fromisoformat(text).replace(tzinfo=_read_zone(zone), fold=fold)

    return read


def _read_zone(document: Any) -> Any:
    if document is None:
        return None
    if "$zone" in document:
        import zoneinfo

        return zoneinfo.ZoneInfo(document["$zone"])
    span, name = document["$timezone"]
    offset = datetime.timedelta(*span)
    if name is None:
        return datetime.timezone(offset)  # without offset that is `timezone.utc` itself
    return datetime.timezone(offset, name)


def _parts(make: Callable[..., Any]) -> Any:
    return lambda decoder, document: make(*decoder.decode(document))


def _all(make: Callable[[Any], Any]) -> Any:
    return lambda decoder, document: make(decoder.decode(document))


def _plainly(make: Callable[[Any], Any]) -> Any:
    return lambda _decoder, document: make(document)


_READERS: dict[str, Any] = {
    "$int": _plainly(lambda text: int(text, 16)),
    "$float": _read_float,
    "$str": _plainly(lambda text: text.encode("ascii").decode("unicode_escape")),
    "$bytes": _plainly(bytes.fromhex),
    "$bytearray": _plainly(bytearray.fromhex),
    "$tuple": _all(tuple),
    "$set": _all(set),
    "$frozenset": _all(frozenset),
    "$dict": _all(dict),
    "$complex": _parts(complex),
    "$range": _parts(range),
    "$fraction": _parts(fractions.Fraction),
    "$decimal": _plainly(decimal.Decimal),
    "$uuid": _plainly(uuid.UUID),
    "$datetime": _read_time(datetime.datetime),
    "$time": _read_time(datetime.time),
    "$date": _plainly(datetime.date.fromisoformat),
    "$timedelta": _plainly(lambda span: datetime.timedelta(*span)),
    "$path": _plainly(lambda named: _PATHS[named[0]](named[1])),
    "$address": _plainly(lambda named: _ADDRESSES[named[0]](named[1])),
    "$enum": _read_enum,
    "$flag": lambda decoder, doc: decoder.of(doc[0], "enum")(decoder.decode(doc[1])),
    "$namedtuple": lambda decoder, doc: tuple.__new__(
        decoder.of(doc[0], "named tuple"), decoder.decode(doc[1])
    ),
    "$dataclass": _read_dataclass,
    "$codec": _read_codec,
}
