"""The honest way out of a mute: what its detector says, and a freeze where one can be had."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from freezegate.policy.mutes.mute import BASE, Certainty, MuteFamily
from freezegate.policy.settings import Weight

if TYPE_CHECKING:
    from freezegate.model.verdict import Base
    from freezegate.policy.facts import Judges
    from freezegate.policy.mutes.mute import Mute

_DRAFT = "freezegate catalog add --help"
_SHORT = 12
_SAID = "say in the "  # commit, or pull request
_PUT_BACK = (
    "Put back what stood there: this policy refuses what is doubtful ([mutes] doubtful). "
    "Where the change is right, an owner of .freeze/policy.toml says so in a patch of its own."
)


def remedy_of(mute: Mute, weight: Weight, judges: Judges, base: Base) -> str:
    """Return what to do about a mute under this policy, and against this base."""
    if weight is Weight.REFUSE and mute.certainty is Certainty.DOUBTFUL and _only_says(mute):
        return _PUT_BACK
    rev = base.rev[:_SHORT] if base.rev else "HEAD^"
    return mute.remedy.replace(BASE, rev) + _offer(mute, judges)


def _only_says(mute: Mute) -> bool:
    """Whether the remedy is words for a reviewer, of which a refusal takes none."""
    return _SAID in mute.remedy.lower()


def _offer(mute: Mute, judges: Judges) -> str:
    """What a freeze takes; nothing where no freeze can be had, since no policy stands at T."""
    if not mute.offer or judges.policy.value is None:
        return ""
    catalog = judges.catalog.value
    if catalog is None or not catalog.properties:
        return f" To freeze one that wavers without a fault, name its property first: {_DRAFT}"
    mark = " --mark" if mute.family is MuteFamily.MARKER else ""
    return (
        " Where it wavers without a fault, ask for a freeze: freezegate witness "
        f"{shlex.quote(mute.offer)} --owner NAME --expires-on DATE{mark}"
    )
