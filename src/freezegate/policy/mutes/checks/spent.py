"""Loops over an iterator that something went through before: nothing is left for them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Function

_ONCE = frozenset(("iter", "map", "filter", "zip", "enumerate", "reversed", "chain", "islice"))
_TAKING = frozenset(
    ("list", "tuple", "set", "frozenset", "sorted", "sum", "max", "min", "dict", "Counter", "deque")
)


def spent_before(function: Function, loop: ast.For | ast.AsyncFor) -> str:
    """Return by what the iterator of a loop was used up, empty where it was not."""
    name = _iterated(loop.iter)
    bound = list(_bindings(function, name)) if name else []
    before = [each for each in bound if each.lineno < loop.lineno]
    if not before or len(bound) != 1 or not _is_once(before[0].value):
        return ""
    for node in _taking(function, name):
        if before[0].lineno < getattr(node, "lineno", 0) < loop.lineno:
            return f"`{name}` was gone through before"
    return ""


def _iterated(node: ast.expr) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        return _iterated(node.args[0]) if node.func.id in (_ONCE | _TAKING) else ""
    return node.id if isinstance(node, ast.Name) else ""


def _bindings(function: Function, name: str) -> Iterator[ast.Assign | ast.NamedExpr]:
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=bound)]) if bound == name:
                yield node
            case ast.NamedExpr(target=ast.Name(id=bound)) if bound == name:
                yield node
            case _:
                pass


def _is_once(value: ast.expr) -> bool:
    if isinstance(value, ast.GeneratorExp):
        return True
    func = value.func if isinstance(value, ast.Call) else None
    word = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return word in _ONCE


def _taking(function: Function, name: str) -> Iterator[ast.AST]:
    """What goes through all that a name has."""
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id=word), args=[ast.Name(id=taken), *_]):
                if taken == name and word in _TAKING:
                    yield node
            case ast.For(iter=ast.Name(id=taken), body=body) if taken == name:
                if not any(
                    isinstance(n, ast.Break | ast.Return) for b in body for n in ast.walk(b)
                ):
                    yield body[-1]
            case ast.Assign(targets=[ast.List() | ast.Tuple()], value=ast.Name(id=taken)):
                if taken == name:
                    yield node
            case ast.ListComp() | ast.SetComp() | ast.DictComp():
                first = node.generators[0].iter
                if isinstance(first, ast.Name) and first.id == name:
                    yield node
            case _:
                pass
