"""The pytest plugins that the repository's own project announces: runs load them when installed.

Source: the entry points specification of the PyPA, group `pytest11`.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.imports import parse_source
from freezegate.policy.domain.ini import IniError, setup_lines
from freezegate.policy.domain.parts import UNREADABLE, toml_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from freezegate.policy.domain.tree import Tree

_GROUP = "pytest11"
_TABLES = ("project.entry-points", "tool.poetry.plugins", "tool.flit.entrypoints")
_OPTION = re.compile(r"\s*pytest11\s*[=:](.*)", re.DOTALL)


class OwnPlugins(NamedTuple):
    """The modules that one file announces, and what of it cannot be read."""

    path: str
    modules: tuple[str, ...]
    fault: str | None = None


def own_plugins(tree: Tree) -> Iterator[OwnPlugins]:
    """Yield what pyproject.toml, setup.cfg and setup.py at the top announce."""
    for path, read in (
        ("pyproject.toml", _from_pyproject),
        ("setup.cfg", _from_setup_cfg),
        ("setup.py", _from_setup_py),
    ):
        entry = tree.entry(path)
        if entry and entry.is_regular:
            yield read(tree, path)


def _from_pyproject(tree: Tree, path: str) -> OwnPlugins:
    entry = tree.entry(path)
    assert entry is not None  # noqa: S101 - asked a moment ago
    found: list[str] = []
    for key in _TABLES:
        table = toml_part(tree, entry, f"{key}.{_GROUP}")
        if table is UNREADABLE:
            return OwnPlugins(path, ())  # no build reads it either; the whole file counts
        values = table.values() if isinstance(table, dict) else ()
        found += [_module(value) for value in values if isinstance(value, str)]
    return OwnPlugins(path, tuple(found))


def _from_setup_cfg(tree: Tree, path: str) -> OwnPlugins:
    entry = tree.entry(path)
    assert entry is not None  # noqa: S101 - asked a moment ago
    try:
        lines = setup_lines(tree.source(entry), "options.entry_points") or ()
    except IniError:
        return OwnPlugins(path, ())
    found: list[str] = []
    is_open = False
    for line in lines:
        option = _OPTION.fullmatch(line)
        is_open = option is not None or (is_open and line[:1].isspace())
        if is_open:
            found.append(option[1] if option else line)
    return OwnPlugins(path, _modules(found))


def _from_setup_py(tree: Tree, path: str) -> OwnPlugins:
    entry = tree.entry(path)
    assert entry is not None  # noqa: S101 - asked a moment ago
    source = tree.source(entry)
    module = parse_source(source) if _GROUP.encode() in source else None
    if not isinstance(module, ast.Module):
        return OwnPlugins(path, (), module)
    found: list[str] = []
    nodes = tuple(ast.walk(module))
    for node in nodes:
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == _GROUP:
                    found += _texts(value)
    known = sum(isinstance(n, ast.Constant) and n.value == _GROUP for n in nodes)
    if not found or known != 1:
        return OwnPlugins(path, (), "entry points for pytest that are no literal list")
    return OwnPlugins(path, _modules(found))


def _texts(node: ast.expr) -> Iterator[str]:
    for each in node.elts if isinstance(node, ast.List | ast.Tuple) else [node]:
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield from each.value.splitlines()


def _modules(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(_module(line.partition("=")[2]) for line in lines if "=" in line)


def _module(value: str) -> str:
    """Return the module of `package.module:object [extras]`."""
    return value.partition(":")[0].partition("[")[0].strip()
