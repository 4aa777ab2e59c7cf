"""Statements of a function with the conditions around them, and all that they are made of."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.modules import Function, bindings_of
from freezegate.policy.mutes.normal import normal_body

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from freezegate.policy.mutes.modules import Module, Unit
    from freezegate.policy.mutes.names import Names

_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
_BROAD = frozenset(
    {"BaseException", "Exception", "AssertionError", "Failed", "BaseExceptionGroup", "XFailed"}
)


class Guarded(NamedTuple):
    """A statement without its inner blocks, and the statements around it, outermost first."""

    node: ast.stmt
    around: tuple[ast.AST, ...] = ()

    def parts(self) -> Iterator[ast.AST]:
        """Yield the statement and its own expressions, inner blocks excluded."""
        yield self.node
        for name, value in ast.iter_fields(self.node):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST) and (
                    name not in _BLOCKS or isinstance(each, ast.expr)
                ):
                    yield from ast.walk(each)

    def conditions(self) -> Iterator[ast.AST]:
        """Yield the expressions that decide whether the statement is reached."""
        for each in self.around:
            for name in ("test", "iter", "type", "subject", "pattern", "guard"):
                value = getattr(each, name, None)
                if isinstance(value, ast.AST):
                    yield value


def guarded(
    body: list[ast.stmt],
    around: tuple[ast.AST, ...] = (),
    left_out: AbstractSet[int] = frozenset(),
) -> Iterator[Guarded]:
    """Yield every statement in source order, those of inner blocks and functions included.

    `left_out` are the ids of functions that are not looked at.
    """
    for statement in body:
        if id(statement) in left_out:
            continue
        yield Guarded(statement, around)
        for block in _BLOCKS:
            inner = getattr(statement, block, None) or ()
            for each in inner if isinstance(inner, list) else ():
                if isinstance(each, ast.stmt):
                    yield from guarded([each], (*around, statement), left_out)
                elif isinstance(each, ast.ExceptHandler | ast.match_case):
                    yield from guarded(each.body, (*around, statement, each), left_out)


def swallows(statement: ast.Try | ast.TryStar) -> bool:
    """Say whether a failure that is raised in a block gets no further."""
    return any(_is_broad(each) and not _leaves(each.body) for each in statement.handlers)


def _is_broad(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {each.id for each in kinds if isinstance(each, ast.Name)}
    names |= {each.attr for each in kinds if isinstance(each, ast.Attribute)}
    return bool(names & _BROAD)


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether a block always ends in an exception of its own."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return _leaves(last.body) and _leaves(last.orelse)
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        called = last.value.func
        return isinstance(called, ast.Attribute | ast.Name) and (
            (called.attr if isinstance(called, ast.Attribute) else called.id) in ("fail", "exit")
        )
    return isinstance(last, ast.Raise)


def closure(
    names: Names, path: str, module: Module, unit: Unit | None, nodes: list[ast.AST]
) -> str:
    """Return what expressions say together with all bindings that they are made of."""
    inner = bindings_of(unit.node.body) if unit else {}
    waiting, seen, said = list(nodes), set[str](), [ast.dump(each) for each in nodes]
    while waiting:
        for node in ast.walk(waiting.pop()):
            if not isinstance(node, ast.Name) or node.id in seen:
                continue
            seen.add(node.id)
            for binding in (*inner.get(node.id, ()), *module.bindings.get(node.id, ())):
                if isinstance(binding.node, Function):
                    said.append(normal_body(binding.node))
                elif binding.value is not None:
                    said.append(f"{node.id}={ast.dump(binding.value)}")
                    waiting.append(binding.value)
                elif isinstance(binding.node, ast.ImportFrom):
                    said += _imported(names, path, node)
    return "\n".join([*said[: len(nodes)], *sorted(said[len(nodes) :])])


def _imported(names: Names, path: str, node: ast.Name) -> Iterator[str]:
    for origin in sorted(names.names(path, node)):
        found = names.unit(origin)
        if found:
            yield normal_body(found[1].node)
