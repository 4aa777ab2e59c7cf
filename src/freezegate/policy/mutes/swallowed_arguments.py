"""Checking helpers with a new parameter that takes an argument away from what they check."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.reading import read_checks
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import is_test_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Function
    from freezegate.policy.mutes.pairing import Place
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "swallowed_argument"
_REMEDY = "Use what the parameter takes, or leave it to the arguments that are checked."


def find_swallowed_arguments(step: MuteStep) -> Iterator[Mute]:
    """Yield helpers with `*rest` or `**rest` and a new parameter before it that nothing reads."""
    for pair in step.changed_pairs:
        if pair.old is None or pair.new is None or is_test_name(pair.new.unit.name):
            continue
        old, new = pair.old.unit.node, pair.new.unit.node
        if not (old.args.kwarg or old.args.vararg):
            continue
        unread = sorted(_parameters(new) - _parameters(old) - _read(new))
        if unread and read_checks(step.old_names, *pair.old):
            yield _mute(pair.new, unread[0])


def _parameters(node: Function) -> set[str]:
    spec = node.args
    return {each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}


def _read(node: Function) -> set[str]:
    names = (n for each in node.body for n in ast.walk(each) if isinstance(n, ast.Name))
    return {each.id for each in names if isinstance(each.ctx, ast.Load)}


def _mute(place: Place, name: str) -> Mute:
    return Mute(
        family=MuteFamily.ASSERTION,
        detector=_DETECTOR,
        certainty=Certainty.CLEAR,
        path=place.path,
        line=place.unit.node.lineno,
        was=f"{place.unit.name}() checked all that it was called with",
        now=f"{name} is taken, and not looked at",
        remedy=_REMEDY,
        test=place.path,
    )
