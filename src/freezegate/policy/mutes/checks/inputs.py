"""Whether a check hands something else to the tested code than before, and expects the same."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.modules import bindings_of

if TYPE_CHECKING:
    from freezegate.policy.mutes.checks.terms import Terms


def other_input(terms: Terms, old: ast.expr, new: ast.expr) -> str:
    """Return how what is handed over differs, empty where nothing that was is gone.

    One more argument is what a new parameter brings.
    """
    if _emptied(old, new):
        return "an empty input"
    before, after = _constants(_handed(old)), _constants(_handed(new))
    named = after + _constants(_bound(terms, _names(new) - _names(old)))
    if before - named:
        return "another input"
    fixed = _names(old) - _names(new) and after - before
    return "a constant in the place of what was handed over" if fixed else ""


def _names(node: ast.expr) -> set[str]:
    return {n.id for part in _handed(node) for n in ast.walk(part) if isinstance(n, ast.Name)}


def _bound(terms: Terms, names: set[str]) -> list[ast.expr]:
    """What local names stand for: a list that got a name is handed over as before."""
    local = bindings_of(terms.unit.node.body)
    return [b.value for name in names for b in local.get(name, ()) if b.value is not None]


def _constants(parts: list[ast.expr]) -> Counter[str]:
    every = (each for part in parts for each in ast.walk(part))
    return Counter({repr(n.value) for n in every if isinstance(n, ast.Constant)})


def _emptied(old: ast.expr, new: ast.expr) -> bool:
    """Whether what is handed over was something, and is nothing now."""
    before, after = ([_is_empty(n) for n in _handed(each)] for each in (old, new))
    return len(before) == len(after) and sum(after) > sum(before)


def _handed(node: ast.expr) -> list[ast.expr]:
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    return [part for c in calls for part in (*c.args, *(k.value for k in c.keywords))]


def _is_empty(node: ast.expr) -> bool:
    value = fold(node)
    return isinstance(value, str | bytes | tuple | list | dict | None) and not value
