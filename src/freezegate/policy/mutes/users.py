"""Test modules that did not change, but use a value of a helper module that did."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from freezegate.policy.mutes.modules import Module

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.step import FilePair, MuteStep

_MAX_FILES = 5_000  # that are searched for a name; a suite of more is no suite of one project
_MAX_USERS = 300


def find_users(step: MuteStep) -> Iterator[str]:
    """Yield the paths of unchanged test code that names a changed value and its module."""
    sought = dict(_sought(step))
    if not sought:
        return
    changed = set(step.changed)
    found = 0
    for number, (path, entry) in enumerate(step.new.tree.files("")):
        if number > _MAX_FILES or found > _MAX_USERS:
            return
        if path in changed or not entry.is_regular or not step.is_test_code(path):
            continue
        source = step.new.tree.source(entry)
        if any(stem in source and names.search(source) for stem, names in sought.items()):
            found += 1
            yield path


def _sought(step: MuteStep) -> Iterator[tuple[bytes, re.Pattern[bytes]]]:
    for files in step.test_files:
        names = sorted(_changed_values(files))
        if names:
            folder, _, file = files.path.removesuffix(".py").rpartition("/")
            stem = folder.rpartition("/")[2] if file == "__init__" else file
            pattern = rb"\b(%s)\b" % b"|".join(re.escape(n.encode()) for n in names)
            yield stem.encode("utf-8", "surrogateescape"), re.compile(pattern)


def _changed_values(files: FilePair) -> Iterator[str]:
    """Names at a module's top that stand for something else now; functions are compared apart."""
    if files.old is None:
        return
    after = _values(files.new) if files.new else {}
    for name, text in _values(files.old).items():
        if after.get(name) != text:
            yield name


def _values(module: Module) -> dict[str, str]:
    """What each name stands for, with the statements that change it in place."""
    found: dict[str, str] = {}
    for name, bindings in module.bindings.items():
        values = [each.value for each in bindings]
        if name != "pytestmark" and any(values):
            found[name] = "\n".join(ast.dump(each) for each in values if each)
    for name, statement in mutations(module):
        if name in found:
            found[name] += "\n" + ast.dump(statement)
    return found


def mutations(module: Module) -> Iterator[tuple[str, ast.stmt]]:
    """Yield statements at a module's top that change what a name stands for in place."""
    for statement in module.tree.body:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
                yield name, statement
            case ast.Delete(targets=[ast.Subscript(value=ast.Name(id=name))]):
                yield name, statement
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
                yield name, statement
            case _:
                pass
