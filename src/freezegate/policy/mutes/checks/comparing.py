"""What became of one check: the same, a stronger one, another value, or a weaker one."""

from __future__ import annotations

import ast
import builtins
import re
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.checks.scale import Check, Kind, key_of, text_of
from freezegate.policy.mutes.checks.subject import leaves_the_subject, looks_at_the_same
from freezegate.policy.mutes.checks.tautology import is_anything
from freezegate.policy.mutes.checks.tolerances import wider
from freezegate.policy.mutes.constants import UNKNOWN, fold
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from freezegate.policy.mutes.checks.terms import Terms

_EMPTY: tuple[object, ...] = ([], (), {}, "", b"", set(), frozenset())
_NEARLY_ALL = 0.8  # of a message: who drops its full stop says no less
_LONG = 4  # values: more of them are an allow list, which grows with the code
_WIDE = frozenset(("Exception", "BaseException"))
# Calls of which many values have one answer.
_LOSSY = frozenset(("bool", "any", "all", "hash", "callable", "min", "max", "next", "type"))
_SMALL = 1e-5  # a tolerance that is there for the rounding of floats alone


class Became(Enum):
    """How a check relates to the one that stood there."""

    AS_STRONG = "as strong"
    CHANGED = "changed"  # something else is expected: who knows which is right
    WEAKER = "weaker"


class Change(NamedTuple):
    """What became of a check, and in what way."""

    became: Became
    why: str = ""


_SAME = Change(Became.AS_STRONG)


def change_of(terms: Terms, old: Check, new: Check) -> Change:
    """Compare a check with the one that took its place."""
    if key_of(old) == key_of(new):
        return _SAME
    if leaves_the_subject(terms, old, new):
        return Change(Became.WEAKER, "the tested code is no longer called")
    if new.kind is old.kind:
        found = _of_one_kind(terms, old, new)
        if found is _SAME and _emptied(old.actual, new.actual):
            return Change(Became.CHANGED, "an empty input")
        if old.kind is Kind.EQUAL and _looks_into(old.actual, new.actual):
            return Change(Became.WEAKER, "a part in the place of the whole")
        unlike = found is _SAME and not looks_at_the_same(old, new)
        return Change(Became.CHANGED, "something else is looked at") if unlike else found
    if {old.kind, new.kind} == {Kind.IDENTICAL, Kind.NOT_NONE} and _is_none(old, new):
        return Change(Became.CHANGED, f"{new.kind.word} in the place of {old.kind.word}")
    if new.kind.rank < old.kind.rank:
        return _down(old, new)
    if new.kind.rank == old.kind.rank and {old.kind, new.kind} & {Kind.RAISES, Kind.FAILS}:
        return Change(Became.CHANGED, f"{new.kind.word} in the place of {old.kind.word}")
    return _SAME


def _looks_into(old: ast.expr, new: ast.expr) -> bool:
    """Whether of what was compared whole an item, attribute or lossy answer is looked at alone."""
    inner: ast.expr | None = _part_of(new)
    while inner is not None:
        if text_of(inner) == text_of(old):
            return True
        inner = _part_of(inner)
    return False


def _part_of(node: ast.expr) -> ast.expr | None:
    """Return what a part is taken of, None where a node stands for the whole."""
    match node:
        case ast.Subscript() | ast.Attribute():
            return node.value
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _LOSSY:
            return inner
        case _:
            return None


def _emptied(old: ast.expr, new: ast.expr) -> bool:
    """Whether what is handed over was something, and is nothing now."""
    before, after = ([_is_empty(n) for n in _handed(each)] for each in (old, new))
    return len(before) == len(after) and sum(after) > sum(before)


def _handed(node: ast.expr) -> list[ast.expr]:
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    return [part for c in calls for part in (*c.args, *(k.value for k in c.keywords))]


def _is_empty(node: ast.expr) -> bool:
    value = fold(node)
    return isinstance(value, str | bytes | tuple | list | dict | None) and not value


def answers(node: ast.expr) -> bool:
    """Say whether a call says yes or no by its name: `is_subset`, `has_key`."""
    func = node.func if isinstance(node, ast.Call) else None
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return str(name).startswith(("is_", "has_", "can_", "should_"))


def _is_none(old: Check, new: Check) -> bool:
    """Whether None was expected and no longer is, or the other way round."""
    expected = old.expected if old.kind is Kind.IDENTICAL else new.expected
    return isinstance(expected, ast.Constant) and expected.value is None


def _down(old: Check, new: Check) -> Change:
    why = f"{new.kind.word} in the place of {old.kind.word}"
    value = UNKNOWN if old.expected is None else fold(old.expected)
    same = text_of(old.actual) == text_of(new.actual)
    if new.kind is Kind.FALSY and value is not UNKNOWN and not value and same:
        plain = any(type(value) is type(each) and value == each for each in _EMPTY)
        return _SAME if plain else Change(Became.CHANGED, why)
    if new.kind is Kind.FALSY and old.kind is Kind.LENGTH and value == 0:
        return _SAME
    if new.kind is Kind.TRUTHY and isinstance(value, bool) and same:
        return Change(Became.CHANGED, why)
    if new.kind is Kind.RAISES and not _types_of(new.expected) & _WIDE:
        return Change(Became.CHANGED, why)
    if new.kind in (Kind.TRUTHY, Kind.FALSY) and value is UNKNOWN and same and answers(new.actual):
        return Change(Became.CHANGED, why)
    if new.kind is Kind.APPROX and old.kind is Kind.EQUAL and _is_rounding(old, new):
        return Change(Became.CHANGED, why)
    if old.kind is Kind.CUSTOM and new.kind.rank >= Kind.ORDER.rank:
        return Change(Became.CHANGED, why)
    if old.kind.rank - new.kind.rank <= 1:
        return _SAME
    return Change(Became.WEAKER, why)


def _is_rounding(old: Check, new: Check) -> bool:
    if any(each is None or each > _SMALL for each in new.tolerance):
        return False
    return old.expected is None or not isinstance(fold(old.expected), int | str | tuple)


def _of_one_kind(terms: Terms, old: Check, new: Check) -> Change:
    match old.kind:
        case Kind.RAISES | Kind.WARNS:
            return _exceptions(old, new)
        case Kind.APPROX if wider(old.tolerance, new.tolerance) is not False:
            return _tolerances(old, new)
        case Kind.ONE_OF:
            return _one_of(old, new)
        case Kind.ORDER | Kind.LENGTH:
            return _bounds(old, new)
        case Kind.TYPE:
            return _types(old, new)
        case Kind.EITHER:
            return _either(old, new)
        case Kind.REGEX if _looser_pattern(old.expected, new.expected):
            return Change(Became.WEAKER, "a looser pattern")
        case Kind.PART if _shorter(old.expected, new.expected):
            return Change(Became.WEAKER, "a smaller part")
        case Kind.CUSTOM:
            return _SAME
        case _:
            pass
    return _values(terms, old, new)


def _tolerances(old: Check, new: Check) -> Change:
    if wider(old.tolerance, new.tolerance) is None:
        return Change(Became.CHANGED, "a tolerance that is not written down")
    return Change(Became.WEAKER, "a wider tolerance")


def _values(terms: Terms, old: Check, new: Check) -> Change:
    if text_of(old.expected) == text_of(new.expected):
        if new.kind is Kind.FALSY or old.word != new.word:
            return _SAME if old.word == new.word else Change(Became.CHANGED, "another form")
        return _SAME
    if _wild(terms, new.expected) > _wild(terms, old.expected):
        return Change(Became.WEAKER, "an object that equals everything in what is expected")
    return Change(Became.CHANGED, "another value is expected") if _literal(old, new) else _SAME


def _literal(old: Check, new: Check) -> bool:
    """Whether constants differ that a test wrote down."""
    return _constants(old.expected) != _constants(new.expected)


def _constants(node: ast.AST | None) -> list[str]:
    found = [] if node is None else list(ast.walk(node))
    return sorted(repr(each.value) for each in found if isinstance(each, ast.Constant))


def _wild(terms: Terms, node: ast.AST | None) -> int:
    return sum(is_anything(terms, each) for each in ast.walk(node)) if node else 0


def _exceptions(old: Check, new: Check) -> Change:
    before, after = _types_of(old.expected), _types_of(new.expected)
    if before < after:
        return Change(Became.WEAKER, "more exceptions are taken")
    if before != after and all(any(_is_base(b, a) for b in after) for a in before):
        return Change(Became.WEAKER, "a base class of the exception is taken")
    if old.pattern is not None and new.pattern is None:
        return Change(Became.WEAKER, "no match of the message")
    if old.pattern is not None and _looser_pattern(old.pattern, new.pattern):
        return Change(Became.WEAKER, "a looser match of the message")
    if not before & after and not all(any(_is_base(a, b) for a in before) for b in after):
        return Change(Became.CHANGED, "another exception is expected")
    if old.pattern is not None and text_of(old.pattern) != text_of(new.pattern):
        return Change(Became.CHANGED, "another message is expected")
    return _SAME


def _types_of(node: ast.expr | None) -> frozenset[str]:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return frozenset[str]().union(*(_types_of(each) for each in node.elts))
    if node is None:
        return frozenset()
    return frozenset({unparsed(node).rpartition(".")[2]})


def _is_base(base: str, name: str) -> bool:
    """Whether a builtin exception is above another; the widest are above all there are."""
    if base == name:
        return False
    if base in ("BaseException", "Exception", "Warning"):
        return name not in ("BaseException", "Exception") or (base, name) == (
            "BaseException",
            "Exception",
        )
    one, other = getattr(builtins, base, None), getattr(builtins, name, None)
    if not (isinstance(one, type) and isinstance(other, type)):
        return False
    return issubclass(other, one) and one is not other


def _looser_pattern(old: ast.expr | None, new: ast.expr | None) -> bool:
    before = _text(old)
    after = _text(new)
    if before is None or after is None or before == after:
        return False
    if after.strip("^$.*+?() ") == "":
        return True
    if after in before:
        return len(after) < _NEARLY_ALL * len(before)
    return _finds(after, before) and not _finds(before, after)


def _finds(pattern: str, text: str) -> bool:
    if len(pattern) > 300 or len(text) > 300 or re.search(r"[+*}]\)[+*{]", pattern):
        return False  # nobody waits for a pattern that backtracks
    try:
        return re.search(pattern, text.replace("\\", "")) is not None
    except (re.error, OverflowError, RecursionError):
        return False


def _text(node: ast.expr | None) -> str | None:
    if isinstance(node, ast.Call) and unparsed(node.func) in (
        "re.escape",
        "escape",
        "re.compile",
    ):
        node = node.args[0] if node.args else None
    value = UNKNOWN if node is None else fold(node)
    return value if isinstance(value, str) else None


def _shorter(old: ast.expr | None, new: ast.expr | None) -> bool:
    before, after = _text(old), _text(new)
    return before is not None and after is not None and after != before and after in before


def _one_of(old: Check, new: Check) -> Change:
    before, after = (_elements(each.expected) for each in (old, new))
    if before and before < after:
        became = Became.WEAKER if len(before) < _LONG else Became.CHANGED
        return Change(became, "more values are taken")
    return _SAME if after <= before else Change(Became.CHANGED, "other values are taken")


def _elements(node: ast.expr | None) -> frozenset[str]:
    elements = getattr(node, "elts", None) or getattr(node, "keys", None) or []
    return frozenset(text_of(each) for each in elements)


def _bounds(old: Check, new: Check) -> Change:
    before, after = (UNKNOWN if c.expected is None else fold(c.expected) for c in (old, new))
    loose = {"==": 0, "!=": 3}
    ranks = [loose.get(each.word, 1) for each in (old, new)]
    if ranks[1] > ranks[0]:
        return Change(Became.WEAKER, "a bound in the place of a value")
    if ranks[1] < ranks[0]:
        return _SAME
    if not isinstance(before, int | float) or not isinstance(after, int | float):
        same = text_of(old.expected) == text_of(new.expected)
        return _operators(old, new) if same else Change(Became.CHANGED, "another bound")
    if old.word[:1] != new.word[:1]:
        return Change(Became.CHANGED, "another bound")
    if old.word in ("==", "!="):
        same = before == after
        return _SAME if same else Change(Became.CHANGED, "another length is expected")
    widened = after > before if old.word[0] == "<" else after < before
    if widened:
        return Change(Became.WEAKER, "a wider bound")
    return _SAME if before != after else _operators(old, new)


def _operators(old: Check, new: Check) -> Change:
    if old.word[:1] != new.word[:1]:
        return Change(Became.CHANGED, "a bound on the other side")
    if len(new.word) > len(old.word):
        return Change(Became.WEAKER, "a wider bound")
    return _SAME


def _types(old: Check, new: Check) -> Change:
    exact = old.word == "exact" and new.word == "isinstance"
    before, after = _types_of(old.expected), _types_of(new.expected)
    if before < after:
        return Change(Became.WEAKER, "more types are taken")
    if old.word != new.word and not exact:
        weaker = new.word in ("hasattr", "callable") and old.word in ("exact", "isinstance")
        became = Became.WEAKER if weaker else Became.CHANGED
        return Change(became, f"{new.word} in the place of {old.word}")
    return _SAME if after <= before else Change(Became.CHANGED, "another type is expected")


def _either(old: Check, new: Check) -> Change:
    counts = [len(getattr(each.actual, "values", ())) for each in (old, new)]
    if counts[1] > counts[0]:
        return Change(Became.WEAKER, "one more condition that is enough")
    return _SAME
