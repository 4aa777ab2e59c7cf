"""The functions of changed test code whose drawing may differ, and how a finding is told."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.modules import Unit
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.pairing import Place
from freezegate.policy.mutes.step import is_test_name, shown
from freezegate.policy.mutes.strategies.reading import Drawing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module
    from freezegate.policy.mutes.step import MuteStep

_WORD = b"hypothesis"
_NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])


class Changed(NamedTuple):
    """A function on both sides, as Hypothesis sees it."""

    old: Drawing
    new: Drawing


@lru_cache(maxsize=1)
def changed_drawings(step: MuteStep) -> tuple[Changed, ...]:
    """Return the changed functions of files that know Hypothesis, by an import or a helper."""
    return tuple(_changed(step))


def _changed(step: MuteStep) -> Iterator[Changed]:
    paths = {f.path for f in step.test_files if any(_knows(m) for m in (f.old, f.new))}
    for pair in step.changed_pairs:
        if pair.old and pair.new and {pair.old.path, pair.new.path} & paths:
            yield Changed(Drawing(step.old_names, pair.old), Drawing(step.new_names, pair.new))


def module_drawings(step: MuteStep) -> Iterator[tuple[Changed, Module, Module]]:
    """Yield the changed files that know Hypothesis, as if their top was a function."""
    for path, old, new in step.test_files:
        if old and new and (_knows(old) or _knows(new)):
            yield Changed(top_of(step, path, "old"), top_of(step, path, "new")), old, new


def top_of(step: MuteStep, path: str, side: str) -> Drawing:
    """Return the top of a module, read as a function without arguments."""
    node = ast.FunctionDef(name="", args=_NO_ARGUMENTS, body=[], decorator_list=[], lineno=1)
    names = step.old_names if side == "old" else step.new_names
    return Drawing(names, Place(path, Unit("", node)))


def told_drawing(
    detector: str,
    place: Place,
    certainty: Certainty,
    why: str,
    old: ast.AST | None,
    new: ast.AST | None,
    remedy: str,
) -> Mute:
    """Return the finding about what is drawn for one function, or for a whole module."""
    name = place.unit.name
    return Mute(
        family=MuteFamily.STRATEGY,
        detector=detector,
        certainty=certainty,
        path=place.path,
        line=getattr(new, "lineno", None) or (place.unit.node.lineno if name else None),
        was=shown(old),
        now=f"{why}: {shown(new)}" if new is not None else why,
        remedy=remedy,
        test=place.test_id if name else place.path,
        freezable=bool(name) and is_test_name(name),
        before=shown(old, 200) if old else "",
        after=shown(new, 200) if new else "",
    )


def _knows(module: Module | None) -> bool:
    return module is not None and _WORD in module.source
