"""Hooks, conftest files and what they call, that replace tested code for a whole session."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.fixtures import Fixtures
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.mutes.pairing import Place
from freezegate.policy.mutes.patch_targets import replaced_by, replacing
from freezegate.policy.mutes.patch_words import REPLACED
from freezegate.policy.mutes.patched_subject import Patch, is_ours, patch_told
from freezegate.policy.mutes.step import is_test_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Function, Module, Side, Unit
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.step import MuteStep

_MAX_FOLLOWED = 500  # functions that are called for one file


def find_session_patches(step: MuteStep) -> Iterator[Mute]:
    """Yield what replaces tested code before tests that were there, and did not before."""
    for path, old, new in step.test_files:
        if new is None or (old is None and not _has_tests(step.old, path)):
            continue
        before = {
            ast.dump(patch.node) for _, patch in _Session(step, step.old, step.old_names).of(path)
        }
        for where, patch in _Session(step, step.new, step.new_names).of(path):
            certainty = _certainty(step, where, patch)
            if certainty is not None and ast.dump(patch.node) not in before:
                yield patch_told(where, path, patch)._replace(certainty=certainty)


def _has_tests(old: Side, path: str) -> bool:
    """Whether tests that were there may be run with a new file: one of tests alone is their own."""
    if is_test_file(path):
        return False
    folder = path.rpartition("/")[0]
    return any(is_test_file(each) for each, _ in old.tree.files(folder))


class _Session:
    """What is run on one side before any test asks for it."""

    def __init__(self, step: MuteStep, side: Side, names: Names) -> None:
        self._step, self._side, self._names = step, side, names

    def of(self, path: str) -> Iterator[tuple[str, Patch]]:
        """Yield what may replace something, with the file that says so."""
        module = self._side.module(path)
        waiting = list(self._started(path, module)) if module else []
        seen: set[int] = set()
        for where, unit, statements in waiting:  # grows while it is walked
            for statement in statements:
                for node in replacing(statement):
                    yield where, Patch(node, replaced_by(self._names, where, node, unit), unit)
                for inner in self._called(where, unit, statement):
                    if id(inner.unit.node) not in seen and len(seen) < _MAX_FOLLOWED:
                        seen.add(id(inner.unit.node))
                        waiting.append((inner.path, inner.unit, inner.unit.node.body))

    def _started(
        self, path: str, module: Module
    ) -> Iterator[tuple[str, Unit | None, list[ast.stmt]]]:
        definitions = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        yield path, None, [each for each in module.tree.body if not isinstance(each, definitions)]
        for unit in () if is_test_file(path) else module.units.values():
            if _is_hook(unit.node) or self._is_unasked(path, unit):
                yield path, unit, unit.node.body

    def _is_unasked(self, path: str, unit: Unit) -> bool:
        fixture = (
            Fixtures(self._side, self._names).fixture(path, unit)
            if unit.node.decorator_list
            else None
        )
        return fixture is not None and fixture.is_autouse

    def _called(self, path: str, unit: Unit | None, statement: ast.stmt) -> Iterator[Place]:
        """The tests' own functions that a statement calls."""
        for node in ast.walk(statement):
            called = self._names.names(path, node.func, unit) if isinstance(node, ast.Call) else ()
            for origin in called:
                found = self._names.unit(origin)
                if found and self._step.is_test_code(found[0]):
                    yield Place(*found)


def _is_hook(node: Function) -> bool:
    """A hook by its name, or by what `hookimpl` says of it."""
    marked = (
        each.func.attr
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute)
        else ""
        for each in node.decorator_list
    )
    return node.name.startswith("pytest_") or "hookimpl" in marked


def _certainty(step: MuteStep, path: str, patch: Patch) -> Certainty | None:
    """A builtin that a tested module gets of its own is no collaborator of it."""
    holder, word = _held(step.new_names, path, patch)
    modules = step.new_names.names(path, holder, patch.unit) if holder is not None else ()
    files = [each.removeprefix("module:") for each in modules if each.startswith("module:")]
    for file in (each for each in files if not step.is_test_code(each)):
        module = step.new.module(file)
        if module and word not in module.bindings and hasattr(builtins, word):
            return Certainty.DOUBTFUL if word in REPLACED else Certainty.CLEAR
    return Certainty.DOUBTFUL if is_ours(step, patch) else None


def _held(names: Names, path: str, patch: Patch) -> tuple[ast.expr | None, str]:
    """The object that gets another attribute, and the attribute's name."""
    match patch.node:
        case ast.Assign(targets=[ast.Attribute(value=holder, attr=word)]):
            return holder, word
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Attribute(value=holder), slice=key)])
            | ast.Assign(targets=[ast.Subscript(value=ast.Call(args=[holder]), slice=key)])
            | ast.Call(args=[holder, key, *_])
        ):
            text = fold(key, lambda name: names.constant(path, name, patch.unit))
            return holder, text if isinstance(text, str) else ""
        case _:
            return None, ""
