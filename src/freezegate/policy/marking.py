"""Put a freeze's skip marker into a test's source, by text span, and know it again."""

from __future__ import annotations

import ast
from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from freezegate.errors import UsageError
from freezegate.policy.domain.surface_marker import find_skip_marker
from freezegate.policy.import_place import import_place
from freezegate.policy.module_source import TestFunction, definitions

if TYPE_CHECKING:
    from freezegate.model.ids import PropertyId, TestId
    from freezegate.policy.import_place import ImportPlace

_PREFIX = "freezegate: "


def mark_test(
    source: bytes, test_id: TestId, property_id: PropertyId, *, local: frozenset[str] = frozenset()
) -> bytes:
    """Return the source with `@pytest.mark.skip(reason="freezegate: PROPERTY_ID")` on one test.

    A test that carries the marker already stays as it is. `local` are the modules that the
    repository has itself: `import pytest`, where it is missing, goes before theirs. Raises
    UsageError where no marker can say exactly this one test.
    """
    if test_id.parameter is not None:
        msg = (
            f"a marker on {test_id.names[-1]} would skip every parameter; leave --mark out: the "
            "pytest plugin skips the one frozen test without any marker"
        )
        raise UsageError(msg)
    if is_marked(source, test_id):
        return source
    if source.startswith(BOM_UTF8):
        plain = source.removeprefix(BOM_UTF8)
        return BOM_UTF8 + mark_test(plain, test_id, property_id, local=local)
    module = ast.parse(source)
    test = _only_definition(module, test_id)
    lines = source.splitlines(keepends=True)
    first = min([test.lineno, *(each.lineno for each in test.decorator_list)]) - 1
    text = lines[first]
    indent = text[: len(text) - len(text.lstrip())]
    marker = f'@pytest.mark.skip(reason="{_PREFIX}{property_id}")'.encode()
    lines.insert(first, indent + marker + _ending(text))
    if not _imports_pytest(module, before=first):
        _insert_import(lines, import_place(module, local))
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
    found = definitions(module, test_id.names)
    if len(found) != 1:
        return False
    return own_reason(module, found[0].decorator_list) is not None


def own_reason(module: ast.Module, decorators: list[ast.expr]) -> str | None:
    """Return the property that a plain skip marker of ours names, None where there is none."""
    place = find_skip_marker(module, decorators) if decorators else None
    if place is None:
        return None
    marker = decorators[place]
    keywords = [keyword.value for keyword in getattr(marker, "keywords", ())]
    for value in (*getattr(marker, "args", ()), *keywords):
        if isinstance(value, ast.Constant) and str(value.value).startswith(_PREFIX):
            return str(value.value).removeprefix(_PREFIX)
    return None


def _only_definition(module: ast.Module, test_id: TestId) -> TestFunction:
    found = definitions(module, test_id.names)
    if len(found) != 1:
        msg = (
            f"{len(found)} definitions of {'::'.join(test_id.names)} in {test_id.path}; "
            "expected one, on which the marker can stand"
        )
        raise UsageError(msg)
    return found[0]


def _imports_pytest(module: ast.Module, *, before: int) -> bool:
    return any(
        isinstance(statement, ast.Import)
        and statement.lineno <= before
        and any(alias.name == "pytest" and alias.asname is None for alias in statement.names)
        for statement in module.body
    )


def _insert_import(lines: list[bytes], place: ImportPlace) -> None:
    """Insert the import with its blank lines, ended as the lines around it are."""
    ending = _ending(lines[max(place.line - 1, 0)])
    after = [ending] * place.blank_after
    lines[place.line : place.line] = [
        *([ending] if place.blank_before else []),
        b"import pytest" + ending,
        *after,
    ]


def _ending(line: bytes) -> bytes:
    return line[len(line.rstrip(b"\r\n")) :] or b"\n"
