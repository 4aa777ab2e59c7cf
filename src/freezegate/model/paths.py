"""Paths inside a repository that mean the same file for every tool on every system."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Self

from freezegate.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Linux PATH_MAX; git itself has no limit, checkouts do.
MAX_PATH_BYTES = 4096
# NAME_MAX of the usual file systems.
MAX_COMPONENT_BYTES = 255
# Far beyond any real layout, far below what makes a path look-up slow.
MAX_COMPONENTS = 64

# Windows forbids these in names; `:` also starts git's pathspec magic and NTFS streams.
_FORBIDDEN = frozenset('\\*?"<>|:')
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)
# Code points that HFS+ ignores in names (git's utf8.c, next_hfs_char).
_HFS_IGNORED = {
    ord(c): None
    for c in "\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u206a\u206b\u206c\u206d\u206e\u206f\ufeff"
}
# What no rule below can refuse; a hundred thousand names go by.
_PLAIN = "(?!con|prn|aux|nul|com[0-9]|lpt[0-9])[a-z0-9_](?:[a-z0-9_.-]{0,198}[a-z0-9_-])?"
_PLAIN_NAMES = re.compile(rf"(?:{_PLAIN}/)*+", re.IGNORECASE | re.ASCII)
_PLAIN_PATH = re.compile(f"{_PLAIN}(?:/{_PLAIN}){{0,15}}", re.IGNORECASE | re.ASCII)
# Fillers: letters and signs to Unicode, nothing to the eye.
_BLANKS = "\u115f\u1160\u2800\u3164\uffa0"
# The same, and what only changes how its neighbour looks.
_INVISIBLE = re.compile(
    f"[{_BLANKS}\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
_PLAIN_WORD = re.compile(r"[a-z0-9_@%+=:,./-]+", re.IGNORECASE | re.ASCII)
_NTFS_DOTGIT = re.compile(r"(?:\.git|git~[0-9]+)[ .]*(?:[:\\].*)?", re.IGNORECASE | re.DOTALL)


class RepoPath(str):
    """A path relative to the repository's top, `/` between its parts, as documents name files."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if not _PLAIN_PATH.fullmatch(text):
            _refuse_bad_path(text)
        return super().__new__(cls, text)

    @property
    def raw(self) -> bytes:
        """The bytes that git's tree objects hold."""
        return self.encode()


def is_dotgit(name: bytes) -> bool:
    """Say whether a file system may take this name for git's own directory."""
    text = name.decode("utf-8", "replace").translate(_HFS_IGNORED)
    return _NTFS_DOTGIT.fullmatch(text) is not None


def are_plain_names(names: Sequence[str]) -> bool:
    """Say whether these names are good in every path without a look at each rule; most are."""
    # None has a `/`: together they are looked at in a quarter of the time.
    return _PLAIN_NAMES.fullmatch("/".join((*names, ""))) is not None


def fold(name: bytes) -> str:
    """Return what a case-blind file system that normalises or trims names makes of a path."""
    if name.isascii():  # most names, and nothing else is slow
        return _trimmed(name.decode().lower())
    text = _trimmed(name.decode("utf-8", "surrogateescape").translate(_HFS_IGNORED))
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).casefold())


def _trimmed(path: str) -> str:
    return "/".join(part.rstrip(". ") or part for part in path.split("/"))


def shown_path(raw: bytes) -> str:
    """Return a path as findings carry it: text, with `\\xNN` for what cannot be shown."""
    return shown_text(raw.decode("utf-8", "backslashreplace"))


def shown_text(text: str) -> str:
    """Return a text with `\\uNNNN` for what nobody would see."""
    return "".join(
        c if c.isprintable() and not _INVISIBLE.match(c) else c.encode("unicode_escape").decode()
        for c in text
    )


def is_blank_letter(char: str) -> bool:
    """Say whether a character counts as a letter or sign, and is drawn as nothing."""
    return char in _BLANKS


def shell_path(raw: bytes) -> str:
    """Return a path as a shell takes it for git, from whichever folder of the work tree.

    What is no printable ASCII is written in `$'...'` form, which bash, zsh and ksh read.
    """
    text = b":/" + raw
    if all(0x20 <= byte < 0x7F for byte in text):
        return "'" + text.decode("ascii").replace("'", "'\\''") + "'"
    escaped = "".join(
        chr(byte) if 0x20 <= byte < 0x7F and byte not in b"'\\" else f"\\{byte:03o}"
        for byte in text
    )
    return f"$'{escaped}'"


def shell_word(text: str) -> str:
    """Return a text that is no path as one word for a shell: git lets `;` and `$` into names."""
    if _PLAIN_WORD.fullmatch(text):
        return text
    return "'" + text.replace("'", "'\\''") + "'"


# Before commands that take paths of the file system: findings name theirs from the top.
AT_TOP = 'cd "$(git rev-parse --show-toplevel)" && '


def shell_paths(paths: Iterable[str]) -> str:
    """Return paths as a shell takes them for git, from whichever folder of the work tree."""
    return " ".join(shell_path(path.encode("utf-8", "surrogateescape")) for path in paths)


def relock_command(path: str) -> str:
    """Return the shell command that writes a fixture's line of the lock anew, and no other."""
    quoted = "'" + path.replace("'", "'\\''") + "'"
    return f"freezegate lock {quoted} && git add ':/.freeze/fixtures.sha256'"


def is_hidden_character(char: str) -> bool:
    """Say whether a character steers terminals or hides from readers."""
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _refuse_bad_path(text: str) -> None:
    if not text:
        raise InvalidValue("path.empty", got="an empty text", expected="a path to a file")
    if len(text.encode("utf-8", "surrogatepass")) > MAX_PATH_BYTES:
        _refuse("path.too_long", text, f"at most {MAX_PATH_BYTES} bytes")
    parts = text.split("/")
    _refuse_bad_characters(text, parts)
    if text.startswith("/") or re.match(r"[A-Za-z]:[/\\]", text):
        _refuse("path.absolute", text, "a path relative to the repository's top")
    if any(part == ".." for part in re.split(r"[/\\]", text)):
        _refuse("path.dotdot", text, "a path without `..`")
    if not _FORBIDDEN.isdisjoint(text) or text.startswith("-"):
        _refuse("path.bad_char", text, 'none of \\ * ? " < > | : and no leading `-`')
    if any(part in ("", ".") for part in parts):
        _refuse("path.not_canonical", text, "no empty part, no `.` part, no trailing slash")
    if not unicodedata.is_normalized("NFC", text):
        _refuse("path.not_nfc", text, "Unicode normal form C")
    _refuse_bad_parts(text, parts)


def _refuse_bad_characters(text: str, parts: list[str]) -> None:
    hidden = [char for char in text if is_hidden_character(char)]
    expected = "no control, format or separator characters"
    # `.g<U+200C>it` is told as what some systems take it for.
    if any(ord(char) not in _HFS_IGNORED for char in hidden):
        _refuse("path.bad_char", text, expected)
    if any(is_dotgit(part.encode("utf-8", "surrogatepass")) for part in parts):
        _refuse("path.dotgit", text, "a path outside git's own directory")
    if hidden:
        _refuse("path.bad_char", text, expected)


def _refuse_bad_parts(text: str, parts: list[str]) -> None:
    if len(parts) > MAX_COMPONENTS or any(len(p.encode()) > MAX_COMPONENT_BYTES for p in parts):
        limits = f"at most {MAX_COMPONENTS} parts of {MAX_COMPONENT_BYTES} bytes each"
        _refuse("path.too_long", text, limits)
    if any(_DEVICES.fullmatch(part) or part[-1] in ". " for part in parts):
        _refuse("path.not_portable", text, "no reserved device name, no trailing dot or space")


def _refuse(code: str, text: str, expected: str) -> None:
    raise InvalidValue(code, got=ascii(text[:120]), expected=expected)
