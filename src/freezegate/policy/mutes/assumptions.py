"""Assumptions of property tests that leave out more of what is drawn than before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.scale import text_of
from freezegate.policy.mutes.constants import truth
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.mutes.strategies.changed import changed_drawings, told_drawing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.step import MuteStep
    from freezegate.policy.mutes.strategies.reading import Drawing

_DETECTOR = "assumption"
_REMEDY = "Let the property hold for all that is drawn, or draw what it is about, and say why."
_LEAVING = ("assume", "reject")


def find_assumptions(step: MuteStep) -> Iterator[Mute]:
    """Yield `assume()` and `reject()` that stand in a function, and did not before."""
    for changed in changed_drawings(step):
        old, new = _assumed(changed.old), _assumed(changed.new)
        texts = [text_of(each) for each in old]
        fresh = []
        for each in new:
            if text_of(each) in texts:
                texts.remove(text_of(each))
            else:
                fresh.append(each)
        for each in fresh:
            if not _always(each):
                replaces = bool(texts) and not _never(each)
                certainty = Certainty.DOUBTFUL if replaces else Certainty.CLEAR
                why = "less of what is drawn is tried"
                before = old[0] if old else None
                yield told_drawing(
                    _DETECTOR, changed.new.place, certainty, why, before, each, _REMEDY
                )
                del texts[:1]


def _assumed(drawing: Drawing) -> list[ast.Call]:
    """Every condition that is assumed; those joined by `and` are several."""
    found: list[ast.Call] = []
    for statement in drawing.place.unit.node.body:
        for node in ast.walk(statement):
            if not isinstance(node, ast.Call):
                continue
            if drawing.called(node.func) in _LEAVING:
                found += _split(node)
            elif drawing.helper_calls(node, _LEAVING):
                found.append(node)
    return found


def _split(call: ast.Call) -> list[ast.Call]:
    first = call.args[0] if call.args else None
    if isinstance(first, ast.BoolOp) and isinstance(first.op, ast.And):
        return [ast.copy_location(ast.Call(call.func, [v], []), call) for v in first.values]
    return [call]


def _always(call: ast.Call) -> bool:
    return bool(call.args) and truth(call.args[0]) is True


def _never(call: ast.Call) -> bool:
    return not call.args or truth(call.args[0]) is False
