"""What became of a check whose kind is the same: its values, bounds, exceptions and patterns."""

from __future__ import annotations

import ast
import builtins
import re
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.anything import is_anything
from freezegate.policy.mutes.checks.change import SAME, Became, Change
from freezegate.policy.mutes.checks.scale import Check, Kind, text_of
from freezegate.policy.mutes.checks.tolerances import wider
from freezegate.policy.mutes.constants import UNKNOWN, fold
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from freezegate.policy.mutes.checks.terms import Terms

_NEARLY_ALL = 0.8  # of a message: who drops its full stop says no less
_LONG = 4  # values: more of them are an allow list, which grows with the code


def compare_kind(terms: Terms, old: Check, new: Check) -> Change:
    """Compare two checks of one kind."""
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
            return SAME
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
            return SAME if old.word == new.word else Change(Became.CHANGED, "another form")
        return SAME
    if _wild(terms, new.expected) > _wild(terms, old.expected):
        return Change(Became.WEAKER, "an object that equals everything in what is expected")
    return Change(Became.CHANGED, "another value is expected") if _literal(old, new) else SAME


def _literal(old: Check, new: Check) -> bool:
    """Whether constants differ that a test wrote down."""
    return _constants(old.expected) != _constants(new.expected)


def _constants(node: ast.AST | None) -> list[str]:
    found = [] if node is None else list(ast.walk(node))
    return sorted(repr(each.value) for each in found if isinstance(each, ast.Constant))


def _wild(terms: Terms, node: ast.AST | None) -> int:
    return sum(is_anything(terms, each) for each in ast.walk(node)) if node else 0


def _exceptions(old: Check, new: Check) -> Change:
    before, after = types_of(old.expected), types_of(new.expected)
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
    more = _count(new.actual) > _count(old.actual)
    return Change(Became.CHANGED, "more is done that may raise it") if more else SAME


def _count(block: ast.expr) -> int:
    return len(block.elts) if isinstance(block, ast.Tuple) else 1


def types_of(node: ast.expr | None) -> frozenset[str]:
    """Return the names of exceptions or types that are taken."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return frozenset[str]().union(*(types_of(each) for each in node.elts))
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
    return SAME if after <= before else Change(Became.CHANGED, "other values are taken")


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
        return SAME
    if not isinstance(before, int | float) or not isinstance(after, int | float):
        same = text_of(old.expected) == text_of(new.expected)
        return _operators(old, new) if same else Change(Became.CHANGED, "another bound")
    if old.word[:1] != new.word[:1]:
        return Change(Became.CHANGED, "another bound")
    if old.word in ("==", "!="):
        same = before == after
        return SAME if same else Change(Became.CHANGED, "another length is expected")
    widened = after > before if old.word[0] == "<" else after < before
    if widened:
        return Change(Became.WEAKER, "a wider bound")
    return SAME if before != after else _operators(old, new)


def _operators(old: Check, new: Check) -> Change:
    if old.word[:1] != new.word[:1]:
        return Change(Became.CHANGED, "a bound on the other side")
    if len(new.word) > len(old.word):
        return Change(Became.WEAKER, "a wider bound")
    return SAME


def _types(old: Check, new: Check) -> Change:
    exact = old.word == "exact" and new.word == "isinstance"
    before, after = types_of(old.expected), types_of(new.expected)
    if before < after:
        return Change(Became.WEAKER, "more types are taken")
    if old.word != new.word and not exact:
        weaker = new.word in ("hasattr", "callable") and old.word in ("exact", "isinstance")
        became = Became.WEAKER if weaker else Became.CHANGED
        return Change(became, f"{new.word} in the place of {old.word}")
    return SAME if after <= before else Change(Became.CHANGED, "another type is expected")


def _either(old: Check, new: Check) -> Change:
    counts = [len(getattr(each.actual, "values", ())) for each in (old, new)]
    if counts[1] > counts[0]:
        return Change(Became.WEAKER, "one more condition that is enough")
    return SAME
