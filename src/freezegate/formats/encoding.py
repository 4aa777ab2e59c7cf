"""What every document has to keep, whatever its syntax: plain UTF-8, clean texts, small numbers."""

from __future__ import annotations

import re

from freezegate.errors import DecodeError

MAX_DEPTH = 16  # SPEC section 4
MAX_INTEGER = 2**53  # SPEC section 4: what every JSON reader holds exactly

# Controls, line and paragraph separators, byte order mark, surrogates.
_HIDDEN_CHARACTER = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")


def decode_utf8(data: bytes, *, max_bytes: int, first_line: int = 1) -> str:
    """Return the text of a document: UTF-8 without a byte order mark, at most `max_bytes`.

    Raises DecodeError (`record.too_large`, `record.bad_encoding`).
    """
    if len(data) > max_bytes:
        raise DecodeError(
            "record.too_large", place="", got=f"{len(data)} bytes", expected=f"at most {max_bytes}"
        )
    if data.startswith(b"\xef\xbb\xbf"):
        raise DecodeError(
            "record.bad_encoding",
            place="",
            line=first_line,
            got="a UTF-8 byte order mark",
            expected="UTF-8 without it",
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DecodeError(
            "record.bad_encoding",
            place=f"byte {error.start}",
            line=first_line + data.count(b"\n", 0, error.start),
            got=f"byte 0x{data[error.start]:02x}",
            expected="UTF-8",
        ) from None


def refuse_hidden(text: str, place: str) -> None:
    """Raise DecodeError where a text holds a character that steers or hides."""
    found = _HIDDEN_CHARACTER.search(text)
    if found:
        raise DecodeError(
            "record.bad_string",
            place=place,
            got=f"the character U+{ord(found[0]):04X}",
            expected="text without control, separator and surrogate characters",
        )
