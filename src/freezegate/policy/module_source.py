"""What a test id names in the source of its module, without running it."""

from __future__ import annotations

import ast
from enum import Enum


class Named(Enum):
    """What stands under a test id's names."""

    ONE_TEST = "one test function"
    FAMILY = "a function with parameters, called without brackets"
    CLASS = "a class"
    NOTHING = "nothing"
    UNREADABLE = "source that this Python cannot parse"


_Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_test(source: bytes, names: tuple[str, ...], *, has_parameter: bool) -> Named:
    """Return what a module's source defines under `names`, classes first, the function last.

    Conditional definitions count; what is inherited, imported or computed does not.
    """
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Named.UNREADABLE
    scope: ast.Module | ast.ClassDef = module
    family = _marks_parameters(module.body)
    for name in names[:-1]:
        found = _definition(scope.body, name)
        if not isinstance(found, ast.ClassDef):
            return Named.NOTHING
        scope = found
        family = family or _is_family(found) or _marks_parameters(found.body)
    last = _definition(scope.body, names[-1])
    if isinstance(last, ast.ClassDef):
        return Named.CLASS
    if last is None:
        return Named.NOTHING
    if (family or _is_family(last)) and not has_parameter:
        return Named.FAMILY
    return Named.ONE_TEST


def _definition(body: list[ast.stmt], name: str) -> _Function | ast.ClassDef | None:
    """Return the last definition of a name in a body, inner blocks included."""
    found: _Function | ast.ClassDef | None = None
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if statement.name == name:
                found = statement
            continue
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(statement, field, None)
            if isinstance(inner, list):
                found = _definition(inner, name) or found
        for handler in getattr(statement, "handlers", ()):
            found = _definition(handler.body, name) or found
    return found


def _is_family(definition: _Function | ast.ClassDef) -> bool:
    return any(_names_parametrize(decorator) for decorator in definition.decorator_list)


def _marks_parameters(body: list[ast.stmt]) -> bool:
    for statement in body:
        if isinstance(statement, ast.Assign):
            named = any(isinstance(t, ast.Name) and t.id == "pytestmark" for t in statement.targets)
            if named and _names_parametrize(statement.value):
                return True
    return False


def _names_parametrize(expression: ast.expr) -> bool:
    return any(
        (isinstance(node, ast.Attribute) and node.attr == "parametrize")
        or (isinstance(node, ast.Name) and node.id == "parametrize")
        for node in ast.walk(expression)
    )
