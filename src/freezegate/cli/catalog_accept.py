"""`freezegate catalog accept`: what a person must have seen before a draft counts."""

from __future__ import annotations

import ast
import hashlib
from typing import TYPE_CHECKING

from freezegate.model.paths import shown_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from freezegate.cli.tests_here import FilesHere
    from freezegate.model.catalog import Property
    from freezegate.model.ids import TestId

MAX_WHOLE = 120  # lines of an oracle that is shown whole
_HEAD = 30
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def draft_lines(entry: Property, top: Path, files: FilesHere, runs: int) -> Iterator[str]:
    """Yield the oracle's source, then what the draft says of it; `runs` are those on each side."""
    yield f"the oracle, {entry.oracle}:"
    yield ""
    yield from (f"  {_shown(line)}".rstrip() for line in _source(entry, files))
    yield ""
    yield f"property      {entry.property_id}"
    yield f"statement     {entry.statement}"
    yield f"property test {entry.property_test}"
    yield f"test          {entry.test}"
    for path in entry.fixtures:
        yield f"fixture       {path}"
        yield f"              sha256 {file_digest(top, path)}"
    yield f"repeat        {entry.repeat}: {runs} runs on each side, as policy and draft ask"
    if entry.tags:
        yield f"tags          {', '.join(entry.tags)}"
    if not entry.freezable:
        yield "freezable     no: its failures must stay red"


def file_digest(top: Path, path: str) -> str:
    """Return the SHA-256 of a file of the work tree."""
    with open(top / path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _source(entry: Property, files: FilesHere) -> list[str]:
    source = files.source(entry.oracle)
    lines = source.decode("utf-8", "backslashreplace").splitlines()
    if len(lines) <= MAX_WHOLE:
        return lines
    start, end = _span(source, entry.property_test)
    head = lines[: min(_HEAD, start)]
    return [*head, f"... ({len(lines)} lines in all)", *lines[max(start, len(head)) : end], "..."]


def _span(source: bytes, test: TestId) -> tuple[int, int]:
    """Return the lines of a test's function; the whole file where it is not found."""
    try:
        nodes = [each for each in _functions(ast.parse(source)) if each.name == test.names[-1]]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        nodes = []
    if not nodes:
        return 0, source.count(b"\n") + 1
    spans = [(_first_line(node), node.end_lineno or node.lineno) for node in nodes]
    return min(first for first, _ in spans) - 1, max(last for _, last in spans)


def _functions(module: ast.Module) -> list[_Function]:
    return [each for each in ast.walk(module) if isinstance(each, _Function)]


def _first_line(node: _Function) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _shown(line: str) -> str:
    """Return a line without what steers a terminal."""
    return shown_path(line.expandtabs().encode("utf-8", "surrogateescape"))
