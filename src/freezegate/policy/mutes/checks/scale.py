"""One check of a test in normal form, and how much each kind of check says."""

from __future__ import annotations

import ast
from enum import Enum
from typing import NamedTuple

_SYMMETRIC = ("EQUAL", "UNEQUAL", "APPROX", "UNORDERED")


class Kind(Enum):
    """What a check asks for; the number tells stronger from weaker ones."""

    EQUAL = ("equality", 80)
    IDENTICAL = ("identity", 81)
    RAISES = ("an exception", 75)
    WARNS = ("a warning", 75.1)
    FAILS = ("that a line is not reached", 75.2)
    CUSTOM = ("a check of its own", 75.3)
    APPROX = ("approximate equality", 70)
    UNORDERED = ("equality without order", 68)
    ONE_OF = ("one of several values", 60)
    PART = ("a part", 60.1)
    REGEX = ("a pattern", 60.2)
    ALL = ("a condition on all", 60.3)
    LENGTH = ("a length", 55)
    ORDER = ("a bound", 50)
    UNEQUAL = ("inequality", 50.1)
    NOT_IN = ("absence", 50.2)
    TYPE = ("a type", 40)
    FALSY = ("emptiness", 35)
    TRUTHY = ("truthiness", 30)
    ANY = ("a condition on any", 29)
    EITHER = ("one of several conditions", 28)
    NOT_NONE = ("not None", 20)
    SELF = ("a comparison with itself", 5)

    def __init__(self, word: str, rank: float) -> None:
        """Name a kind; whole ranks compare, digits behind the point only tell kinds apart."""
        self.word = word
        self.rank = int(rank)


class Tolerance(NamedTuple):
    """How far two numbers may be apart; None where that is not written down."""

    relative: float | None = 0.0
    absolute: float | None = 0.0


class Check(NamedTuple):
    """One check. `actual` is what is looked at, `expected` what it shall be, both in normal form.

    `dead` says why it is never decided, empty where it is; `guards` are the conditions and
    `loops` the iterables around it; `pattern` is the `match` of an expected exception.
    """

    kind: Kind
    node: ast.AST
    actual: ast.expr
    expected: ast.expr | None = None
    pattern: ast.expr | None = None
    tolerance: Tolerance = Tolerance()
    word: str = ""
    dead: str = ""
    guards: tuple[str, ...] = ()
    loops: tuple[ast.expr, ...] = ()


def key_of(check: Check) -> tuple[str, ...]:
    """Return what makes two checks the same."""
    sides = [text_of(check.actual), text_of(check.expected)]
    if check.kind.name in _SYMMETRIC:
        sides.sort()
    return (check.kind.name, check.word, *sides, text_of(check.pattern), str(check.tolerance))


def text_of(node: ast.AST | None) -> str:
    """Return a text that is equal for equal expressions."""
    return "" if node is None else ast.dump(node)
