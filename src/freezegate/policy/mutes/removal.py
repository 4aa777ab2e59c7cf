"""Whether a test that is gone may have gone honestly: with what it tested, or into another."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from freezegate.policy.mutes.modules import Function
from freezegate.policy.mutes.normal import normal_body, unparsed, without_docstring
from freezegate.policy.mutes.step import is_test_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module, Unit
    from freezegate.policy.mutes.step import MuteStep

# Too common to say that a test is about them.
_COMMON = frozenset({"self", "cls", "__init__", "name", "value", "data", "args", "kwargs"})


class Removals:
    """What disappeared from the subject in a step, and what the step's own tests check."""

    def __init__(self, step: MuteStep) -> None:
        """Look at both sides of a step."""
        self._step = step

    def subject_gone(self, path: str, unit: Unit) -> bool:
        """Say whether a name that a test uses was defined in changed subject code, and is not now.

        A function that only got another name is not gone.
        """
        used = set(_used(unit.node)) - _COMMON
        return bool(used & self._gone) or self._imports_gone(path, unit) or self._went_with(path)

    def absorbed(self, unit: Unit) -> bool:
        """Say whether all that a test checks is checked by a new or changed test of the step."""
        calls, values = _content(unit.node)
        checks = any(isinstance(each, ast.Assert) for each in ast.walk(unit.node))
        if not calls and not values:
            return not checks
        return any(calls <= more and values <= worth for more, worth in self._fresh)

    @cached_property
    def _gone(self) -> frozenset[str]:
        before: set[str] = set()
        after: set[str] = set()
        bodies: set[str] = set()
        for _, old, new in self._step.subject_files:
            before |= set(_defined(old))
            after |= set(_defined(new))
            bodies |= {normal_body(u.node) for u in new.units.values()} if new else set()
        renamed = {
            unit.node.name
            for _, old, _ in self._step.subject_files
            for unit in (old.units.values() if old else ())
            if normal_body(unit.node) in bodies
        }
        return frozenset(before - after - renamed)

    def _imports_gone(self, path: str, unit: Unit) -> bool:
        """Whether a module that a test imports stands no longer where it was, nor elsewhere."""
        gone = {f.path for f in self._step.subject_files if f.old and f.new is None}
        if not gone:
            return False
        module = self._step.old.module(path)
        names = set(_used(unit.node))
        for name in names & set(module.bindings if module else ()):
            origins = self._step.old_names.names(path, ast.Name(name, ast.Load()))
            if any(o.partition("::")[0].removeprefix("module:") in gone for o in origins):
                return True
        return False

    def _went_with(self, path: str) -> bool:
        """Whether a test file is gone together with all tested modules that it imported."""
        module = self._step.old.module(path)
        if self._step.new.module(path) is not None or module is None:
            return False
        gone = {f.path for f in self._step.subject_files if f.old and f.new is None}
        imported = {
            file
            for statement in module.tree.body
            if isinstance(statement, ast.Import | ast.ImportFrom)
            for file in self._files_of(path, statement)
            if not self._step.is_test_code(file)
        }
        return bool(imported) and imported <= gone

    def _files_of(self, path: str, statement: ast.Import | ast.ImportFrom) -> Iterator[str]:
        names = self._step.old_names
        modules = (
            [(alias.name, 0) for alias in statement.names]
            if isinstance(statement, ast.Import)
            else [(statement.module or "", statement.level)]
        )
        yield from (f for name, level in modules if (f := names.file_of(path, name, level)))

    @cached_property
    def _fresh(self) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
        """Calls and values of tests that are new or changed."""
        found = []
        for pair in self._step.pairs:
            if pair.new is None or not is_test_name(pair.new.unit.name):
                continue
            same = pair.old and normal_body(pair.old.unit.node) == normal_body(pair.new.unit.node)
            if not same or _decorated(pair.old and pair.old.unit) != _decorated(pair.new.unit):
                found.append(_content(pair.new.unit.node))
        return tuple(found)


def _decorated(unit: Unit | None) -> str:
    return "".join(ast.dump(each) for each in unit.node.decorator_list) if unit else ""


def _used(node: Function) -> Iterator[str]:
    for each in (*without_docstring(node.body), *node.decorator_list):
        for inner in ast.walk(each):
            match inner:
                case ast.Name():
                    yield inner.id
                case ast.Attribute():
                    yield inner.attr
                case ast.keyword(arg=str(name)):
                    yield str(name)
                case ast.Constant(value=str(text)) if str(text).isidentifier():
                    yield str(text)
                case _:
                    pass


def _defined(module: Module | None) -> Iterator[str]:
    """Names of functions, classes, their parameters, and values at the top."""
    if module is None:
        return
    yield from module.bindings
    for unit in module.units.values():
        yield unit.node.name
        arguments = unit.node.args
        yield from (each.arg for each in (*arguments.args, *arguments.kwonlyargs))
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        if isinstance(node, ast.ClassDef):
            yield node.name
            for each in node.body:
                targets = each.targets if isinstance(each, ast.Assign) else []
                yield from (t.id for t in targets if isinstance(t, ast.Name))


def _content(node: Function) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a function calls, and the constants in it, its tables included."""
    calls: set[str] = set()
    values: set[str] = set()
    for each in (*without_docstring(node.body), *node.decorator_list):
        for inner in ast.walk(each):
            if isinstance(inner, ast.Call):
                calls.add(unparsed(inner.func).rpartition(".")[2])
            elif isinstance(inner, ast.Constant):
                values.add(repr(inner.value))
    return frozenset(calls), frozenset(values)
