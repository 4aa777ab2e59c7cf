"""JSON that every reader reads alike: strict decoding (SPEC section 4) and canonical writing.

The standard decoder does the work; only where something is wrong, a second and slower walk over
the tokens finds the first fault with its place and line.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from freezegate.errors import DecodeError
from freezegate.formats.encoding import MAX_DEPTH, MAX_INTEGER, decode_utf8, refuse_hidden
from freezegate.formats.fields import inner

if TYPE_CHECKING:
    from collections.abc import Iterator

# A text without these holds clean strings only; white space between tokens makes no harm here.
_SUSPECT = re.compile(r"[^\t\n\r -\x7e\xa0-\u0619]|\\[^\"\\/]")
_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+)', re.DOTALL)


class _Fault(Exception):  # noqa: N818 - a signal inside this module
    """Something is wrong somewhere; the slow walk says what and where."""


def parse_json(data: bytes, *, max_bytes: int, first_line: int = 1) -> object:
    """Decode one JSON document strictly.

    `first_line` is the line on which the document starts in its file. Raises DecodeError with
    the place and the line of the first fault.
    """
    text = decode_utf8(data, max_bytes=max_bytes, first_line=first_line)
    if not text.strip(" \t\r\n"):
        raise DecodeError(
            "record.missing_key", place="", got="an empty file", expected="a JSON object"
        )
    try:
        value: object = _DECODER.decode(text)
    except (_Fault, RecursionError):
        _explain(text, first_line)
    except json.JSONDecodeError as error:
        _refuse_syntax(error, first_line)
    if _SUSPECT.search(text) or _is_deep(text, value):
        _find_fault(text, first_line)
    return value


def dump_canonical(value: object) -> bytes:
    """Return the RFC 8785 form of a value made of dict, list, str, int, bool and None."""
    import rfc8785

    return rfc8785.dumps(value)  # type: ignore[arg-type]  # its own recursive type is private


def plain(value: Any) -> Any:
    """Return a value with tuples, records and texts of a type of their own as JSON has them."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if is_dataclass(value):
        return {part.name: plain(getattr(value, part.name)) for part in fields(value)}
    return value


def line_of(data: bytes, place: str) -> int | None:
    """Return the line on which a place of a valid document begins, None where it is not there."""
    text = data.decode("utf-8", "replace")
    try:
        for token in _walk(text):
            if token.place == place:
                return text.count("\n", 0, token.offset) + 1
    except (IndexError, KeyError):
        return None
    return None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _Fault
    return result


def _refuse_number(_text: str) -> NoReturn:
    raise _Fault


def _integer(text: str) -> int:
    if len(text) > 17 or text == "-0" or abs(value := int(text)) > MAX_INTEGER:
        raise _Fault
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_float=_refuse_number,
    parse_int=_integer,
    parse_constant=_refuse_number,
)


def _is_deep(text: str, value: object) -> bool:
    """Whether a document nests too deep: with few brackets there is nothing to walk through."""
    return text.count("[") + text.count("{") > MAX_DEPTH and _depth(value) > MAX_DEPTH


def _depth(value: object) -> int:
    """Return how deep arrays and objects nest, stopping early beyond the limit."""
    level, depth = [value], 0
    while level and depth <= MAX_DEPTH + 1:
        below: list[object] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        depth += any(isinstance(item, dict | list) for item in level)
        level = below
    return depth


def _refuse_syntax(error: json.JSONDecodeError, first_line: int) -> NoReturn:
    raw_control = error.msg.startswith("Invalid control character")
    raise DecodeError(
        "record.bad_string" if raw_control else "record.bad_encoding",
        place=f"column {error.colno}",
        line=first_line + error.lineno - 1,
        got=f"a JSON syntax error: {error.msg}",
        expected="one JSON document",
    ) from None


def _explain(text: str, first_line: int) -> NoReturn:
    _find_fault(text, first_line)
    raise DecodeError(
        "record.too_deep", place="", got="deep nesting", expected=f"at most {MAX_DEPTH} levels"
    )


@dataclass(slots=True)
class _Level:
    """An open array or object of the walk."""

    place: str
    is_object: bool
    index: int = 0
    key: str | None = None
    seen: set[str] = field(default_factory=set)

    def child(self) -> str:
        if not self.is_object:
            return f"{self.place}[{self.index}]"
        return inner(self.place, str(self.key))


@dataclass(frozen=True, slots=True)
class _Token:
    """A scalar, a key or an opening bracket, with the place it belongs to."""

    place: str
    offset: int
    text: str
    depth: int
    repeated: bool = False


def _walk(text: str) -> Iterator[_Token]:
    """Yield the tokens of a syntactically valid document in order."""
    stack: list[_Level] = []
    position, end = 0, len(text)
    while position < end and (match := _TOKEN.match(text, position)):
        word, offset, position = match[1], match.start(1), match.end()
        top = stack[-1] if stack else None
        if word in "]}":
            stack.pop()
        elif word == ",":
            stack[-1].index += 1
            stack[-1].key = None
        elif word == ":":
            continue
        elif top and top.is_object and top.key is None:
            top.key = json.loads(word, strict=False)
            repeated = top.key in top.seen
            top.seen.add(str(top.key))
            yield _Token(top.child(), offset, word, len(stack), repeated)
        else:
            place = top.child() if top else ""
            yield _Token(place, offset, word, len(stack) + (word in "[{"))
            if word in "[{":
                stack.append(_Level(place, word == "{"))


def _find_fault(text: str, first_line: int) -> None:
    """Raise DecodeError for the first fault of a syntactically valid document, if it has one."""
    for token in _walk(text):
        try:
            _refuse_token(token)
        except DecodeError as error:
            error.line = first_line + text.count("\n", 0, token.offset)
            raise


def _refuse_token(token: _Token) -> None:
    code, got, expected = _judge_token(token)
    if code:
        raise DecodeError(code, place=token.place, got=got, expected=expected)
    if token.text.startswith('"'):
        refuse_hidden(json.loads(token.text, strict=False), token.place)


def _judge_token(token: _Token) -> tuple[str | None, str, str]:
    word = token.text
    if token.depth > MAX_DEPTH:
        return "record.too_deep", f"level {token.depth}", f"at most {MAX_DEPTH} levels"
    if token.repeated:
        return "record.duplicate_key", f"the key {word[:80]!a} again", "each key once"
    if word[0] == '"' or word in ("true", "false", "null", "[", "{"):
        return None, "", ""
    shown = word if len(word) <= 24 else f"{word[:20]}... ({len(word)} characters)"
    shown = shown.encode("unicode_escape").decode()
    return _judge_number(word, shown)


def _judge_number(word: str, shown: str) -> tuple[str | None, str, str]:
    expected = "a whole number within 2^53"
    if re.fullmatch(r"-?[0-9]+", word):
        if word == "-0":
            return "record.wrong_type", shown, expected
        too_big = len(word) > 17 or abs(int(word)) > MAX_INTEGER
        return ("record.number_not_int" if too_big else None), shown, expected
    try:
        finite = abs(float(word)) < float("inf")
    except ValueError:
        finite = False
    return ("record.wrong_type" if finite else "record.number_not_int"), shown, expected
