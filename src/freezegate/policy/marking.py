"""Put a freeze's skip marker into a test's source, by text span, and know it again."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.errors import UsageError
from freezegate.policy.domain.surface_marker import find_skip_marker

if TYPE_CHECKING:
    from freezegate.model.ids import PropertyId, TestId

_PREFIX = "freezegate: "
_Test = ast.FunctionDef | ast.AsyncFunctionDef


def mark_test(source: bytes, test_id: TestId, property_id: PropertyId) -> bytes:
    """Return the source with `@pytest.mark.skip(reason="freezegate: PROPERTY_ID")` on one test.

    A test that carries the marker already stays as it is. Raises UsageError where no marker can
    say exactly this one test.
    """
    if test_id.parameter is not None:
        msg = (
            f"a marker on {test_id.names[-1]} would skip every parameter; leave --mark out: the "
            "pytest plugin skips the one frozen test without any marker"
        )
        raise UsageError(msg)
    if is_marked(source, test_id):
        return source
    module = ast.parse(source)
    test = _only_definition(module, test_id)
    lines = source.splitlines(keepends=True)
    first = min([test.lineno, *(each.lineno for each in test.decorator_list)]) - 1
    text = lines[first]
    indent = text[: len(text) - len(text.lstrip())]
    ending = b"\r\n" if text.endswith(b"\r\n") else b"\n"
    marker = f'@pytest.mark.skip(reason="{_PREFIX}{property_id}")'.encode()
    lines.insert(first, indent + marker + ending)
    if not _imports_pytest(module):
        lines.insert(_import_line(module), b"import pytest" + ending)
    marked = b"".join(lines)
    if not is_marked(marked, test_id):
        msg = f"`pytest` means something else in {test_id.path}, so no marker can stand there"
        raise UsageError(msg)
    return marked


def is_marked(source: bytes, test_id: TestId) -> bool:
    """Say whether a test carries a plain skip marker whose reason is a freeze of ours."""
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return False
    found = _definitions(module, test_id.names)
    if len(found) != 1:
        return False
    place = find_skip_marker(module, found[0].decorator_list)
    if place is None:
        return False
    decorator = found[0].decorator_list[place]
    values = [
        *getattr(decorator, "args", ()),
        *(keyword.value for keyword in getattr(decorator, "keywords", ())),
    ]
    return any(
        isinstance(value, ast.Constant) and str(value.value).startswith(_PREFIX) for value in values
    )


def _only_definition(module: ast.Module, test_id: TestId) -> _Test:
    found = _definitions(module, test_id.names)
    if len(found) != 1:
        msg = (
            f"{len(found)} definitions of {'::'.join(test_id.names)} in {test_id.path}; "
            "expected one, on which the marker can stand"
        )
        raise UsageError(msg)
    return found[0]


def _definitions(scope: ast.AST, names: tuple[str, ...]) -> list[_Test]:
    """Return every definition under these names, conditional ones too."""
    found: list[_Test] = []
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if names == (node.name,):
                found.append(node)
        elif isinstance(node, ast.ClassDef):
            if len(names) > 1 and node.name == names[0]:
                found += _definitions(node, names[1:])
        elif isinstance(node, ast.stmt | ast.excepthandler):
            found += _definitions(node, names)
    return found


def _imports_pytest(module: ast.Module) -> bool:
    return any(
        isinstance(statement, ast.Import)
        and any(alias.name == "pytest" and alias.asname is None for alias in statement.names)
        for statement in module.body
    )


def _import_line(module: ast.Module) -> int:
    """Return the place of a new import: before the first one, behind docstring and `__future__`."""
    place = 0
    for number, statement in enumerate(module.body):
        text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not future and not (number == 0 and text):
            first = getattr(statement, "decorator_list", [])
            return min(statement.lineno, *(int(each.lineno) for each in first), 2**31) - 1
        place = statement.end_lineno or statement.lineno
    return place
