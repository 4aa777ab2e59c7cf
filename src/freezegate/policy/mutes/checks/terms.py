"""The local names of a function replaced by what they stand for, as its statements run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.modules import Function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from freezegate.policy.mutes.modules import Unit
    from freezegate.policy.mutes.names import Names

_MAX_NODES = 300  # of an expression with its names replaced
_DISPLAYS = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp
_FIXED = (int, float, str, bytes, tuple, type(None))
_LITERALS = ast.Constant | ast.UnaryOp | ast.Tuple | ast.List | ast.Dict | ast.Set | ast.BinOp


class Terms:
    """What local names stand for at one place of a function; `bind` as the statements go by."""

    def __init__(
        self, names: Names, path: str, unit: Unit, given: Mapping[str, ast.expr] | None = None
    ) -> None:
        """Start at the top of a function, with what its parameters stand for where known."""
        self.names, self.path, self.unit = names, path, unit
        self._values: dict[str, ast.expr] = dict(given or {})
        self._maybe: dict[str, list[ast.expr]] = {}
        self._escaping = frozenset(_escaping(unit.node))
        self._elsewhere = frozenset(_rebound_inside(unit.node))
        self._local = frozenset(_local_names(unit.node))

    def normal(self, node: ast.expr) -> ast.expr:
        """Return an expression with its names replaced by what they stand for."""
        found = replaced(node, self._value_of, self._module_value)
        return node if _larger_than(found, _MAX_NODES) else found

    def plain(self, node: ast.expr) -> ast.expr:
        """The same for other names of the same thing, and for values that cannot change."""
        return replaced(node, self._plain_value_of)

    def look(self, name: str) -> ast.expr | None:
        """Return the unchanging value of a name, for `fold` and `truth`."""
        value = self._plain_value_of(name)
        if value is not None or name in self._local:
            return value if isinstance(value, ast.Constant | ast.Tuple | ast.UnaryOp) else None
        found = self.names.names(self.path, ast.Name(name, ast.Load()), self.unit)
        if found and all(self.names.unit(each) for each in found):
            return ast.Lambda(ast.arguments([], [], None, [], [], None, []), ast.Constant(None))
        bound = self.names.constant(self.path, name, self.unit)
        return bound if bound is not None and not isinstance(bound, _DISPLAYS) else None

    def held(self, name: str) -> ast.expr | None:
        """Return what a name stands for where nothing can have changed it since."""
        value = self._value_of(name)
        return None if value is None or self.escapes(ast.Name(name, ast.Load())) else value

    def bind(self, target: ast.expr, value: ast.expr | None) -> None:
        """Take note of an assignment; None where the value is not known."""
        if isinstance(target, ast.Name):
            self._bind_name(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            for place, inner in enumerate(target.elts):
                self.bind(inner, _item(value, place, len(target.elts)))
        elif isinstance(target, ast.Starred):
            self.bind(target.value, None)

    def bind_changed(self, node: ast.AugAssign) -> None:
        """Take note of `x += 1`, where it is known what x was."""
        assert isinstance(node.target, ast.Name)  # noqa: S101 - asked by the caller
        was = self._value_of(node.target.id)
        if was is None or _is_item(was):
            self.forget([node.target.id])
        else:
            self._bind_name(node.target.id, ast.BinOp(was, node.op, self.normal(node.value)))

    def bind_sorted(self, call: ast.expr) -> None:
        """Take note of `x.sort()`: from here on it is `sorted(x)`."""
        match call:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="sort" | "reverse" as how)
            ):
                was = self._values.get(name)
                word = ast.Name("sorted" if how == "sort" else "reversed", ast.Load())
                if was is not None and not _is_item(was) and not isinstance(was, _DISPLAYS):
                    self._bind_name(name, ast.Call(word, [was], call.keywords))
            case _:
                pass

    def forget(self, names: Iterable[str]) -> None:
        """Know no longer what names stand for: a block bound them that may not have run."""
        for name in names:
            value = self._values.pop(name, None)
            if value is not None:
                self._maybe.setdefault(name, []).append(value)

    def at_times(self, node: ast.expr) -> list[ast.expr]:
        """Return what a name also stands for, in a branch or a loop that may have run."""
        return self._maybe.get(node.id, []) if isinstance(node, ast.Name) else []

    def snapshot(self) -> dict[str, ast.expr]:
        """Return what is known here, for `restore`."""
        return dict(self._values)

    def restore(self, values: dict[str, ast.expr]) -> None:
        """Know again what was known there."""
        self._values = values

    def escapes(self, node: ast.AST, *, but: ast.AST | None = None) -> bool:
        """Say whether something in an expression is handed on, and so may change.

        What is handed to `but` alone, one call that is made several times, does not count.
        """
        left_out = ast.dump(but) if but is not None else ""
        names = frozenset(_escaping(self.unit.node, left_out)) if but else self._escaping
        return any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(node))

    def _bind_name(self, name: str, value: ast.expr | None) -> None:
        self._maybe.pop(name, None)
        if value is None or name in self._elsewhere:
            self._values.pop(name, None)
        else:
            self._values[name] = value

    def _value_of(self, name: str) -> ast.expr | None:
        value = self._values.get(name)
        if isinstance(value, _DISPLAYS) and name in self._escaping:
            return None
        if value is None and name not in self._local:
            return self._constant(name)
        return value

    def _constant(self, name: str) -> ast.expr | None:
        path, value = self.names.written(self.path, ast.Name(name, ast.Load()), self.unit)
        if isinstance(value, ast.Name):
            return value if path == self.path and value.id != name else None
        known = isinstance(value, _LITERALS) and not _larger_than(value, _MAX_NODES)
        return value if known else None

    def _module_value(self, node: ast.Attribute) -> ast.expr | None:
        """Return what a name of another module is bound to, where that is written as a literal."""
        holder = node.value
        if not (isinstance(holder, ast.Name) and isinstance(node.ctx, ast.Load)):
            return None
        if holder.id in self._local or holder.id in self._values:
            return None
        path, value = self.names.written(self.path, node, self.unit)
        known = isinstance(value, _LITERALS) and not _larger_than(value, _MAX_NODES)
        return value if known and path != self.path else None

    def _plain_value_of(self, name: str) -> ast.expr | None:
        value = self._values.get(name)
        if isinstance(value, ast.Name):
            return value
        if isinstance(value, ast.Constant | ast.UnaryOp | ast.BinOp | ast.Tuple):
            return value if isinstance(fold(value), _FIXED) else None
        return None


def replaced(
    node: ast.expr,
    value_of: Callable[[str], ast.expr | None],
    attribute_of: Callable[[ast.Attribute], ast.expr | None] = lambda _: None,
) -> ast.expr:
    """Return an expression with names replaced; what does not change is shared, not copied.

    `attribute_of` answers for names of other modules: `shop.LIMIT`.
    """
    found = _replaced(node, value_of, attribute_of)
    assert isinstance(found, ast.expr)  # noqa: S101 - an expression stays one
    return found


def _replaced(
    node: ast.AST,
    value_of: Callable[[str], ast.expr | None],
    attribute_of: Callable[[ast.Attribute], ast.expr | None],
) -> ast.AST:
    if isinstance(node, ast.Name):
        value = value_of(node.id) if isinstance(node.ctx, ast.Load) else None
        return node if value is None else value
    if isinstance(node, ast.NamedExpr):
        return _replaced(node.value, value_of, attribute_of)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        value = attribute_of(node)
        if value is not None:
            return value
    changed = {}
    for field, old in ast.iter_fields(node):
        new: object = old
        if isinstance(old, ast.AST):
            new = _replaced(old, value_of, attribute_of)
        elif isinstance(old, list):
            parts = [
                _replaced(e, value_of, attribute_of) if isinstance(e, ast.AST) else e for e in old
            ]
            new = old if all(a is b for a, b in zip(parts, old, strict=True)) else parts
        if new is not old:
            changed[field] = new
    if not changed:
        return node
    copy = type(node)(**{**dict(ast.iter_fields(node)), **changed})
    return ast.copy_location(copy, node)


def _is_item(node: ast.expr) -> bool:
    """Whether a name stands for what a loop goes through, and not for what was computed."""
    return isinstance(node, ast.Name) and node.id.startswith("<")


def _larger_than(node: ast.AST, most: int) -> bool:
    return any(count >= most for count, _ in enumerate(ast.walk(node)))


def _item(value: ast.expr | None, place: int, count: int) -> ast.expr | None:
    if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == count:
        return value.elts[place]
    return value and ast.Subscript(value, ast.Constant(place), ast.Load())


def _escaping(function: Function, left_out: str = "") -> Iterator[str]:
    """Names whose values a call, a method or an assignment of a part may change."""
    for node in ast.walk(function):
        match node:
            case ast.Call() if left_out and ast.dump(node) == left_out:
                pass
            case ast.Call():
                parts = [*node.args, *(keyword.value for keyword in node.keywords)]
                if isinstance(node.func, ast.Attribute):
                    parts.append(node.func.value)
                yield from (each.id for each in parts if isinstance(each, ast.Name))
            case ast.Subscript(value=ast.Name()) | ast.Attribute(value=ast.Name()):
                if not isinstance(node.ctx, ast.Load):
                    assert isinstance(node.value, ast.Name)  # noqa: S101 - the pattern says so
                    yield node.value.id
            case ast.AugAssign(target=ast.Name()):
                assert isinstance(node.target, ast.Name)  # noqa: S101 - the pattern says so
                yield node.target.id
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() if node is not function:
                yield from (n.id for n in ast.walk(node) if isinstance(n, ast.Name))
            case _:
                pass


def _rebound_inside(function: Function) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Nonlocal | ast.Global):
            yield from node.names


def _local_names(function: Function) -> Iterator[str]:
    for node in ast.walk(function):
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del()):
                yield node.id
            case ast.arg():
                yield node.arg
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if (
                node is not function
            ):
                yield node.name
            case ast.ExceptHandler(name=str()):
                assert node.name  # noqa: S101 - the pattern says so
                yield node.name
            case _:
                pass
