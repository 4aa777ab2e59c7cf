"""What `-k` and `-m` select, and whether one such expression selects less than another."""

from __future__ import annotations

import itertools
import re

_WORD = re.compile(r"[^\s()]+")
_MAX_WORDS = 10  # of both expressions, for all of whose combinations the two are compared
_OPERATORS = frozenset({"and", "or", "not"})


def selects_less(old: str, new: str) -> bool | None:
    """Say whether something that the old expression selects is not selected by the new one.

    An empty expression selects everything; None: it cannot be said.
    """
    if not new.strip() or old.split() == new.split():
        return False
    if not old.strip():
        return True
    words = sorted(words_of(old) | words_of(new))
    if len(words) > _MAX_WORDS:
        return None
    for values in itertools.product((False, True), repeat=len(words)):
        chosen = dict(zip(words, values, strict=True))
        before, after = selected(old, chosen), selected(new, chosen)
        if before is None or after is None:
            return None
        if before and not after:
            return True
    return False


def words_of(expression: str) -> frozenset[str]:
    """Return the names in an expression."""
    return frozenset(_WORD.findall(expression)) - _OPERATORS


def selected(expression: str, chosen: dict[str, bool]) -> bool | None:
    """Evaluate an expression, None where it is damaged."""
    tokens = re.findall(r"[()]|[^\s()]+", expression)
    try:
        value, rest = _either(tokens, chosen)
    except IndexError:
        return None
    return None if rest else value


def _either(tokens: list[str], chosen: dict[str, bool]) -> tuple[bool, list[str]]:
    value, rest = _both(tokens, chosen)
    while rest and rest[0] == "or":
        other, rest = _both(rest[1:], chosen)
        value = value or other
    return value, rest


def _both(tokens: list[str], chosen: dict[str, bool]) -> tuple[bool, list[str]]:
    value, rest = _single(tokens, chosen)
    while rest and rest[0] == "and":
        other, rest = _single(rest[1:], chosen)
        value = value and other
    return value, rest


def _single(tokens: list[str], chosen: dict[str, bool]) -> tuple[bool, list[str]]:
    first, rest = tokens[0], tokens[1:]
    if first == "not":
        value, rest = _single(rest, chosen)
        return not value, rest
    if first == "(":
        value, rest = _either(rest, chosen)
        return value, rest[1:] if rest[0] == ")" else [*rest, ")"]
    return chosen.get(first, False), rest
