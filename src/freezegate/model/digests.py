"""Digests and object ids, each a type of its own."""

from __future__ import annotations

import re
from typing import Self

from freezegate.errors import InvalidValue

_HEX64 = re.compile(r"[0-9a-f]{64}")
_HEX40 = re.compile(r"[0-9a-f]{40}")
_BLAKE3 = re.compile(r"blake3:[0-9a-f]{64}")


class _Digest(str):
    """A text that matches one pattern whole."""

    __slots__ = ()
    _pattern = _HEX64
    _expected = "64 lower-case hexadecimal digits"

    def __new__(cls, text: str) -> Self:
        if not cls._pattern.fullmatch(text):
            raise InvalidValue("digest.bad_format", got=ascii(text[:80]), expected=cls._expected)
        return super().__new__(cls, text)


class Sha256(_Digest):
    """The SHA-256 of a fixture's bytes, 64 lower-case hexadecimal digits."""

    __slots__ = ()


class ObjectId(_Digest):
    """The whole id of a git object in a SHA-1 repository; never a prefix, never a revision."""

    __slots__ = ()
    _pattern = _HEX40
    _expected = "40 lower-case hexadecimal digits, the whole id of a git object"


class Blake3(_Digest):
    """A BLAKE3 digest as freezegate prints it: `blake3:` and 64 lower-case hexadecimal digits."""

    __slots__ = ()
    _pattern = _BLAKE3
    _expected = "`blake3:` and 64 lower-case hexadecimal digits"

    @classmethod
    def of(cls, data: bytes) -> Self:
        """Return the plain BLAKE3 of some bytes (evidence names, freeze ids; SPEC section 2)."""
        from blake3 import blake3

        return str.__new__(cls, f"blake3:{blake3(data).hexdigest()}")

    @property
    def hex(self) -> str:
        """The 64 digits alone, as file names use them."""
        return self.removeprefix("blake3:")
