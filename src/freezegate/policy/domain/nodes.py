"""All nodes of a syntax tree, walked once and then asked for by type."""

from __future__ import annotations

import ast
from itertools import chain
from typing import TYPE_CHECKING, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Iterable

_A = TypeVar("_A", bound=ast.AST)
_B = TypeVar("_B", bound=ast.AST)
_C = TypeVar("_C", bound=ast.AST)
_D = TypeVar("_D", bound=ast.AST)
_EMPTY = frozenset({"ctx", "op", "ops", "type_comment", "kind"})  # nothing of ours is in there


class Nodes:
    """The nodes of one module, each type in the order of a walk from the top."""

    def __init__(self, module: ast.Module) -> None:
        """Walk the tree, without recursion."""
        self._by_type: dict[type[ast.AST], list[ast.AST]] = {}
        waiting: list[ast.AST] = [module]
        for node in waiting:  # grows while it is walked
            self._by_type.setdefault(type(node), []).append(node)
            for field in node._fields:
                value = getattr(node, field, None) if field not in _EMPTY else None
                if isinstance(value, list):
                    waiting.extend(each for each in value if isinstance(each, ast.AST))
                elif isinstance(value, ast.AST):
                    waiting.append(value)

    @overload
    def of(self, first: type[_A], /) -> Iterable[_A]: ...
    @overload
    def of(self, first: type[_A], second: type[_B], /) -> Iterable[_A | _B]: ...
    @overload
    def of(
        self, first: type[_A], second: type[_B], third: type[_C], /
    ) -> Iterable[_A | _B | _C]: ...
    @overload
    def of(
        self, first: type[_A], second: type[_B], third: type[_C], fourth: type[_D], /
    ) -> Iterable[_A | _B | _C | _D]: ...
    @overload
    def of(self, *types: type[ast.AST]) -> Iterable[ast.AST]: ...
    def of(self, *types: type[ast.AST]) -> Iterable[ast.AST]:
        """Return the nodes of these types, the first type's before the second's."""
        return chain.from_iterable(self._by_type.get(each, ()) for each in types)
