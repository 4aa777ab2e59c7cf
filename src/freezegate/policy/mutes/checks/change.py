"""What may become of one check."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Became(Enum):
    """How a check relates to the one that stood there."""

    AS_STRONG = "as strong"
    CHANGED = "changed"  # something else is expected: who knows which is right
    WEAKER = "weaker"


class Change(NamedTuple):
    """What became of a check, and in what way."""

    became: Became
    why: str = ""


SAME = Change(Became.AS_STRONG)
