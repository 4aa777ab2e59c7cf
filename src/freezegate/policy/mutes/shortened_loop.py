"""Loops around checks that go through fewer values than before."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.losses import compared
from freezegate.policy.mutes.checks.matching import is_part
from freezegate.policy.mutes.checks.scale import text_of
from freezegate.policy.mutes.checks.telling import told
from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.scale import Check
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "shortened_loop"
_REMEDY = "Let the loop go through all values as before; mend the code for the one that fails."
_MOST = 2000  # numbers of a range that are compared one by one
_FILTERS = ("filter", "filterfalse", "takewhile", "dropwhile")
_PYTHONS = frozenset(dir(builtins)) | {"items", "keys", "values", "get"}
_WRAPPING = ("enumerate", "reversed", "sorted", "list", "tuple", "iter", "zip")


def find_shortened(step: MuteStep) -> Iterator[Mute]:
    """Yield loops whose values are fewer, where the checks inside are the same."""
    for function in compared(step):
        seen: set[str] = set()
        for old, new in function.matched.same:
            for before, after in zip(old.loops, new.loops, strict=False):
                certainty = _shorter(before, after) or _narrower(before, after, new)
                if certainty is not None and text_of(after) not in seen:
                    seen.add(text_of(after))
                    why = f"for each of {unparsed(after)[:60]} alone"
                    yield told(_DETECTOR, function, old, new, certainty, why, _REMEDY)


def _shorter(old: ast.expr, new: ast.expr) -> Certainty | None:
    if text_of(old) == text_of(new):
        return None
    old, new = _unwrapped(old), _unwrapped(new)
    before, after = _values(old), _values(new)
    if before is not None and after is not None:
        lost = [each for each in before if each not in after]
        return Certainty.CLEAR if lost and len(after) < len(before) else None
    if isinstance(new, ast.Subscript) and isinstance(new.slice, ast.Slice):
        return Certainty.CLEAR if text_of(new.value) == text_of(old) else None
    filtered = isinstance(new, ast.ListComp | ast.GeneratorExp) and bool(new.generators[0].ifs)
    if filtered and not isinstance(old, ast.ListComp | ast.GeneratorExp):
        return Certainty.DOUBTFUL
    sliced = isinstance(new, ast.Call) and unparsed(new.func).endswith(("islice", "sample"))
    return Certainty.CLEAR if sliced and text_of(old) in text_of(new) else None


def _narrower(old: ast.expr, new: ast.expr, check: Check) -> Certainty | None:
    """`filter(f, rows)`, `wanted & found`: sure where it asks what the check looks at."""
    part = _narrowing(new)
    if part is None or not is_part(_unwrapped(old), new) or _narrowing(old) is not None:
        return None
    asked = (_unwrapped(part), *(n for n in ast.walk(part) if isinstance(n, ast.Call)))
    looked_at = _called(check.actual)
    clear = is_part(asked[0], check.actual) or any(_called(each) & looked_at for each in asked)
    return Certainty.CLEAR if clear else Certainty.DOUBTFUL


def _narrowing(node: ast.expr) -> ast.expr | None:
    """Return what takes values out of a loop: a predicate, or the other set."""
    match node:
        case ast.Call(func=func, args=[first, _]) if _last(func) in _FILTERS:
            return first
        case ast.Call(func=ast.Attribute(attr="intersection" | "difference"), args=[other]):
            return other
        case ast.BinOp(op=ast.BitAnd() | ast.Sub(), right=other):
            return other
        case ast.Call(func=ast.Name(), args=[inner]):
            return _narrowing(inner)
        case _:
            return None


def _called(node: ast.AST) -> set[str]:
    """The functions that an expression calls, by their last names."""
    return {_last(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)} - _PYTHONS


def _last(func: ast.expr) -> str:
    return unparsed(func).rpartition(".")[2]


def _unwrapped(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        if node.func.id not in _WRAPPING:
            break
        node = node.args[0]
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="items" | "keys" | "values"), args=[]):
            return inner
        case _:
            return node


def _values(node: ast.expr) -> list[str] | None:
    """The values that are written down; of a range its numbers."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [text_of(each) for each in node.elts]
    if isinstance(node, ast.Dict):
        return [text_of(each) for each in node.keys]
    if isinstance(node, ast.Call) and unparsed(node.func) == "range":
        bounds = [fold(each) for each in node.args]
        if bounds and all(isinstance(each, int) for each in bounds):
            found = range(*bounds)
            return [str(n) for n in found[:_MOST]] + [f"of {len(found)}"] * (len(found) > _MOST)
    return None
