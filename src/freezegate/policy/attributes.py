"""What .gitattributes files say of one path, so that only changes that reach it count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.errors import InvalidValue
from freezegate.model.globs import Glob
from freezegate.policy.globs import matches

if TYPE_CHECKING:
    from collections.abc import Iterable

# Attributes that make checkouts, merges or archives differ from the blob.
_REWRITING = frozenset(("text", "eol", "crlf", "ident", "filter", "working-tree-encoding"))
BYTE_ATTRIBUTES = _REWRITING | {"binary", "merge", "export-ignore", "export-subst"}

AttributesFile = tuple[bytes, bytes]


def effective(files: Iterable[AttributesFile], path: bytes) -> dict[str, str]:
    """Return the attributes that reach a path: name to `set`, `unset` or a value.

    `files` are (folder, text), the repository's top first. Macros of the files themselves count,
    whatever they stand for: their lines are kept under their own name.
    """
    found: dict[str, str] = {}
    for folder, text in files:
        inside = folder + b"/" if folder else b""
        if not path.startswith(inside):
            continue
        for line in text.decode("utf-8", "replace").splitlines():
            pattern, *words = line.split() or [""]
            if pattern.startswith("[attr]"):
                found[pattern] = " ".join(words)
            elif pattern and not pattern.startswith("#") and _reaches(pattern, path, inside):
                _apply(found, words)
    return found


def rewriting(attributes: dict[str, str]) -> tuple[str, ...]:
    """Return the attributes that let a checkout hold other bytes than the blob."""
    return tuple(
        f"{name}={value}"
        for name, value in sorted(attributes.items())
        if name in _REWRITING and value != "unset"
    )


def _reaches(pattern: str, path: bytes, inside: bytes) -> bool:
    if pattern.startswith("!") or pattern.endswith("/"):
        return False  # git takes neither in attributes files
    try:
        glob = Glob(pattern.strip('"'))
    except InvalidValue:
        return True  # what cannot be read with certainty counts as reaching the path
    return matches((glob,), path.removeprefix(inside))


def _apply(found: dict[str, str], words: list[str]) -> None:
    for word in words:
        if word.startswith("!"):
            found.pop(word[1:], None)
        elif word.startswith("-"):
            found[word[1:]] = "unset"
        else:
            name, _, value = word.partition("=")
            found[name] = value or "set"
            if name == "binary":
                found["text"] = "unset"
