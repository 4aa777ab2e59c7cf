"""Whether what was compared as it came is now worked on first, and with what."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.change import SAME, Became, Change
from freezegate.policy.mutes.checks.matching import is_part
from freezegate.policy.mutes.checks.scale import Check, Kind, text_of
from freezegate.policy.mutes.constants import UNKNOWN, fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.terms import Terms

_VALUES = (Kind.EQUAL, Kind.IDENTICAL, Kind.APPROX, Kind.UNORDERED)
# They run what became asynchronous, or go through what became lazy: no answer is another one.
_RUNNING = frozenset({"asyncio.run", "anyio.run", "trio.run", "asyncio.wait_for"})
_COLLECTING = frozenset({"builtins.list", "builtins.tuple"})
# Different answers stay different ones.
_CASTS = frozenset(("str", "repr", "list", "tuple", "dict", "bytes", "Decimal", "Fraction", "Path"))
_CHOOSING = frozenset(("max", "min", "get", "setdefault", "pop", "getattr", "next"))
# They stand everywhere.
_FEW: tuple[object, ...] = (0, 1, -1, None, True, False, "", b"", (), [], {}, frozenset())
# What is left of every number: `x * 0`, `x & 0`, `x % 1`, `x ** 0`.
_NOTHING_LEFT = ((ast.Mult, 0), (ast.BitAnd, 0), (ast.Mod, 1), (ast.Pow, 0))


def wrapping(terms: Terms, old: Check, new: Check) -> Change:
    """Return what a wrapping of the answer makes of a check that expects what it did."""
    if old.kind not in _VALUES or new.kind not in _VALUES:
        return SAME
    for actual, expected in ((new.actual, new.expected), (new.expected, new.actual)):
        if actual is None or expected is None or not _is_around(old.actual, actual):
            continue
        if is_cast_as_well(old, new) or _is_only_run(terms, old.actual, actual):
            return SAME
        if _decides(terms, old.actual, actual, expected):
            return Change(Became.WEAKER, "the expected value is put into what is compared")
        return Change(Became.CHANGED, "the answer is worked on before it is compared")
    return SAME


def _is_around(inner: ast.expr, outer: ast.expr) -> bool:
    if isinstance(inner, ast.Constant) or text_of(inner) == text_of(outer):
        return False
    return is_part(inner, outer)


def is_cast_as_well(old: Check, new: Check) -> bool:
    """Say whether both sides are handed to the same cast: `str(total()) == str(6)`."""
    match new.actual, new.expected:
        case ast.Call(func=one, args=[inner]), ast.Call(func=other, args=[value]):
            same = text_of(one) == text_of(other) and _name(one) in _CASTS
            parts = (text_of(inner), text_of(value)) == (text_of(old.actual), text_of(old.expected))
            return same and parts
        case _:
            return False


def _is_only_run(terms: Terms, inner: ast.expr, outer: ast.expr) -> bool:
    """`await f()`, `asyncio.run(f())`, and `list(f())` of what may be a generator by now."""
    match outer:
        case ast.Await(value=value):
            pass
        case ast.Call(args=[value, *_]):
            origins = terms.names.names(terms.path, outer.func, terms.unit)
            awaited = _name(outer.func) == "run_until_complete"
            if not awaited and not origins & (_RUNNING | _COLLECTING):
                return False
        case _:
            return False
    return text_of(value) == text_of(inner) or _is_only_run(terms, inner, value)


def _decides(terms: Terms, inner: ast.expr, outer: ast.expr, expected: ast.expr) -> bool:
    """Whether what stands around the answer holds the expected value, or leaves nothing of it."""
    around = list(_around(outer, text_of(inner)))
    if any(map(_leaves_nothing, around)):
        return True
    if not any(_says(terms, each, expected) for each in around):
        return False
    if all(_is_plain(terms, each) for each in around if isinstance(each, ast.Call)):
        return not _is_of_few(expected) or any(map(_chooses, around))
    return False


def _around(node: ast.AST, inner: str) -> Iterator[ast.AST]:
    """The nodes of an expression but for those of what it is put around."""
    if text_of(node) == inner:
        return
    yield node
    for each in ast.iter_child_nodes(node):
        yield from _around(each, inner)


def _says(terms: Terms, node: ast.AST, expected: ast.expr) -> bool:
    """Whether it is the expected value, by its text or by what it comes to."""
    if not isinstance(node, ast.expr):
        return False
    if text_of(node) == text_of(expected):
        return True
    if not isinstance(node, ast.Constant | ast.BinOp | ast.UnaryOp | ast.Call):
        return False
    value = fold(node, terms.look)
    wanted = UNKNOWN if value is UNKNOWN else fold(expected, terms.look)
    return wanted is not UNKNOWN and type(value) is type(wanted) and bool(value == wanted)


def _leaves_nothing(node: ast.AST) -> bool:
    if not isinstance(node, ast.BinOp):
        return False
    sides = [fold(node.right)] + ([fold(node.left)] if isinstance(node.op, ast.Mult) else [])
    return any(isinstance(node.op, op) and n in sides for op, n in _NOTHING_LEFT) or (
        isinstance(node.op, ast.Sub | ast.BitXor) and text_of(node.left) == text_of(node.right)
    )


def _is_plain(terms: Terms, call: ast.Call) -> bool:
    """Whether Python itself is called, or a method of a written value, and no tested code."""
    match call.func:
        case ast.Lambda() | ast.Attribute(value=ast.Dict() | ast.List() | ast.Tuple()):
            return True
        case ast.Attribute(attr=name) if name in _CHOOSING:
            return True
        case _:
            origins = terms.names.names(terms.path, call.func, terms.unit)
            return any(
                each.startswith(("builtins.", "operator.", "functools.")) for each in origins
            )


def _is_of_few(expected: ast.expr) -> bool:
    value = fold(expected)
    return any(type(value) is type(each) and value == each for each in _FEW)


def _chooses(node: ast.AST) -> bool:
    """Whether one of several values is taken: the answer, or the one that stands there."""
    if isinstance(node, ast.Call):
        return _name(node.func) in _CHOOSING
    return isinstance(node, ast.IfExp | ast.BoolOp)


def _name(func: ast.expr) -> str:
    match func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
