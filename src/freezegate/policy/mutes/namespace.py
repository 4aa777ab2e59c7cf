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
            if isinstance(statement.value, ast.Call):
                _set_own_names(statement, statement.value, scope)
            for target in statement.targets:
                _bind(target, statement, statement.value, scope)
        case ast.AnnAssign(value=ast.expr()) | ast.AugAssign():
            _bind(statement.target, statement, statement.value, scope)
        case ast.Delete():
            for target in statement.targets:
                scope[_dotted(target)] = (ABSENT,)
        case ast.Expr(value=ast.Call() as call):
            _set_attribute(statement, call, scope)
            _set_own_names(statement, call, scope)
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
    if name in ("setattr", "delattr") and words and (holder or _is_own_module(call.args[0])):
        value = call.args[2] if len(call.args) > 2 else None
        whole = f"{holder}.{words[0]!s}" if holder else str(words[0])
        scope[whole] = (Value(statement, value),) if value else (ABSENT,)


def _set_own_names(statement: ast.stmt, call: ast.Call, scope: Scope) -> None:
    """`globals().pop("test_a")`, `.clear()`, `.update(test_a=None)` and their like."""
    match call:
        case ast.Call(func=ast.Attribute(value=holder, attr=method)) if _is_own_scope(
            holder, scope
        ):
            pass
        case _:
            return
    words = [each.value for each in call.args[:1] if isinstance(each, ast.Constant)]
    if method in ("pop", "__delitem__"):
        scope.update({str(word): (ABSENT,) for word in words})
    elif method == "clear":
        scope.clear()
    elif method == "__setitem__" and words:
        scope[str(words[0])] = (Value(statement, call.args[-1]),)
    elif method == "update":
        pairs = {word.arg: word.value for word in call.keywords if word.arg}
        for each in call.args:
            if isinstance(each, ast.Dict):
                keys = [key.value if isinstance(key, ast.Constant) else None for key in each.keys]
                pairs.update(zip(map(str, keys), each.values, strict=True))
        scope.update({word: (Value(statement, value),) for word, value in pairs.items()})


def _is_own_scope(node: ast.expr, scope: Scope | None = None) -> bool:
    """Whether this is the module's own table of names: `globals()`, its `__dict__`, or a name."""
    match node:
        case ast.Name(id=name):
            values = (scope or {}).get(name, ())
            return any(each.value is not None and _is_own_scope(each.value) for each in values)
        case ast.Call(func=ast.Name(id="globals" | "vars" | "locals"), args=[]):
            return True
        case ast.Attribute(value=holder, attr="__dict__"):
            return _is_own_module(holder)
        case ast.Call(func=ast.Name(id="vars"), args=[holder]):
            return _is_own_module(holder)
        case _:
            return False


def _is_own_module(node: ast.expr) -> bool:
    """Whether this is `sys.modules[__name__]`."""
    match node:
        case ast.Subscript(value=ast.Attribute(attr="modules"), slice=ast.Name(id="__name__")):
            return True
        case _:
            return False


def _dotted(node: ast.expr) -> str:
    """A name with its attributes, an item of `globals()` too; empty for others."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            holder = _dotted(node.value)
            return f"{holder}.{node.attr}" if holder else ""
        case ast.Subscript(value=holder, slice=ast.Constant(value=str(name))) if _is_own_scope(
            holder
        ):
            return name
        case _:
            return ""


def values_of(scope: Mapping[str, tuple[Value, ...]], name: str) -> tuple[Value, ...]:
    """Return what a name may stand for, nothing for one that is not bound."""
    return scope.get(name, (ABSENT,))
