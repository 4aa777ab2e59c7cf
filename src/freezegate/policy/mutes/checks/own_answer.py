"""Whether a check expects what the tested code itself answers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.matching import is_part
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from freezegate.policy.mutes.checks.scale import Check


def asks_for_its_own_answer(old: Check, new: Check) -> bool:
    """Say whether what is looked at is a part of what is expected, and was not: `f(1) == f(1)`."""
    if new.expected is None or not _calls(new.actual):
        return False
    before = old.expected is not None and is_part(old.actual, old.expected)
    return is_part(new.actual, new.expected) and not before


def is_computed(old: ast.expr | None, new: ast.expr | None) -> bool:
    """Say whether what is expected was there, and now comes from calls or is worked out."""
    if old is None or new is None:
        return False
    return bool(_calls(new) - _calls(old)) or (_works_out(new) and not _works_out(old))


def _calls(node: ast.expr) -> set[str]:
    return {unparsed(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}


def _works_out(node: ast.expr) -> bool:
    return any(isinstance(n, ast.BinOp) for n in ast.walk(node))
