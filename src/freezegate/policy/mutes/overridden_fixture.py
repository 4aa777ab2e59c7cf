"""Tests whose argument was made by a fixture, and is a value of `parametrize` now."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.fixtures import Fixtures
from freezegate.policy.mutes.marks import Marks
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.pairing import Pair, Place
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "stand_in"
_REMEDY = "Give the rows a name of their own, and let the fixture make what the test looks at."
_WORD = b"parametrize"


def find_overridden(step: MuteStep) -> Iterator[Mute]:
    """Yield tests that were there, and whose fixture is asked for nothing any more."""
    fixtures = Fixtures(step.new, step.new_names)
    for pair in _pairs(step):
        if pair.old is None or pair.new is None or not is_test_name(pair.new.unit.name):
            continue
        before = _arguments(pair.old) - _direct(step.old, step.old_names, pair.old).keys()
        for name, mark in _direct(step.new, step.new_names, pair.new).items():
            if name in before and fixtures.find(pair.new.path, name):
                yield _mute(pair.new, name, mark)


def _pairs(step: MuteStep) -> Iterator[Pair]:
    """Tests that changed, and those of modules in which more is parametrized than before."""
    grown = {
        files.path
        for files in step.test_files
        if files.old and files.new and _count(files.new.source) > _count(files.old.source)
    }
    for pair in step.pairs:
        if pair.new and (not pair.same or pair.new.path in grown):
            module = step.new.module(pair.new.path)
            if module and _WORD in module.source:
                yield pair


def _count(source: bytes) -> int:
    return source.count(_WORD)


def _arguments(place: Place) -> set[str]:
    arguments = place.unit.node.args
    return {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def _direct(side: Side, names: Names, place: Place) -> dict[str, ast.expr]:
    """The arguments that take values of `parametrize`; those handed to fixtures left out."""
    found: dict[str, ast.expr] = {}
    for mark in Marks(side, names).of(place.path, place.unit):
        path, node = names.written(mark.path, mark.node)
        if "pytest.mark.parametrize" in mark.origins and isinstance(node, ast.Call):
            keywords = {each.arg: each.value for each in node.keywords}
            words = node.args[0] if node.args else keywords.get("argnames")
            handed = keywords.get("indirect") or (node.args[2] if len(node.args) > 2 else None)
            indirect = fold(handed) if handed is not None else False
            for word in _listed(names, path, words):
                if indirect is False or (
                    isinstance(indirect, list | tuple) and word not in indirect
                ):
                    found[word] = mark.node
    return found


def _listed(names: Names, path: str, node: ast.expr | None) -> list[str]:
    value = fold(node, lambda name: names.constant(path, name)) if node is not None else ()
    if isinstance(value, str):
        return [each for each in re.split(r"[,\s]+", value) if each]
    return (
        [each for each in value if isinstance(each, str)] if isinstance(value, list | tuple) else []
    )


def _mute(place: Place, name: str, mark: ast.expr) -> Mute:
    return Mute(
        family=MuteFamily.ASSERTION,
        detector=_DETECTOR,
        certainty=Certainty.DOUBTFUL,
        path=place.path,
        line=mark.lineno,
        was=f"{place.unit.name} was given {name} by the fixture of that name",
        now=f"it is given the values of {shown(mark)}",
        remedy=_REMEDY,
        test=place.test_id,
        after=shown(mark),
    )
