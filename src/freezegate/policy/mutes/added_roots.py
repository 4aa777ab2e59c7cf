"""Folders that test code, and what starts the tests, put on the way of imports."""

from __future__ import annotations

import ast
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.config import normal_folder
from freezegate.policy.mutes.guarded import guarded
from freezegate.policy.mutes.modules import Function
from freezegate.policy.mutes.path_folders import PathFolders
from freezegate.policy.mutes.run_places import may_run
from freezegate.policy.mutes.step import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module, Side
    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.step import FilePair, MuteStep

CONFIG = re.compile(r"(^|/)(\.?pytest\.(toml|ini)|pyproject\.toml|tox\.ini|setup\.cfg)$")
_VARIABLE = re.compile(
    r"pythonpath[\"'\]]*\s*[,:?+]?[:=\s]\s*[\"'\[]*([^\n\"'#>\]]+)", re.IGNORECASE
)
_TOP = re.compile(
    r"\$\{\{\s*github\.workspace\s*\}\}|\{(toxinidir|tox_root|config_dir)\}"
    r"|\$[({]?(PWD|CURDIR|GITHUB_WORKSPACE|CI_PROJECT_DIR)[)}]?|\$\(pwd\)|\$\(shell pwd\)"
)
_WAY = re.compile(rb"path|addsitedir")
_SAYS_WHERE = re.compile(
    rb"path|insert|append|extend|addsitedir|sys|^\s*[A-Za-z_][\w.]*\s*(:[^=]+)?=[^=]|^\s*['\"(\[)\]]"
)
_CALLS = frozenset({"insert", "append", "extend", "addsitedir", "syspath_prepend", "syspathinsert"})


class Root(NamedTuple):
    """A folder on the way of imports: who puts it there, and whether before all others."""

    folder: str
    path: str
    text: str
    first: bool
    line: int | None = None


def added_roots(step: MuteStep, side: Side, names: Names) -> Iterator[Root]:
    """Yield what changed files put on the way on one side."""
    for pair in step.test_files:
        module = side.module(pair.path)
        if module and _WAY.search(module.source) and _may_differ(pair):
            yield from _by_code(names, pair.path, module)
    for path in step.changed:
        entry = side.entry(path) if may_run(path) else None
        if entry:
            yield from _by_variable(path, side.tree.source(entry).decode("utf-8", "replace"))


def _may_differ(pair: FilePair) -> bool:
    """Whether a line changed that may say which folder is put where: most add a test alone."""
    if pair.old is None or pair.new is None:
        return True
    before, after = Counter(pair.old.lines), Counter(pair.new.lines)
    changed = (*(before - after), *(after - before))
    return any(_SAYS_WHERE.search(line) for line in changed)


def _by_variable(path: str, text: str) -> Iterator[Root]:
    """`PYTHONPATH` as CI, make, tox, nox and scripts set it."""
    for found in _VARIABLE.finditer(text):
        if CONFIG.search(path) and found[0].startswith("pythonpath"):
            continue  # the setting of pytest, which is read with its configuration
        for each in re.split(r"[:;,\s]+", _TOP.sub(".", found[1].strip())):
            folder = normal_folder(each) if each and "$" not in each else None
            if folder is not None:
                line = text.count("\n", 0, found.start()) + 1
                yield Root(folder, path, " ".join(found[0].split()), first=True, line=line)


def _by_code(names: Names, path: str, module: Module) -> Iterator[Root]:
    """`sys.path` as test code changes it."""
    units = {id(unit.node): unit for unit in module.units.values()}
    for statement in guarded(module.tree.body):
        functions = [each for each in statement.around if isinstance(each, Function)]
        unit = next((units[id(f)] for f in functions if id(f) in units), None)
        reader = PathFolders(names, path, unit)
        for part in statement.parts():
            found = _put(part, statement.node)
            if found and (found[2] or names.names(path, found[0], unit) & {"sys.path"}):
                for node in found[1]:
                    folder = reader.of(node)
                    if folder is not None:
                        first = not _is_last(part)
                        yield Root(folder, path, shown(statement.node), first, node.lineno)


def _put(part: ast.AST, statement: ast.stmt) -> tuple[ast.expr, list[ast.expr], bool] | None:
    """What a part of a statement is put on, what is put there, and whether that is sure."""
    match part, statement:
        case ast.Call(func=ast.Attribute(value=holder, attr=name), args=args), _ if name in _CALLS:
            sure = name in ("addsitedir", "syspath_prepend", "syspathinsert")
            return holder, _spread(args[-1:]), sure
        case ast.Call(func=ast.Name(id="addsitedir") as holder, args=args), _:
            return holder, args[:1], True
        case ast.Attribute(ctx=ast.Store()), (ast.Assign(value=value) | ast.AugAssign(value=value)):
            return _loaded(part), _spread([value]), False
        case ast.Subscript(ctx=ast.Store(), value=holder), ast.Assign(value=value):
            return holder, _spread([value]), False
        case _:
            return None


def _loaded(part: ast.Attribute) -> ast.expr:
    return ast.Attribute(part.value, part.attr, ast.Load())


def _spread(nodes: list[ast.expr]) -> list[ast.expr]:
    """The entries of lists that are put together."""
    found: list[ast.expr] = []
    for node in nodes:
        match node:
            case ast.List(elts=elts) | ast.Tuple(elts=elts):
                found += _spread(elts)
            case ast.BinOp(op=ast.Add(), left=ast.List() as left):
                found += _spread([left])
            case ast.BinOp(op=ast.Add(), right=ast.List() as right):
                found += _spread([right])
            case ast.Starred():
                pass
            case _:
                found.append(node)
    return found


def _is_last(part: ast.AST) -> bool:
    """Whether a folder is put behind all others."""
    name = (
        part.func.attr
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute)
        else ""
    )
    return name in ("append", "extend", "addsitedir")
