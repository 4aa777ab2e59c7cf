"""Tests and fixtures that dress up the object they look at: its class, its code, its own state."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.losses import compared
from freezegate.policy.mutes.checks.scale import text_of
from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from freezegate.policy.mutes.checks.scale import Check
    from freezegate.policy.mutes.modules import Function
    from freezegate.policy.mutes.pairing import Place
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "dressed_subject"
_REMEDY = "Bring the object into its state by what it offers, and let it answer by itself."
_OWN = frozenset(("self", "cls"))
_INSIDES = frozenset(("__class__", "__code__", "__defaults__", "__bases__"))


def find_dressed(step: MuteStep) -> Iterator[Mute]:
    """Yield new assignments to the insides of an object that a test or fixture looks at."""
    for function in compared(step):
        before = {text_of(node) for node, _ in _dressing(function.old.unit.node)}
        expected = _expected(function.after)
        for node, value in _dressing(function.new.unit.node):
            if text_of(node) not in before:
                yield _mute(function.new, node, _certainty(node, value, expected))


def _dressing(function: Function) -> Iterator[tuple[ast.AST, ast.expr]]:
    """What is put into an object past what it offers, with the value."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=owner, attr=name)], value=value):
                if _is_inside(name) and not _is_own(owner):
                    yield node, value
            case ast.Call(
                func=ast.Attribute(attr="__setattr__"), args=[*_, ast.expr() as owner, _, value]
            ) if not _is_own(owner):
                yield node, value
            case _:
                pass


def _is_inside(name: str) -> bool:
    return name in _INSIDES or (name.startswith("_") and not name.startswith("__"))


def _is_own(node: ast.expr) -> bool:
    """A test's own state, and that of its fixtures' classes, is its own."""
    return isinstance(node, ast.Name) and node.id in _OWN


def _expected(checks: tuple[Check, ...]) -> Set[str]:
    values = (check.expected for check in checks if check.expected is not None)
    return {text_of(each) for each in values}


def _certainty(node: ast.AST, value: ast.expr, expected: Set[str]) -> Certainty:
    """Sure is who gives it another class or code, or the very value that is expected."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if isinstance(target, ast.Attribute) and target.attr in _INSIDES:
        return Certainty.CLEAR
    if isinstance(value, ast.Lambda):
        return Certainty.CLEAR
    said = text_of(value) in expected and fold(value) not in (None, True, False, 0, 1, "")
    return Certainty.CLEAR if said else Certainty.DOUBTFUL


def _mute(place: Place, node: ast.AST, certainty: Certainty) -> Mute:
    return Mute(
        family=MuteFamily.ASSERTION,
        detector=_DETECTOR,
        certainty=certainty,
        path=place.path,
        line=getattr(node, "lineno", None),
        was="the object had what it was given by its own methods",
        now=f"its insides are set: {shown(node)}",
        remedy=_REMEDY,
        test=place.about,
        freezable=is_test_name(place.unit.name),
        after=shown(node, 200),
    )
