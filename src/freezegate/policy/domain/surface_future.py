"""Does `from __future__ import annotations` change what a statement does?

It turns annotations into texts. Those of plain tests and fixtures are looked at by nobody: pytest
goes by the names of arguments. Those of classes and of all other functions count, because
dataclasses, Hypothesis and libraries of the subject look at what they are given.
"""

from __future__ import annotations

import ast

from freezegate.policy.domain.surface_scope import Function, called, dotted_parts, fixture_calls

_ANNOTATIONS = frozenset({"annotations"})


def other_futures(futures: frozenset[str]) -> frozenset[str]:
    """Return those that change more than annotations."""
    return futures - _ANNOTATIONS


def has_asked_hints(node: ast.AST) -> bool:
    """Say whether a statement has annotations that somebody may look at."""
    if isinstance(node, ast.AnnAssign):
        return True
    if isinstance(node, ast.ClassDef):
        return any(map(has_asked_hints, node.body))
    if isinstance(node, Function) and _is_for_pytest(node):
        return any(has_asked_hints(each) for each in ast.walk(node) if each is not node)
    if isinstance(node, Function):
        arguments = [each for each in ast.walk(node.args) if isinstance(each, ast.arg)]
        hints = bool(node.returns) or any(each.annotation for each in arguments)
        return hints or any(has_asked_hints(each) for each in node.body)
    return any(has_asked_hints(each) for each in ast.iter_child_nodes(node))


def _is_for_pytest(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    marks = [dotted_parts(called(each))[-2:-1] == ("mark",) for each in node.decorator_list]
    fixture = len(fixture_calls(node)) == len(node.decorator_list) == 1
    return fixture or (node.name.startswith("test") and all(marks))
