"""What was raised, as text: types, messages, statements."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing typing for it would cost milliseconds
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any


MAX_MESSAGE = 20_000
_MAX_LEAVES = 64
# Warnings that are errors; what was raised in the thread or finalizer is their cause.
_TOLD_BY_PYTEST = ("PytestUnraisableExceptionWarning", "PytestUnhandledThreadExceptionWarning")


def source_file(code: CodeType) -> str:
    path = code.co_filename
    return os.path.abspath(path) if path[:1] != "<" else path


_statements: dict[str, list[tuple[int, int]]] = {}  # of each file: first and last lines


def statement(file: str, line: int, module: dict[str, Any], whole: bool) -> str:
    """Return the text of a line, or of the whole statement that it is a part of."""
    import linecache

    lines = linecache.getlines(file, module)
    first, last = _extent(file, lines, line) if whole else (line, line)
    return "".join(lines[first - 1 : last]).strip()


def _extent(file: str, lines: list[str], line: int) -> tuple[int, int]:
    """Return the first and last line of the innermost statement; of a compound one its head."""
    import ast

    if file not in _statements:
        try:
            every = [n for n in ast.walk(ast.parse("".join(lines))) if isinstance(n, ast.stmt)]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            every = []
        _statements[file] = [(n.lineno, _last_line(n)) for n in every]
    around = [ends for ends in _statements[file] if ends[0] <= line <= ends[1]]
    return max(around, default=(line, line))


def _last_line(statement: Any) -> int:
    import ast

    if not hasattr(statement, "body") and not hasattr(statement, "cases"):
        return int(statement.end_lineno)
    inner = (ast.stmt, ast.excepthandler, getattr(ast, "match_case", ast.stmt))
    heads = [n for n in ast.iter_child_nodes(statement) if not isinstance(n, inner)]
    ends = [getattr(n, "end_lineno", 0) for head in heads for n in ast.walk(head)]
    return int(max(statement.lineno, *ends, 0))


def type_name(value: BaseException) -> str:
    kind = type(value)
    plain = kind.__module__ in ("builtins", "exceptions")
    return kind.__qualname__ if plain else kind.__module__ + "." + kind.__qualname__


def text(value: BaseException) -> str:
    try:
        return str.__getitem__(str(value), slice(MAX_MESSAGE))
    except Exception:  # whatever a test's exception does
        return "<no text: str() of the exception raised>"


def leaves(value: Any, limit: int = _MAX_LEAVES) -> list[BaseException]:
    if type(value).__name__ in _TOLD_BY_PYTEST and value.__cause__ is not None:
        return [value.__cause__]
    if not any(kind.__name__ == "BaseExceptionGroup" for kind in type(value).__mro__):
        return []
    found: list[BaseException] = []
    for each in value.exceptions:
        inner = leaves(each, limit - len(found))
        found.extend(inner or [each])
        if len(found) >= limit:
            break
    return found[:limit]
