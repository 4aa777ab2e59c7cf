"""Hypothesis in a function: its decorators and strategies, with names and helpers followed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.helpers import arguments_of, own_function
from freezegate.policy.mutes.checks.terms import Terms, replaced
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.pairing import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.names import Names

_MAX_ROUNDS = 4  # names that stand for names, helpers that call helpers
_LIBRARY = "hypothesis"
_DRAWING = ("hypothesis.strategies.", "hypothesis.extra.")


class Drawing:
    """What expressions in one function, or at the top of a module, mean to Hypothesis."""

    def __init__(self, names: Names, place: Place) -> None:
        """Look at one function of one side."""
        self.names, self.place = names, place
        self._terms = Terms(names, *place)

    def called(self, node: ast.expr) -> str:
        """Return what of Hypothesis an expression is or calls (`given`, `integers`), or nothing."""
        for origin in sorted(self.names.names(self.place.path, node, self.place.unit)):
            if origin.split(".")[0] == _LIBRARY:
                return origin.rpartition(".")[2]
        return ""

    def is_strategy(self, node: ast.expr) -> bool:
        """Say whether an expression makes a strategy by the library's own functions."""
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr="filter" | "map" | "flatmap")):
                return self.is_strategy(inner)
            case ast.BinOp(op=ast.BitOr()):
                return self.is_strategy(node.left) and self.is_strategy(node.right)
            case ast.Call():
                found = self.names.names(self.place.path, node.func, self.place.unit)
                return any(origin.startswith(_DRAWING) for origin in found)
            case _:
                return False

    def expanded(self, node: ast.expr) -> ast.expr:
        """Return an expression with constants and the tests' own helpers written out."""
        found = node
        for _ in range(_MAX_ROUNDS):
            before = found
            found = self._helpers_written_out(replaced(found, self._value_of))
            if found is before:
                break
        return found

    def helper_calls(self, call: ast.Call, words: tuple[str, ...]) -> bool:
        """Say whether a helper of the tests calls one of these functions of Hypothesis."""
        target = own_function(self._terms, call)
        if target is None or target[1].node is self.place.unit.node:
            return False
        inner = Drawing(self.names, Place(*target))
        calls = (n for n in ast.walk(target[1].node) if isinstance(n, ast.Call))
        return any(inner.called(each.func) in words for each in calls)

    def strategies(self) -> Iterator[tuple[str, ast.expr]]:
        """Yield the strategies that a body draws from, each with the name it is drawn for."""
        for statement in self.place.unit.node.body:
            yield from self._in(statement, "")

    def decorators(self, name: str) -> list[ast.expr]:
        """Return the decorators of a function, and of its classes, that are this of Hypothesis."""
        unit = self.place.unit
        around = [each for klass in unit.classes for each in klass.decorator_list]
        every = [self._written(each) for each in (*unit.node.decorator_list, *around)]
        return [each for each in every if self._decorates(each) == name]

    def _written(self, node: ast.expr) -> ast.expr:
        return replaced(node, self._value_of)

    def _decorates(self, node: ast.expr) -> str:
        """`example(1).xfail()` and `settings(given(...))` are what stands innermost."""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if not isinstance(node.func.value, ast.Call):
                break
            node = node.func.value
        return self.called(node.func if isinstance(node, ast.Call) else node)

    def _in(self, node: ast.AST, target: str) -> Iterator[tuple[str, ast.expr]]:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            first = node.targets[0] if isinstance(node, ast.Assign) else node.target
            target = unparsed(first)
        if isinstance(node, ast.expr) and self.is_strategy(node):
            yield target, self.expanded(node)
            return
        for child in ast.iter_child_nodes(node):
            yield from self._in(child, target)

    def _value_of(self, name: str) -> ast.expr | None:
        asked = ast.Name(name, ast.Load())
        value = self.names.written(self.place.path, asked, self.place.unit)[1]
        return None if isinstance(value, ast.Lambda) or value is asked else value

    def _helpers_written_out(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Call):
            return node
        target = own_function(self._terms, node)
        if target is None:
            return node
        answers = [n for n in ast.walk(target[1].node) if isinstance(n, ast.Return)]
        if len(answers) != 1 or answers[0].value is None or len(target[1].node.body) > 2:
            return node
        given = arguments_of(self._terms, node, target[1].node)
        return replaced(answers[0].value, given.get)
