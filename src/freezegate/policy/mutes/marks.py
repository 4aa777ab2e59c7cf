"""The markers that take effect on a test, from its decorators, classes, bases and module."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.classes import Classes
from freezegate.policy.mutes.modules import statements_of
from freezegate.policy.mutes.normal import without_docstring
from freezegate.policy.mutes.rows import row_text
from freezegate.policy.mutes.step import looks_like_test_code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.classes import Klass
    from freezegate.policy.mutes.modules import Side, Unit
    from freezegate.policy.mutes.names import Names, Origins

_TAKES_ROWS = frozenset({"pytest.mark.parametrize", "pytest.fixture", "parametrize"})
_ON_USE = ("__init__", "__new__", "__call__", "__enter__", "__get__", "__getattr__", "__set_name__")
# Decorators are evaluated outside of the function: nothing of its body is bound there.
_NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])
_OUTSIDE = ast.FunctionDef(name="", args=_NO_ARGUMENTS, body=[], decorator_list=[])


class Mark(NamedTuple):
    """One marker: the expression, all that it may stand for, and how far it reaches.

    `scope` is `test`, `class`, `module` or `parameter`; `row` then tells the row by its values.
    """

    node: ast.expr
    origins: Origins
    path: str
    scope: str
    row: str = ""


class Marks:
    """Markers on one side, each place read when it is asked for."""

    def __init__(self, side: Side, names: Names) -> None:
        """Read modules of a side and follow what their names stand for."""
        self._side, self._names = side, names
        self.classes = Classes(side, names)
        self._named: dict[str, Origins] = {}
        self._of_modules: dict[str, tuple[Mark, ...]] = {}
        self._reached: dict[str, Origins] = {}

    def of(self, path: str, unit: Unit) -> Iterator[Mark]:
        """Yield every marker that takes effect on a test, the nearest first."""
        for decorator in unit.node.decorator_list:
            yield self._mark(path, decorator, "test", unit)
        yield from self.of_rows(path, unit)
        yield from self.of_classes(path, unit.name.rpartition(".")[0])
        yield from self.of_module(path)

    def of_module(self, path: str) -> Iterator[Mark]:
        """Yield what `pytestmark` says at the top of a module."""
        if path not in self._of_modules:
            module = self._side.module(path)
            values = _pytestmarks(module.tree.body) if module else ()
            found = tuple(self._mark(path, value, "module", None) for value in values)
            self._of_modules[path] = found
        yield from self._of_modules[path]

    def of_classes(self, path: str, name: str) -> Iterator[Mark]:
        """Yield the markers of a class and those around it, with their bases."""
        while name:
            for klass in self.classes.hierarchy(path, name):
                yield from self._of_class(klass)
            name = name.rpartition(".")[0]

    def _of_class(self, klass: Klass) -> Iterator[Mark]:
        path, name, node = klass
        for decorator in node.decorator_list:
            yield self._mark(path, decorator, "class", None)
        for value in _pytestmarks(node.body):
            yield self._mark(path, value, "class", None)
        for keyword in node.keywords:  # a metaclass
            yield self._mark(path, keyword.value, "class", None)
        hook = f"{path}::{name}.__init_subclass__"
        if self._names.unit(hook):
            at = ast.copy_location(ast.Name(node.name, ast.Load()), node)
            yield Mark(at, self.reached(hook), path, "class")

    def of_rows(self, path: str, unit: Unit) -> Iterator[Mark]:
        """Yield markers of single rows, wherever the rows are written down."""
        for decorator in unit.node.decorator_list:
            whole = decorator.func if isinstance(decorator, ast.Call) else decorator
            if not self._names.names(path, whole) & _TAKES_ROWS:
                continue
            for where, node, row in self._in_rows(path, decorator, unit):
                mark = self._mark(where, node, "parameter", unit if where == path else None)
                yield mark._replace(row=row)

    def _in_rows(
        self, path: str, decorator: ast.expr, unit: Unit
    ) -> Iterator[tuple[str, ast.expr, str]]:
        """Names inside of rows and of what rows are made from, with the row's own text."""
        waiting: list[tuple[str, ast.AST, str]] = [(path, decorator, "")]
        seen: set[int] = set()
        while waiting:
            where, node, row = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, ast.Call) and any(k.arg in ("marks", None) for k in node.keywords):
                row = row_text(node)
            if isinstance(node, ast.Name | ast.Attribute):
                inside = unit._replace(node=_OUTSIDE) if where == path else None
                place, value = self._names.written(where, node, inside)
                if value is not node:
                    waiting.append((place, value, row))
                yield where, node, row
            children = list(ast.iter_child_nodes(node))
            waiting += [(where, each, row) for each in reversed(children)]

    def _mark(self, path: str, node: ast.expr, scope: str, unit: Unit | None) -> Mark:
        around = unit._replace(node=_OUTSIDE) if unit else None
        origins = self._names.names(path, node, around)
        return Mark(node, self.with_helpers(origins), path, scope)

    def with_helpers(self, origins: Origins) -> Origins:
        """Add what the repository's own helpers among these names use themselves."""
        return origins.union(*(self.reached(each) for each in origins if "::" in each))

    def reached(self, origin: str) -> Origins:
        """Return all that a helper of the repository names, with what its own helpers name."""
        if origin not in self._reached:
            found, waiting = set[str](), [origin]
            while waiting:
                fresh = self._named_by(waiting.pop()) - found
                found |= fresh
                waiting += [each for each in fresh if "::" in each]
            self._reached[origin] = frozenset(found)
        return self._reached[origin]

    def _named_by(self, origin: str) -> Origins:
        if origin not in self._named:
            path = origin.partition("::")[0]
            module = self._side.module(path)
            self._named[origin] = frozenset()
            if module and (module.names_framework or looks_like_test_code(path)):
                found = self._names.unit(origin)
                used = self._used(*found) if found else self._of_helper_class(origin)
                self._named[origin] = frozenset(used)
        return self._named[origin]

    def _of_helper_class(self, origin: str) -> Origins:
        """What a class stands for that is called, entered or used as a base or metaclass."""
        path, _, name = origin.removesuffix("()").partition("::")
        foreign = self.classes.foreign(path, name)
        found = frozenset[str]() if origin in foreign else foreign
        for klass in self.classes.hierarchy(path, name):
            for method in _ON_USE:
                inner = f"{klass.path}::{klass.name}.{method}"
                if self._names.unit(inner):
                    found |= {inner}
        return found

    def own_methods(self, path: str, unit: Unit, origins: Origins) -> Origins:
        """Add what the methods reach that a test calls on its own object."""
        name = unit.name.rpartition(".")[0]
        found = origins
        for origin in origins if name else ():
            holder, _, method = origin.rpartition(".")
            if holder in ("param:self", "param:cls", "builtins.super"):
                inner = self.classes.method(path, name, method)
                if inner:
                    found |= {f"{inner[0]}::{inner[1].name}"}
        return found

    def _used(self, path: str, unit: Unit) -> Iterator[str]:
        for statement in without_docstring(unit.node.body):
            for node in ast.walk(statement):
                if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
                    found = self._names.names(path, node, unit)
                    yield from self.own_methods(path, unit, found)


def _pytestmarks(body: list[ast.stmt]) -> Iterator[ast.expr]:
    for statement in statements_of(body):
        match statement:
            case ast.Assign():
                named = [t.id for t in statement.targets if isinstance(t, ast.Name)]
            case ast.AnnAssign(target=ast.Name()) | ast.AugAssign(target=ast.Name()):
                assert isinstance(statement.target, ast.Name)  # noqa: S101 - the pattern says so
                named = [statement.target.id]
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="pytestmark")))):
                assert isinstance(statement.value, ast.Call)  # noqa: S101 - the pattern says so
                yield from statement.value.args
                continue
            case _:
                continue
        if "pytestmark" in named and statement.value is not None:
            value = statement.value
            yield from value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
