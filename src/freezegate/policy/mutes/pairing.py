"""Which function of the new side is which of the old one: by name, else by what it does."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.normal import normal_body, unparsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from freezegate.policy.mutes.modules import Unit
    from freezegate.policy.mutes.step import FilePair

_ALIKE = 0.6  # of the lines of two bodies, from which one is taken for the other
_KEPT = 0.8  # of the lines of the old body, where the new one is longer
_LIKE_NAMES = 0.65  # of the letters of two names in one class or module
_MAX_TRIES = 400  # pairs of lost and new functions that are compared line by line


class Place(NamedTuple):
    """A function and the file in which it stands."""

    path: str
    unit: Unit

    @property
    def test_id(self) -> str:
        """The node id that pytest gives to a test without parameters."""
        return "::".join((self.path, *self.unit.name.split(".")))

    @property
    def about(self) -> str:
        """The test that a finding in it is about: fixtures and helpers are none, but their file."""
        is_test = self.unit.node.name.startswith("test")
        return self.test_id if is_test else self.path


class Pair(NamedTuple):
    """A function on both sides; None where it is new, or gone.

    `moved` says that name or file changed, `same` that nothing at all did: not the text, not what
    the names in it mean, not what takes effect on it unasked (sameness.py).
    """

    old: Place | None
    new: Place | None
    moved: bool = False
    same: bool = False


def pair_units(
    files: Sequence[FilePair],
    is_same: Callable[[str, Unit, Unit], bool],
    is_renamed: Callable[[str, str], bool] = lambda _old, _new: False,
) -> Iterator[Pair]:
    """Yield every function of the changed files once, with its other side.

    `is_renamed` says whether the tested code gave up one name and took another.
    """
    lost: list[Place] = []
    fresh: list[Place] = []
    for path, old, new in files:
        before, after = (old.units if old else {}), (new.units if new else {})
        for name, unit in before.items():
            if name in after:
                same = is_same(path, unit, after[name])
                yield Pair(Place(path, unit), Place(path, after[name]), same=same)
            elif not (new and new.fault):
                lost.append(Place(path, unit))
        if not (old and old.fault):
            fresh += [Place(path, unit) for name, unit in after.items() if name not in before]
    yield from _moved(lost, fresh, is_renamed)


def _moved(
    lost: list[Place], fresh: list[Place], is_renamed: Callable[[str, str], bool]
) -> Iterator[Pair]:
    """Pair what is gone with what is new: the same body first, then the same name, then alike."""
    rest = list(fresh)

    def asks_the_renamed(old: Place, new: Place) -> bool:
        return _both_tests(old, new) and _is_same_but_for(old, new, is_renamed)

    for same in (_same_body, asks_the_renamed, _same_name_alike, _alike, _like_name):
        tries = 0
        for place in list(lost):
            for other in rest:
                tries += 1
                if (same is _same_body or tries < _MAX_TRIES) and same(place, other):
                    lost.remove(place)
                    rest.remove(other)
                    yield Pair(place, other, moved=True)
                    break
    yield from (Pair(place, None) for place in lost)
    yield from (Pair(None, place) for place in rest)


def _same_body(old: Place, new: Place) -> bool:
    return normal_body(old.unit.node) == normal_body(new.unit.node)


def _is_same_but_for(old: Place, new: Place, is_renamed: Callable[[str, str], bool]) -> bool:
    """Whether two bodies are the same where the tested code's new names stand for its old ones."""
    return same_but_for(old.unit.node.body, new.unit.node.body, is_renamed)


def same_but_for(
    old: Sequence[ast.AST], new: Sequence[ast.AST], is_renamed: Callable[[str, str], bool]
) -> bool:
    """Say whether two pieces of source differ in nothing but names that were given up."""
    bodies = [[n for each in body for n in ast.walk(each)] for body in (old, new)]
    if len(bodies[0]) != len(bodies[1]):
        return False
    names = [[_name(node) for node in body] for body in bodies]
    other = {pair for pair in zip(*names, strict=True) if pair[0] != pair[1]}
    return bool(other) and all(is_renamed(*each) for each in other)


def _name(node: ast.AST) -> str:
    """What a node says by itself, apart from its parts."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
        case ast.Constant():
            return repr(node.value)
        case _:
            return type(node).__name__


def _same_name_alike(old: Place, new: Place) -> bool:
    return old.unit.node.name == new.unit.node.name and _ratio(old, new) >= _ALIKE / 2


def _alike(old: Place, new: Place) -> bool:
    return _both_tests(old, new) and (_ratio(old, new) >= _ALIKE or _contained(old, new))


def _like_name(old: Place, new: Place) -> bool:
    """A test whose body says little may get a new name where it stands."""
    if old.path != new.path or not old.unit.node.name.startswith("test"):
        return False
    from difflib import SequenceMatcher

    *before, name = old.unit.name.split(".")
    *after, other = new.unit.name.split(".")
    alike = SequenceMatcher(None, name, other, autojunk=False).ratio() >= _LIKE_NAMES
    return before == after and _both_tests(old, new) and alike


def _both_tests(old: Place, new: Place) -> bool:
    """A test may become `_test_x` or `check_x`; a helper does not become a test."""
    return old.unit.node.name.startswith("test") or not new.unit.node.name.startswith("test")


def _ratio(old: Place, new: Place) -> float:
    from difflib import SequenceMatcher  # most patches take no test away

    matcher = SequenceMatcher(None, _lines(old), _lines(new), autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= _ALIKE / 2 else 0.0


def _contained(old: Place, new: Place) -> bool:
    """Whether nearly all that one does is a part of the other, whatever was put around it."""
    before, after = _lines(old), set(_lines(new))
    return sum(line in after for line in before) >= _KEPT * len(before)


def _lines(place: Place) -> list[str]:
    return [line for each in place.unit.node.body for line in unparsed(each).splitlines()]
