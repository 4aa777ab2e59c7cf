"""How sure it is that a new condition around a check silences it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.matching import is_part
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.scale import Check
    from freezegate.policy.mutes.checks.terms import Terms
    from freezegate.policy.mutes.modules import Unit

_ITEM = re.compile(r"<(item|with) ?(\d*)>")
_ENVIRONMENT = ("os.environ", "os.getenv", "os.environb", "os.getenvb")


def certainty_of(terms: Terms, guard: str, check: Check) -> Certainty:
    """Weigh a condition: whoever runs the tests sets the environment, and what a check looks at
    must not decide whether it is made.
    """
    try:
        condition = _parsed(guard)
        looked_at = _parsed(unparsed(check.actual))
    except SyntaxError:  # `case ...` and `except ...` are no expressions
        return Certainty.DOUBTFUL
    if any(_reads_environment(terms, each) for each in _names_in(condition)):
        return Certainty.CLEAR
    asks = not isinstance(check.actual, ast.Constant) and is_part(looked_at, condition)
    return Certainty.CLEAR if asks else Certainty.DOUBTFUL


def _parsed(text: str) -> ast.expr:
    """What is written, with names for the items of loops (`<item 0>`)."""
    return ast.parse(_ITEM.sub(r"_\1_\2", text), mode="eval").body


def _names_in(node: ast.AST) -> Iterator[ast.Name | ast.Attribute]:
    yield from (n for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute))


def _reads_environment(terms: Terms, node: ast.Name | ast.Attribute) -> bool:
    """A variable of the environment, or the tests' own function that reads one."""
    origins = terms.names.names(terms.path, node, terms.unit)
    if any(each.startswith(_ENVIRONMENT) for each in origins):
        return True
    path, written = terms.names.written(terms.path, node, terms.unit)
    if written is not node and _says_environment(terms, path, written, None):
        return True  # `CI = "CI" in os.environ`, and the condition is `CI`
    found = (terms.names.unit(each) for each in origins if "::" in each)
    return any(
        _says_environment(terms, path, unit.node, unit) for path, unit in filter(None, found)
    )


def _says_environment(terms: Terms, path: str, node: ast.AST, unit: Unit | None) -> bool:
    return any(
        each.startswith(_ENVIRONMENT)
        for inner in _names_in(node)
        for each in terms.names.names(path, inner, unit)
    )
