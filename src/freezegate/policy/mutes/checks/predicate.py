"""Which checks a condition makes: `and` makes several, `not` turns them round."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.scale import Check, Kind
from freezegate.policy.mutes.checks.tautology import (
    always_holds,
    compares_itself,
    constant_truth,
)
from freezegate.policy.mutes.checks.tolerances import tolerance_of, unwrapped
from freezegate.policy.mutes.constants import UNKNOWN, fold
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.terms import Terms

_KINDS: dict[type[ast.cmpop], Kind] = {
    ast.Eq: Kind.EQUAL,
    ast.NotEq: Kind.UNEQUAL,
    ast.Is: Kind.IDENTICAL,
    ast.IsNot: Kind.UNEQUAL,
    ast.In: Kind.PART,
    ast.NotIn: Kind.NOT_IN,
    ast.Lt: Kind.ORDER,
    ast.LtE: Kind.ORDER,
    ast.Gt: Kind.ORDER,
    ast.GtE: Kind.ORDER,
}
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}
_WORDS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPERATORS: dict[str, type[ast.cmpop]] = {
    "operator.eq": ast.Eq,
    "operator.ne": ast.NotEq,
    "operator.is_": ast.Is,
    "operator.is_not": ast.IsNot,
    "operator.lt": ast.Lt,
    "operator.le": ast.LtE,
    "operator.gt": ast.Gt,
    "operator.ge": ast.GtE,
}
_TYPES = frozenset(("isinstance", "issubclass", "hasattr", "callable"))
_PATTERNS = frozenset(("match", "search", "fullmatch"))
_REORDERING = frozenset(("sorted", "set", "frozenset", "Counter"))


def checks_in(terms: Terms, condition: ast.expr, *, holds: bool = True) -> Iterator[Check]:
    """Yield what is checked where a condition is asserted to hold, or not to."""
    match condition:
        case ast.UnaryOp(op=ast.Not()):
            yield from checks_in(terms, condition.operand, holds=not holds)
        case ast.BoolOp() if isinstance(condition.op, ast.And) is holds:
            for value in condition.values:
                yield from checks_in(terms, value, holds=holds)
        case ast.Compare() if holds or len(condition.ops) == 1:
            left = condition.left
            for op, right in zip(condition.ops, condition.comparators, strict=True):
                yield _marked(terms, _comparison(terms, condition, left, op, right, holds=holds))
                left = right
        case ast.Call(func=ast.Name(id="bool"), args=[inner], keywords=[]):
            yield from checks_in(terms, inner, holds=holds)
        case ast.IfExp() if constant_truth(terms, condition) is None:
            yield from _chosen(terms, condition, holds=holds)
        case ast.NamedExpr():
            yield from checks_in(terms, condition.value, holds=holds)
        case ast.Name() if _worth_following(terms, condition):
            yield from checks_in(terms, terms.normal(condition), holds=holds)
        case _:
            yield _marked(terms, _of_value(terms, condition, holds=holds), condition, holds=holds)


def _chosen(terms: Terms, node: ast.IfExp, *, holds: bool) -> Iterator[Check]:
    guard = unparsed(terms.normal(node.test))
    for part, said in ((node.body, guard), (node.orelse, f"not {guard}")):
        for each in checks_in(terms, part, holds=holds):
            yield each._replace(guards=(said, *each.guards))


def _worth_following(terms: Terms, name: ast.Name) -> bool:
    """`ok = total() == 3` and then `assert ok` is the same check."""
    value = terms.normal(name)
    return isinstance(value, ast.Compare | ast.BoolOp | ast.UnaryOp)


def _marked(
    terms: Terms, check: Check, whole: ast.expr | None = None, *, holds: bool = True
) -> Check:
    dead = always_holds(terms, check, whole, holds=holds)
    return check._replace(dead=dead) if dead else check


def _comparison(
    terms: Terms, whole: ast.expr, left: ast.expr, op: ast.cmpop, right: ast.expr, *, holds: bool
) -> Check:
    kind = type(op) if holds else _OPPOSITE[type(op)]
    inner = _compared_with_truth(left, kind, right)
    if inner is not None:
        return next(checks_in(terms, inner[0], holds=inner[1]))
    return comparison(terms, whole, left, kind, right)


def comparison(
    terms: Terms, node: ast.AST, left: ast.expr, op: type[ast.cmpop], right: ast.expr
) -> Check:
    """Return the check that two expressions compare so."""
    kind, word = _KINDS[op], _WORDS.get(op, "")
    if is_known(terms, left) and not is_known(terms, right) and op is not ast.In:
        left, right, word = right, left, _TURNED.get(word, word)
    if compares_itself(terms, left, right) and kind in (Kind.EQUAL, Kind.IDENTICAL):
        return Check(Kind.SELF, node, terms.normal(left), terms.normal(right))
    actual, expected = terms.normal(left), terms.normal(right)
    if op is ast.In and is_known(terms, right):
        return Check(Kind.ONE_OF, node, actual, expected)
    if op in (ast.In, ast.NotIn):
        return Check(kind, node, expected, actual)
    if isinstance(expected, ast.Constant) and expected.value is None:
        if op in (ast.IsNot, ast.NotEq):
            return Check(Kind.NOT_NONE, node, actual)
        return Check(Kind.IDENTICAL, node, actual, expected)
    return _refined(terms, Check(kind, node, actual, expected, word=word))


def _refined(terms: Terms, check: Check) -> Check:
    """Lengths, tolerances and sides whose order is lost."""
    assert check.expected is not None  # noqa: S101 - of a comparison
    size = _sized(check.actual)
    if size is not None and check.kind in (Kind.EQUAL, Kind.ORDER, Kind.UNEQUAL):
        return _length(check, size)
    if _called(check.actual) == "type" and check.kind in (Kind.EQUAL, Kind.IDENTICAL):
        assert isinstance(check.actual, ast.Call)  # noqa: S101 - it is called
        if check.actual.args:
            return check._replace(kind=Kind.TYPE, actual=check.actual.args[0], word="exact")
    if check.kind in (Kind.EQUAL, Kind.ORDER):
        tolerance = tolerance_of(terms, check)
        if tolerance is not None:
            return unwrapped(check._replace(kind=Kind.APPROX, word=""), tolerance)
    if check.kind is Kind.EQUAL:
        reordered = [_called(each) for each in (check.actual, check.expected)]
        if reordered[0] in _REORDERING and reordered[0] == reordered[1]:
            return _unordered(check)
    return check


def _unordered(check: Check) -> Check:
    assert isinstance(check.actual, ast.Call)  # noqa: S101 - asked by the caller
    assert isinstance(check.expected, ast.Call)  # noqa: S101 - asked by the caller
    if not (check.actual.args and check.expected.args):
        return check
    actual, expected = check.actual.args[0], check.expected.args[0]
    return check._replace(kind=Kind.UNORDERED, actual=actual, expected=expected)


def _length(check: Check, sized: ast.expr) -> Check:
    value = fold(check.expected) if check.expected is not None else UNKNOWN
    word = check.word or ("==" if check.kind is Kind.EQUAL else "!=")
    match (word, value):
        case ("==", 0) | ("<", 1) | ("<=", 0):
            return Check(Kind.FALSY, check.node, sized)
        case (">", 0) | (">=", 1) | ("!=", 0):
            return Check(Kind.TRUTHY, check.node, sized)
        case (">=", 0) | (">", -1) | ("!=", -1):
            said = "a length is never negative"
            return Check(Kind.TRUTHY, check.node, check.actual, dead=said)
        case _:
            return check._replace(kind=Kind.LENGTH, word=word, actual=sized)


def _of_value(terms: Terms, node: ast.expr, *, holds: bool) -> Check:
    normal = terms.normal(node)
    size = _sized(normal)
    if size is not None:
        return Check(Kind.TRUTHY if holds else Kind.FALSY, node, size)
    if isinstance(normal, ast.BoolOp):
        return Check(Kind.EITHER, node, normal)
    if not isinstance(normal, ast.Call):
        return Check(Kind.TRUTHY if holds else Kind.FALSY, node, normal)
    origins = terms.names.names(terms.path, normal.func, terms.unit)
    for origin, op in _OPERATORS.items():
        if origin in origins and len(normal.args) == 2:
            wanted = op if holds else _OPPOSITE[op]
            return comparison(terms, node, normal.args[0], wanted, normal.args[1])
    return _of_call(terms, node, normal, origins, holds=holds)


def _of_call(
    terms: Terms, node: ast.expr, call: ast.Call, origins: frozenset[str], *, holds: bool
) -> Check:
    name = _called(call)
    first = call.args[0] if call.args else call
    second = call.args[1] if len(call.args) > 1 else None
    owner = call.func.value if isinstance(call.func, ast.Attribute) else first
    if name in _TYPES and f"builtins.{name}" in origins:
        return Check(Kind.TYPE, node, first, second, word=name if holds else f"not {name}")
    if name in ("all", "any") and f"builtins.{name}" in origins:
        kind = Kind.ALL if (name == "all") is holds else Kind.ANY
        return Check(kind, node, first, word="" if holds else "not")
    if not holds:
        return Check(Kind.FALSY, node, call)
    tolerance = tolerance_of(terms, Check(Kind.TRUTHY, node, call))
    if tolerance is not None and second is not None:
        return Check(Kind.APPROX, node, first, second, tolerance=tolerance)
    if name in ("startswith", "endswith", "issubset", "issuperset") and call.args:
        return Check(Kind.PART, node, owner, first, word=name)
    if name in _PATTERNS and any(each.startswith("re.") for each in origins):
        compiled = isinstance(owner, ast.Call) and _called(owner) == "compile" and owner.args
        pattern = owner.args[0] if compiled and isinstance(owner, ast.Call) else first
        looked_at = first if compiled else (second or call)
        return Check(Kind.REGEX, node, looked_at, pattern, word=name)
    return Check(Kind.TRUTHY, node, call)


def is_known(terms: Terms, node: ast.expr) -> bool:
    """Say whether an operand is written down, and not computed by what is tested."""
    if fold(node, terms.look) is not UNKNOWN:
        return True
    normal = terms.normal(node)
    return isinstance(normal, ast.List | ast.Tuple | ast.Dict | ast.Set) or (
        isinstance(normal, ast.Call) and _called(normal) == "approx"
    )


def _compared_with_truth(
    left: ast.expr, op: type[ast.cmpop], right: ast.expr
) -> tuple[ast.expr, bool] | None:
    """`(a == b) is True` is `a == b`."""
    for inner, value in ((left, right), (right, left)):
        known = isinstance(value, ast.Constant) and isinstance(value.value, bool)
        if known and isinstance(inner, ast.Compare | ast.BoolOp) and op in (ast.Eq, ast.Is):
            assert isinstance(value, ast.Constant)  # noqa: S101 - asked above
            return inner, bool(value.value)
    return None


def _sized(node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.Call) and _called(node) == "len" and len(node.args) == 1:
        return node.args[0]
    return None


def _called(node: ast.expr) -> str:
    if not isinstance(node, ast.Call):
        return ""
    match node.func:
        case ast.Name():
            return node.func.id
        case ast.Attribute():
            return node.func.attr
        case _:
            return ""
