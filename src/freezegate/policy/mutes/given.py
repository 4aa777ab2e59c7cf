"""What in a hook or fixture leads to pytest's own objects: reports, items, sessions, options."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes import hook_words as words

if TYPE_CHECKING:
    from freezegate.policy.mutes.modules import Unit


class Hook(NamedTuple):
    """A function that pytest or a fixture's user calls: `name` is the hook's, `fixture` or `test`.

    `given` are the parameters that lead to pytest's own objects.
    """

    name: str
    path: str
    unit: Unit
    given: frozenset[str]


def find_tainted(hook: Hook) -> frozenset[str]:
    """The names that lead to what a hook was given, or to what its `yield` returned."""
    found = set(hook.given)
    pairs = [pair for node in ast.walk(hook.unit.node) for pair in _bound(node)]
    known = -1
    while known < len(found):  # names that are bound from names that are bound later
        known = len(found)
        for target, value in pairs:
            if _leads(value, found):
                found |= {e.id for e in ast.walk(target) if isinstance(e, ast.Name)} - {"self"}
    return frozenset(found)


def _bound(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    match node:
        case ast.Assign():
            return [(target, node.value) for target in node.targets]
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            return [(node.target, node.iter)]
        case ast.NamedExpr():
            return [(node.target, node.value)]
        case ast.AnnAssign(value=ast.expr() as value):
            return [(node.target, value)]
        case _:
            return []


def _leads(value: ast.expr, found: set[str]) -> bool:
    return any(
        isinstance(node, ast.Yield) or (isinstance(node, ast.Name) and node.id in found)
        for node in ast.walk(value)
    )


def root(node: ast.AST) -> str | None:
    """Return the name that a chain of attributes, items and calls begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Starred):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def is_items(node: ast.AST, hook: Hook, tainted: frozenset[str]) -> bool:
    """Whether an expression is the list of collected items, or of an item's markers."""
    if isinstance(node, ast.Attribute):
        return node.attr in words.ITEM_LISTS and root(node) in tainted
    if not isinstance(node, ast.Name) or node.id not in tainted:
        return False
    if node.id == "items" or (node.id in hook.given and hook.name.endswith("modifyitems")):
        return node.id not in ("config", "session")
    bound = [
        n.value
        for n in ast.walk(hook.unit.node)
        if isinstance(n, ast.Assign) and any(_is_name(t, node.id) for t in n.targets)
    ]
    rest = tainted - {node.id}
    return any(not isinstance(b, ast.Call) and is_items(b, hook, rest) for b in bound)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
