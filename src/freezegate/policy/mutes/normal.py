"""A function's body in normal form: without docstring, places and types, as a text to compare."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from freezegate.policy.mutes.modules import Function


@lru_cache(maxsize=65_536)
def normal_body(node: Function) -> str:
    """Return what a function does, arguments included; equal texts do the same."""
    body = without_docstring(node.body)
    statements = "\n".join(ast.dump(each) for each in body)
    return f"{ast.dump(node.args)}\n{statements}"


@lru_cache(maxsize=65_536)
def normal_whole(node: Function) -> str:
    """The same with the decorators and the kind of function."""
    decorators = ",".join(ast.dump(each) for each in node.decorator_list)
    return f"{type(node).__name__} {decorators}\n{normal_body(node)}"


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return a body's statements but for a leading text."""
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        return body[1:] if isinstance(body[0].value.value, str) else body
    return body


def unparsed(node: ast.AST) -> str:
    """Return a node's source; of a text that older versions of Python cannot write, its form.

    Python 3.11 raises ValueError for an f-string that has a backslash inside of its braces.
    """
    try:
        return ast.unparse(node)
    except ValueError:
        return ast.dump(node)
