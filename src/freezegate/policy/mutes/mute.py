"""One way in which a patch silences or weakens a test, with what stood and what stands there."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from freezegate.policy.settings import MuteFamily as MuteFamily

BASE = "<base>"  # in a remedy: the revision that the patch is judged against


class Certainty(IntEnum):
    """How sure a detector is that a test is worth less than before."""

    TOLD = 0  # worth a line in the report, and no more
    DOUBTFUL = 1  # it may be honest: a person must look
    CLEAR = 2  # whatever the author meant, less is checked than before


class Mute(NamedTuple):
    """A finding of one detector.

    `test` is the node id of the test, class or file that is silenced (`tests/test_a.py::test_b`),
    None where no test can be named; `freezable` says that a freeze of exactly that test makes it
    legal. `was` and `now` are one line each, for the report; `before` and `after` the smallest
    piece of source that shows it; `remedy` the honest way to what the author wanted, and `offer`
    the test that a freeze could be asked for (`TEST` where none can be named).
    """

    family: MuteFamily
    detector: str
    certainty: Certainty
    path: str
    line: int | None
    was: str
    now: str
    remedy: str
    test: str | None = None
    freezable: bool = False
    opaque: bool = False
    offer: str = ""
    before: str = ""
    after: str = ""
