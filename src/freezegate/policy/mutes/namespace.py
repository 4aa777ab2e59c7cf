"""What the names of a module or class stand for when its body has run, as far as it is written."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.constants import truth
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Look = Callable[[str], ast.expr | None]


class Value(NamedTuple):
    """One thing that a name may stand for; both None: it may be unbound.

    `node` is the statement that binds it, `value` the expression where there is one.
    """

    node: ast.stmt | None = None
    value: ast.expr | None = None


ABSENT = Value()
Scope = dict[str, tuple[Value, ...]]


def run_body(body: Iterable[ast.stmt], look: Look, scope: Scope | None = None) -> Scope:
    """Return what each name stands for after a body; several values where that is not known.

    Names of attributes that are assigned are kept under their dotted name (`test_a.__test__`).
    """
    found: Scope = {} if scope is None else scope
    for statement in body:
        _run(statement, look, found)
    return found


def _run(statement: ast.stmt, look: Look, scope: Scope) -> None:
    match statement:
        case ast.If():
            _choose(_holds(statement.test, look), statement.body, statement.orelse, look, scope)
        case ast.While():
            holds = _holds(statement.test, look)
            _choose(False if holds is False else None, statement.body, (), look, scope)
        case ast.For() | ast.AsyncFor():
            holds = truth(statement.iter, look)
            _bind(statement.target, statement, None, scope)
            _choose(holds, statement.body, statement.orelse, look, scope)
        case ast.Try() | ast.TryStar():
            run_body((*statement.body, *statement.orelse), look, scope)
            for handler in statement.handlers:
                _choose(None, handler.body, (), look, scope)
            run_body(statement.finalbody, look, scope)
        case ast.With() | ast.AsyncWith():
            for item in statement.items:
                if item.optional_vars:
                    _bind(item.optional_vars, statement, None, scope)
            run_body(statement.body, look, scope)
        case ast.Match():
            for case in statement.cases:
                _choose(None, case.body, (), look, scope)
        case _:
            _simple(statement, scope)


def _holds(test: ast.expr, look: Look) -> bool | None:
    """A module that pytest imports is never the main one."""
    plain = isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test
    if plain and unparsed(plain.left) == "__name__" and len(plain.ops) == 1:
        return isinstance(plain.ops[0], ast.NotEq)
    return truth(test, look)


def _choose(
    holds: bool | None,
    body: Iterable[ast.stmt],
    orelse: Iterable[ast.stmt],
    look: Look,
    scope: Scope,
) -> None:
    if holds is not None:
        run_body(body if holds else orelse, look, scope)
        return
    one = run_body(body, look, dict(scope))
    other = run_body(orelse, look, dict(scope))
    for name in {**one, **other}:
        values = (*one.get(name, (ABSENT,)), *other.get(name, (ABSENT,)))
        scope[name] = tuple(dict.fromkeys(values))


def _simple(statement: ast.stmt, scope: Scope) -> None:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            scope[statement.name] = (Value(statement),)
        case ast.Import() | ast.ImportFrom():
            for alias in statement.names:
                name = alias.asname or alias.name
                whole = isinstance(statement, ast.ImportFrom)
                shown = name if whole or alias.asname else name.split(".")[0]
                key = f"*{statement.lineno}" if shown == "*" else shown
                scope.pop(key, None)
                scope[key] = (Value(statement),)
        case ast.Assign():
            for target in statement.targets:
                _bind(target, statement, statement.value, scope)
        case ast.AnnAssign(value=ast.expr()) | ast.AugAssign():
            _bind(statement.target, statement, statement.value, scope)
        case ast.Delete():
            for target in statement.targets:
                scope[_dotted(target)] = (ABSENT,)
        case ast.Expr(value=ast.Call()):
            assert isinstance(statement.value, ast.Call)  # noqa: S101 - the pattern says so
            _set_attribute(statement, statement.value, scope)
        case _:
            pass


def _bind(target: ast.expr, statement: ast.stmt, value: ast.expr | None, scope: Scope) -> None:
    if isinstance(target, ast.Tuple | ast.List):
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        paired = len(values) == len(target.elts)
        for place, inner in enumerate(target.elts):
            _bind(inner, statement, values[place] if paired else None, scope)
        return
    name = _dotted(target)
    if name:
        scope.pop(name, None)
        scope[name] = (Value(statement, value),)


def _set_attribute(statement: ast.stmt, call: ast.Call, scope: Scope) -> None:
    """`setattr(test_a, "__test__", False)` and `delattr(TestShop, "test_a")`."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    words = [each.value for each in call.args[1:2] if isinstance(each, ast.Constant)]
    holder = _dotted(call.args[0]) if call.args else ""
    if name in ("setattr", "delattr") and words and holder:
        value = call.args[2] if len(call.args) > 2 else None
        scope[f"{holder}.{words[0]!s}"] = (Value(statement, value),) if value else (ABSENT,)


def _dotted(node: ast.expr) -> str:
    """A name with its attributes, an item of `globals()` too; empty for others."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            holder = _dotted(node.value)
            return f"{holder}.{node.attr}" if holder else ""
        case ast.Subscript(
            value=ast.Call(func=ast.Name(id="globals" | "vars" | "locals")),
            slice=ast.Constant(value=str(name)),
        ):
            return name
        case _:
            return ""


def values_of(scope: Mapping[str, tuple[Value, ...]], name: str) -> tuple[Value, ...]:
    """Return what a name may stand for, nothing for one that is not bound."""
    return scope.get(name, (ABSENT,))
