"""What .gitattributes files say of one path, so that only changes that reach it count."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from freezegate.errors import InvalidValue
from freezegate.model.globs import Glob
from freezegate.policy.globs import matches

if TYPE_CHECKING:
    from collections.abc import Iterable

_REWRITING = frozenset(("text", "eol", "crlf", "ident", "filter", "working-tree-encoding"))
# These change how git or a host shows a file, never what tests, merges or archives get of it.
_HARMLESS = re.compile(r"diff|whitespace|encoding|conflict-marker-size|delta|linguist-.*|gitlab-.*")
_BLANKS = re.compile(r"[ \t\r]+")  # what git splits at (attr.c); not what Python calls white space
_ESCAPE = re.compile(r"\\(?:([0-7]{3})|(.))", re.DOTALL)
_LETTERS = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}

AttributesFile = tuple[bytes, bytes]


def effective(files: Iterable[AttributesFile], path: bytes) -> dict[str, str]:
    """Return the attributes that reach a path: name to `set`, `unset` or a value.

    `files` are (folder, text), the repository's top first. Macros count by their name, and their
    definitions under `[attr]NAME`.
    """
    found: dict[str, str] = {}
    for folder, text in files:
        inside = folder + b"/" if folder else b""
        if not path.startswith(inside):
            continue
        for line in text.decode("utf-8", "surrogateescape").split("\n"):
            pattern, words = _split(line.strip(" \t\r"))
            if pattern.startswith("[attr]"):
                found[pattern] = " ".join(words)
            elif pattern and not pattern.startswith("#") and _reaches(pattern, path, inside):
                _apply(found, words)
    return found


def byte_attributes(attributes: dict[str, str]) -> dict[str, str]:
    """Return the attributes that may change what tests, merges or archives get of a file."""
    return {name: value for name, value in attributes.items() if not _HARMLESS.fullmatch(name)}


def rewriting(attributes: dict[str, str]) -> tuple[str, ...]:
    """Return the attributes that let a checkout hold other bytes than the blob."""
    return tuple(
        f"{name}={value}"
        for name, value in sorted(attributes.items())
        if name in _REWRITING and value != "unset"
    )


def _split(line: str) -> tuple[str, list[str]]:
    """Return a line's pattern, unquoted, and its attributes."""
    if line.startswith('"'):
        end = re.search(r'(?<!\\)(?:\\\\)*"', line[1:])
        if end:
            pattern, rest = line[1 : end.end()], line[end.end() + 1 :]
            return _unquoted(pattern), _BLANKS.split(rest.strip(" \t\r"))
    pattern, *words = _BLANKS.split(line)
    return pattern, words


def _unquoted(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        if match[1]:
            return bytes([int(match[1], 8) & 0xFF]).decode("latin-1")
        return chr(_LETTERS[match[2]]) if match[2] in _LETTERS else match[2]

    unquoted = _ESCAPE.sub(plain, text)
    try:
        return unquoted.encode("latin-1").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return unquoted


def _reaches(pattern: str, path: bytes, inside: bytes) -> bool:
    if pattern.startswith("!") or pattern.endswith("/"):
        return False  # git takes neither in attributes files
    try:
        glob = Glob(pattern)
    except InvalidValue:
        return True  # what cannot be read with certainty counts as reaching the path
    return matches((glob,), path.removeprefix(inside))


def _apply(found: dict[str, str], words: list[str]) -> None:
    for word in words:
        if word.startswith("!"):
            found.pop(word[1:], None)
        elif word.startswith("-"):
            found[word[1:]] = "unset"
        elif word:
            name, _, value = word.partition("=")
            found[name] = value or "set"
            if name == "binary":
                found["text"] = "unset"
