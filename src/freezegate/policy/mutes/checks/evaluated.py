"""Which calls of an expression are made, and under which conditions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.checks.tautology import constant_truth
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.terms import Terms


class Around(NamedTuple):
    """What stands around a statement."""

    dead: str = ""
    guards: tuple[str, ...] = ()
    loops: tuple[ast.expr, ...] = ()


def evaluated_calls(
    terms: Terms, node: ast.expr, around: Around
) -> Iterator[tuple[ast.Call, Around]]:
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.BoolOp):
        yield from _short_circuit(terms, node, around)
        return
    if isinstance(node, ast.IfExp):
        yield from _chosen(terms, node, around)
        return
    if isinstance(node, ast.Call):
        yield node, around
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr | ast.keyword | ast.comprehension):
            inner = child.value if isinstance(child, ast.keyword) else child
            if isinstance(inner, ast.expr):
                yield from evaluated_calls(terms, inner, around)


def _short_circuit(
    terms: Terms, node: ast.BoolOp, around: Around
) -> Iterator[tuple[ast.Call, Around]]:
    here = around
    for value in node.values:
        yield from evaluated_calls(terms, value, here)
        known = constant_truth(terms, value)
        stops = isinstance(node.op, ast.Or)
        shown = unparsed(value)
        if known is stops:
            here = here._replace(dead=here.dead or f"`{shown}` decides before it")
        elif known is None:
            here = here._replace(guards=(*here.guards, shown))


def _chosen(terms: Terms, node: ast.IfExp, around: Around) -> Iterator[tuple[ast.Call, Around]]:
    yield from evaluated_calls(terms, node.test, around)
    known, shown = constant_truth(terms, node.test), unparsed(node.test)
    for part, wanted in ((node.body, True), (node.orelse, False)):
        here = around
        if known is None:
            here = around._replace(guards=(*around.guards, shown))
        elif known is not wanted:
            here = around._replace(dead=around.dead or f"`{shown}` never chooses it")
        yield from evaluated_calls(terms, part, here)
