"""Blocks that are given no time, and whose end for that reason is swallowed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from freezegate.policy.mutes.checks.terms import Terms

_GIVING_UP = frozenset(("move_on_after", "move_on_at"))  # they end a block, and raise nothing
_LIMITING = frozenset(("timeout", "timeout_at", "wait_for", "fail_after", "fail_at"))
_TIMEOUTS = frozenset(
    ("builtins.TimeoutError", "asyncio.TimeoutError", "concurrent.futures.TimeoutError")
)
_TOO_SHORT_S = 0.001  # nothing that waits ends in less


def out_of_time(terms: Terms, body: Iterable[ast.AST]) -> tuple[str, str]:
    """Return why a block ends before its checks, and why it only may; empty where it has none."""
    for call, seconds in _limits(terms, body, _LIMITING):
        if isinstance(seconds, int | float) and seconds <= _TOO_SHORT_S:
            return f"`{unparsed(call)[:60]}` gives it no time, and that is swallowed", ""
        return "", f"`{unparsed(call)[:60]}` ends in time"
    return "", ""


def gives_up(terms: Terms, node: ast.expr) -> tuple[str, str]:
    """The same of a manager that swallows the end itself: `anyio.move_on_after(0)`."""
    for call, seconds in _limits(terms, [node], _GIVING_UP):
        if isinstance(seconds, int | float) and seconds <= _TOO_SHORT_S:
            return f"`{unparsed(call)[:60]}` gives it no time", ""
        return "", f"`{unparsed(call)[:60]}` ends in time"
    return "", ""


def takes_timeouts(terms: Terms, node: ast.expr | None) -> bool:
    """Say whether a handler, or `suppress`, takes what a timeout raises."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node] if node else []
    return any(terms.names.names(terms.path, each, terms.unit) & _TIMEOUTS for each in parts)


def _limits(
    terms: Terms, body: Iterable[ast.AST], words: frozenset[str]
) -> Iterator[tuple[ast.Call, object]]:
    for node in (n for each in body for n in ast.walk(each)):
        if not isinstance(node, ast.Call) or _word(node.func) not in words:
            continue
        named = [k.value for k in node.keywords if k.arg in ("timeout", "delay", "seconds")]
        given = named or node.args[1 if _word(node.func) == "wait_for" else 0 :][:1]
        if given:
            yield node, fold(given[0], terms.look)


def _word(func: ast.expr) -> str:
    match func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
