"""The repository's own functions that a test calls, and what it hands to them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.step import looks_like_test_code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.terms import Terms
    from freezegate.policy.mutes.modules import Function, Unit


def own_function(terms: Terms, call: ast.Call) -> tuple[str, Unit] | None:
    """Return the function of the test code that a call comes to."""
    func = terms.plain(call.func)
    match func:
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name) if terms.unit.classes:
            return None if _stores(terms.unit.node, name) else _own_method(terms, name)
        case _:
            pass
    for origin in sorted(terms.names.names(terms.path, func, terms.unit)):
        found = terms.names.unit(origin) if "::" in origin else None
        if found and found[1].node is not terms.unit.node and _is_test_path(found[0], terms.path):
            return found
    return None


def does_nothing(function: Function) -> bool:
    """Say whether a helper calls and raises nothing, and so checks by no other means."""
    doing = ast.Call | ast.Raise | ast.Await | ast.Yield
    inside = (n for statement in function.body for n in ast.walk(statement))
    return not any(isinstance(each, doing) for each in inside)


def _stores(function: Function, name: str) -> bool:
    """Whether a function puts something else under the name of a method."""
    return any(
        isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Store)
        for n in ast.walk(function)
    )


def _own_method(terms: Terms, name: str) -> tuple[str, Unit] | None:
    for klass in _and_bases(terms, terms.path, terms.unit.classes[-1], 0):
        found = terms.names.unit(f"{klass}.{name}")
        if found and found[1].node is not terms.unit.node:
            return found
    return None


def _and_bases(terms: Terms, path: str, klass: ast.ClassDef, depth: int) -> Iterator[str]:
    inside = ".".join(each.name for each in terms.unit.classes) if depth == 0 else klass.name
    yield f"{path}::{inside}"
    if depth < 5:
        for base in klass.bases:
            for origin in sorted(terms.names.names(path, base)):
                file, _, name = origin.partition("::")
                node = terms.names.class_at(file, name) if name else None
                if node is not None:
                    yield from _and_bases(terms, file, node, depth + 1)


def _is_test_path(path: str, other: str) -> bool:

    return path == other or looks_like_test_code(path)


def arguments_of(terms: Terms, call: ast.Call, function: Function) -> dict[str, ast.expr]:
    """Return what each parameter is called with; a default where nothing is handed over."""
    spec = function.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    if names[:1] in (["self"], ["cls"]):
        names = names[1:]
    given: dict[str, ast.expr] = {}
    given |= dict(zip(reversed(names), reversed(spec.defaults), strict=False))
    for each, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if value is not None:
            given[each.arg] = value
    if not any(isinstance(each, ast.Starred) for each in call.args):
        given |= {n: terms.normal(v) for n, v in zip(names, call.args, strict=False)}
    given |= {k.arg: terms.normal(k.value) for k in call.keywords if k.arg}
    return given
