"""Fixtures, helpers and test bodies that prepare other values for checks that stayed."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.reading import read_checks
from freezegate.policy.mutes.checks.scale import text_of
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Unit
    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.pairing import Pair, Place
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "changed_input"
_REMEDY = "Say in the commit why the input changes; a person compares the two."
_FRAMEWORKS = ("pytest.", "unittest.", "mock.", "builtins.print", "logging.", "param:self.")
_DISPLAYS = ast.List | ast.Tuple | ast.Set | ast.Dict | ast.Constant
_Prepared = dict[str, list[ast.expr]]


def find_changed_inputs(step: MuteStep) -> Iterator[Mute]:
    """Yield functions that prepare in the same way as before, of other constants.

    What a check itself hands over is told with the check.
    """
    for pair in step.changed_pairs:
        found = _of_pair(step, pair)
        if found:
            yield found


def _of_pair(step: MuteStep, pair: Pair) -> Mute | None:
    if pair.old is None or pair.new is None or not _prepares(pair.new.unit):
        return None
    old, new = _written(pair.old), _written(pair.new)
    if not any(True for _ in _differing(old, new)):  # most pairs, and no name was followed
        return None
    old, new = _prepared(step.old_names, pair.old, old), _prepared(step.new_names, pair.new, new)
    for name in _differing(old, new):
        return _mute(pair.new, *_first_other(old[name], new[name]))
    return None


def _differing(old: _Prepared, new: _Prepared) -> Iterator[str]:
    """Yield the names under which a constant of the old side is gone."""
    for name in old.keys() & new.keys():
        if _constants(old[name]) - _constants(new[name]):
            yield name


def _prepares(unit: Unit) -> bool:
    """Whether it is a test, a set-up or a fixture; helpers are called with values of their own."""
    name = unit.node.name
    decorators = " ".join(map(unparsed, unit.node.decorator_list))
    return is_test_name(unit.name) or name.lower().startswith("setup") or "fixture" in decorators


def _written(place: Place) -> _Prepared:
    """The calls and written values of a function, by what they call, or are put under."""
    found: _Prepared = {}
    for statement in place.unit.node.body:
        for node in ast.walk(statement):
            for name, value in _parts(node):
                found.setdefault(name, []).append(value)
    return found


def _parts(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Call():
            yield unparsed(node.func), node
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if isinstance(value, _DISPLAYS):
            yield name, value
        case ast.Return(value=ast.expr() as value) | ast.Yield(value=ast.expr() as value):
            if isinstance(value, _DISPLAYS):
                yield "what it hands out", value
        case _:
            pass


def _prepared(names: Names, place: Place, written: _Prepared) -> _Prepared:
    """What of it no check holds, and no framework takes."""
    checked = _checked(names, place)
    found: _Prepared = {}
    for name, values in written.items():
        for value in values:
            if text_of(value) not in checked and not _is_of_framework(names, place, value):
                found.setdefault(name, []).append(value)
    return found


def _is_of_framework(names: Names, place: Place, value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    origins = names.names(place.path, value.func, place.unit)
    return any(each.startswith(_FRAMEWORKS) for each in origins)


def _checked(names: Names, place: Place) -> set[str]:
    parts = [p for c in read_checks(names, *place) for p in (c.node, c.actual, c.expected) if p]
    known = ast.Call | _DISPLAYS
    return {text_of(n) for part in parts for n in ast.walk(part) if isinstance(n, known)}


def _constants(values: list[ast.expr]) -> Counter[str]:
    """What a call hands over by itself, or all that is written in a value."""
    found: Counter[str] = Counter()
    for value in values:
        handed: list[ast.AST] = [*ast.walk(value)]
        if isinstance(value, ast.Call):
            handed = [*value.args, *(keyword.value for keyword in value.keywords)]
        found.update(repr(part.value) for part in handed if isinstance(part, ast.Constant))
    return found


def _first_other(old: list[ast.expr], new: list[ast.expr]) -> tuple[ast.expr, ast.expr]:
    """The first that is gone, and the first that took a place."""
    before, after = set(map(text_of, old)), set(map(text_of, new))
    gone = next((each for each in old if text_of(each) not in after), old[0])
    return gone, next((each for each in new if text_of(each) not in before), new[0])


def _mute(place: Place, old: ast.expr, new: ast.expr) -> Mute:
    return Mute(
        family=MuteFamily.ASSERTION,
        detector=_DETECTOR,
        certainty=Certainty.DOUBTFUL,
        path=place.path,
        line=new.lineno,
        was=shown(old),
        now=f"other values are prepared: {shown(new)}",
        remedy=_REMEDY,
        test=place.about,
        freezable=is_test_name(place.unit.name),
        before=shown(old, 200),
        after=shown(new, 200),
    )
