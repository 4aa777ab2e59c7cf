"""What `codec_writing` wrote, as the value again; nothing else is read.

Executed inside the guarded project's interpreter as well: standard library alone, Python 3.8 and
later. One value has one form: what would be written otherwise is refused. A dataclass is made by
its constructor and a flag by its class, as the code of this side has them; codecs of the oracle
file are called. Nothing else of the project's is.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import struct
import uuid

from .codec_classes import REGISTRY, CodecError, class_named, given_fields, label_of
from .codec_writing import (
    ADDRESSES,
    MAX_DEPTH,
    MAX_EXACT,
    PATHS,
    WRITERS,
    Encoder,
    as_text,
    is_plain,
)
from .codec_zones import read_zone

TYPE_CHECKING = False  # as in child/
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .codec_writing import Own

_DAMAGED = (
    *(ValueError, TypeError, LookupError, ArithmeticError, AttributeError, OSError),
    *(struct.error, RecursionError),
)
_OTHERWISE = "it is not as a codec writes it"


class Decoder:
    """Reads values; `own` are the codecs of the oracle file."""

    def __init__(self, own: Own) -> None:
        self.own = {label_of(kind): pair[1] for kind, pair in own.items()}

    def decode(self, document: Any, depth: int = 0) -> Any:
        """Return the value; raises CodecError for anything that is never written."""
        if depth > MAX_DEPTH:
            raise CodecError("the fixture is nested deeper than " + str(MAX_DEPTH) + " levels")
        if isinstance(document, list):
            return [self.decode(each, depth + 1) for each in document]
        if not isinstance(document, dict):
            return _plain(document)
        tags = [key for key in document if key[:1] == "$"]
        if not tags:
            return self._object(document, depth)
        if len(document) == 1 and tags[0] in _ATOMS:
            return _atom(tags[0], document[tags[0]])
        read = _READERS.get(tags[0]) if len(document) == 1 else None
        if read is None:
            raise CodecError("the fixture holds " + ascii(tags[0]) + ", which no codec writes")
        return read(self, tags[0], document[tags[0]], depth)

    def _object(self, document: dict[str, Any], depth: int) -> dict[str, Any]:
        _expect(is_plain(sorted(document)), "object", _OTHERWISE)
        return {key: self.decode(document[key], depth + 1) for key in sorted(document)}

    def all(self, tag: str, document: Any, depth: int) -> list[Any]:
        """Return the parts of a list, which this has to be."""
        _expect(isinstance(document, list), tag, _OTHERWISE)
        return [self.decode(each, depth + 1) for each in document]


def _expect(is_so: bool, tag: str, why: str) -> None:
    if not is_so:
        raise CodecError("the fixture holds a damaged " + tag + ": " + why)


def _damaged(tag: str, error: Exception) -> CodecError:
    told = tag + " (" + type(error).__name__ + ": " + str(error) + ")"
    return CodecError("the fixture holds a damaged " + told)


def _plain(document: Any) -> Any:
    """Return what stands for itself: None, a bool, a text, or a number that JSON keeps exactly."""
    kind = type(document)
    exact = kind is not int or abs(document) <= MAX_EXACT
    written = kind in (type(None), bool, int, str) and WRITERS[kind](None, document, "", 0)
    _expect(exact and kind is not float and type(written) is kind, kind.__name__, _OTHERWISE)
    return document


def _atom(tag: str, document: Any) -> Any:
    """Return a value without parts of the project's: written again it is the same document."""
    try:
        value = _ATOMS[tag](document)
        again = Encoder({}).encode(value, tag)
    except _DAMAGED as error:
        raise _damaged(tag, error) from None
    _expect(as_text(again) == as_text({tag: document}), tag, _OTHERWISE)
    return value


# --- values with parts: each part is read by itself


def _read_tuple(decoder: Decoder, tag: str, document: Any, depth: int) -> Any:
    return tuple(decoder.all(tag, document, depth))


def _read_set(kind: Any) -> Any:
    def read(decoder: Decoder, tag: str, document: Any, depth: int) -> Any:
        parts = decoder.all(tag, document, depth)
        made = _called(tag, kind, parts)
        texts = [as_text(part) for part in document]
        _expect(len(made) == len(parts) and texts == sorted(texts), tag, _OTHERWISE)
        return made

    return read


def _read_dict(decoder: Decoder, tag: str, document: Any, depth: int) -> Any:
    _expect(isinstance(document, list), tag, _OTHERWISE)
    pairs = [[decoder.decode(part, depth + 1) for part in _two(tag, pair)] for pair in document]
    made = _called(tag, dict, pairs)
    _expect(len(made) == len(pairs) and not is_plain(list(made)), tag, _OTHERWISE)
    return made


def _called(tag: str, make: Callable[[Any], Any], parts: Any) -> Any:
    try:
        return make(parts)
    except Exception as error:  # whatever a constructor or a codec of the project's raises
        raise _damaged(tag, error) from None


def _two(tag: str, document: Any) -> Any:
    _expect(isinstance(document, list) and len(document) == 2, tag, _OTHERWISE)
    return document


def _read_dataclass(decoder: Decoder, tag: str, document: Any, depth: int) -> Any:
    name, parts = _two(tag, document)
    kind = class_named(name, "dataclass")
    _expect(isinstance(parts, dict), tag, _OTHERWISE)
    there, here = sorted(parts), given_fields(kind)
    if there != here:
        text = name + " has the fields " + ", ".join(there) + " in the fixture, and "
        text += (", ".join(here) or "none") + " on this side: an input of one side alone"
        raise CodecError(text + "; keep the old names, or land the new ones first")
    values = {field: decoder.decode(parts[field], depth + 1) for field in there}
    return _called(tag, lambda given: kind(**given), values)


def _read_named_tuple(decoder: Decoder, tag: str, document: Any, depth: int) -> Any:
    name, parts = _two(tag, document)
    kind = class_named(name, "named tuple")
    values = decoder.all(tag, parts, depth)
    if len(values) != len(kind._fields):
        text = name + " has " + str(len(values)) + " parts in the fixture, and "
        raise CodecError(text + str(len(kind._fields)) + " on this side")
    return tuple.__new__(kind, values)


def _read_enum(_decoder: Decoder, tag: str, document: Any, _depth: int) -> Any:
    name, member = _two(tag, document)
    kind = class_named(name, "enum")
    found = kind._member_map_.get(member) if type(member) is str else None
    if found is None or found._name_ != member:
        raise CodecError(name + " has no member of the name " + ascii(member) + " on this side")
    return found


def _read_flag(decoder: Decoder, tag: str, document: Any, depth: int) -> Any:
    name, value = _two(tag, document)
    made = _called(tag, class_named(name, "enum"), decoder.decode(value, depth + 1))
    written = Encoder({}).encode(made, tag)
    _expect(as_text(written) == as_text({tag: document}), tag, _OTHERWISE)
    return made


def _read_codec(decoder: Decoder, tag: str, document: Any, depth: int) -> Any:
    name, plain = _two(tag, document)
    read = decoder.own.get(name) if type(name) is str else None
    if read is None:
        text = "the fixture names " + ascii(name) + ", which has no codec any more in "
        raise CodecError(text + REGISTRY + " of the oracle file")
    return _called(tag, read, decoder.decode(plain, depth + 1))


_READERS: dict[str, Any] = {
    "$tuple": _read_tuple,
    "$set": _read_set(set),
    "$frozenset": _read_set(frozenset),
    "$dict": _read_dict,
    "$enum": _read_enum,
    "$flag": _read_flag,
    "$namedtuple": _read_named_tuple,
    "$dataclass": _read_dataclass,
    "$codec": _read_codec,
}

# --- values without such parts


def _read_float(document: Any) -> float:
    name, _, bits = document.partition(":")
    if not bits:
        return float(name)
    value: float = struct.unpack(">d", bytes.fromhex(bits))[0]
    return value


def _read_time(kind: Any) -> Any:
    def read(document: Any) -> Any:
        text, zone, fold = document
        return kind.fromisoformat(text).replace(tzinfo=read_zone(zone), fold=fold)

    return read


def _parts(make: Callable[..., Any]) -> Any:
    return lambda document: make(*Decoder({}).all("list", document, 0))


_ATOMS: dict[str, Any] = {
    "$int": lambda text: int(text, 16),
    "$float": _read_float,
    "$str": lambda text: text.encode("ascii").decode("unicode_escape"),
    "$bytes": bytes.fromhex,
    "$bytearray": bytearray.fromhex,
    "$complex": _parts(complex),
    "$range": _parts(range),
    "$fraction": _parts(fractions.Fraction),
    "$decimal": decimal.Decimal,
    "$uuid": uuid.UUID,
    "$datetime": _read_time(datetime.datetime),
    "$time": _read_time(datetime.time),
    "$date": datetime.date.fromisoformat,
    "$timedelta": lambda span: datetime.timedelta(*span),
    "$path": lambda named: PATHS[named[0]](named[1]),
    "$address": lambda named: ADDRESSES[named[0]](named[1]),
}
