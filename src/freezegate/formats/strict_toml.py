"""TOML that people write: strict decoding with the place of the first fault."""

from __future__ import annotations

import re
import tomllib
from datetime import date, datetime, time
from typing import Any, NoReturn

from freezegate.errors import DecodeError
from freezegate.formats.encoding import MAX_DEPTH, MAX_INTEGER, decode_utf8, refuse_hidden
from freezegate.formats.fields import inner

MAX_TOML_BYTES = 256 * 1024
# A dotted key stands on one line; 40 KB of one took 4.9 s to parse.
MAX_LINE_BYTES = 4096
# A key or header of more parts than may nest; `tomllib` needs quadratic time for such keys.
_DEEP_KEY = re.compile(
    r"""^[ \t]*+\[{0,2}+[ \t]*+"""
    r"""(?:(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+)"""
    rf"{{{MAX_DEPTH}}}",
    re.MULTILINE,
)
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")


def parse_toml(data: bytes) -> dict[str, Any]:
    """Decode a TOML document of tables, texts, whole numbers, flags and arrays.

    Raises DecodeError with the place, and the line where it is known.
    """
    value = load_toml(data)
    _check(value, "", 0)
    return value


def load_toml(data: bytes) -> dict[str, Any]:
    """Decode any TOML document within the limits; raises DecodeError."""
    text = decode_utf8(data, max_bytes=MAX_TOML_BYTES)
    for number, line in enumerate(data.split(b"\n"), 1):
        if len(line) > MAX_LINE_BYTES:
            raise DecodeError(
                "record.too_large",
                place="",
                line=number,
                got=f"a line of {len(line)} bytes",
                expected=f"at most {MAX_LINE_BYTES}",
            )
    if deep := _DEEP_KEY.search(text):
        at = text.count("\n", 0, deep.start()) + 1
        _refuse("record.too_deep", "", "a key of many parts", f"at most {MAX_DEPTH} levels", at)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        _refuse_syntax(error)
    except RecursionError:
        raise DecodeError(
            "record.too_deep", place="", got="deep nesting", expected=f"at most {MAX_DEPTH} levels"
        ) from None


def toml_line_of(data: bytes, place: str) -> int | None:
    """Return the line that sets the last key of a place, None where several lines or none do."""
    key = re.split(r"[.\[]", place.rstrip("]0123456789").rstrip("["))[-1]
    pattern = rb"^[ \t]*[\"']?" + re.escape(key.encode()) + rb"[\"']?[ \t]*="
    found = [match.start() for match in re.finditer(pattern, data, re.MULTILINE)]
    return data.count(b"\n", 0, found[0]) + 1 if key and len(found) == 1 else None


def _refuse_syntax(error: tomllib.TOMLDecodeError) -> NoReturn:
    at_line = _AT_LINE.search(str(error))
    raise DecodeError(
        "record.duplicate_key" if "overwrite" in str(error) else "record.bad_encoding",
        place="",
        line=int(at_line[1]) if at_line else None,
        got=f"a TOML error: {error}",
        expected="one TOML document",
    ) from None


def _check(value: object, place: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        _refuse("record.too_deep", place, "deeper nesting", f"at most {MAX_DEPTH} levels")
    match value:
        case dict():
            for key, item in value.items():
                refuse_hidden(key, place)
                _check(item, inner(place, key), depth + 1)
        case list():
            for index, item in enumerate(value):
                _check(item, f"{place}[{index}]", depth + 1)
        case str():
            refuse_hidden(value, place)
        case float() | datetime() | date() | time():
            _refuse("record.wrong_type", place, str(value), "a text, whole number, flag or array")
        case int() if abs(value) > MAX_INTEGER:
            _refuse("record.number_not_int", place, "a huge number", "a whole number within 2^53")


def _refuse(code: str, place: str, got: str, expected: str, line: int | None = None) -> NoReturn:
    raise DecodeError(code, place=place, got=got, expected=expected, line=line)
