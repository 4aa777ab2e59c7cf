"""Changes of a catalogue that people write: one span of its text, and nothing else."""

from __future__ import annotations

import json
import re
import tomllib
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from freezegate.errors import DecodeError, UsageError
from freezegate.formats.catalog import parse_catalog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.catalog import Catalog, Property
    from freezegate.model.ids import PropertyId

_LONG = 96  # characters of an array on one line
# Whatever can hold a bracket that opens no table; the document is known to be TOML already.
_TOKEN = re.compile(
    r'"""(?:[^"\\]++|\\.|"{1,2}+(?!"))*+"{3,5}'
    r"|'''(?:[^']++|'{1,2}+(?!'))*+'{3,5}"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'[^'\n]*+'"
    r"|#[^\n]*+|[\[\]{}]|\n",
    re.DOTALL,
)
_HEADER = re.compile(
    r"""[ \t]*+\[[ \t]*+(?P<table>[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
    r"""[ \t]*+\.[ \t]*+(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\]"""
)


class _Header(NamedTuple):
    """The header of a table of two keys: both keys, and where the first of them is written."""

    table: str
    name: str
    start: int
    end: int


def propose(data: bytes, entry: Property) -> bytes:
    """Return a catalogue with a draft more, at its end; raises UsageError where that is no TOML."""
    before = parse_catalog(data)
    text = data.decode()
    newline = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    added = newline.join([f"[proposed.{_text(entry.property_id)}]", *_lines(entry), ""])
    wanted = before._replace(
        proposed=MappingProxyType({**before.proposed, entry.property_id: entry})
    )
    by_hand = f"write the draft by hand, as {_table('proposed', entry.property_id)}"
    return _checked((text + gap + added).encode(), wanted, by_hand)


def accept(data: bytes, name: PropertyId) -> bytes:
    """Return a catalogue in which a draft counts: one word of its header is another.

    Raises UsageError where the draft has no header of its own, or the change would be another.
    """
    before = parse_catalog(data)
    text = data.decode()
    own = [each for each in _headers(text) if (each.table, each.name) == ("proposed", name)]
    by_hand = (
        f"write the draft by hand as a table of its own, {_table('proposed', name)} with its keys "
        f"below; then again: freezegate catalog accept {name}"
    )
    if len(own) != 1:
        msg = f"{name} is proposed in another spelling than {_table('proposed', name)}; {by_hand}"
        raise UsageError(msg)
    rest = {key: entry for key, entry in before.proposed.items() if key != name}
    wanted = before._replace(
        properties=MappingProxyType({**before.properties, name: before.proposed[name]}),
        proposed=MappingProxyType(rest),
    )
    changed = f"{text[: own[0].start]}property{text[own[0].end :]}"
    return _checked(changed.encode(), wanted, by_hand)


def _checked(data: bytes, wanted: Catalog, by_hand: str) -> bytes:
    """Return the bytes, if they say what was wanted: nothing is written on a guess."""
    try:
        good, why = parse_catalog(data) == wanted, "it would say something else then"
    except DecodeError as fault:
        good, why = False, f"it would not decode then: {fault}"
    if not good:
        msg = f".freeze/catalog.toml cannot be changed as it is written ({why}); {by_hand}"
        raise UsageError(msg)
    return data


def _headers(text: str) -> Iterator[_Header]:
    """Yield the headers of tables of two keys; brackets in texts, arrays and comments are none."""
    for start in _line_starts(text):
        found = _HEADER.match(text, start)
        if found is None:
            continue
        ((table, inside),) = tomllib.loads(found[0].strip()).items()
        yield _Header(table, next(iter(inside)), *found.span("table"))


def _line_starts(text: str) -> Iterator[int]:
    """Yield where lines start that are inside no text and no array."""
    depth = 0
    yield 0
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "[" | "{":
                depth += 1
            case "]" | "}":
                depth -= 1
            case "\n" if depth == 0:
                yield token.end()


def _lines(entry: Property) -> Iterator[str]:
    defaults = entry._field_defaults
    for key, value in entry._asdict().items():
        if key == "property_id" or (key in defaults and value == defaults[key]):
            continue
        yield from _line(key, value)


def _line(key: str, value: object) -> Iterator[str]:
    if not isinstance(value, tuple):
        yield f"{key} = {_text(value) if isinstance(value, str) else json.dumps(value)}"
        return
    items = [_text(item) for item in value]
    if sum(map(len, items)) < _LONG:
        yield f"{key} = [{', '.join(items)}]"
        return
    yield f"{key} = ["
    yield from (f"    {item}," for item in items)
    yield "]"


def _text(text: str) -> str:
    """Return a TOML text: JSON's escapes are TOML's, and DEL is refused in both tables."""
    return json.dumps(str(text), ensure_ascii=False)


def _table(table: str, name: str) -> str:
    return f"[{table}.{_text(name)}]"
