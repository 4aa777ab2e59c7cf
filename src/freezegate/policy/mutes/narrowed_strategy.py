"""Hypothesis strategies that draw less than before, in tests, helpers and at the top of modules."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.scale import text_of
from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.strategies.changed import (
    changed_drawings,
    module_drawings,
    told_drawing,
)
from freezegate.policy.mutes.strategies.narrower import narrowings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.step import MuteStep
    from freezegate.policy.mutes.strategies.changed import Changed
    from freezegate.policy.mutes.strategies.reading import Drawing

_DETECTOR = "narrowed_strategy"
_REMEDY = "Draw as widely as before; keep the value that fails as an @example, and mend the code."


def find_narrowed(step: MuteStep) -> Iterator[Mute]:
    """Yield strategies in whose place narrower ones stand."""
    for changed in changed_drawings(step):
        yield from _of_decorators(changed)
        yield from _of_bodies(changed)
    for changed, old, new in module_drawings(step):
        for name in old.bindings.keys() & new.bindings.keys():
            before = changed.old.names.constant(changed.old.place.path, name)
            after = changed.new.names.constant(changed.new.place.path, name)
            if before is not None and after is not None and changed.old.is_strategy(before):
                yield from _compared(changed, before, after)


def _of_decorators(changed: Changed) -> Iterator[Mute]:
    for word in ("given", "rule", "initialize"):
        olds, news = changed.old.decorators(word), changed.new.decorators(word)
        for one, other in zip(olds, news, strict=False):
            before, after = _arguments(changed.old, one), _arguments(changed.new, other)
            for name in before.keys() & after.keys():
                yield from _compared(changed, before[name], after[name])


def _arguments(drawing: Drawing, node: ast.expr) -> dict[str, ast.expr]:
    """What a decorator draws, by the name of the argument; positions count from the right."""
    if not isinstance(node, ast.Call):
        return {}
    spec = drawing.place.unit.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    found = dict(zip(reversed(names), reversed(node.args), strict=False))
    for keyword in node.keywords:
        found |= {keyword.arg: keyword.value} if keyword.arg else _spread(drawing, keyword.value)
    return found


def _spread(drawing: Drawing, node: ast.expr) -> dict[str, ast.expr]:
    """What `**ARGUMENTS` hands over, where it is written down."""
    whole = drawing.expanded(node)
    if isinstance(whole, ast.Dict):
        pairs = zip(whole.keys, whole.values, strict=True)
        return {str(fold(key)): value for key, value in pairs if key is not None}
    keywords = whole.keywords if isinstance(whole, ast.Call) else []
    return {k.arg: k.value for k in keywords if k.arg}


def _of_bodies(changed: Changed) -> Iterator[Mute]:
    """Strategies in a body: equal ones cancel, the others are paired by their target or order."""
    old, new = list(changed.old.strategies()), list(changed.new.strategies())
    texts = [text_of(each) for _, each in new]
    lost = []
    for target, each in old:
        if text_of(each) in texts:
            place = texts.index(text_of(each))
            del texts[place], new[place]
        else:
            lost.append((target, each))
    for target, each in lost:
        partner = next((n for n in new if target and n[0] == target), new[0] if new else None)
        if partner is not None:
            new.remove(partner)
            yield from _compared(changed, each, partner[1])


def _compared(changed: Changed, before: ast.expr, after: ast.expr) -> Iterator[Mute]:
    old, new = changed.old.expanded(before), changed.new.expanded(after)
    for each in narrowings(changed.new, old, new):
        place = changed.new.place
        yield told_drawing(_DETECTOR, place, each.certainty, each.why, before, after, _REMEDY)
