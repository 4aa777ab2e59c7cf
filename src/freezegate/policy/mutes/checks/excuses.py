"""Why a check that no longer stands in its function is no loss, or may be none."""

from __future__ import annotations

import ast
import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.comparing import answers
from freezegate.policy.mutes.checks.losses import fresh_elsewhere
from freezegate.policy.mutes.checks.matching import is_part, loose_key
from freezegate.policy.mutes.checks.scale import Check, Kind, key_of, text_of
from freezegate.policy.mutes.constants import UNKNOWN, fold
from freezegate.policy.mutes.modules import Module
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.losses import Compared
    from freezegate.policy.mutes.step import MuteStep

_REWRITTEN = 0.5  # of the lines of a body, below which it is another one
_MAX_DEPTH = 30
_LONG = 40  # lines
_FEW = 4  # statements: a shorter body is soon another one
_WORD = re.compile(r"\w+|[^\w\s]")


def is_kept(step: MuteStep, function: Compared, check: Check) -> bool:
    """Say whether the same is still checked: elsewhere, by a stronger check, or for all rows."""
    keys = {key_of(check), loose_key(check)}
    if any(key_of(each) in keys or loose_key(each) in keys for each in fresh_elsewhere(step)):
        return True
    fresh = [*function.matched.fresh, *(new for _, new in function.matched.alike)]
    if any(_absorbs(each, check) for each in fresh):
        return True
    if check.kind.rank <= Kind.TYPE.rank and _looks_deeper(function, check):
        return True
    if any(_in_its_loop(each, check) for each in function.after):
        return True
    rows = _rows(step, function)
    return any(generalizes(each, check, rows) for each in (*fresh, *fresh_elsewhere(step)))


def is_answered(function: Compared, check: Check) -> bool:
    """Say whether a yes or no that was compared with a computed one is checked by itself."""
    if check.expected is None or not answers(check.actual) or fold(check.expected) is not UNKNOWN:
        return False
    plain = [c for c in function.after if c.kind in (Kind.TRUTHY, Kind.FALSY) and not c.dead]
    return any(text_of(each.actual) == text_of(check.actual) for each in plain)


def _in_its_loop(each: Check, check: Check) -> bool:
    """Whether a loop over written values, which stands there, checks the same of one of them."""
    literal = ast.List | ast.Tuple | ast.Set
    written = [part for loop in each.loops if isinstance(loop, literal) for part in loop.elts]
    values = frozenset(map(text_of, written))
    return not each.dead and each.word == check.word and generalizes(each, check, values)


def is_rewritten(function: Compared) -> bool:
    """Say whether a body is another one that checks no less than the old."""
    before = [each for each in function.before if not each.dead]
    after = [each for each in function.after if not each.dead]
    if len(after) < len(before) or not after:
        return False
    if max(c.kind.rank for c in after) < max(c.kind.rank for c in before):
        return False
    bodies = [place.unit.node.body for place in (function.old, function.new)]
    if min(map(len, bodies)) < _FEW:
        return False
    old, new = _body(function.old.unit.node), _body(function.new.unit.node)
    return SequenceMatcher(None, old, new, autojunk=False).ratio() < _REWRITTEN


def _body(node: ast.AST) -> list[str]:
    """The words of a body; long ones line by line, which is rougher and fast."""
    lines = [line for each in getattr(node, "body", ()) for line in unparsed(each).splitlines()]
    return lines if len(lines) > _LONG else [word for line in lines for word in _WORD.findall(line)]


def lost_subject(step: MuteStep, check: Check) -> str | None:
    """Return the name in a check that the same patch deleted from the tested code."""
    gone = _deleted_names(step)
    looked_at = (check.actual, check.expected, check.pattern)
    for node in (n for part in looked_at if part is not None for n in ast.walk(part)):
        name = (
            getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "arg", None)
        )
        if name in gone:
            return str(name)
        if isinstance(node, ast.Constant) and node.value in gone:
            return str(node.value)
    return None


def generalizes(general: Check, special: Check, rows: frozenset[str]) -> bool:
    """Say whether a check with row values (`f(x) == y`) takes the place of one with constants.

    `rows` are the values that stand in decorators and loops: all that was checked is there.
    """
    if general.kind is not special.kind:
        return False
    bound: dict[str, str] = {}
    parts = ((general.actual, special.actual), (general.expected, special.expected))
    if not all(_unifies(one, other, bound, 0) for one, other in parts):
        return False
    return bool(bound) and all(value in rows for value in bound.values())


def _rows(step: MuteStep, function: Compared) -> frozenset[str]:
    """Every value that stands in the decorators and loops of changed test functions."""
    loops = (part for each in function.after for part in each.loops)
    return _decorators(step) | frozenset(text_of(n) for part in loops for n in ast.walk(part))


@lru_cache(maxsize=1)
def _decorators(step: MuteStep) -> frozenset[str]:
    places = [pair.new for pair in step.pairs if pair.new]
    every = (each for place in places for each in place.unit.node.decorator_list)
    found = {text_of(node) for each in every for node in ast.walk(each)}
    for place in places:
        for each in place.unit.node.decorator_list:
            for node in (n for n in ast.walk(each) if isinstance(n, ast.Name)):
                value = step.new_names.constant(place.path, node.id, place.unit)
                found |= {text_of(n) for n in ast.walk(value)} if value else set()
    for fresh in fresh_elsewhere(step):
        found |= {text_of(n) for part in fresh.loops for n in ast.walk(part)}
    return frozenset(found)


def _unifies(one: object, other: object, bound: dict[str, str], depth: int) -> bool:
    if depth > _MAX_DEPTH:
        return False
    if isinstance(one, ast.Name) and isinstance(other, ast.AST):
        text = text_of(other)
        if isinstance(other, ast.Name) and other.id == one.id:
            return True
        if one.id[:1].isupper():
            return False
        return bound.setdefault(one.id, text) == text
    if isinstance(one, ast.Constant) and isinstance(other, ast.Constant):
        return type(one.value) is type(other.value) and one.value == other.value
    if isinstance(one, ast.AST) and isinstance(other, ast.AST):
        if type(one) is not type(other):
            return False
        pairs = zip(ast.iter_fields(one), ast.iter_fields(other), strict=False)
        return all(_unifies(a, b, bound, depth + 1) for (_, a), (_, b) in pairs)
    if isinstance(one, list) and isinstance(other, list):
        same = len(one) == len(other)
        return same and all(
            _unifies(a, b, bound, depth + 1) for a, b in zip(one, other, strict=True)
        )
    return one == other


def _absorbs(stronger: Check, check: Check) -> bool:
    """One equality of the whole says what several of its parts said."""
    if stronger.kind in (Kind.RAISES, Kind.WARNS):
        return _says_the_message(stronger, check)
    if check.kind is Kind.FAILS:
        return False
    if stronger.kind.rank < max(check.kind.rank, Kind.APPROX.rank):
        return False
    if stronger.kind not in (Kind.EQUAL, Kind.IDENTICAL, Kind.UNORDERED, Kind.APPROX, Kind.CUSTOM):
        return False
    inside = is_part(stronger.actual, check.actual) and not isinstance(
        stronger.actual, ast.Constant
    )
    return inside and _as_much(stronger, check)


def _as_much(stronger: Check, check: Check) -> bool:
    """The part's own value stands in the whole that is expected."""
    if check.kind.rank < Kind.LENGTH.rank or check.expected is None or stronger.expected is None:
        return True
    if text_of(check.actual) == text_of(stronger.actual):
        values = (Kind.EQUAL, Kind.IDENTICAL, Kind.APPROX, Kind.UNORDERED)
        return check.kind not in values or text_of(check.expected) == text_of(stronger.expected)
    return _holds_it(stronger.actual, stronger.expected, check)


def _holds_it(actual: ast.expr, expected: ast.expr, check: Check) -> bool:
    """Whether a whole has the part where its value is: `max(x, 3) == 3` does not say `x == 3`."""
    assert check.expected is not None  # noqa: S101 - asked by the caller
    displays = ast.Tuple | ast.List
    if isinstance(actual, displays) and isinstance(expected, displays):
        pairs = zip(actual.elts, expected.elts, strict=False)
        return any(is_part(check.actual, a) and _holds_it(a, e, check) for a, e in pairs)
    if text_of(expected) == text_of(check.expected):
        return text_of(actual) == text_of(check.actual)
    return is_part(check.expected, expected)


def _says_the_message(stronger: Check, check: Check) -> bool:
    if check.kind is Kind.FAILS:
        return True
    if stronger.pattern is None or check.kind not in (Kind.EQUAL, Kind.PART, Kind.REGEX):
        return False
    value = None if check.expected is None else fold(check.expected)
    pattern = fold(stronger.pattern)
    if not isinstance(value, str) or not isinstance(pattern, str):
        return "<with>" in text_of(check.actual)
    return value in pattern.replace("\\", "") or pattern.replace("\\", "").strip("^$") in value


def _looks_deeper(function: Compared, check: Check) -> bool:
    """`x is not None` says nothing more where `x.y == 1` still stands."""
    if check.kind not in (Kind.NOT_NONE, Kind.TRUTHY, Kind.TYPE):
        return False
    return any(
        not each.dead
        and each.kind.rank >= Kind.PART.rank
        and isinstance(check.actual, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
        and is_part(check.actual, each.actual)
        for each in function.after
    )


@lru_cache(maxsize=1)
def _deleted_names(step: MuteStep) -> frozenset[str]:
    before: set[str] = set()
    after: set[str] = set()
    for pair in step.subject_files:
        before |= _defined(pair.old)
        after |= _defined(pair.new) | _mentioned(pair.new)
    return frozenset(before - after)


def _defined(module: Module | None) -> set[str]:
    found: set[str] = set()
    for node in _asked_for_nothing(module):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found.add(node.name)
            case ast.arg():
                found.add(node.arg)
            case ast.Attribute(ctx=ast.Store()):
                found.add(node.attr)
            case ast.Name(ctx=ast.Store()):
                found.add(node.id)
            case _:
                pass
    return found


def _asked_for_nothing(module: Module | None) -> Iterator[ast.AST]:
    """The nodes of a module but for `if hasattr(...)`: what is asked for may be gone."""
    waiting: list[ast.AST] = [module.tree] if module else []
    for node in waiting:  # grows while it is walked
        yield node
        asks = isinstance(node, ast.If) and _is_hasattr(node.test)
        waiting += getattr(node, "orelse", ()) if asks else ast.iter_child_nodes(node)


def _is_hasattr(test: ast.expr) -> bool:
    return isinstance(test, ast.Call) and getattr(test.func, "id", "") == "hasattr"


def _mentioned(module: Module | None) -> set[str]:
    nodes = list(_asked_for_nothing(module))
    found = {n.id for n in nodes if isinstance(n, ast.Name)}
    return found | {n.attr for n in nodes if isinstance(n, ast.Attribute)}
