"""Code that stands in a test and is not run, or for nobody: inner functions, cases, tests."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.swallow import loses_failures
from freezegate.policy.mutes.checks.unawaited import Fates
from freezegate.policy.mutes.constants import UNKNOWN, fold
from freezegate.policy.mutes.modules import Function, statements_of
from freezegate.policy.mutes.step import is_test_name

if TYPE_CHECKING:
    from freezegate.policy.mutes.checks.terms import Terms


def only_made(terms: Terms, node: Function) -> str:
    """Return why an inner generator or coroutine never runs: it is made, and thrown away."""
    lazy = isinstance(node, ast.AsyncFunctionDef) or any(
        isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(node)
    )
    if not lazy:
        return ""
    plain = 0
    for each in ast.walk(terms.unit.node):
        match each:
            case ast.Expr(value=ast.Call(func=ast.Name(id=node.name))):
                plain += 1
            case ast.Name(id=node.name, ctx=ast.Load()):
                plain -= 1
            case _:
                pass
    return f"{node.name}() is made, and never run" if plain == 0 else ""


def only_handed_over(terms: Terms, node: Function) -> str:
    """Return why an inner function fails for nobody: a thread runs it, or a helper swallows."""
    if lost := Fates(terms.unit.node).why_lost(node):
        return lost
    found = ""
    for each in ast.walk(terms.unit.node):
        if not isinstance(each, ast.Call):
            continue
        handed = [*each.args, *(keyword.value for keyword in each.keywords)]
        if isinstance(each.func, ast.Name) and each.func.id == node.name:
            return ""
        if any(isinstance(h, ast.Name) and h.id == node.name for h in handed):
            found = loses_failures(terms, each)
            if not found:
                return ""
    return found


def yields_in_a_test(terms: Terms) -> str:
    """Return why nothing of a test runs that yields, empty where it does not."""
    node = terms.unit.node
    made = any(
        not origin.startswith("pytest.mark.")
        for each in node.decorator_list
        for origin in terms.names.names(terms.path, each) or ("unknown",)
    )
    if made or not is_test_name(terms.unit.name):
        return ""
    own = (s for s in statements_of(node.body) if not isinstance(s, Function | ast.ClassDef))
    heads = (child for s in own for child in ast.iter_child_nodes(s))
    yields = any(
        isinstance(n, ast.Yield | ast.YieldFrom)
        for head in heads
        if isinstance(head, ast.expr)
        for n in ast.walk(head)
    )
    return "a test that yields is not run" if yields else ""


def never_matches(terms: Terms, subject: ast.expr, pattern: ast.pattern) -> bool:
    """Say whether a case is another constant than what is matched."""
    if not isinstance(pattern, ast.MatchValue):
        return False
    values = [fold(each, terms.look) for each in (subject, pattern.value)]
    return UNKNOWN not in values and values[0] != values[1]
