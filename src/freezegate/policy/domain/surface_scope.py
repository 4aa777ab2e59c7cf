"""What a body of statements binds, one statement after the other, and under which conditions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

STAR = "*"
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Origin(NamedTuple):
    """What an imported name stands for; `name` is None where it stands for the module itself."""

    module: str
    level: int
    name: str | None

    def __str__(self) -> str:
        module = "." * self.level + self.module
        return f"import {module}" if self.name is None else f"from {module} import {self.name}"


class Item(NamedTuple):
    """A statement, or a condition, with what decides whether it runs: words and the node."""

    node: ast.stmt | ast.expr
    guards: tuple[tuple[str, ast.AST], ...] = ()


def flatten(
    body: Sequence[ast.stmt], guards: tuple[tuple[str, ast.AST], ...] = ()
) -> Iterator[Item]:
    """Yield what stands in a body, blocks of `if` and `try` taken apart, in source order.

    What else stands in a `try` decides which of its branches runs, so the whole of it is the
    condition. Loops, `with` and `match` stay whole.
    """
    for statement in body:
        if isinstance(statement, ast.If):
            yield Item(statement.test, guards)
            yield from flatten(statement.body, (*guards, ("if", statement.test)))
            yield from flatten(statement.orelse, (*guards, ("if not", statement.test)))
        elif isinstance(statement, ast.Try | ast.TryStar):
            for word, expressions, block in _branches(statement):
                yield from (Item(each, guards) for each in expressions)
                yield from flatten(block, (*guards, (word, statement)))
        else:
            yield Item(statement, guards)


def _branches(node: ast.Try | ast.TryStar) -> Iterator[tuple[str, list[ast.expr], list[ast.stmt]]]:
    yield "try", [], node.body
    for number, handler in enumerate(node.handlers):
        yield f"except {number}", [handler.type] if handler.type else [], handler.body
    yield "else", [], node.orelse
    yield "finally", [], node.finalbody


def bound_names(node: ast.AST) -> tuple[str, ...]:
    """Return the names that a statement binds, imported ones included, stars excluded.

    The names of a comprehension's loops are bound inside of it alone.
    """
    if isinstance(node, Definition):
        return (node.name,)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return tuple(name for name, _ in imported_names(node))
    inner = {
        id(name)
        for each in ast.walk(node)
        if isinstance(each, ast.comprehension)
        for name in ast.walk(each.target)
    }
    return tuple(
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and id(each) not in inner
    )


def imported_names(node: ast.Import | ast.ImportFrom) -> tuple[tuple[str, Origin], ...]:
    """Return each name that an import binds with what it stands for."""
    if isinstance(node, ast.ImportFrom):
        module, level = node.module or "", node.level
        return tuple(
            (a.asname or a.name, Origin(module, level, a.name))
            for a in node.names
            if a.name != STAR
        )
    return tuple(
        (a.asname, Origin(a.name, 0, None))
        if a.asname
        else (a.name.split(".")[0], Origin(a.name.split(".")[0], 0, None))
        for a in node.names
    )


def dotted_parts(node: ast.AST) -> tuple[str, ...]:
    """Return the names of `a.b.c`, or of what follows a call or an index in it; else nothing."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    return tuple(reversed(parts))


def called(node: ast.expr) -> ast.expr:
    """Return what a decorator names, with or without its call."""
    return node.func if isinstance(node, ast.Call) else node


def fixture_calls(node: ast.AST) -> list[ast.Call | None]:
    """Return the fixture decorators of a definition, None for one without brackets."""
    if not isinstance(node, Function):
        return []
    return [
        each if isinstance(each, ast.Call) else None
        for each in node.decorator_list
        if dotted_parts(called(each))[-1:] in (("fixture",), ("yield_fixture",))
    ]


def fixture_names(node: ast.AST) -> tuple[str, ...]:
    """Return the literal names under which tests may ask for a fixture, its own one first."""
    names = [node.name] if isinstance(node, Function) and fixture_calls(node) else []
    for call in fixture_calls(node):
        value = _keyword(call, "name")
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            names.append(value.value)
    return tuple(names)


def is_forced_fixture(node: ast.AST) -> bool:
    """Say whether a fixture takes effect unasked, or may: `autouse` or `name` that is computed."""
    for call in fixture_calls(node):
        if call is None:
            continue
        autouse, name = _keyword(call, "autouse"), _keyword(call, "name")
        off = autouse is None or (isinstance(autouse, ast.Constant) and autouse.value is False)
        known = name is None or isinstance(name, ast.Constant)
        if not (off and known) or any(each.arg is None for each in call.keywords):
            return True
    return False


def _keyword(call: ast.Call | None, name: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg == name), None) if call else None
