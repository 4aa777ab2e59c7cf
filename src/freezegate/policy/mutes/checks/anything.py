"""Objects that equal everything: of libraries, of the tests' classes, of those made in place."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.constants import truth

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from freezegate.policy.mutes.checks.terms import Terms

_ANYTHING = frozenset(
    {
        "unittest.mock.ANY",
        "mock.ANY",
        "mock.mock.ANY",
        "dirty_equals.IsAnything",
        "dirty_equals.AnyThing",
    }
)
_MAX_BASES = 4  # classes above a class, and names behind a name


def is_anything(terms: Terms, node: ast.AST) -> bool:
    """Say whether an expression stands for an object that equals everything."""
    if not isinstance(node, ast.Name | ast.Attribute | ast.Call):
        return False
    origins = terms.names.names(terms.path, node, terms.unit)
    if origins & _ANYTHING or any(_agrees(terms, each, 0) for each in origins):
        return True
    return "builtins.type" in origins and _is_made(terms, node, 0)


def agreeing(node: ast.AST) -> bool:
    """Say whether a definition of `__eq__` says yes to everything."""
    if isinstance(node, ast.Lambda):
        return truth(node.body) is True
    if not isinstance(node, ast.FunctionDef):
        return False
    answers = [n for n in ast.walk(node) if isinstance(n, ast.Return)]
    known = [truth(each.value) if each.value else False for each in answers]
    return bool(known) and all(known)


def _agrees(terms: Terms, origin: str, depth: int) -> bool:
    if "::" not in origin or depth > _MAX_BASES:
        return False
    path, _, name = origin.partition("::")
    klass = terms.names.class_at(path, name)
    own = [*_equalities(klass.body)] if klass else []
    own += _set_later(terms, path, name.rpartition(".")[2]) if klass else []
    if own:
        return _says_yes(terms, path, own[-1])
    bases = klass.bases if klass else ()
    above = (each for base in bases for each in terms.names.names(path, base))
    return any(each != origin and _agrees(terms, each, depth + 1) for each in above)


def _equalities(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """What a class body binds `__eq__` to."""
    for each in body:
        match each:
            case ast.FunctionDef(name="__eq__"):
                yield each
            case ast.Assign(targets=[ast.Name(id="__eq__")], value=value):
                yield value
            case _:
                pass


def _set_later(terms: Terms, path: str, name: str) -> Iterator[ast.AST]:
    """`Any.__eq__ = ...`, at the top of the module or in the test."""
    found = terms.names.statements(path) if path == terms.path else []
    for each in (*found, *terms.unit.node.body):
        match each:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=owner), attr="__eq__")], value=value
            ) if owner == name:
                yield value
            case _:
                pass


def _is_made(terms: Terms, node: ast.AST, depth: int) -> bool:
    """`type("Any", (str,), {"__eq__": ...})`, or an object of such a class."""
    if not isinstance(node, ast.expr) or depth > _MAX_BASES:
        return False
    path, written = terms.names.written(terms.path, node, terms.unit)
    match written:
        case ast.Call(func=ast.Name(id="type"), args=[_, _, ast.Dict(keys=keys, values=values)]):
            pairs = zip(keys, values, strict=True)
            own = [v for k, v in pairs if isinstance(k, ast.Constant) and k.value == "__eq__"]
            return bool(own) and _says_yes(terms, path, own[-1])
        case ast.Call(func=inner):
            return _is_made(terms, inner, depth + 1)
        case _:
            return False


def _says_yes(terms: Terms, path: str, node: ast.AST) -> bool:
    """A function that is written there, or that a name stands for."""
    if not isinstance(node, ast.Name):
        return agreeing(node)
    unit = terms.unit if path == terms.path else None
    _, written = terms.names.written(path, node, unit)
    found = [terms.names.unit(each) for each in terms.names.names(path, node, unit)]
    return agreeing(written) or any(agreeing(each[1].node) for each in found if each)
