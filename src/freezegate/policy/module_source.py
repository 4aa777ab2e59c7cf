"""What a test id names in the source of its module, without running it."""

from __future__ import annotations

import ast
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Named(Enum):
    """What stands under a test id's names."""

    ONE_TEST = "one test function"
    FAMILY = "a function with parameters, called without brackets"
    CLASS = "a class"
    NOTHING = "nothing"
    UNREADABLE = "source that this Python cannot parse"


_WITHOUT_TESTS = frozenset({"unittest.TestCase", "unittest.IsolatedAsyncioTestCase"})
TestFunction = ast.FunctionDef | ast.AsyncFunctionDef


def find_test(source: bytes, names: tuple[str, ...], *, has_parameter: bool) -> Named:
    """Return what a module's source defines under `names`, classes first, the function last.

    Conditional definitions count, and what bases in the module hand down; where a base is not in
    the module, it may hand down one test. What is imported or computed does not count.
    """
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Named.UNREADABLE
    if names[1:] == ("runTest",) and _is_state_machine(module, names[0]):
        return Named.ONE_TEST
    scope: ast.Module | ast.ClassDef = module
    family = _marks_parameters(module.body)
    for name in names[:-1]:
        found, owner = _inherited(module, scope, name)
        family = family or _is_marked(owner)
        if found is None and _is_open(module, scope):
            return Named.ONE_TEST
        if not isinstance(found, ast.ClassDef):
            return Named.NOTHING
        scope = found
        family = family or _is_marked(found)
    last, owner = _inherited(module, scope, names[-1])
    family = family or _is_marked(owner)
    if isinstance(last, ast.ClassDef):
        return Named.CLASS
    if last is None:
        return Named.ONE_TEST if _is_open(module, scope) else Named.NOTHING
    if (family or _is_family(last)) and not has_parameter:
        return Named.FAMILY
    return Named.ONE_TEST


def _is_state_machine(module: ast.Module, name: str) -> bool:
    """Say whether `name = Machine.TestCase` stands in a module: its only test is `runTest`."""
    return any(
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Attribute)
        and statement.value.attr == "TestCase"
        and any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)
        for statement in module.body
    )


def may_stand(source: bytes, names: tuple[str, ...]) -> bool:
    """Say whether a test may be in a module: defined, handed down, imported or assigned there.

    Every definition counts, not the last alone; in a module that does not parse, all may be.
    """
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    if definitions(module, names):
        return True
    if find_test(source, names, has_parameter=True) is not Named.NOTHING:
        return True
    bound = _bound(module)
    return "*" in bound or not bound.isdisjoint(names)


def definitions(scope: ast.AST, names: tuple[str, ...]) -> list[TestFunction]:
    """Return every definition under these names, conditional ones too."""
    found: list[TestFunction] = []
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if names == (node.name,):
                found.append(node)
        elif isinstance(node, ast.ClassDef):
            if len(names) > 1 and node.name == names[0]:
                found += definitions(node, names[1:])
        elif isinstance(node, ast.stmt | ast.excepthandler):
            found += definitions(node, names)
    return found


def _bound(module: ast.Module) -> set[str]:
    """Return the names that imports and assignments give, anywhere."""
    found: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.alias):
            found.add(node.asname or node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


def _definition(body: list[ast.stmt], name: str) -> TestFunction | ast.ClassDef | None:
    """Return the last definition of a name in a body, inner blocks included."""
    found: TestFunction | ast.ClassDef | None = None
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


def _inherited(
    module: ast.Module, scope: ast.Module | ast.ClassDef, name: str
) -> tuple[TestFunction | ast.ClassDef | None, ast.ClassDef | None]:
    """Return a definition in a scope, or in the bases of a class, and the class that has it."""
    if isinstance(scope, ast.Module):
        return _definition(scope.body, name), None
    for each in _classes(module, scope):
        found = _definition(each.body, name)
        if found is not None:
            return found, each
    return None, None


def _classes(module: ast.Module, last: ast.ClassDef) -> list[ast.ClassDef]:
    """Return a class and its bases at the module's top level, nearest first."""
    found = [last]
    for each in found:
        for base in each.bases:
            definition = _definition(module.body, base.id) if isinstance(base, ast.Name) else None
            if isinstance(definition, ast.ClassDef) and definition not in found:
                found.append(definition)
    return found


def _is_open(module: ast.Module, scope: ast.Module | ast.ClassDef) -> bool:
    """Say whether a class may inherit what cannot be seen here."""
    if isinstance(scope, ast.Module):
        return False
    return any(
        not _is_closed(module, each, base)
        for each in _classes(module, scope)
        for base in each.bases
    )


def _is_closed(module: ast.Module, owner: ast.ClassDef, base: ast.expr) -> bool:
    """Say whether all of a base can be seen; one of the class's own name is another class."""
    if isinstance(base, ast.Name) and base.id != owner.name:
        found = isinstance(_definition(module.body, base.id), ast.ClassDef)
        return found or base.id == "object"
    return ast.unparse(base) in _WITHOUT_TESTS


def _is_marked(owner: ast.ClassDef | None) -> bool:
    return owner is not None and (_is_family(owner) or _marks_parameters(owner.body))


def _is_family(definition: TestFunction | ast.ClassDef) -> bool:
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


def tests_in(source: bytes) -> tuple[str, ...]:
    """Return the names of a module's tests as ids have them, by pytest's own naming."""
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(_tests_below(module, ""))


def _tests_below(scope: ast.Module | ast.ClassDef, prefix: str) -> Iterator[str]:
    for each in scope.body:
        if isinstance(each, ast.ClassDef) and (each.name.startswith("Test") or each.bases):
            yield from _tests_below(each, f"{prefix}{each.name}::")
        elif isinstance(each, TestFunction) and each.name.startswith("test"):
            yield prefix + each.name
