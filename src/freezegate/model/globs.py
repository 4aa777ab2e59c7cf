"""Gitignore-style globs that every matcher reads alike and answers quickly."""

from __future__ import annotations

import re
from typing import Self

from freezegate.errors import InvalidValue
from freezegate.model.paths import is_hidden_character

MAX_GLOB_CHARS = 256
# The matcher backtracks: each star more multiplies the time by the length of a hostile path. Within
# these limits the worst glob took 0.1 s for a path of 4,000 bytes, beyond them minutes.
MAX_STARS_IN_A_PART = 2
MAX_DOUBLE_STARS = 2
MAX_STARS = 4
_CLASS = re.compile(r"\[!?(?:a-z|A-Z|0-9|[A-Za-z0-9_.])+\]")


class Glob(str):
    """A gitignore-style glob; `!` in front takes paths out again."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        fault = _fault(text)
        if fault:
            raise InvalidValue("record.bad_string", got=ascii(text[:80]), expected=fault)
        return super().__new__(cls, text)


def _fault(text: str) -> str | None:
    """Return what is expected instead, None where the glob is one."""
    parts = [part for part in text.removeprefix("!").split("/") if part != "**"]
    if not 1 <= len(text) <= MAX_GLOB_CHARS:
        return f"a glob of 1 to {MAX_GLOB_CHARS} characters"
    if any(is_hidden_character(char) for char in text):
        return "a glob without control, format and separator characters"
    if text.startswith("#") or not text.strip("/ !") or text != text.strip():
        return "a glob that names something, without spaces around it"
    if any(part in (".", "..") for part in parts) or "\\" in text:
        return "a glob without `.` and `..` parts and without backslashes"
    if _is_slow(text.split("/").count("**"), [part.count("*") for part in parts]):
        return (
            f"at most {MAX_STARS} wildcards: {MAX_STARS_IN_A_PART} `*` in a part, "
            f"{MAX_DOUBLE_STARS} `**`; two short globs do what one long one does"
        )
    rest = _CLASS.sub("", text)
    return "classes like [0-9] or [abc] where there are brackets" if set(rest) & {*"[]"} else None


def _is_slow(doubles: int, stars: list[int]) -> bool:
    return (
        doubles > MAX_DOUBLE_STARS
        or doubles + sum(stars) > MAX_STARS
        or any(count > MAX_STARS_IN_A_PART for count in stars)
    )
