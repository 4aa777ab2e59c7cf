"""Test modules that did not change, but use a value of a helper module that did."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.modules import Module

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Set

    from freezegate.policy.mutes.step import FilePair, MuteStep


def find_users(step: MuteStep) -> Iterator[str]:
    """Yield the paths of unchanged test code that names a changed value and its module.

    A module that hands such a value on under its own name has users as well.
    """
    sought = [_Sought.of(each.path, names) for each in step.test_files if (names := _changed(each))]
    left = _unchanged(step) if sought else {}
    while sought:
        found = [p for p, source in left.items() if any(each.fits(source) for each in sought)]
        handed: list[_Sought] = []
        for path in found:
            yield path
            source = left.pop(path)
            every = {name for each in sought if each.fits(source) for name in each.words}
            names = _handed_on(step.new.module(path), every)
            handed += [_Sought.of(path, names)] if names else []
        sought = handed


def _unchanged(step: MuteStep) -> dict[str, bytes]:
    files = ((path, entry) for path, entry in step.new.tree.files("") if entry.is_regular)
    changed = set(step.changed)
    return {
        path: step.new.tree.source(entry)
        for path, entry in files
        if path not in changed and step.is_test_code(path)
    }


class _Sought(NamedTuple):
    """Names that mean something else, and the last part of the module that has them."""

    stem: bytes
    words: frozenset[str]
    pattern: re.Pattern[bytes]

    @classmethod
    def of(cls, path: str, names: Iterable[str]) -> _Sought:
        folder, _, file = path.removesuffix(".py").rpartition("/")
        stem = folder.rpartition("/")[2] if file == "__init__" else file
        words = frozenset(names)
        pattern = rb"\b(%s)\b" % b"|".join(re.escape(n.encode()) for n in sorted(words))
        return cls(stem.encode("utf-8", "surrogateescape"), words, re.compile(pattern))

    def fits(self, source: bytes) -> bool:
        return self.stem in source and self.pattern.search(source) is not None


def _handed_on(module: Module | None, words: Set[str]) -> set[str]:
    """The names at the top of a module that are imports of others, or made of them."""
    found: set[str] = set()
    for name, bindings in module.bindings.items() if module else ():
        for node, value in bindings:
            if isinstance(node, ast.ImportFrom):
                named = {part for a in node.names for part in (a.name, a.asname)}
                found |= {name} if words & named and name in named else set()
            elif value is not None and words & _names_in(value):
                found.add(name)
    return found


def _names_in(node: ast.expr) -> set[str]:
    nodes = list(ast.walk(node))
    found = {each.id for each in nodes if isinstance(each, ast.Name)}
    return found | {each.attr for each in nodes if isinstance(each, ast.Attribute)}


def _changed(files: FilePair) -> set[str]:
    """Names at a module's top that stand for something else now; functions are compared apart."""
    before = _values(files.old) if files.old else {}
    after = _values(files.new) if files.new else {}
    found = {name for name, text in before.items() if after.get(name) != text}
    known = -1
    while found and known < len(found):  # names that are made of those
        known = len(found)
        found |= _handed_on(files.new, found)
    return found


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
