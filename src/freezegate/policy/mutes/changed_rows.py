"""Rows of `parametrize` that say something else: another input, or another value expected."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.losses import compared
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.pairing import Place
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "changed_row"
_PARAMETRIZE = "pytest.mark.parametrize"
_REMEDY = "Say in the commit why the row changes; a person compares the two."


def find_changed_rows(step: MuteStep) -> Iterator[Mute]:
    """Yield the first row of each test in whose place another stands; dropped ones are told
    where tests are collected.
    """
    for function in compared(step):
        old, new = _rows(step.old_names, function.old), _rows(step.new_names, function.new)
        lost = [node for text, node in old.items() if text not in new]
        fresh = [node for text, node in new.items() if text not in old]
        if lost and fresh:
            yield _mute(function.new, lost[0], fresh[0])


def _rows(names: Names, place: Place) -> dict[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    around = [each for klass in place.unit.classes for each in klass.decorator_list]
    for each in (*place.unit.node.decorator_list, *around):
        if isinstance(each, ast.Call) and len(each.args) > 1:
            if _PARAMETRIZE not in names.names(place.path, each.func):
                continue
            values: ast.expr | None = each.args[1]
            if isinstance(values, ast.Name):
                values = names.constant(place.path, values.id)
            for row in getattr(values, "elts", ()):
                found[_said(names, place, row)] = row
    return found


def _said(names: Names, place: Place, row: ast.expr) -> str:
    """A row without its id and marks, with or without `pytest.param` around it."""
    if isinstance(row, ast.Call) and "pytest.param" in names.names(place.path, row.func):
        row = row.args[0] if len(row.args) == 1 else ast.Tuple(row.args, ast.Load())
    return ast.dump(row)


def _mute(place: Place, old: ast.expr, new: ast.expr) -> Mute:
    return Mute(
        family=MuteFamily.ASSERTION,
        detector=_DETECTOR,
        certainty=Certainty.DOUBTFUL,
        path=place.path,
        line=getattr(new, "lineno", None),
        was=shown(old),
        now=f"another row: {shown(new)}",
        remedy=_REMEDY,
        test=place.test_id,
        freezable=is_test_name(place.unit.name),
        before=shown(old, 200),
        after=shown(new, 200),
    )
