"""Conditions that hold whatever the tested code does."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.anything import is_anything
from freezegate.policy.mutes.checks.scale import Check, Kind, text_of
from freezegate.policy.mutes.constants import UNKNOWN, fold, truth
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from freezegate.policy.mutes.checks.terms import Terms

_COMPARING = (Kind.EQUAL, Kind.IDENTICAL, Kind.ORDER, Kind.PART, Kind.UNEQUAL, Kind.ONE_OF)
_STRANGE = ("", "\x00~zq")  # what no honest pattern takes both of
_MAX_PATTERN = 200
_INF = "builtins.float"


def always_holds(terms: Terms, check: Check, whole: ast.expr | None, *, holds: bool) -> str:
    """Return why a check cannot fail, empty where it can."""
    if check.dead:
        return check.dead
    if whole is not None and constant_truth(terms, whole) is holds:
        return "the condition is constant"
    if check.kind in (Kind.EQUAL, Kind.UNORDERED, Kind.APPROX) and _either_is_anything(
        terms, check
    ):
        return "it is compared with an object that equals everything"
    if whole is None and check.kind in _COMPARING and _constant_comparison(terms, check):
        return "both sides are constant"
    if check.kind is Kind.TYPE and "object" in _named(check.expected) and check.word != "exact":
        return "everything is an object"
    if check.kind is Kind.REGEX and check.expected is not None and takes_all(terms, check.expected):
        return "the pattern takes every text"
    if check.kind is Kind.PART and _is_empty_text(terms, check.expected):
        return "the empty text is a part of every text"
    return _endless(check)


def _is_empty_text(terms: Terms, node: ast.expr | None) -> bool:
    value = None if node is None else fold(node, terms.look)
    return isinstance(value, str | bytes) and not value


def constant_truth(terms: Terms, node: ast.expr) -> bool | None:
    """Return whether a condition always holds or never does."""
    plain = terms.plain(node)
    match plain:
        case ast.Tuple() | ast.List() | ast.Set() | ast.Dict():
            return bool(getattr(plain, "elts", None) or getattr(plain, "keys", None))
        case ast.GeneratorExp() | ast.Lambda():
            return True
        case ast.JoinedStr():
            if any(isinstance(v, ast.Constant) and v.value for v in plain.values):
                return True
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return _combined(terms, plain)
        case ast.Call(func=ast.Name(id="all" | "any" as word), args=[ast.GeneratorExp() as part]):
            if is_empty(terms, part.generators[0].iter):
                return word == "all"
        case ast.Name(id="__name__"):
            return True
        case ast.Name() if isinstance(terms.look(plain.id), ast.Lambda):
            return True
        case ast.Compare(
            left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=None)]
        ) if isinstance(terms.look(name), ast.Lambda):
            return isinstance(op, ast.IsNot | ast.NotEq)
        case ast.Compare(left=ast.Name(id="__name__"), comparators=[ast.Constant(value=str())]):
            return isinstance(plain.ops[0], ast.NotEq)
        case _:
            pass
    return truth(plain, terms.look)


def _combined(terms: Terms, node: ast.BoolOp | ast.UnaryOp) -> bool | None:
    if isinstance(node, ast.UnaryOp):
        inner = constant_truth(terms, node.operand)
        return None if inner is None else not inner
    found = [constant_truth(terms, value) for value in node.values]
    decisive = isinstance(node.op, ast.Or)
    if decisive in found:
        return decisive
    return None if None in found else not decisive


def is_empty(terms: Terms, node: ast.expr) -> bool:
    """Say whether there is nothing to go through."""
    plain = terms.plain(node)
    match plain:
        case ast.Call(func=ast.Name(id="range")):
            bounds = [fold(each, terms.look) for each in plain.args]
            known = bounds and all(isinstance(each, int) for each in bounds)
            return bool(known) and not range(*bounds)
        case ast.Call(func=ast.Name(id="list" | "tuple" | "set" | "dict" | "frozenset"), args=[]):
            return not plain.keywords
        case ast.Call(
            func=ast.Name(
                id="enumerate" | "reversed" | "sorted" | "zip" | "list" | "iter" | "tuple"
            )
        ):
            return any(is_empty(terms, each) for each in plain.args)
        case ast.Call(func=ast.Attribute(value=holder, attr="items" | "values" | "keys"), args=[]):
            return is_empty(terms, holder)
        case ast.Subscript(value=holder, slice=ast.Slice() as part):
            return _slice_is_empty(terms, holder, part) or is_empty(terms, holder)
        case ast.Name() if (value := terms.held(plain.id)) is not None:
            return not isinstance(value, ast.Name) and is_empty(terms, value)
        case ast.GeneratorExp() | ast.ListComp():
            first = plain.generators[0]
            never = any(constant_truth(terms, each) is False for each in first.ifs)
            return never or is_empty(terms, first.iter)
        case ast.BinOp(op=ast.Mult()):
            return 0 in (fold(plain.left, terms.look), fold(plain.right, terms.look))
        case _:
            value = fold(plain, terms.look)
            return value is not UNKNOWN and hasattr(value, "__len__") and not len(value)


def _slice_is_empty(terms: Terms, holder: ast.expr, part: ast.Slice) -> bool:
    whole = fold(holder, terms.look)
    bounds = [fold(each, terms.look) if each else None for each in (part.lower, part.upper)]
    if isinstance(whole, str | tuple | list) and all(isinstance(b, int | None) for b in bounds):
        return not whole[bounds[0] : bounds[1]]
    lower = fold(part.lower, terms.look) if part.lower else 0
    upper = fold(part.upper, terms.look) if part.upper else None
    if not isinstance(lower, int) or not isinstance(upper, int):
        return False
    return upper <= lower and (upper < 0) == (lower < 0)


def compares_itself(terms: Terms, left: ast.expr, right: ast.expr) -> bool:
    """Say whether both sides are the same thing, or the same call whose result nothing changes.

    A name that is, be it at times, what the other side is says as little.
    """
    if any(_is_at_times(terms, *pair) for pair in ((left, right), (right, left))):
        return True
    if text_of(terms.plain(left)) == text_of(terms.plain(right)):
        return True
    if text_of(terms.normal(left)) != text_of(terms.normal(right)):
        return False
    whole = terms.normal(left)
    return not any(terms.escapes(each, but=whole) for each in (left, right)) and not _constructs(
        whole
    )


def _is_at_times(terms: Terms, name: ast.expr, other: ast.expr) -> bool:
    inner = _inner(name)
    whole = text_of(terms.normal(other))
    calls = any(isinstance(each, ast.Call) for each in ast.walk(other))
    return calls and any(text_of(each) == whole for each in terms.at_times(inner))


def _inner(node: ast.expr) -> ast.expr:
    """What `approx(x)` is about."""
    is_approx = isinstance(node, ast.Call) and unparsed(node.func).endswith("approx")
    return node.args[0] if is_approx and isinstance(node, ast.Call) and node.args else node


def takes_all(terms: Terms, pattern: ast.expr) -> bool:
    """Say whether a pattern finds itself in any text."""
    value = fold(pattern, terms.look)
    if not isinstance(value, str) or len(value) > _MAX_PATTERN:
        return False
    try:
        compiled = re.compile(value)
    except (re.error, OverflowError, RecursionError):
        return False
    return all(compiled.search(each) for each in _STRANGE)


def _either_is_anything(terms: Terms, check: Check) -> bool:
    sides = [each for each in (check.actual, check.expected) if each is not None]
    return any(is_anything(terms, each) for each in sides)


def _constant_comparison(terms: Terms, check: Check) -> bool:
    parts = [] if check.expected is None else [check.actual, check.expected]
    return bool(parts) and all(fold(terms.plain(part), terms.look) is not UNKNOWN for part in parts)


def _endless(check: Check) -> str:
    if check.kind is Kind.APPROX and any(
        each is not None and (each == float("inf") or each >= 1e9) for each in check.tolerance
    ):
        return "the tolerance takes every number"
    if check.kind is Kind.ORDER and check.expected is not None:
        text = unparsed(check.expected).replace(" ", "").lower()
        if "inf" in text and ("float(" in text or "math." in text or "numpy." in text):
            return "the bound is without end"
    return ""


def _constructs(node: ast.expr) -> bool:
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            name = each.func.attr if isinstance(each.func, ast.Attribute) else ""
            name = each.func.id if isinstance(each.func, ast.Name) else name
            if name[:1].isupper():
                return True
    return False


def _named(node: ast.expr | None) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} if node else set()
