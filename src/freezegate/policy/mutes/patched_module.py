"""Test modules and conftest files that replace tested code for tests that did not ask for it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.reading import read_checks
from freezegate.policy.mutes.fixtures import Fixtures
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.mutes.pairing import Place
from freezegate.policy.mutes.patch_targets import replaced_by, replacing
from freezegate.policy.mutes.patched_subject import (
    Patch,
    asked_of,
    called_in,
    hits,
    is_ours,
    methods_of,
    patch_told,
)
from freezegate.policy.mutes.step import is_test_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module, Unit
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.step import FilePair, MuteStep


def find_patched_modules(step: MuteStep) -> Iterator[Mute]:
    """Yield new patches at the top of a module, in its fixtures and set-ups."""
    for pair in step.test_files:
        yield from _of_module(step, pair)


def _of_module(step: MuteStep, pair: FilePair) -> Iterator[Mute]:
    if pair.new is None or pair.old is None:
        return
    fresh = list(_new_patches(step, pair))
    if not fresh:
        return
    called, asked = _tested_in(step, pair)
    for each in fresh:
        if not called and is_ours(step, each):  # a conftest file: which tests call it is not asked
            yield patch_told(pair.path, pair.path, each)._replace(certainty=Certainty.DOUBTFUL)
        elif hits(each.targets, called):
            yield patch_told(pair.path, pair.path, each)
        elif methods_of(step, each) & asked:
            yield patch_told(pair.path, pair.path, each)._replace(
                certainty=_reach(step, pair, each)
            )


def _tested_in(step: MuteStep, pair: FilePair) -> tuple[set[str], set[str]]:
    """What the checks of a module's tests call, and the methods that they ask of whatever it is."""
    called, asked = set[str](), set[str]()
    for unit in pair.new.units.values() if pair.new else ():
        if is_test_name(unit.name):
            place = Place(pair.path, unit)
            checks = tuple(read_checks(step.new_names, *place))
            called |= called_in(step.new_names, place, checks)
            asked |= asked_of(checks)
    return called, asked


def _reach(step: MuteStep, pair: FilePair, patch: Patch) -> Certainty:
    """Whether tests are patched that did not ask for it: at the top, or in an autouse fixture."""
    if patch.unit is None or patch.unit.node.name.lower().startswith("setup"):
        return Certainty.CLEAR
    fixture = Fixtures(step.new, step.new_names).fixture(pair.path, patch.unit)
    unasked = fixture is not None and fixture.is_autouse
    return Certainty.CLEAR if unasked else Certainty.DOUBTFUL


def _new_patches(step: MuteStep, pair: FilePair) -> Iterator[Patch]:
    assert pair.old is not None  # noqa: S101 - asked by the caller
    assert pair.new is not None  # noqa: S101 - asked by the caller
    before = {ast.dump(node) for node, _ in _outside_of_tests(pair.old)}
    for node, unit in _outside_of_tests(pair.new):
        if ast.dump(node) not in before:
            yield Patch(node, replaced_by(step.new_names, pair.path, node, unit), unit)


def _outside_of_tests(module: Module) -> Iterator[tuple[ast.AST, Unit | None]]:
    """What replaces something at the top of a module, in its fixtures and set-ups."""
    for statement in module.tree.body:
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from ((node, None) for node in replacing(statement))
    for unit in module.units.values():
        if not is_test_name(unit.name):
            for statement in unit.node.body:
                yield from ((node, unit) for node in replacing(statement))
