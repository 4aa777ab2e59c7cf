"""What is a value in the test code, as far as is known without running anything?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.domain.surface_known import (
    COMPOSITE,
    TEXT_VALUES,
    TYPE_MAKERS,
    Kind,
    known_call,
)
from freezegate.policy.domain.surface_origins import Meaning, Names, Own, assigned, chain
from freezegate.policy.domain.surface_scope import Function, bound_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_MAX_DEPTH = 40  # of values that are named by values; deeper is unknown


class Scope:
    """One module, or one scope in it: `local` are names that do not mean what the module says."""

    def __init__(self, names: Names, path: str, local: Mapping[str, Kind], depth: int) -> None:
        """Begin at a module's top level, with an empty `local` and depth."""
        self.names, self.path, self.local, self._depth = names, path, local, depth

    def within(self, local: Mapping[str, Kind]) -> Self:
        """Return a scope inside, which binds more names."""
        return type(self)(self.names, self.path, {**self.local, **local}, self._depth)

    def at(self, path: str) -> Self | None:
        """Return the top level of a module that a name has led to; None from too deep."""
        if self._depth > _MAX_DEPTH:
            return None
        return type(self)(self.names, path, {}, self._depth + 1)

    def meanings(self, node: ast.AST) -> tuple[Meaning, ...]:
        """Return what a name, or a chain of them, stands for; nothing where unknown."""
        parts = chain(node)
        if not parts or parts[0] in self.local:
            return ()
        return self.names.meanings(self.path, parts)

    def loop(self, each: ast.comprehension) -> Self:
        """Return the scope inside of one `for` of a comprehension."""
        kind = Kind.TEXT if self.kind(each.iter) is Kind.TEXT else Kind.OTHER
        return self.within(dict.fromkeys(bound_names(each.target), kind))

    def is_composite(self, own: Own) -> bool:
        """Say whether a function is a composite strategy, which runs when a test draws."""
        scope = self.at(own.path)
        if scope is None or not isinstance(own.node, Function):
            return False
        decorators = own.node.decorator_list
        return len(decorators) == 1 and scope.meanings(decorators[0]) == (COMPOSITE,)

    def is_made_type(self, own: Own) -> bool:
        """Say whether a name stands for what `namedtuple` and the like have made."""
        scope, value = self.at(own.path), assigned(own.node)
        return (
            scope is not None
            and isinstance(value, ast.Call)
            and any(each in TYPE_MAKERS for each in scope.meanings(value.func))
        )

    def kind(self, node: ast.expr) -> Kind:
        """Return what a value is; `OTHER` where that is not known."""
        match node:
            case ast.Constant() | ast.JoinedStr() | ast.Compare():
                return Kind.TEXT
            case ast.Subscript():
                return self._part(node.value)
            case ast.Name() | ast.Attribute():
                return self._named(node)
            case ast.Call():
                return self._given(node)
            case ast.UnaryOp(operand=inner) | ast.Starred(value=inner):
                return self.kind(inner)
        parts = _parts_of(node)
        return self._same(parts) if parts else self._contained(node)

    def _contained(self, node: ast.expr) -> Kind:
        match node:
            case ast.List() | ast.Tuple() | ast.Set():
                return self.container(node.elts)
            case ast.Dict():
                return self.container([*filter(None, node.keys), *node.values])
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                scope = self
                for each in node.generators:
                    scope = scope.loop(each)
                return scope.container(results(node))
        return Kind.OTHER

    def container(self, values: Iterable[ast.expr]) -> Kind:
        """Return what holds these values."""
        texts = all(self.kind(each) is Kind.TEXT for each in values)
        return Kind.TEXT if texts else Kind.BOX

    def _same(self, values: Iterable[ast.expr]) -> Kind:
        kinds = {self.kind(each) for each in values}
        return kinds.pop() if len(kinds) == 1 else Kind.OTHER

    def _part(self, whole: ast.expr) -> Kind:
        return Kind.TEXT if self.kind(whole) is Kind.TEXT else Kind.OTHER

    def _named(self, node: ast.Name | ast.Attribute) -> Kind:
        if isinstance(node, ast.Name) and node.id in self.local:
            return self.local[node.id]
        kinds = {self.meant(each) for each in self.meanings(node)}
        if len(kinds) == 1:
            return kinds.pop()
        return self._part(node.value) if isinstance(node, ast.Attribute) else Kind.OTHER

    def meant(self, meaning: Meaning) -> Kind:
        """Return what the value is that a name stands for."""
        if isinstance(meaning, str):
            return Kind.TEXT if meaning in TEXT_VALUES else Kind.OTHER
        value, scope = assigned(meaning.node), self.at(meaning.path)
        if value is None or scope is None:
            return Kind.OTHER
        return self.names.once("kind", meaning.node, lambda: scope.kind(value), Kind.OTHER)

    def _given(self, call: ast.Call) -> Kind:
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        meanings = self.meanings(call.func)
        if meanings:
            kinds = {self._result(each) for each in meanings}
            kind = kinds.pop() if len(kinds) == 1 else Kind.OTHER
        elif isinstance(call.func, ast.Attribute):
            kind = self.kind(call.func.value)
            if kind is Kind.BOX and call.func.attr not in ("copy", "items", "keys", "values"):
                kind = Kind.OTHER
        else:
            kind = Kind.OTHER
        if kind is Kind.BOX and arguments:
            return self.container(arguments)
        if kind is Kind.TEXT and not meanings and self.container(arguments) is not Kind.TEXT:
            return Kind.OTHER
        return kind

    def _result(self, meaning: Meaning) -> Kind:
        if isinstance(meaning, str):
            return known_call(meaning) or Kind.OTHER
        return Kind.STRATEGY if self.is_composite(meaning) else Kind.OTHER


def _parts_of(node: ast.expr) -> list[ast.expr]:
    """Return what an operator takes, or gives one of."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return node.values if isinstance(node, ast.BoolOp) else []


def results(node: Comprehension) -> list[ast.expr]:
    """Return what a comprehension puts into its container."""
    return [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
