"""Which check a call makes: unittest's and numpy's methods, mocks, expected exceptions."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.anything import is_anything
from freezegate.policy.mutes.checks.predicate import checks_in, comparison
from freezegate.policy.mutes.checks.raising import RAISING, RAISING_METHODS, expected_exception
from freezegate.policy.mutes.checks.scale import Check, Kind, Tolerance
from freezegate.policy.mutes.checks.tautology import takes_all
from freezegate.policy.mutes.checks.tolerances import places_of_call, tolerance_of_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.terms import Terms

_COMPARING: dict[str, type[ast.cmpop]] = {
    "assertEqual": ast.Eq,
    "assertEquals": ast.Eq,
    "assertListEqual": ast.Eq,
    "assertDictEqual": ast.Eq,
    "assertTupleEqual": ast.Eq,
    "assertSetEqual": ast.Eq,
    "assertSequenceEqual": ast.Eq,
    "assertMultiLineEqual": ast.Eq,
    "assertNotEqual": ast.NotEq,
    "assertNotEquals": ast.NotEq,
    "assertIs": ast.Is,
    "assertIsNot": ast.IsNot,
    "assertIn": ast.In,
    "assertNotIn": ast.NotIn,
    "assertGreater": ast.Gt,
    "assertGreaterEqual": ast.GtE,
    "assertLess": ast.Lt,
    "assertLessEqual": ast.LtE,
}
_WORDS = {"assertTrue": True, "assert_": True, "failUnless": True, "assertFalse": False}
_MOCK = {
    "assert_called_once_with": Kind.EQUAL,
    "assert_called_with": Kind.EQUAL,
    "assert_awaited_once_with": Kind.EQUAL,
    "assert_awaited_with": Kind.EQUAL,
    "assert_has_calls": Kind.PART,
    "assert_has_awaits": Kind.PART,
    "assert_any_call": Kind.PART,
    "assert_any_await": Kind.PART,
    "assert_called_once": Kind.LENGTH,
    "assert_awaited_once": Kind.LENGTH,
    "assert_not_called": Kind.LENGTH,
    "assert_not_awaited": Kind.LENGTH,
    "assert_called": Kind.TRUTHY,
    "assert_awaited": Kind.TRUTHY,
}
_CHECKING_NAME = re.compile(r"_*(assert|check|verify|fnmatch_|no_fnmatch_|re_match_)")


def checks_of(terms: Terms, call: ast.Call) -> Iterator[Check]:
    """Yield the checks that a call makes by itself, as far as its name is known."""
    normal = terms.plain(call.func)
    name = normal.attr if isinstance(normal, ast.Attribute) else ""
    origins = terms.names.names(terms.path, normal, terms.unit)
    if origins & {"pytest.fail", "builtins.fail"} or (name == "fail" and _is_self(normal)):
        yield Check(Kind.FAILS, call, ast.Constant("fail"))
    elif name in _MOCK:
        yield _of_mock(terms, call, name)
    elif origins & RAISING or name in RAISING_METHODS:
        yield expected_exception(terms, call, None, called=name or min(origins))
    elif _is_testing(origins):
        yield from _of_library(terms, call, min(origins))
    elif name.startswith(("assert", "fail")) and call.args:
        yield from _of_unittest(terms, call, name)
    elif _CHECKING_NAME.match(name or (normal.id if isinstance(normal, ast.Name) else "")):
        yield _custom(terms, call)


def _of_unittest(terms: Terms, call: ast.Call, name: str) -> Iterator[Check]:
    first, second = call.args[0], call.args[1] if len(call.args) > 1 else None
    if name in _WORDS:
        yield from (c._replace(node=call) for c in checks_in(terms, first, holds=_WORDS[name]))
    elif name in ("assertIsNone", "assertIsNotNone"):
        op = ast.Is if name == "assertIsNone" else ast.IsNot
        yield comparison(terms, call, first, op, ast.Constant(None))
    elif second is None:
        yield _custom(terms, call)
    elif name in _COMPARING:
        compared = ast.Compare(first, [_COMPARING[name]()], [second])
        yield from (c._replace(node=call) for c in checks_in(terms, compared))
    elif name in ("assertAlmostEqual", "assertAlmostEquals"):
        tolerance = places_of_call(terms, call, "assertAlmostEqual")
        found = comparison(terms, call, first, ast.Eq, second)
        yield found._replace(kind=Kind.APPROX, tolerance=tolerance)
    elif name in ("assertIsInstance", "assertNotIsInstance"):
        yield Check(
            Kind.TYPE,
            call,
            terms.normal(first),
            terms.normal(second),
            word="isinstance" if name == "assertIsInstance" else "not isinstance",
        )
    elif name == "assertCountEqual":
        yield Check(Kind.UNORDERED, call, terms.normal(first), terms.normal(second))
    elif name in ("assertRegex", "assertRegexpMatches"):
        dead = "the pattern takes every text" if takes_all(terms, second) else ""
        actual, pattern = terms.normal(first), terms.normal(second)
        yield Check(Kind.REGEX, call, actual, pattern, word="search", dead=dead)
    else:
        yield _custom(terms, call)


def _of_library(terms: Terms, call: ast.Call, origin: str) -> Iterator[Check]:
    name = origin.rpartition(".")[2]
    if len(call.args) < 2:
        yield _custom(terms, call)
        return
    found = comparison(terms, call, call.args[0], ast.Eq, call.args[1])
    if "almost" in name:
        yield found._replace(kind=Kind.APPROX, tolerance=places_of_call(terms, call, name))
    else:
        tolerance = tolerance_of_call(terms, call)
        kind = Kind.EQUAL if tolerance is None else Kind.APPROX
        yield found._replace(kind=kind, tolerance=tolerance or Tolerance(), word=name)


def _of_mock(terms: Terms, call: ast.Call, name: str) -> Check:
    assert isinstance(call.func, ast.Attribute)  # noqa: S101 - it has the name of one
    handed = [*call.args, *(keyword.value for keyword in call.keywords)]
    plain = ast.Call(ast.Name("call", ast.Load()), list(call.args), list(call.keywords))
    wild = bool(handed) and all(is_anything(terms, each) for each in handed)
    return Check(
        Kind.TRUTHY if wild else _MOCK[name],
        call,
        terms.normal(call.func.value),
        terms.normal(plain),
        word=name,
    )


def _custom(terms: Terms, call: ast.Call) -> Check:
    return Check(Kind.CUSTOM, call, terms.normal(call))


def _is_testing(origins: frozenset[str]) -> bool:
    return any(
        "testing." in each and each.rpartition(".")[2].startswith("assert") and "::" not in each
        for each in origins
    )


def _is_self(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("self", "cls", "testcase")
    )
