"""Fixtures and helpers that handed out the tested code's objects, and now hand out stand-ins."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.names import Names, Origins
    from freezegate.policy.mutes.pairing import Place
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "stand_in"
_MOCKS = ("unittest.mock.", "mock.", "param:mocker.", "types.SimpleNamespace")
_REMEDY = "Hand out the tested code's own object; a stand-in belongs to what that object talks to."


def find_stand_ins(step: MuteStep) -> Iterator[Mute]:
    """Yield functions whose answer was of a tested class, and is of a mock or of a test's class.

    An honest one exists (a base class became abstract), so that a person looks.
    """
    for pair in step.changed_pairs:
        if pair.old is None or pair.new is None or is_test_name(pair.new.unit.name):
            continue
        before = _handed_out(step.old_names, pair.old)
        after = _handed_out(step.new_names, pair.new)
        real = {each for each in before - after if _is_tested(step, each)}
        fakes = sorted(each for each in after - before if _is_stand_in(step, each))
        if real and fakes:
            yield _mute(pair.old, pair.new, min(real), fakes[0])


def _handed_out(names: Names, place: Place) -> Origins:
    """What a function returns or yields, by what it was made from."""
    found: Origins = frozenset()
    for node in ast.walk(place.unit.node):
        if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
            found |= names.names(place.path, node.value, place.unit)
    return found


def _is_tested(step: MuteStep, origin: str) -> bool:
    path, separator, name = origin.partition("::")
    known = bool(separator) and not step.is_test_code(path)
    return known and step.old_names.class_at(path, name) is not None


def _is_stand_in(step: MuteStep, origin: str) -> bool:
    path, separator, name = origin.partition("::")
    if not separator:
        return origin.startswith(_MOCKS)
    return step.is_test_code(path) and step.new_names.class_at(path, name) is not None


def _mute(old: Place, new: Place, real: str, fake: str) -> Mute:
    return Mute(
        family=MuteFamily.ASSERTION,
        detector=_DETECTOR,
        certainty=Certainty.DOUBTFUL,
        path=new.path,
        line=new.unit.node.lineno,
        was=f"{old.unit.name} handed out {real}",
        now=f"it hands out {fake}",
        remedy=_REMEDY,
        test=new.path,
        before=shown(old.unit.node, 200),
        after=shown(new.unit.node, 200),
    )
