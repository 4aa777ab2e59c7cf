"""Whether a silencer of the new side silences more than those of the old side did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.mutes.guards import within
from freezegate.policy.mutes.mute import Certainty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from freezegate.policy.mutes.silencers import Silencer

_ANY_ERROR = frozenset({"builtins.Exception", "builtins.BaseException"})


def widening(
    before: Sequence[Silencer], after: Sequence[Silencer], new: Silencer
) -> Certainty | None:
    """Return how sure it is that `new`, one of those after, silences more; None for no more."""
    if new.kind == "rerun":
        return None if any(old.kind == "rerun" for old in before) else Certainty.CLEAR
    silent = [old for old in before if old.kind != "rerun"]
    answers = [_compared(old, new) for old in silent if within(new.when, old.when)]
    if answers:
        return None if None in answers else min(a for a in answers if a is not None)
    others = [each for each in after if each is not new]
    gone = [old for old in silent if not any(within(old.when, each.when) for each in others)]
    changed = new.when and any(_same_rows(old, new) for old in gone)
    return Certainty.DOUBTFUL if changed else Certainty.CLEAR


def _compared(old: Silencer, new: Silencer) -> Certainty | None:
    """Two that take effect in the same cases."""
    if old.kind == "skip":
        return Certainty.DOUBTFUL if new.after < old.after and new.kind == "skip" else None
    if new.kind == "skip":
        return Certainty.CLEAR if old.strict or old.raises else Certainty.DOUBTFUL
    if old.strict and not new.strict:
        return Certainty.CLEAR
    if old.strict is None and new.strict is False:
        return Certainty.DOUBTFUL
    return _raises_more(old.raises, new.raises)


def _raises_more(old: frozenset[str] | None, new: frozenset[str] | None) -> Certainty | None:
    if old is None or old & _ANY_ERROR or (new is not None and new <= old):
        return None
    return Certainty.CLEAR if new is None or new & _ANY_ERROR else Certainty.DOUBTFUL


def _same_rows(old: Silencer, new: Silencer) -> bool:
    """A marker of one row says nothing of the others."""
    return old.scope != "parameter" or old.row == new.row
