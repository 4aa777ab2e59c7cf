"""What an expression is worth where every part of it is written down: small values only."""

from __future__ import annotations

import ast
import operator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_MAX_SIZE = 10_000  # of texts, tuples and numbers that are computed
_MAX_DEPTH = 40
_MAX_NAMES = 300  # that one expression asks for


class _Unknown:
    """What is not known before the program runs."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()


class _Look:
    """Looks names up: what is bound from itself is not known, and so is what asks for too many."""

    def __init__(self, look: Callable[[str], ast.expr | None] | None) -> None:
        self._look, self._open, self._left = look, set[str](), _MAX_NAMES

    @staticmethod
    def of(look: Callable[[str], ast.expr | None] | None) -> _Look:
        return look if isinstance(look, _Look) else _Look(look)

    def __call__(self, name: str) -> ast.expr | None:
        self._left -= 1
        if self._look is None or name in self._open or self._left < 0:
            return None
        return self._look(name)

    def last(self, node: ast.Name) -> str:
        """Follow names that are bound to names, however many there are."""
        seen = {node.id}
        while self._look is not None:
            bound = self._look(node.id)
            if not isinstance(bound, ast.Name) or bound.id in seen:
                break
            seen.add(bound.id)
            node = bound
        return node.id

    @contextmanager
    def inside(self, name: str) -> Iterator[ast.expr | None]:
        bound = self(name)
        if bound is None:
            yield None
            return
        self._open.add(name)
        try:
            yield bound
        finally:
            self._open.discard(name)


_BINARY: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_COMPARED: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, holder: item in holder,
    ast.NotIn: lambda item, holder: item not in holder,
}
_UNARY: Mapping[type[ast.AST], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_CALLED: Mapping[str, Callable[..., Any]] = {
    "bool": bool,
    "int": int,
    "str": str,
    "len": len,
    "any": any,
    "all": all,
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "dict": dict,
    "chr": chr,
    "not_": operator.not_,
    "sum": sum,
    "min": min,
    "max": max,
    "abs": abs,
    "isinstance": isinstance,
}
_METHODS = frozenset(
    ("join", "lower", "upper", "strip", "startswith", "endswith", "split", "title")
)
# True at run time, and False for type checkers alone.
_KNOWN_NAMES: Mapping[str, Any] = {"__debug__": True, "TYPE_CHECKING": False}


def fold(node: ast.expr, look: Callable[[str], ast.expr | None] | None = None) -> Any:
    """Return what an expression is worth, or UNKNOWN.

    `look` gives the one expression that a name is bound to, None where there is none or several.
    """
    try:
        return _fold(node, _Look.of(look), 0)
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, MemoryError):
        return UNKNOWN
    except RecursionError:
        return UNKNOWN


def truth(node: ast.expr, look: Callable[[str], ast.expr | None] | None = None) -> bool | None:
    """Return whether a condition always holds or never does, None where that is not known.

    `and` and `or` are decided by one of their parts alone.
    """
    look = _Look.of(look)
    if isinstance(node, ast.BoolOp):
        found = [truth(value, look) for value in node.values]
        decisive = isinstance(node.op, ast.Or)
        if decisive in found:
            return decisive
        return None if None in found else not decisive
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = truth(node.operand, look)
        return None if inner is None else not inner
    if isinstance(node, ast.Lambda):
        return True
    value = fold(node, look)
    return None if value is UNKNOWN else bool(value)


def _fold(node: ast.expr, look: _Look, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        return UNKNOWN
    value = _value(node, look, depth + 1)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**64:
        return UNKNOWN
    if isinstance(value, str | bytes | tuple | list | dict | set) and len(value) > _MAX_SIZE:
        return UNKNOWN
    return value


def _value(node: ast.expr, look: _Look, depth: int) -> Any:
    def part(inner: ast.expr) -> Any:
        return _fold(inner, look, depth)

    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            name = look.last(node)
            with look.inside(name) as bound:
                return part(bound) if bound else _KNOWN_NAMES.get(name, UNKNOWN)
        case ast.Attribute(attr="TYPE_CHECKING"):
            return False
        case ast.Tuple() | ast.List() | ast.Set():
            return _collected(node, [part(each) for each in node.elts])
        case ast.Dict():
            keys = [part(key) if key else UNKNOWN for key in node.keys]
            values = [part(value) for value in node.values]
            unknown = any(each is UNKNOWN for each in (*keys, *values))
            return UNKNOWN if unknown else dict(zip(keys, values, strict=True))
        case ast.NamedExpr():
            return part(node.value)
        case ast.IfExp():
            chosen = truth(node.test, look)
            return UNKNOWN if chosen is None else part(node.body if chosen else node.orelse)
        case ast.BoolOp():
            return _chained(node, look, part)
        case ast.Lambda() | ast.GeneratorExp() | ast.ListComp() | ast.Starred():
            return UNKNOWN
        case _:
            return _computed(node, part)


def _collected(node: ast.expr, values: list[Any]) -> Any:
    if any(each is UNKNOWN for each in values):
        return UNKNOWN
    kind: Callable[[list[Any]], Any] = {ast.Tuple: tuple, ast.Set: frozenset}.get(type(node), list)
    return kind(values)


def _chained(node: ast.BoolOp, look: _Look, part: Callable[[ast.expr], Any]) -> Any:
    decided = truth(node, look)
    values = [part(each) for each in node.values]
    if any(each is UNKNOWN for each in values):
        return UNKNOWN if decided is None else decided
    stop = isinstance(node.op, ast.Or)
    return next((each for each in values if bool(each) is stop), values[-1])


def _computed(node: ast.expr, part: Callable[[ast.expr], Any]) -> Any:
    match node:
        case ast.UnaryOp():
            value = part(node.operand)
            return value if value is UNKNOWN else _UNARY[type(node.op)](value)
        case ast.BinOp():
            left, right = part(node.left), part(node.right)
            unknown = left is UNKNOWN or right is UNKNOWN
            if unknown or _may_grow(node.op, left, right):
                return UNKNOWN
            return _BINARY[type(node.op)](left, right)
        case ast.Compare():
            return _compared(node, part)
        case ast.Subscript():
            holder, key = part(node.value), part(node.slice)
            return UNKNOWN if holder is UNKNOWN or key is UNKNOWN else holder[key]
        case ast.JoinedStr():
            texts = [part(each) for each in node.values]
            return UNKNOWN if any(t is UNKNOWN for t in texts) else "".join(map(str, texts))
        case ast.FormattedValue(format_spec=None):
            return part(node.value)
        case ast.Call(keywords=[]):
            return _called(node, [part(each) for each in node.args], part)
        case _:
            return UNKNOWN


def _may_grow(op: ast.operator, left: Any, right: Any) -> bool:
    """Texts that are multiplied or formatted can take all memory there is."""
    if isinstance(op, ast.Mod):
        return isinstance(left, str | bytes)
    if not isinstance(op, ast.Mult):
        return False
    sizes = [len(each) if hasattr(each, "__len__") else abs(each) for each in (left, right)]
    return bool(sizes[0] * sizes[1] > _MAX_SIZE)


def _compared(node: ast.Compare, part: Callable[[ast.expr], Any]) -> Any:
    if len(node.ops) == 1 and ast.dump(node.left) == ast.dump(node.comparators[0]):
        same = _same_thing(node)
        if same is not None:
            return same
    values = [part(each) for each in (node.left, *node.comparators)]
    if any(each is UNKNOWN for each in values):
        return UNKNOWN
    pairs = zip(node.ops, values[:-1], values[1:], strict=True)
    return all(_COMPARED[type(op)](left, right) for op, left, right in pairs)


def _same_thing(node: ast.Compare) -> bool | None:
    """A plain name beside itself: `x == x` says nothing of x."""
    if not isinstance(node.left, ast.Name | ast.Attribute | ast.Constant):
        return None
    match node.ops[0]:
        case ast.Eq() | ast.Is() | ast.LtE() | ast.GtE():
            return True
        case ast.NotEq() | ast.IsNot() | ast.Lt() | ast.Gt():
            return False
        case _:
            return None


def _called(node: ast.Call, values: list[Any], part: Callable[[ast.expr], Any]) -> Any:
    if any(each is UNKNOWN for each in values):
        return UNKNOWN
    if isinstance(node.func, ast.Name) and node.func.id in _CALLED:
        return _CALLED[node.func.id](*values)
    if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        text = part(node.func.value)
        return getattr(text, node.func.attr)(*values) if isinstance(text, str) else UNKNOWN
    return UNKNOWN
