"""Checks that still stand in a test, and are never decided, or not always as before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.excuses import is_kept
from freezegate.policy.mutes.checks.losses import compared
from freezegate.policy.mutes.checks.telling import dead_copy, told
from freezegate.policy.mutes.checks.unasked import certainty_of
from freezegate.policy.mutes.mute import Certainty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.losses import Compared
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "dead_check"
_REMEDY = "Let the check be reached in every run, and its failure come out of the test."


def find_dead(step: MuteStep) -> Iterator[Mute]:
    """Yield checks that no longer decide whether a test passes."""
    for function in compared(step):
        lost = (*function.matched.lost, *(old for old, _ in function.matched.alike))
        for check in lost:
            copy = dead_copy(function, check)
            if copy and not is_kept(step, function, check):
                yield told(_DETECTOR, function, check, copy, Certainty.CLEAR, copy.dead, _REMEDY)
        yield from _newly_guarded(function)


def _newly_guarded(function: Compared) -> Iterator[Mute]:
    told_of: set[str] = set()
    for old, new in function.matched.same:
        added = [each for each in new.guards if each not in old.guards]
        if len(new.guards) > len(old.guards) and added and added[0] not in told_of:
            told_of.add(added[0])
            certain = {each: certainty_of(function.terms, each, new) for each in added}
            gravest = max(added, key=lambda each: certain[each])
            why, certainty = f"only where {gravest}", certain[gravest]
            yield told(_DETECTOR, function, old, new, certainty, why, _REMEDY)
