"""Property tests that are none any more: `@given`, rules and examples dropped, one seed alone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.scale import text_of
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.removal import Removals
from freezegate.policy.mutes.strategies.changed import changed_drawings, told_drawing
from freezegate.policy.mutes.strategies.reading import Drawing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.pairing import Place
    from freezegate.policy.mutes.step import MuteStep
    from freezegate.policy.mutes.strategies.changed import Changed

_DETECTOR = "dropped_given"
_REMEDY = "Leave the property as it was; keep the value that fails as an @example, mend the code."
_KEPT = {
    "given": (Certainty.CLEAR, "no longer drawn by Hypothesis"),
    "rule": (Certainty.CLEAR, "no rule of the machine any more"),
    "invariant": (Certainty.CLEAR, "no invariant of the machine any more"),
    "initialize": (Certainty.DOUBTFUL, "no start of the machine any more"),
    "composite": (Certainty.DOUBTFUL, "no strategy any more"),
}
_ADDED = {
    "reproduce_failure": (Certainty.CLEAR, "one recorded failure is tried alone"),
    "seed": (Certainty.DOUBTFUL, "the same values are drawn in each run"),
    "precondition": (Certainty.DOUBTFUL, "a rule is taken under a condition alone"),
}


def find_dropped_given(step: MuteStep) -> Iterator[Mute]:
    """Yield tests that Hypothesis calls with fewer values, or no longer."""
    for changed in changed_drawings(step):
        yield from _dropped(changed)
        yield from _stands_for_other(changed)
        yield from _added(changed)
        yield from _fixed_arguments(changed)
        yield from _examples(changed)
    removals = Removals(step)
    for pair in step.pairs:
        if pair.old is not None and pair.new is None and pair.old.unit.classes:
            certainty = _if_gone(step, removals, pair.old)
            drawing = Drawing(step.old_names, pair.old)
            for word in ("rule", "invariant"):
                for each in drawing.decorators(word):
                    why = f"{pair.old.unit.name} is gone from the machine"
                    yield told_drawing(_DETECTOR, pair.old, certainty, why, each, None, _REMEDY)


def _if_gone(step: MuteStep, removals: Removals, place: Place) -> Certainty:
    """A whole machine may go with what it drove; a rule of one that stays may not."""
    new, old = step.new.module(place.path), step.old.module(place.path)
    owner = place.unit.name.rpartition(".")[0]
    if old is None or (new is not None and owner in new.classes):
        return Certainty.CLEAR
    methods = [unit for name, unit in old.units.items() if name.rpartition(".")[0] == owner]
    gone = any(removals.subject_gone(place.path, unit) for unit in methods)
    return Certainty.DOUBTFUL if gone else Certainty.CLEAR


def _dropped(changed: Changed) -> Iterator[Mute]:
    for word, (certainty, why) in _KEPT.items():
        old, new = changed.old.decorators(word), changed.new.decorators(word)
        if old and not new:
            place = changed.new.place
            sure = Certainty.DOUBTFUL if _wrapped(changed) else certainty
            yield told_drawing(_DETECTOR, place, sure, why, old[0], None, _REMEDY)


def _stands_for_other(changed: Changed) -> Iterator[Mute]:
    """`given` is bound to something else, too, since this patch."""
    place = changed.new.place
    for each in changed.new.decorators("given"):
        node = each.func if isinstance(each, ast.Call) else each
        before = changed.old.names.names(changed.old.place.path, node)
        after = changed.new.names.names(place.path, node)
        if any(not origin.startswith("hypothesis.") for origin in after - before):
            why = f"{unparsed(node)} stands for {', '.join(sorted(after))}"
            yield told_drawing(_DETECTOR, place, Certainty.CLEAR, why, None, each, _REMEDY)


def _wrapped(changed: Changed) -> bool:
    """Whether a decorator of the tests' own may call Hypothesis itself."""
    drawing = changed.new
    for each in drawing.place.unit.node.decorator_list:
        for origin in drawing.names.names(drawing.place.path, each, drawing.place.unit):
            found = drawing.names.unit(origin) if "::" in origin else None
            if found and any(
                isinstance(n, ast.Name | ast.Attribute) and "given" in unparsed(n)
                for n in ast.walk(found[1].node)
            ):
                return True
    return False


def _added(changed: Changed) -> Iterator[Mute]:
    for word, (certainty, why) in _ADDED.items():
        old, new = changed.old.decorators(word), changed.new.decorators(word)
        if new and not old:
            yield told_drawing(_DETECTOR, changed.new.place, certainty, why, None, new[0], _REMEDY)


def _fixed_arguments(changed: Changed) -> Iterator[Mute]:
    """An argument that is drawn no longer, and has a value of its own instead."""
    for one, other in zip(
        changed.old.decorators("given"), changed.new.decorators("given"), strict=False
    ):
        if not (isinstance(one, ast.Call) and isinstance(other, ast.Call)):
            continue
        fewer = len(one.args) + len(one.keywords) - len(other.args) - len(other.keywords)
        if fewer > 0:
            node = changed.new.place.unit.node
            fixed = len(node.args.defaults) + len([d for d in node.args.kw_defaults if d])
            certainty = Certainty.CLEAR if fixed else Certainty.DOUBTFUL
            why = "fewer arguments are drawn"
            yield told_drawing(_DETECTOR, changed.new.place, certainty, why, one, other, _REMEDY)


def _examples(changed: Changed) -> Iterator[Mute]:
    kept = [text_of(each) for each in changed.new.decorators("example")]
    for each in changed.old.decorators("example"):
        if text_of(each) in kept:
            kept.remove(text_of(each))
        elif changed.new.decorators("given"):
            why = "an example is no longer tried"
            place = changed.new.place
            yield told_drawing(_DETECTOR, place, Certainty.DOUBTFUL, why, each, None, _REMEDY)
