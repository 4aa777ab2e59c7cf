"""Which check of a changed function is which old one: equal ones first, then by likeness."""

from __future__ import annotations

import ast
from collections import defaultdict
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.checks.scale import Check, Kind, key_of, text_of
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_ALIKE = 0.55
_SAME_VALUE = 0.6  # of two checks that expect the same in the same way
_MAX_TRIES = 900  # pairs that are compared letter by letter


class Matched(NamedTuple):
    """The live checks of both sides: pairs, what is lost, what is fresh."""

    same: tuple[tuple[Check, Check], ...]
    alike: tuple[tuple[Check, Check], ...]
    lost: tuple[Check, ...]
    fresh: tuple[Check, ...]


def match_checks(old: Iterable[Check], new: Iterable[Check]) -> Matched:
    """Pair checks; a dead one is none."""
    lost = [each for each in old if not each.dead]
    fresh = [each for each in new if not each.dead]
    same: list[tuple[Check, Check]] = []
    for key in (key_of, loose_key):
        same += _cancel(lost, fresh, key)
    fresh = _without_repeats(fresh, same)
    alike = _alike(lost, fresh)
    return Matched(tuple(same), tuple(alike), tuple(lost), tuple(fresh))


def _without_repeats(fresh: list[Check], same: list[tuple[Check, Check]]) -> list[Check]:
    """Leave out what says again, of the same call with the same arguments, what stands there."""
    seen = {key_of(new) for _, new in same}
    return [each for each in fresh if key_of(each) not in seen or not _hands_over(each.actual)]


def _hands_over(node: ast.expr) -> bool:
    return any(isinstance(n, ast.Call) and (n.args or n.keywords) for n in ast.walk(node))


def loose_key(check: Check) -> tuple[str, ...]:
    """Return the key without the names of variables, which anybody may change."""
    return (check.kind.name, *sorted((shape(check.actual), shape(check.expected))))


def shape(node: ast.AST | None) -> str:
    """Return an expression's text with plain names left out, functions kept."""
    if node is None:
        return ""
    kept = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    parts = []
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            parts.append(each.id if id(each) in kept or each.id[:1].isupper() else "_")
        elif isinstance(each, ast.Constant):
            parts.append(repr(each.value))
        elif isinstance(each, ast.Attribute):
            parts.append(f".{each.attr}")
        elif not isinstance(each, ast.Load):
            parts.append(type(each).__name__)
    return " ".join(parts)


def is_part(part: ast.expr, whole: ast.expr) -> bool:
    """Say whether an expression looks into what another one is."""
    text = text_of(part)
    return any(text_of(each) == text for each in ast.walk(whole) if isinstance(each, ast.expr))


def _cancel(
    lost: list[Check], fresh: list[Check], key: Callable[[Check], tuple[str, ...]]
) -> list[tuple[Check, Check]]:
    waiting: defaultdict[tuple[str, ...], list[Check]] = defaultdict(list)
    for each in fresh:
        waiting[key(each)].append(each)
    found = []
    for each in tuple(lost):
        partners = waiting[key(each)]
        if partners:
            partner = _nearest(each, partners)
            partners.remove(partner)
            lost.remove(each)
            fresh.remove(partner)
            found.append((each, partner))
    return found


def _nearest(check: Check, partners: Sequence[Check]) -> Check:
    """Of equal checks the one with the same conditions around it."""
    around = (check.guards, tuple(map(text_of, check.loops)))
    for each in partners:
        if (each.guards, tuple(map(text_of, each.loops))) == around:
            return each
    return partners[0]


def _alike(lost: list[Check], fresh: list[Check]) -> list[tuple[Check, Check]]:
    if len(lost) * len(fresh) > _MAX_TRIES:
        return []
    scored = [
        (likeness(old, new), -abs(i - j), i, j)
        for i, old in enumerate(lost)
        for j, new in enumerate(fresh)
    ]
    taken_old: set[int] = set()
    taken_new: set[int] = set()
    found = []
    for score, _, i, j in sorted(scored, reverse=True):
        if score < _ALIKE:
            break
        if i not in taken_old and j not in taken_new:
            taken_old.add(i)
            taken_new.add(j)
            found.append((lost[i], fresh[j]))
    lost[:] = [each for i, each in enumerate(lost) if i not in taken_old]
    fresh[:] = [each for j, each in enumerate(fresh) if j not in taken_new]
    return found


def likeness(old: Check, new: Check) -> float:
    """Return how much two checks are about the same thing, from 0 to 1."""
    if text_of(old.actual) == text_of(new.actual):
        same_value = text_of(old.expected) == text_of(new.expected)
        return 1.0 if same_value else 0.95
    if Kind.FAILS in (old.kind, new.kind):
        return 0.0
    ratio = SequenceMatcher(None, said(old.actual), said(new.actual), autojunk=False).ratio()
    if is_part(new.actual, old.actual) or is_part(old.actual, new.actual):
        ratio = max(ratio, 0.7)
    if old.expected is not None and text_of(old.expected) == text_of(new.expected):
        ratio += (1 - ratio) * 0.3
        if new.kind is old.kind:
            ratio = max(ratio, _SAME_VALUE)
    return ratio * (0.94 if new.kind is old.kind else 0.85)


def said(node: ast.AST) -> str:
    """Return an expression's source."""
    return unparsed(node)[:400]
