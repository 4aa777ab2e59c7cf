"""Checks that are gone from a test or helper, with nothing as strong in their place."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.excuses import is_kept, is_rewritten, lost_subject
from freezegate.policy.mutes.checks.losses import compared
from freezegate.policy.mutes.checks.scale import Kind, text_of
from freezegate.policy.mutes.checks.telling import dead_copy, told
from freezegate.policy.mutes.mute import Certainty, Mute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.losses import Compared
    from freezegate.policy.mutes.checks.scale import Check
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "removed_check"
_REMEDY = "Put the check back, or say in the test what holds now, as strictly."


def find_removed(step: MuteStep) -> Iterator[Mute]:
    """Yield each check that stood in a function and stands nowhere now."""
    for function in compared(step):
        lost = [
            check
            for check in function.matched.lost
            if not dead_copy(function, check) and not is_kept(step, function, check)
        ]
        for check in lost:
            yield _mute(step, function, check, lost)


def _mute(step: MuteStep, function: Compared, check: Check, lost: list[Check]) -> Mute:
    certainty, why = Certainty.CLEAR, "no longer checked"
    gone = lost_subject(step, check)
    if gone is not None:
        certainty, why = Certainty.DOUBTFUL, f"removed together with {gone}"
    elif _replaced(function, check, lost):
        certainty, why = Certainty.DOUBTFUL, "other checks stand in its place"
    elif is_rewritten(function):
        certainty, why = Certainty.DOUBTFUL, "the whole body is another one"
    return told(_DETECTOR, function, check, None, certainty, why, _REMEDY)


def _replaced(function: Compared, check: Check, lost: list[Check]) -> bool:
    """As many checks are fresh as are lost; a message belongs to its exception."""
    expects = any(each.kind in (Kind.RAISES, Kind.WARNS) for each in lost)
    alone = [c for c in lost if not (expects and "<with>" in text_of(c.actual))]
    least = min(check.kind.rank, Kind.UNORDERED.rank)
    fresh = [c for c in function.matched.fresh if c.kind.rank >= least and _about(check, c)]
    return 0 < len([c for c in alone if c.kind.rank >= least] or [check]) <= len(fresh)


def _about(old: Check, new: Check) -> bool:
    """Whether a check looks at something that the old one looked at, too."""
    before, after = _words(old, called=True), _words(new, called=True)
    if before:
        return bool(before & after)
    return bool(_words(old, called=False) & _words(new, called=False))


def _words(check: Check, *, called: bool) -> frozenset[str]:
    """The names in a check, or those that it calls; Python's own say nothing of the subject."""
    parts = [part for part in (check.actual, check.expected) if part is not None]
    nodes = [node for part in parts for node in ast.walk(part)]
    nodes = [n.func for n in nodes if isinstance(n, ast.Call)] if called else nodes
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    names |= {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    return frozenset(names - set(dir(builtins)) - {"<with>"})
