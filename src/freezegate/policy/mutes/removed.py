"""Checks that are gone from a test or helper, with nothing as strong in their place."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.excuses import is_answered, is_kept, is_rewritten, lost_subject
from freezegate.policy.mutes.checks.losses import compared, fresh_elsewhere
from freezegate.policy.mutes.checks.scale import Kind, key_of, text_of
from freezegate.policy.mutes.checks.subject import (
    calls_with_names,
    is_about,
    leaves_the_subject,
    looks_at_the_same,
)
from freezegate.policy.mutes.checks.telling import dead_copy, told
from freezegate.policy.mutes.mute import Certainty, Mute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.losses import Compared
    from freezegate.policy.mutes.checks.scale import Check
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "removed_check"
_STRONG = Kind.PART.rank
_EXPECTING = (Kind.RAISES, Kind.WARNS)
_REMEDY = "Put the check back, or say in the test what holds now, as strictly."


def find_removed(step: MuteStep) -> Iterator[Mute]:
    """Yield each check that stood in a function and stands nowhere now."""
    for function in compared(step):
        lost = [
            check
            for check in function.matched.lost
            if not dead_copy(function, check)
            and not is_kept(step, function, check)
            and not _is_implied(function, check)
        ]
        for check in lost:
            yield _mute(step, function, check, lost)


def _is_implied(function: Compared, check: Check) -> bool:
    """Whether a length was asked of what is compared with a list of as many parts anyway."""
    if check.kind is not Kind.LENGTH or not isinstance(check.expected, ast.Constant):
        return False
    return any(
        each.kind is Kind.EQUAL
        and not each.dead
        and isinstance(each.expected, ast.List | ast.Tuple)
        and len(each.expected.elts) == check.expected.value
        and not any(isinstance(part, ast.Starred) for part in each.expected.elts)
        and text_of(each.actual) in (text_of(check.actual), _measured(check.actual))
        for each in function.after
    )


def _measured(node: ast.expr) -> str:
    """The text of what `len` is asked of."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[whole]):
            return text_of(whole)
        case _:
            return text_of(node)


def _mute(step: MuteStep, function: Compared, check: Check, lost: list[Check]) -> Mute:
    certainty, why = Certainty.CLEAR, "no longer checked"
    doubt = _doubt(step, function, check, lost)
    if doubt:
        certainty, why = Certainty.DOUBTFUL, doubt
    return told(_DETECTOR, function, check, None, certainty, why, _REMEDY)


def _doubt(step: MuteStep, function: Compared, check: Check, lost: list[Check]) -> str:
    """Return why the loss of a check may be honest, empty where nothing speaks for it."""
    if check.kind is Kind.WARNS and "Deprecat" in text_of(check.expected):
        return "what was deprecated may be gone"
    gone = lost_subject(step, check)
    if gone is not None:
        return f"removed together with {gone}"
    if any(key_of(each) == key_of(check) and not each.dead for each in function.after):
        return "it stood there more than once"
    if is_answered(function, check):
        return "its answer is checked by itself"
    if _replaced(function, check, lost):
        return "other checks stand in its place"
    if _now_in_rows(function, check) or _rows_elsewhere(step, check):
        return "rows stand in its place"
    if _through_other(function, check):
        return "something else of the tested code is called in its place"
    return "the whole body is another one" if is_rewritten(function) else ""


def _replaced(function: Compared, check: Check, lost: list[Check]) -> bool:
    """As many checks are fresh as are lost; a message belongs to its exception."""
    alike = (*function.matched.same, *function.matched.alike)
    if _of_exception(check) and any(
        old.kind in _EXPECTING and (new.kind not in _EXPECTING or _gains_a_match(old, new))
        for old, new in alike
    ):
        return True
    expects = any(each.kind in _EXPECTING for each in lost)
    alone = [c for c in lost if not (expects and _of_exception(c))]
    least = min(check.kind.rank, Kind.UNORDERED.rank)
    better = [new for old, new in alike if new.kind.rank > old.kind.rank and old.kind.rank < least]
    fresh = [*function.matched.fresh, *better]
    fresh = [c for c in fresh if c.kind.rank >= least and is_about(check, c)]
    return 0 < len([c for c in alone if c.kind.rank >= least] or [check]) <= len(fresh)


def _now_in_rows(function: Compared, check: Check) -> bool:
    """A test that has become one with parameters checks each row in one line."""
    before, after = (len(p.unit.node.decorator_list) for p in (function.old, function.new))
    if after <= before:
        return False
    new = [*function.matched.fresh, *(pair[1] for pair in function.matched.alike)]
    return any(c.kind.rank >= check.kind.rank - 1 and looks_at_the_same(check, c) for c in new)


def _rows_elsewhere(step: MuteStep, check: Check) -> bool:
    """A new test with parameters calls the same with values of its rows alone."""
    return any(
        looks_at_the_same(check, each) and calls_with_names(each) and each.kind.rank >= _STRONG
        for each in fresh_elsewhere(step)
    )


def _through_other(function: Compared, check: Check) -> bool:
    """What was called directly is tested through something else: private, then public."""
    if any(not c.dead and looks_at_the_same(check, c) for c in function.after):
        return False
    fresh = [*function.matched.fresh, *(pair[1] for pair in function.matched.alike)]
    return any(
        c.kind.rank >= _STRONG and not leaves_the_subject(function.terms, check, c) for c in fresh
    )


def _of_exception(check: Check) -> bool:
    return "<with>" in text_of(check.actual)


def _gains_a_match(old: Check, new: Check) -> bool:
    return old.pattern is None and new.pattern is not None
