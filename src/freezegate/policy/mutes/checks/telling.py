"""How a finding about a check is told: what stood there, what stands there, in which test."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.matching import loose_key
from freezegate.policy.mutes.checks.scale import Kind, key_of, text_of
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from freezegate.policy.mutes.checks.losses import Compared
    from freezegate.policy.mutes.checks.scale import Check


def told(
    detector: str,
    function: Compared,
    old: Check | None,
    new: Check | None,
    certainty: Certainty,
    why: str,
    remedy: str,
    family: MuteFamily = MuteFamily.ASSERTION,
) -> Mute:
    """Return the finding about one check of a function."""
    place = function.new
    now = why if new is None else f"{why}: {shown(_statement(new.node))}"
    return Mute(
        family=family,
        detector=detector,
        certainty=certainty,
        path=place.path,
        line=getattr(new.node, "lineno", None) if new else place.unit.node.lineno,
        was=shown(_statement(old.node)) if old else f"{place.test_id} as before",
        now=now,
        remedy=remedy,
        test=place.about,
        freezable=is_test_name(place.unit.name),
        before=shown(_statement(old.node), 200) if old else "",
        after=shown(_statement(new.node), 200) if new else shown(place.unit.node, 200),
    )


def dead_copy(function: Compared, check: Check) -> Check | None:
    """Return the same check on the new side where it stands, and is never decided."""
    for key in (key_of, loose_key):
        for each in function.after:
            if each.dead and key(each) == key(check):
                return each
    return next((e for e in function.after if e.dead and _is_about_the_same(e, check)), None)


def _is_about_the_same(one: Check, other: Check) -> bool:
    """Whether both look at the same, or take the same exceptions whatever the block does."""
    if one.kind is not other.kind:
        return False
    if one.kind in (Kind.RAISES, Kind.WARNS):
        return text_of(one.expected) == text_of(other.expected)
    return text_of(one.actual) == text_of(other.actual)


def _statement(node: ast.AST) -> ast.AST:
    """The head of a block; the block itself says nothing of its check."""
    if isinstance(node, ast.With | ast.AsyncWith | ast.If):
        head = type(node)(**{**dict(ast.iter_fields(node)), "body": [ast.Pass()]})
        return ast.copy_location(head, node)
    return node
