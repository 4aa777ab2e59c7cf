"""Where a new `import pytest` belongs in a module, as a person who sorts imports would say."""

from __future__ import annotations

import ast
from enum import IntEnum
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.standard import standard_names

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME = "pytest"
_PYTHON = "3.12"  # which names are standard differs little, and only decides on a blank line
_Import = ast.Import | ast.ImportFrom


class ImportPlace(NamedTuple):
    """The line before which the import goes, from 0, and where a blank line goes with it."""

    line: int
    blank_before: bool = False
    blank_after: int = 0


class _Section(IntEnum):
    STANDARD = 0
    INSTALLED = 1
    LOCAL = 2


def import_place(module: ast.Module, local: frozenset[str]) -> ImportPlace:
    """Return the place behind docstring and `__future__`, among the module's first imports.

    `local` are the names that the repository itself has; relative imports are local, too.
    """
    head = _head(module)
    start = max((each.end_lineno or each.lineno for each in head), default=0)
    rest = module.body[len(head) :]
    imports = [*takewhile(lambda each: isinstance(each, _Import), rest)]
    if not imports:
        return _alone(rest, start)
    place = _among([each for each in imports if isinstance(each, _Import)], local)
    return place._replace(line=max(place.line, start))


def _head(module: ast.Module) -> list[ast.stmt]:
    """Return what must stay first: the docstring, and imports from `__future__`."""
    text = 1 if ast.get_docstring(module, clean=False) is not None else 0
    future = takewhile(_is_future, module.body[text:])
    return [*module.body[:text], *future]


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _alone(rest: Sequence[ast.stmt], start: int) -> ImportPlace:
    """Return the place in a module without imports: behind its head, else before all code."""
    if start:
        return ImportPlace(start, blank_before=True)
    first = min([rest[0].lineno, *(e.lineno for e in getattr(rest[0], "decorator_list", ()))])
    return ImportPlace(first - 1, blank_after=2 if hasattr(rest[0], "decorator_list") else 1)


def _among(imports: Sequence[_Import], local: frozenset[str]) -> ImportPlace:
    sections = [_section(each, local) for each in imports]
    own = [e for e, s in zip(imports, sections, strict=True) if s is _Section.INSTALLED]
    later = next((each for each in own if _comes_later(each)), None)
    if later is not None:
        return ImportPlace(later.lineno - 1)
    if own:
        return ImportPlace(own[-1].end_lineno or own[-1].lineno)
    apart = _keeps_apart(imports, sections)
    before = [e for e, s in zip(imports, sections, strict=True) if s is _Section.STANDARD]
    if before:
        return ImportPlace(before[-1].end_lineno or before[-1].lineno, blank_before=apart)
    return ImportPlace(imports[0].lineno - 1, blank_after=int(apart))


def _section(statement: _Import, local: frozenset[str]) -> _Section:
    if isinstance(statement, ast.ImportFrom) and statement.level:
        return _Section.LOCAL
    name = _module(statement).partition(".")[0]
    if name in standard_names(_PYTHON):
        return _Section.STANDARD
    return _Section.LOCAL if name in local else _Section.INSTALLED


def _module(statement: _Import) -> str:
    if isinstance(statement, ast.ImportFrom):
        return statement.module or ""
    return statement.names[0].name


def _comes_later(statement: _Import) -> bool:
    """Whether an installed module's import stands behind: `import` goes before `from`."""
    return isinstance(statement, ast.ImportFrom) or _module(statement) > _NAME


def _keeps_apart(imports: Sequence[_Import], sections: Sequence[_Section]) -> bool:
    """Whether blank lines part the sections, as far as there are several."""
    return all(
        later.lineno - (earlier.end_lineno or earlier.lineno) > 1
        for (earlier, one), (later, other) in pairwise(zip(imports, sections, strict=True))
        if one is not other
    )
