"""What `collect_ignore` and `collect_ignore_glob` in conftest files leave out on one side."""

from __future__ import annotations

import ast
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.config import folders_above, normal_folder
from freezegate.policy.domain.finder import joined
from freezegate.policy.mutes.constants import fold, truth
from freezegate.policy.mutes.guards import Guards, guarded_at_import

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module, Side
    from freezegate.policy.mutes.names import Names

NAMES = ("collect_ignore", "collect_ignore_glob")


class Ignore(NamedTuple):
    """One entry: the path or pattern from the top, and whether it always holds."""

    name: str
    path: str
    sure: bool


def ignored(side: Side, names: Names, path: str) -> str | None:
    """Return what surely leaves a file out, itself or by a folder above it."""
    for each in (path, *folders_above(path.rpartition("/")[0])[:-1]):
        for ignore in ignores_for(side, names, each):
            if ignore.sure and _leaves_out(ignore, each):
                return f"{ignore.name} names {ignore.path}"
    return None


def ignores_for(side: Side, names: Names, path: str) -> Iterator[Ignore]:
    """Yield the entries that count for a path: those of the nearest conftest file that has some."""
    for name in NAMES:
        for folder in folders_above(path.rpartition("/")[0]):
            conftest = joined(folder, "conftest.py")
            module = side.module(conftest)
            if module and name in module.bindings:
                yield from ignores_in(names, conftest, module, name)
                break


def ignores_in(names: Names, path: str, module: Module, name: str) -> Iterator[Ignore]:
    """Yield the entries of one conftest file."""
    folder = path.rpartition("/")[0]
    look = lambda each: names.constant(path, each)  # noqa: E731
    for text, guards in _entries(module, name):
        holds = [truth(g.test, look) for g in guards if g.test is not None]
        never = any(
            decided is not None and decided is not g.holds
            for decided, g in zip(holds, (g for g in guards if g.test is not None), strict=True)
        )
        full = normal_folder(joined(folder, text))
        if full is not None and not never:
            yield Ignore(name, full, sure=None not in holds and len(holds) == len(guards))


def _entries(module: Module, name: str) -> Iterator[tuple[str, Guards]]:
    """All texts in statements that name the list: assignments, `+=`, `append`, `extend`."""
    for statement, guards in _statements(module, name):
        for node in ast.walk(statement):
            if isinstance(node, ast.BinOp | ast.JoinedStr | ast.Constant):
                value = fold(node)
                if isinstance(value, str):
                    yield value, guards


def _statements(module: Module, name: str) -> Iterator[tuple[ast.expr, Guards]]:
    wanted = [b.value for b in module.bindings[name] if b.value is not None]
    at_top = {id(node): guards for node, guards in guarded_at_import(module.tree.body)}
    for value in wanted:
        yield value, at_top.get(id(value), ())
    for node, guards in guarded_at_import(module.tree.body):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=holder))) if holder == name:
                yield ast.Tuple(node.args, ast.Load()), guards
            case _:
                pass


def _leaves_out(ignore: Ignore, path: str) -> bool:
    if ignore.name == "collect_ignore":
        return path == ignore.path
    return fnmatchcase(path, ignore.path)
