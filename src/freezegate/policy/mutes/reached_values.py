"""Checks of unchanged tests that say less, since a value of another module says something else."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.anything import is_anything
from freezegate.policy.mutes.checks.change import Became, Change
from freezegate.policy.mutes.checks.comparing import change_of
from freezegate.policy.mutes.checks.losses import Compared
from freezegate.policy.mutes.checks.matching import Matched
from freezegate.policy.mutes.checks.reading import read_checks
from freezegate.policy.mutes.checks.telling import told
from freezegate.policy.mutes.checks.terms import Terms
from freezegate.policy.mutes.checks.tolerances import wider
from freezegate.policy.mutes.mute import Certainty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.scale import Check
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.pairing import Pair
    from freezegate.policy.mutes.step import MuteStep

_WEAKER, _OTHER = "weakened_check", "expected_value"
_REMEDY = "Leave the value as it was; where the tested code is wrong, mend it there."
_REMEDY_OTHER = "Say in the commit why the value changes; a person compares the two."
_NOTHING = Matched((), (), (), ())


def find_reached_values(step: MuteStep) -> Iterator[Mute]:
    """Yield what became of the checks of functions that no line of the patch is in."""
    for pair in step.reached_pairs:
        yield from _of_pair(step, pair)


def _of_pair(step: MuteStep, pair: Pair) -> Iterator[Mute]:
    if pair.old is None or pair.new is None:
        return
    before = tuple(read_checks(step.old_names, *pair.old))
    after = tuple(read_checks(step.new_names, *pair.new))
    if len(before) != len(after):  # a helper of theirs changed, which is compared by itself
        return
    sides = Terms(step.old_names, *pair.old), Terms(step.new_names, *pair.new)
    function = Compared(pair, pair.old, pair.new, before, after, _NOTHING, sides[1])
    for old, new in zip(before, after, strict=True):
        change = _change(sides, old, new)
        if change.became is Became.WEAKER:
            yield told(_WEAKER, function, old, new, Certainty.CLEAR, change.why, _REMEDY)
        elif change.became is Became.CHANGED:
            yield told(_OTHER, function, old, new, Certainty.DOUBTFUL, change.why, _REMEDY_OTHER)


def _change(sides: tuple[Terms, Terms], old: Check, new: Check) -> Change:
    if _agreeing(sides[1], new.expected) > _agreeing(sides[0], old.expected):
        return Change(Became.WEAKER, "an object that equals everything in what is expected")
    if wider(old.tolerance, new.tolerance):
        return Change(Became.WEAKER, "a wider tolerance")
    return change_of(sides[1], old, new)


def _agreeing(terms: Terms, node: ast.AST | None) -> int:
    return sum(is_anything(terms, each) for each in ast.walk(node)) if node else 0
