"""The markers that take effect on a test, from its decorators, classes, bases and module."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.modules import statements_of
from freezegate.policy.mutes.normal import without_docstring

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Side, Unit
    from freezegate.policy.mutes.names import Names, Origins

_MAX_BASES = 20
_MAX_REACH = 4  # helpers that call helpers
# Decorators are evaluated outside of the function: nothing of its body is bound there.
_NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])
_OUTSIDE = ast.FunctionDef(name="", args=_NO_ARGUMENTS, body=[], decorator_list=[])


class Mark(NamedTuple):
    """One marker: the expression, all that it may stand for, and how far it reaches.

    `scope` is `test`, `class`, `module` or `parameter`.
    """

    node: ast.expr
    origins: Origins
    path: str
    scope: str


class Marks:
    """Markers on one side, each place read when it is asked for."""

    def __init__(self, side: Side, names: Names) -> None:
        """Read modules of a side and follow what their names stand for."""
        self._side, self._names = side, names
        self._reached: dict[str, Origins] = {}

    def of(self, path: str, unit: Unit) -> Iterator[Mark]:
        """Yield every marker that takes effect on a test, the nearest first."""
        for decorator in unit.node.decorator_list:
            yield self._mark(path, decorator, "test", unit)
            yield from self._of_parameters(path, decorator, unit)
        for klass in reversed(unit.classes):
            yield from self._of_class(path, klass, 0)
        yield from self.of_module(path)

    def of_module(self, path: str) -> Iterator[Mark]:
        """Yield what `pytestmark` says at the top of a module."""
        module = self._side.module(path)
        if module:
            for value in _pytestmarks(module.tree.body):
                yield self._mark(path, value, "module", None)

    def _of_class(self, path: str, klass: ast.ClassDef, depth: int) -> Iterator[Mark]:
        for decorator in klass.decorator_list:
            yield self._mark(path, decorator, "class", None)
        for value in _pytestmarks(klass.body):
            yield self._mark(path, value, "class", None)
        if depth < _MAX_BASES:
            for base in klass.bases:
                yield from self._of_base(path, base, depth + 1)

    def _of_base(self, path: str, base: ast.expr, depth: int) -> Iterator[Mark]:
        for origin in sorted(self._names.names(path, base)):
            file, _, name = origin.partition("::")
            module = self._side.module(file) if name else None
            if module and name in module.classes:
                yield from self._of_class(file, module.classes[name], depth)

    def _of_parameters(self, path: str, decorator: ast.expr, unit: Unit) -> Iterator[Mark]:
        """`marks=` of `pytest.param`, wherever the rows are written down."""
        for call in self._parameters(path, decorator, unit):
            for keyword in call.keywords:
                if keyword.arg == "marks":
                    yield self._mark(path, keyword.value, "parameter", unit)

    def _parameters(self, path: str, decorator: ast.expr, unit: Unit) -> Iterator[ast.Call]:
        waiting: list[ast.AST] = [decorator]
        seen: set[str] = set()
        while waiting:
            for node in ast.walk(waiting.pop()):
                if isinstance(node, ast.Call) and any(k.arg == "marks" for k in node.keywords):
                    yield node
                elif isinstance(node, ast.Name) and node.id not in seen:
                    seen.add(node.id)
                    value = self._names.constant(path, node.id, unit)
                    waiting += [value] if value else []

    def _mark(self, path: str, node: ast.expr, scope: str, unit: Unit | None) -> Mark:
        around = unit._replace(node=_OUTSIDE) if unit else None
        origins = self._names.names(path, node, around)
        return Mark(node, self.with_helpers(origins), path, scope)

    def with_helpers(self, origins: Origins, depth: int = 0) -> Origins:
        """Add what the repository's own helpers among these names use themselves."""
        found = origins
        for origin in origins:
            if "::" in origin and depth < _MAX_REACH:
                found |= self.reached(origin, depth)
        return found

    def reached(self, origin: str, depth: int = 0) -> Origins:
        """Return all that a helper of the repository names, with what its own helpers name."""
        if origin not in self._reached:
            self._reached[origin] = frozenset()  # a helper that calls itself
            found = self._names.unit(origin)
            used = frozenset(self._used(*found)) if found else frozenset[str]()
            self._reached[origin] = self.with_helpers(used, depth + 1)
        return self._reached[origin]

    def _used(self, path: str, unit: Unit) -> Iterator[str]:
        for statement in without_docstring(unit.node.body):
            for node in ast.walk(statement):
                if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
                    yield from self._names.names(path, node, unit)


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
