"""Tests that check by running alone, and whose body does nothing now."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.losses import compared
from freezegate.policy.mutes.checks.telling import told
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.mutes.normal import without_docstring
from freezegate.policy.mutes.step import is_test_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Function
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "emptied_test"
_REMEDY = "Let the test run what it ran; delete it openly where its code is gone."


def find_emptied(step: MuteStep) -> Iterator[Mute]:
    """Yield tests without a check that called something, and call nothing any more."""
    for function in compared(step):
        if not is_test_name(function.new.unit.name) or any(not c.dead for c in function.before):
            continue
        if _does_something(function.old.unit.node) and not _does_something(function.new.unit.node):
            why = "the body does nothing"
            yield told(_DETECTOR, function, None, None, Certainty.CLEAR, why, _REMEDY)


def _does_something(node: Function) -> bool:
    """Whether a call is reached: one behind a leading return is none."""
    for statement in without_docstring(node.body):
        if isinstance(statement, ast.Return) and statement.value is None:
            return False
        if any(isinstance(n, ast.Call | ast.Await | ast.Subscript) for n in ast.walk(statement)):
            return not _is_swallowed(statement)
    return False


def _is_swallowed(statement: ast.stmt) -> bool:
    """Whether a `try` takes every failure: a test that only runs its code checks nothing then."""
    if not isinstance(statement, ast.Try):
        return False
    wide = ("Exception", "BaseException")
    return any(
        (h.type is None or (isinstance(h.type, ast.Name) and h.type.id in wide))
        and not any(isinstance(n, ast.Raise | ast.Call) for each in h.body for n in ast.walk(each))
        for h in statement.handlers
    )
