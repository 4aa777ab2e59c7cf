"""What Hypothesis draws, and a property puts something else in the place of; machines never run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.step import shown
from freezegate.policy.mutes.strategies.changed import changed_drawings, told_drawing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Function, Module
    from freezegate.policy.mutes.step import MuteStep
    from freezegate.policy.mutes.strategies.changed import Changed

_DETECTOR = "narrowed_strategy"
_REMEDY = "Check what is drawn as it is drawn; keep the value that fails as an @example."
_DRAWING = ("given", "rule", "initialize", "composite", "invariant")
_RUN = b"run_state_machine_as_test"


def find_replaced_examples(step: MuteStep) -> Iterator[Mute]:
    """Yield drawn values that become others in the body, and machines that no test runs now."""
    for changed in changed_drawings(step):
        if any(changed.new.decorators(word) for word in _DRAWING):
            yield from _rebound(changed)
    for pair in step.test_files:
        if pair.old and pair.new and b".TestCase" in pair.old.source:
            yield from _machines(pair.path, pair.old, pair.new)


def _rebound(changed: Changed) -> Iterator[Mute]:
    old, new = changed.old.place.unit.node, changed.new.place.unit.node
    known = {ast.dump(node) for node in ast.walk(old)}
    bound = _bound(old) | {arg.arg for arg in new.args.args}
    why = "another value than the one that is drawn"
    for node in ast.walk(new):
        if ast.dump(node) not in known and _replaces(node, bound):
            place = changed.new.place
            yield told_drawing(_DETECTOR, place, Certainty.DOUBTFUL, why, None, node, _REMEDY)


def _replaces(node: ast.AST, bound: set[str]) -> bool:
    if isinstance(node, ast.Assign | ast.AugAssign):
        return _is_other(node, bound)
    return isinstance(node, ast.Return) and node.value is not None and _cuts(node.value, bound)


def _bound(function: Function) -> set[str]:
    """The names and attributes that a function stores something under."""
    nodes = (n for n in ast.walk(function) if isinstance(n, ast.Name | ast.Attribute))
    return {unparsed(n) for n in nodes if isinstance(n.ctx, ast.Store)}


def _is_other(node: ast.Assign | ast.AugAssign, bound: set[str]) -> bool:
    """Whether a name gets something new that is not drawn; a first binding is none of these."""
    targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
    if "draw(" in unparsed(node.value):
        return False
    return any(unparsed(each) in bound for each in targets)


def _cuts(value: ast.expr, bound: set[str]) -> bool:
    """Whether a part of what was drawn is handed out: `items[:5]`, `n % 10`, `min(n, 5)`."""
    for node in ast.walk(value):
        cut = isinstance(node, ast.Subscript) or (
            isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod | ast.BitAnd)
        )
        cut = cut or (
            isinstance(node, ast.Call) and unparsed(node.func) in ("min", "max", "filter")
        )
        if cut and any(isinstance(n, ast.Name) and n.id in bound for n in ast.walk(node)):
            return True
    return False


def _machines(path: str, old: Module, new: Module) -> Iterator[Mute]:
    """`TestStock = Stock.TestCase` is gone, and the machine is still there."""
    before, after = _run_by(old), _run_by(new)
    for name in sorted(before.keys() - after.keys()):
        if name in new.classes and _RUN not in new.source:
            yield Mute(
                family=MuteFamily.STRATEGY,
                detector=_DETECTOR,
                certainty=Certainty.CLEAR,
                path=path,
                line=new.classes[name].lineno,
                was=shown(before[name]),
                now=f"no test runs the machine {name}",
                remedy=f"Keep the test of the machine: Test{name} = {name}.TestCase",
                test=f"{path}::{name}",
                before=shown(before[name]),
            )


def _run_by(module: Module) -> dict[str, ast.stmt]:
    """The machines that a module gives to pytest, with the statement that does."""
    found: dict[str, ast.stmt] = {}
    for node in module.tree.body:
        given: list[ast.expr | None] = (
            [node.value] if isinstance(node, ast.Assign | ast.AnnAssign) else []
        )
        given += node.bases if isinstance(node, ast.ClassDef) else []
        for each in given:
            if isinstance(each, ast.Attribute) and each.attr == "TestCase":
                found[unparsed(each.value)] = node
    return found
