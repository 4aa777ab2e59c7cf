"""Checks with a weaker one in their place, or with another value that they expect."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.change import Became
from freezegate.policy.mutes.checks.comparing import change_of
from freezegate.policy.mutes.checks.excuses import is_answered, is_kept, is_rewritten, lost_subject
from freezegate.policy.mutes.checks.losses import compared
from freezegate.policy.mutes.checks.matching import is_part
from freezegate.policy.mutes.checks.scale import Kind
from freezegate.policy.mutes.checks.telling import dead_copy, told
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.mutes.pairing import same_but_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.change import Change
    from freezegate.policy.mutes.checks.losses import Compared
    from freezegate.policy.mutes.checks.scale import Check
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR, _EXPECTED = "weakened_check", "expected_value"
_REMEDY = "Check as strictly as before; where the tested code is wrong, mend it there."
_REMEDY_EXPECTED = "Say in the commit why the expected value changes; a person compares the two."


def find_weakened(step: MuteStep) -> Iterator[Mute]:
    """Yield checks that say less than those in whose place they stand."""
    for function in compared(step):
        for old, new in (*function.matched.same, *function.matched.alike):
            change = change_of(function.terms, old, new)
            if change.became is not Became.WEAKER or dead_copy(function, old):
                continue
            if not is_kept(step, function, old) and not _asks_the_message(function, old, new):
                yield _weaker(step, function, old, new, change)


def find_changed_values(step: MuteStep) -> Iterator[Mute]:
    """Yield checks that expect something else: a person must know which is right."""
    for function in compared(step):
        for old, new in (*function.matched.same, *function.matched.alike):
            change = change_of(function.terms, old, new)
            if same_but_for([old.node], [new.node], step.is_same_code):
                continue
            if change.became is Became.CHANGED and not is_kept(step, function, old):
                yield told(
                    _EXPECTED, function, old, new, Certainty.DOUBTFUL, change.why, _REMEDY_EXPECTED
                )


def _asks_the_message(function: Compared, old: Check, new: Check) -> bool:
    """Whether the text of the exception is compared as a whole where a pattern was matched."""
    if old.kind is not Kind.RAISES or old.pattern is None or new.pattern is not None:
        return False
    return any(
        each.kind is Kind.EQUAL and not each.dead and _is_message(each.actual)
        for each in function.matched.fresh
    )


def _is_message(node: ast.expr) -> bool:
    """`str(caught.value)`, and `caught.exception` of unittest."""
    match node:
        case ast.Call(func=ast.Name(id="str"), args=[ast.Attribute(attr="value" | "exception")]):
            return True
        case _:
            return False


def _in_parts(function: Compared, old: Check) -> bool:
    """Whether several parts are compared where the whole was."""
    whole = len(getattr(old.expected, "elts", ())) or len(getattr(old.expected, "keys", ()))
    new = [*function.matched.fresh, *(pair[1] for pair in function.matched.alike)]
    equal = [c for c in new if c.kind is Kind.EQUAL and is_part(old.actual, c.actual)]
    sizes = [c for c in new if c.kind is Kind.LENGTH and is_part(old.actual, c.actual)]
    return len(equal) >= (whole or 2) and len(equal) + bool(sizes) > 1


def _weaker(step: MuteStep, function: Compared, old: Check, new: Check, change: Change) -> Mute:
    gone = lost_subject(step, old)
    doubtful = gone is not None or is_rewritten(function) or _in_parts(function, old)
    doubtful = doubtful or is_answered(function, old)
    certainty = Certainty.DOUBTFUL if doubtful else Certainty.CLEAR
    return told(_DETECTOR, function, old, new, certainty, change.why, _REMEDY)
