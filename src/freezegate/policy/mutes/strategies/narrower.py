"""Whether one strategy draws less than another, and where."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.policy.mutes.checks.scale import text_of
from freezegate.policy.mutes.constants import UNKNOWN, fold, truth
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.policy.mutes.strategies.reading import Drawing

_MAX_DEPTH = 8
_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "integers": ("min_value", "max_value"),
    "floats": ("min_value", "max_value"),
    "decimals": ("min_value", "max_value"),
    "fractions": ("min_value", "max_value"),
    "dates": ("min_value", "max_value"),
    "times": ("min_value", "max_value"),
    "datetimes": ("min_value", "max_value"),
    "timedeltas": ("min_value", "max_value"),
    "text": ("alphabet", "min_size", "max_size"),
    "binary": ("min_size", "max_size"),
    "lists": ("elements", "min_size", "max_size"),
    "sets": ("elements", "min_size", "max_size"),
    "frozensets": ("elements", "min_size", "max_size"),
    "iterables": ("elements", "min_size", "max_size"),
    "dictionaries": ("keys", "values"),
    "sampled_from": ("elements",),
    "just": ("value",),
    "from_regex": ("regex",),
    "from_type": ("thing",),
    "recursive": ("base", "extend"),
    "arrays": ("dtype", "shape", "elements"),
}
_ALLOWING = ("allow_nan", "allow_infinity", "allow_subnormal")
_RESTRICTING = ("unique", "exclude_min", "exclude_max", "fullmatch")
_FEW = frozenset(("just", "none", "nothing", "sampled_from", "booleans"))
_TAKEN = frozenset(("whitelist_categories", "categories", "whitelist_characters"))
_LEFT_OUT = frozenset(
    ("blacklist_categories", "exclude_categories", "blacklist_characters", "exclude_characters")
)


class Narrowing(NamedTuple):
    """One way in which less is drawn."""

    certainty: Certainty
    why: str


def narrowings(
    drawing: Drawing, old: ast.expr, new: ast.expr, depth: int = 0
) -> Iterator[Narrowing]:
    """Yield where a strategy draws less than the one in whose place it stands."""
    if text_of(old) == text_of(new):
        return
    if depth > _MAX_DEPTH:
        yield Narrowing(Certainty.CLEAR, f"another strategy, deeper than {_MAX_DEPTH} others")
        return
    if _branches(drawing, old)[1:] or _branches(drawing, new)[1:]:
        yield from _of_branches(drawing, old, new, depth)
        return
    before, after = _transformed(old), _transformed(new)
    yield from _of_transformations(before[1], after[1])
    yield from _of_plain(drawing, before[0], after[0], depth)


def _of_branches(drawing: Drawing, old: ast.expr, new: ast.expr, depth: int) -> Iterator[Narrowing]:
    before, after = _branches(drawing, old), _branches(drawing, new)
    texts = {text_of(each) for each in after}
    lost = [each for each in before if text_of(each) not in texts]
    fresh = [each for each in after if text_of(each) not in {text_of(b) for b in before}]
    for each in lost:
        partner = next((f for f in fresh if _name(drawing, f) == _name(drawing, each)), None)
        if partner is None:
            yield Narrowing(Certainty.CLEAR, f"no longer drawn from {unparsed(each)[:60]}")
        else:
            fresh.remove(partner)
            yield from narrowings(drawing, each, partner, depth + 1)


def _branches(drawing: Drawing, node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_branches(drawing, node.left), *_branches(drawing, node.right)]
    if isinstance(node, ast.Call) and _name(drawing, node) == "one_of":
        parts = node.args
        if len(parts) == 1 and isinstance(parts[0], ast.List | ast.Tuple):
            parts = parts[0].elts
        return [branch for part in parts for branch in _branches(drawing, part)]
    return [node]


def _transformed(node: ast.expr) -> tuple[ast.expr, list[tuple[str, ast.expr | None]]]:
    """Return a strategy without `.filter` and `.map` behind it, and those."""
    found: list[tuple[str, ast.expr | None]] = []
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("filter", "map", "flatmap")
    ):
        found.append((node.func.attr, node.args[0] if node.args else None))
        node = node.func.value
    return node, found


def _of_transformations(
    old: list[tuple[str, ast.expr | None]], new: list[tuple[str, ast.expr | None]]
) -> Iterator[Narrowing]:
    before = [text_of(each) for _, each in old]
    for word, function in new:
        if text_of(function) in before:
            before.remove(text_of(function))
        elif word == "filter" and not (
            isinstance(function, ast.Lambda) and truth(function.body) is True
        ):
            replaces = any(each == "filter" for each, _ in old)
            certainty = Certainty.DOUBTFUL if replaces else Certainty.CLEAR
            yield Narrowing(certainty, "a filter leaves values out")
        elif word == "map" and isinstance(function, ast.Lambda) and _is_constant(function):
            yield Narrowing(Certainty.CLEAR, "every value is mapped to one")
        elif word in ("map", "flatmap"):
            yield Narrowing(Certainty.DOUBTFUL, f"values go through .{word}()")


def _is_constant(function: ast.Lambda) -> bool:
    names = {each.arg for each in function.args.args}
    return not any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(function.body))


def _of_plain(drawing: Drawing, old: ast.expr, new: ast.expr, depth: int) -> Iterator[Narrowing]:
    if text_of(old) == text_of(new):
        return
    before, after = _name(drawing, old), _name(drawing, new)
    if not before:
        return
    if not after:
        computed = isinstance(new, ast.Name | ast.Call | ast.Attribute)
        certainty = Certainty.DOUBTFUL if computed else Certainty.CLEAR
        yield Narrowing(certainty, f"{unparsed(new)[:60]} in the place of {before}()")
    elif before != after:
        yield from _of_other(before, after)
    elif isinstance(old, ast.Call) and isinstance(new, ast.Call):
        yield from _of_arguments(drawing, before, old, new, depth)


def _of_other(before: str, after: str) -> Iterator[Narrowing]:
    if before in ("just", "none", "nothing"):
        return
    if before in ("sampled_from", "booleans") and after not in _FEW:
        return
    certainty = Certainty.CLEAR if after in _FEW else Certainty.DOUBTFUL
    yield Narrowing(certainty, f"{after}() in the place of {before}()")


def _of_arguments(
    drawing: Drawing, name: str, old: ast.Call, new: ast.Call, depth: int
) -> Iterator[Narrowing]:
    before, after = _named(name, old), _named(name, new)
    for word in {**before, **after}:
        one, other = before.get(word), after.get(word)
        if text_of(one) != text_of(other):
            yield from _of_argument(drawing, name, word, one, other, depth)


def _of_argument(  # noqa: C901 - one case for each sort of argument
    drawing: Drawing, name: str, word: str, old: ast.expr | None, new: ast.expr | None, depth: int
) -> Iterator[Narrowing]:
    before, after = _value(old), _value(new)
    if word.startswith(("min_", "max_")):
        yield from _of_bound(word, before, after)
    elif word in _ALLOWING:
        if after is False:
            yield Narrowing(Certainty.CLEAR, f"{word}=False")
    elif word in _RESTRICTING:
        if after is True:
            yield Narrowing(Certainty.CLEAR, f"{word}=True")
    elif name == "sampled_from" or word in ("alphabet", *_TAKEN):
        yield from _of_elements(drawing, word, old, new, depth)
    elif word in _LEFT_OUT:
        if _members(before) < _members(after):
            yield Narrowing(Certainty.CLEAR, f"more is left out by {word}")
    elif name == "just":
        yield Narrowing(Certainty.DOUBTFUL, "another value")
    elif old is not None and new is not None and _name(drawing, _transformed(old)[0]):
        yield from narrowings(drawing, old, new, depth + 1)
    elif old is not None and new is None:
        yield Narrowing(Certainty.DOUBTFUL, f"no {word} is drawn")
    elif old is not None:
        yield Narrowing(Certainty.DOUBTFUL, f"another {word}")


def _of_bound(word: str, before: Any, after: Any) -> Iterator[Narrowing]:
    if after is None or (word.startswith("min_size") and after == 0):
        return
    if before is None and word.startswith("min_size") and isinstance(after, int) and after <= 0:
        return
    if before is None or UNKNOWN in (before, after):
        certainty = Certainty.CLEAR if before is None else Certainty.DOUBTFUL
        yield Narrowing(certainty, f"a bound: {word}")
        return
    try:
        tighter = after > before if word.startswith("min_") else after < before
    except TypeError:
        tighter = True
    if tighter:
        yield Narrowing(Certainty.CLEAR, f"a tighter bound: {word}={after!r} for {before!r}")


def _of_elements(
    drawing: Drawing, word: str, old: ast.expr | None, new: ast.expr | None, depth: int
) -> Iterator[Narrowing]:
    if new is None:
        return
    if old is None:
        yield Narrowing(Certainty.CLEAR, f"only what {word} takes")
        return
    before, after = _elements(old), _elements(new)
    if before is not None and after is not None:
        if after < before or len(after) < len(before):
            yield Narrowing(Certainty.CLEAR, f"fewer {word}")
        elif not before <= after:
            yield Narrowing(Certainty.DOUBTFUL, f"other {word}")
    elif _name(drawing, old):
        yield from narrowings(drawing, old, new, depth + 1)
    else:
        yield Narrowing(Certainty.DOUBTFUL, f"other {word}")


def _elements(node: ast.expr) -> frozenset[str] | None:
    elements = getattr(node, "elts", None) or getattr(node, "keys", None)
    if elements is not None:
        return frozenset(text_of(each) for each in elements)
    value = fold(node)
    if isinstance(value, str | tuple | list):
        return frozenset(repr(each) for each in value)
    return None


def _members(value: Any) -> frozenset[str]:
    return frozenset(map(repr, value)) if isinstance(value, str | tuple | list) else frozenset()


def _value(node: ast.expr | None) -> Any:
    return None if node is None else fold(node)


def _named(name: str, call: ast.Call) -> dict[str, ast.expr]:
    names = _ARGUMENTS.get(name, ())
    found = {
        (names[place] if place < len(names) else f"argument {place + 1}"): value
        for place, value in enumerate(call.args)
    }
    return found | {k.arg or "**": k.value for k in call.keywords}


def _name(drawing: Drawing, node: ast.expr) -> str:
    plain = _transformed(node)[0]
    return drawing.called(plain.func) if isinstance(plain, ast.Call) else ""
