"""Typed fields of decoded documents: each reader takes a value and its place, or refuses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, NoReturn, TypeVar

from freezegate.errors import DecodeError, InvalidValue

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)
S = TypeVar("S", bound=str)
Reader = Callable[[object, str], T]

# The clock's bounds stand here, since newer interpreters read hour 24 as the next midnight.
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# Bidi controls: a reviewer would read another text than the gate.
_STEERING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
MAX_SIGNATURE_CHARS = 2000  # an exception type, a frame and a folded message
MAX_OWNER_CHARS = 200
_REPEATED = 4096  # texts kept of each kind
_INTEGERS = 2**53 - 1  # RFC 8785 has no form for more (RFC 7493, section 2.2)


def read_object(
    value: object,
    place: str,
    required: Mapping[str, Reader[Any]],
    optional: Mapping[str, Reader[Any]] | None = None,
) -> dict[str, Any]:
    """Return the object's values by key, each through its reader; every other key is refused."""
    if not isinstance(value, dict):
        raise DecodeError(
            "record.wrong_type", place=place, got=type_name(value), expected="an object"
        )
    readers = {**required, **(optional or {})}
    for key in value:
        if key not in readers:
            raise DecodeError(
                "record.unknown_key",
                place=inner(place, key),
                got=f"the key {key[:80]!a}",
                expected=nearest(key, readers),
            )
    missing = [key for key in required if key not in value]
    if missing:
        names = ", ".join(f"`{key}`" for key in missing)
        raise DecodeError(
            "record.missing_key",
            place=inner(place, missing[0]),
            got=f"no {names}",
            expected="all of these keys" if len(missing) > 1 else f"the key {names}",
        )
    if not place:  # keys that readers know are shown as they are
        return {key: readers[key](item, key) for key, item in value.items()}
    return {key: readers[key](item, inner(place, key)) for key, item in value.items()}


def nearest(key: str, known: Mapping[str, object]) -> str:
    """Return the sentence that names the key somebody may have meant, else all known keys."""
    from difflib import get_close_matches

    close = get_close_matches(key, list(known), n=1)
    return f"`{close[0]}`?" if close else f"one of {', '.join(sorted(known))}"


@lru_cache(maxsize=_REPEATED)
def inner(place: str, key: str) -> str:
    """Return the place of a key, quoted where it is no plain word."""
    shown = key if re.fullmatch(r"[A-Za-z0-9_-]{1,80}", key) else ascii(key[:80])
    return f"{place}.{shown}" if place else shown


def integer(minimum: int = -_INTEGERS, maximum: int = _INTEGERS) -> Reader[int]:
    """Read a whole number within bounds; `true` is none."""
    bounds = f"a whole number from {minimum} to {maximum}"

    def read(value: object, place: str) -> int:
        if type(value) is not int:
            _refuse_type(value, place, bounds)
        elif minimum <= value <= maximum:
            return value
        raise DecodeError("record.wrong_type", place=place, got=str(value), expected=bounds)

    return read


def text(max_chars: int = 4096, min_chars: int = 0) -> Reader[str]:
    """Read a text of bounded length."""

    def read(value: object, place: str) -> str:
        if not isinstance(value, str):
            _refuse_type(value, place, "a text")
        steering = None if value.isascii() else _STEERING.search(value)
        if steering:
            raise DecodeError(
                "record.bad_string",
                place=place,
                got=f"the character U+{ord(steering[0]):04X}",
                expected="text without characters that steer the writing direction",
            )
        if min_chars <= len(value) <= max_chars:
            return value
        raise DecodeError(
            "record.bad_string",
            place=place,
            got=f"{len(str(value))} characters",
            expected=f"{min_chars} to {max_chars} characters",
        )

    return read


def flag(value: object, place: str) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        _refuse_type(value, place, "true or false")
    return value


def of(kind: type[S], rule: str | None = None) -> Reader[S]:
    """Read a text into a type of its own; `rule` names what a schema cannot say of it."""

    known = lru_cache(maxsize=_REPEATED)(kind)  # a ledger says the same things again and again

    def read(value: object, place: str) -> S:
        if not isinstance(value, str):
            _refuse_type(value, place, "a text")
        try:
            return known(value)
        except InvalidValue as error:
            raise DecodeError(
                error.code, place=place, got=error.got, expected=error.expected, rule=rule
            ) from None

    return read


def choice(kind: type[E]) -> Reader[E]:
    """Read one word of a closed set."""
    words = ", ".join(kind)
    members = {str(member): member for member in kind}

    def read(value: object, place: str) -> E:
        if isinstance(value, str) and value in members:
            return members[value]
        _refuse_type(value, place, f"one of {words}")

    return read


def nullable(reader: Reader[T]) -> Reader[T | None]:
    """Read null, or what the reader reads."""
    return lambda value, place: None if value is None else reader(value, place)


def array(reader: Reader[T], minimum: int = 0, maximum: int = 100_000) -> Reader[tuple[T, ...]]:
    """Read an array of bounded length, each item through the reader."""

    def read(value: object, place: str) -> tuple[T, ...]:
        if not isinstance(value, list):
            _refuse_type(value, place, "an array")
        if not minimum <= len(value) <= maximum:
            raise DecodeError(
                "record.wrong_type",
                place=place,
                got=f"{len(value)} items",
                expected=f"{minimum} to {maximum} items",
            )
        try:
            return tuple([reader(item, place) for item in value])
        except DecodeError:  # once more, with the place of each item: it is seldom asked for
            return tuple([reader(item, f"{place}[{i}]") for i, item in enumerate(value)])

    return read


def constant(word: str) -> Reader[str]:
    """Read exactly one text."""

    def read(value: object, place: str) -> str:
        return word if value == word else _refuse_type(value, place, f'"{word}"')

    return read


def instant(value: object, place: str) -> str:
    """Read a time in UTC, `2026-11-30T10:37:24.123Z`."""
    return _moment(value, place, _INSTANT, "a time in UTC like 2026-11-30T10:37:24.123Z")


def day(value: object, place: str) -> str:
    """Read a date, `2026-12-14`; it is meant in UTC, to the end of that day."""
    return _moment(value, place, _DATE, "a date like 2026-12-14")


def type_name(value: object) -> str:
    """Return a value's kind, and the value where it is short, in the document's own words."""
    names = {dict: "an object", list: "an array", bool: "true or false", type(None): "null"}
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"the text {value[:60]!a}"
    if isinstance(value, int | float):
        return f"the number {value}"
    return names.get(type(value), type(value).__name__)


def _moment(value: object, place: str, pattern: re.Pattern[str], expected: str) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        _refuse_type(value, place, expected)
    try:
        datetime.fromisoformat(value) if "T" in value else date.fromisoformat(value)
    except ValueError:
        raise DecodeError(
            "record.bad_string", place=place, got=value, expected=expected, rule="calendar"
        ) from None
    return value


def _refuse_type(value: object, place: str, expected: str) -> NoReturn:
    raise DecodeError("record.wrong_type", place=place, got=type_name(value), expected=expected)
