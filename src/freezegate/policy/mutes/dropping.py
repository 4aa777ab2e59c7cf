"""Decorators after which a test's body no longer runs, though its name is still collected."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.modules import Function
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Unit
    from freezegate.policy.mutes.names import Names

_COPYING = frozenset({"wraps", "update_wrapper"})


def drops(names: Names, path: str, decorator: ast.expr) -> bool:
    """Say whether a decorator of the repository's own surely never calls what it decorates."""
    if isinstance(decorator, ast.Lambda):
        arguments = [each.arg for each in decorator.args.args]
        return bool(arguments) and not _uses([ast.Return(decorator.body)], arguments[0])
    for origin in names.origins(path, decorator):
        found = names.unit(origin)
        if found and _drops(found[1], called=origin.endswith("()")):
            return True
    return False


def _drops(unit: Unit, *, called: bool) -> bool:
    node: Function = unit.node
    if called:  # a decorator with arguments: the function that it returns decorates
        inner = [each for each in node.body if isinstance(each, Function)]
        if len(inner) != 1:
            return False
        node = inner[0]
    arguments = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    return bool(arguments) and not _uses(node.body, arguments[0])


def _uses(body: list[ast.stmt], name: str) -> bool:
    """Whether a name is called, returned, kept or handed on; its mere attributes are none."""
    return any(
        isinstance(node, ast.Name) and node.id == name
        for statement in body
        for node in _in_effect(statement)
    )


def _in_effect(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Name):
        return
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if not node.attr.startswith("__") or node.attr == "__call__":
            yield node.value
        return
    if isinstance(node, ast.Call) and unparsed(node.func).rpartition(".")[2] in _COPYING:
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_effect(child)
