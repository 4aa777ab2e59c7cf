"""Objects of the tests that come to equal, contain or exceed everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.anything import agreeing
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.pairing import Pair
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "agreeing_equality"
_ANSWERING = ("__eq__", "__contains__", "__bool__", "__ge__", "__le__", "__gt__", "__lt__")
_REMEDY = "Compare what the object holds; where any value will do, say so at that one check."


def find_agreeing(step: MuteStep) -> Iterator[Mute]:
    """Yield comparisons that always hold now, of classes that stood there before."""
    classes = {f.path: f.old.classes for f in step.test_files if f.old}
    for pair in step.pairs:
        if pair.new is None or pair.new.unit.node.name not in _ANSWERING:
            continue
        owner = pair.new.unit.name.rpartition(".")[0]
        stood = pair.old is not None or owner in classes.get(pair.new.path, {})
        was_so = pair.old is not None and agreeing(pair.old.unit.node)
        if stood and not was_so and agreeing(pair.new.unit.node):
            yield _mute(pair)


def _mute(pair: Pair) -> Mute:
    assert pair.new is not None  # noqa: S101 - asked by the caller
    place = pair.new
    return Mute(
        family=MuteFamily.ASSERTION,
        detector=_DETECTOR,
        certainty=Certainty.CLEAR,
        path=place.path,
        line=place.unit.node.lineno,
        was=shown(pair.old.unit.node) if pair.old else "compared as Python does",
        now=f"always holds: {shown(place.unit.node)}",
        remedy=_REMEDY,
        test=place.path,
        before=shown(pair.old.unit.node, 200) if pair.old else "",
        after=shown(place.unit.node, 200),
    )
