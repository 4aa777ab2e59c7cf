"""What became of one check: the same, a stronger one, another value, or a weaker one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.change import SAME, Became, Change
from freezegate.policy.mutes.checks.inputs import other_input
from freezegate.policy.mutes.checks.one_kind import compare_kind, types_of
from freezegate.policy.mutes.checks.own_answer import asks_for_its_own_answer, is_computed
from freezegate.policy.mutes.checks.scale import Check, Kind, key_of, text_of
from freezegate.policy.mutes.checks.subject import leaves_the_subject, looks_at_the_same
from freezegate.policy.mutes.checks.wrapped import is_cast_as_well, wrapping
from freezegate.policy.mutes.constants import UNKNOWN, fold

if TYPE_CHECKING:
    from freezegate.policy.mutes.checks.terms import Terms

_EMPTY: tuple[object, ...] = ([], (), {}, "", b"", set(), frozenset())
_WIDE = frozenset(("Exception", "BaseException"))
# Calls of which many values have one answer.
_LOSSY = frozenset(("bool", "any", "all", "hash", "callable", "min", "max", "next", "type"))
_SMALL = 1e-5  # a tolerance that is there for the rounding of floats alone


def change_of(terms: Terms, old: Check, new: Check) -> Change:
    """Compare a check with the one that took its place."""
    if key_of(old) == key_of(new):
        return SAME
    if leaves_the_subject(terms, old, new):
        return Change(Became.WEAKER, "the tested code is no longer called")
    around = wrapping(terms, old, new)
    if around.became is Became.WEAKER:
        return around
    if new.kind is old.kind:
        return _of_one_kind(terms, old, new, around)
    if {old.kind, new.kind} == {Kind.IDENTICAL, Kind.NOT_NONE} and _is_none(old, new):
        return Change(Became.CHANGED, f"{new.kind.word} in the place of {old.kind.word}")
    if new.kind.rank < old.kind.rank:
        return _down(old, new)
    if new.kind.rank == old.kind.rank and {old.kind, new.kind} & {Kind.RAISES, Kind.FAILS}:
        return Change(Became.CHANGED, f"{new.kind.word} in the place of {old.kind.word}")
    return around


def _of_one_kind(terms: Terms, old: Check, new: Check, around: Change) -> Change:
    """Compare two of one kind; `around` is what was put around the answer."""
    found = compare_kind(terms, old, new)
    if asks_for_its_own_answer(old, new):
        return Change(Became.WEAKER, "what is expected is asked of the tested code itself")
    why = other_input(terms, old.actual, new.actual)
    if found is SAME and why:
        return Change(Became.CHANGED, why)
    if found is SAME and is_computed(old.expected, new.expected) and not is_cast_as_well(old, new):
        return Change(Became.CHANGED, "what is expected is computed")
    if old.kind is Kind.EQUAL and _looks_into(old.actual, new.actual):
        return Change(Became.WEAKER, "a part in the place of the whole")
    if found is SAME and around is not SAME:
        return around
    unlike = found is SAME and not looks_at_the_same(old, new)
    return Change(Became.CHANGED, "something else is looked at") if unlike else found


def _looks_into(old: ast.expr, new: ast.expr) -> bool:
    """Whether of what was compared whole an item, attribute or lossy answer is looked at alone."""
    inner: ast.expr | None = _part_of(new)
    while inner is not None:
        if text_of(inner) == text_of(old):
            return True
        inner = _part_of(inner)
    return False


def _part_of(node: ast.expr) -> ast.expr | None:
    """Return what a part is taken of, None where a node stands for the whole."""
    match node:
        case ast.Subscript() | ast.Attribute():
            return node.value
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _LOSSY:
            return inner
        case _:
            return None


def answers(node: ast.expr) -> bool:
    """Say whether a call says yes or no by its name: `is_subset`, `has_key`."""
    func = node.func if isinstance(node, ast.Call) else None
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return str(name).startswith(("is_", "has_", "can_", "should_"))


def _is_none(old: Check, new: Check) -> bool:
    """Whether None was expected and no longer is, or the other way round."""
    expected = old.expected if old.kind is Kind.IDENTICAL else new.expected
    return isinstance(expected, ast.Constant) and expected.value is None


def _down(old: Check, new: Check) -> Change:
    why = f"{new.kind.word} in the place of {old.kind.word}"
    value = UNKNOWN if old.expected is None else fold(old.expected)
    same = text_of(old.actual) == text_of(new.actual)
    if new.kind is Kind.FALSY and value is not UNKNOWN and not value and same:
        plain = any(type(value) is type(each) and value == each for each in _EMPTY)
        return SAME if plain else Change(Became.CHANGED, why)
    if new.kind is Kind.FALSY and old.kind is Kind.LENGTH and value == 0:
        return SAME
    if new.kind is Kind.TRUTHY and isinstance(value, bool) and same:
        return Change(Became.CHANGED, why)
    if new.kind is Kind.RAISES and not types_of(new.expected) & _WIDE:
        return Change(Became.CHANGED, why)
    if new.kind in (Kind.TRUTHY, Kind.FALSY) and value is UNKNOWN and same and answers(new.actual):
        return Change(Became.CHANGED, why)
    if new.kind is Kind.APPROX and old.kind is Kind.EQUAL and _is_rounding(old, new):
        return Change(Became.CHANGED, why)
    if old.kind is Kind.CUSTOM and new.kind.rank >= Kind.ORDER.rank:
        return Change(Became.CHANGED, why)
    if old.kind.rank - new.kind.rank <= 1:
        return SAME
    return Change(Became.WEAKER, why)


def _is_rounding(old: Check, new: Check) -> bool:
    if any(each is None or each > _SMALL for each in new.tolerance):
        return False
    return old.expected is None or not isinstance(fold(old.expected), int | str | tuple)
