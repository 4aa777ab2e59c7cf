"""What an ini file says, by the rules of those who read it: pytest's iniconfig, and setuptools.

Sources: iniconfig 2.3 `_parse.py` (the same since 1.0, but for the byte order mark that older ones
refuse); CPython's `configparser`, which setuptools reads setup.cfg with.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMMENTS = "#;"
_HEADER = re.compile(r"\[.+\]")


class IniError(ValueError):
    """A file that iniconfig refuses: pytest stops there."""


def parse_ini(data: bytes) -> dict[str, dict[str, str]]:
    """Return the sections of an ini file as pytest sees them; raises IniError where it stops."""
    sections: dict[str, dict[str, list[str]]] = {}
    section: dict[str, list[str]] | None = None
    value: list[str] | None = None
    for line in _text(data).removeprefix("\ufeff").splitlines():
        if line.lstrip()[:1] in _COMMENTS:  # the empty text too
            continue
        header = _header(line)
        if header is not None:
            if not header or header in sections:
                raise IniError("a section without a name, or there already")
            section, value = sections.setdefault(header, {}), None
        elif line[0] == "[" or line[0].isspace():
            if value is None:
                raise IniError("a continuation of nothing")
            value.append(line.strip())
        else:
            name, text = _option(line)
            if section is None or name in section:
                raise IniError("an option outside sections, or there already")
            value = section[name] = [text] if text else []
    return {
        header: {name: "\n".join(lines) for name, lines in options.items()}
        for header, options in sections.items()
    }


def _text(data: bytes) -> str:
    """Decode as a file that is opened for reading text."""
    try:
        return data.decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise IniError("bytes that are no UTF-8") from error


def _header(line: str) -> str | None:
    """Return the name of a section where the line is its header, comments behind it left out."""
    if line[0] != "[":
        return None
    bare = line.rstrip()
    for mark in _COMMENTS:
        bare = bare.split(mark, 1)[0].rstrip()
    return bare[1:-1] if bare[-1] == "]" else None


def _option(line: str) -> tuple[str, str]:
    name, equals, text = line.partition("=")
    if not equals or ":" in name:
        name, colon, text = line.partition(":")
        if not colon:
            raise IniError("a line that is none of a section, an option and a continuation")
    return name.strip(), text.strip()


def setup_lines(data: bytes, section: str) -> tuple[str, ...] | None:
    """Return the lines that setuptools may take for a section of setup.cfg, None for none.

    What `[DEFAULT]` says counts in every section. A header inside a value is taken for one: that is
    more than setuptools sees, never less.
    """
    blocks = dict.fromkeys((section, "DEFAULT"), ())  # type: dict[str, tuple[str, ...]]
    there = False
    for header, lines in _blocks(data):
        for name in blocks:
            if header.startswith(f"[{name}]"):
                there |= name == section
                blocks[name] += (header, *lines)
    return blocks["DEFAULT"] + blocks[section] if there else None


def _blocks(data: bytes) -> Iterator[tuple[str, list[str]]]:
    """Yield what looks like a header, and all lines up to the next one that is one for certain."""
    open_blocks: list[tuple[str, list[str]]] = []
    for line in _text(data).removeprefix("\ufeff").split("\n"):
        bare = line.strip()
        if not bare or bare[0] in _COMMENTS:
            continue
        if line[0] == "[" and _HEADER.match(line):
            yield from open_blocks
            open_blocks = []
        for _, lines in open_blocks:
            lines.append(line.rstrip())
        if bare[0] == "[":
            open_blocks.append((bare, []))
    yield from open_blocks
