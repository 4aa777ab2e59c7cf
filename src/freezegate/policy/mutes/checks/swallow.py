"""Blocks out of which a failed assertion does not come: handlers, suppressing managers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.timeouts import out_of_time, takes_timeouts
from freezegate.policy.mutes.constants import truth
from freezegate.policy.mutes.modules import Function, statements_of
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from freezegate.policy.mutes.checks.terms import Terms

_CAUGHT = frozenset(f"builtins.{n}" for n in ("AssertionError", "Exception", "BaseException"))
_TAKEN = frozenset(("AssertionError", "Exception", "BaseException"))
_MAX_BASES = 5
_FAILED = frozenset(("pytest.fail.Exception", "_pytest.outcomes.OutcomeException"))
_SUPPRESSING = frozenset(("contextlib.suppress", "pytest.raises", "trio.testing.RaisesGroup"))
_FAILING_CALLS = frozenset(("pytest.fail", "sys.exit", "os._exit", "pytest.exit"))


def swallowed_by(terms: Terms, statement: ast.Try | ast.TryStar) -> tuple[str, str]:
    """Return why a `try` swallows a failed assertion, and why it only may; empty where not."""
    for handler in statement.handlers:
        if not _catches(terms, handler.type):
            if takes_timeouts(terms, handler.type) and _passes_on(terms, handler) is False:
                found = out_of_time(terms, statement.body)
                if any(found):
                    return found
            continue
        shown = "except" if handler.type is None else f"except {unparsed(handler.type)}"
        match _passes_on(terms, handler):
            case True:
                return "", ""
            case False:
                return f"`{shown}` swallows its failure", ""
            case None:
                return "", f"`{shown}` passes it on at times"
    return "", ""


def leaves_finally(statement: ast.Try | ast.TryStar) -> bool:
    """Say whether `finally` drops what was raised: `return`, `break` and `continue` do."""
    leaving = ast.Return | ast.Break | ast.Continue
    return any(isinstance(each, leaving) for each in _own_statements(statement.finalbody))


def suppresses(terms: Terms, node: ast.expr) -> str:
    """Return why a context manager swallows a failed assertion, empty where it does not."""
    plain = terms.normal(node)
    if not isinstance(plain, ast.Call):
        return ""
    origins = terms.names.names(terms.path, plain.func, terms.unit)
    method = plain.func.attr if isinstance(plain.func, ast.Attribute) else ""
    if origins & _SUPPRESSING or method == "assertRaises":
        types = [*plain.args, *(k.value for k in plain.keywords if k.arg == "expected_exception")]
        if any(_catches(terms, each) for each in types):
            return f"`{unparsed(node)[:60]}` swallows its failure"
    if any(_is_quiet(terms, origin) for origin in origins if "::" in origin):
        return f"`{unparsed(node)[:60]}` swallows its failure"
    return ""


def may_suppress(terms: Terms, node: ast.expr) -> str:
    """Return why a manager of the repository's own swallows a failure at times, or where not."""
    plain = terms.normal(node)
    origins = terms.names.names(terms.path, plain, terms.unit) if _is_call(plain) else ()
    for leave in filter(None, (_leaving(terms, each) for each in origins if "::" in each)):
        answers = [n.value for n in ast.walk(leave) if isinstance(n, ast.Return) and n.value]
        if any(truth(each) is None for each in answers):
            return f"`{unparsed(node)[:60]}` lets its failure out"
    return ""


def _is_call(node: ast.expr) -> bool:
    return isinstance(node, ast.Call)


def _leaving(terms: Terms, origin: str) -> ast.AST | None:
    """The method that a manager of a class ends with, its own or one of a base."""
    path, _, name = origin.partition("::")
    for _ in range(_MAX_BASES):
        for word in ("__exit__", "__aexit__"):
            found = terms.names.unit(f"{path}::{name}.{word}")
            if found:
                return found[1].node
        klass = terms.names.class_at(path, name)
        above = terms.names.names(path, klass.bases[0]) if klass and klass.bases else frozenset()
        known = sorted(each for each in above if "::" in each)
        if not known:
            return None
        path, _, name = known[0].partition("::")
    return None


def _says_failures(node: ast.expr) -> bool:
    """`return kind is AssertionError`: what it answers for a failed assertion is yes."""
    named = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    negated = any(
        isinstance(n, ast.Not | ast.IsNot | ast.NotEq | ast.NotIn) for n in ast.walk(node)
    )
    return bool(named & _TAKEN) and not negated


def quiet_function(terms: Terms, function: Function) -> bool:
    """Say whether a function yields, or calls another, where failures are swallowed."""
    for statement in ast.walk(function):
        match statement:
            case ast.Try() | ast.TryStar():
                quiet = bool(swallowed_by(terms, statement)[0]) or leaves_finally(statement)
            case ast.With() | ast.AsyncWith():
                managers = (item.context_expr for item in statement.items)
                quiet = any(_suppresses_plainly(terms, each) for each in managers)
            case _:
                continue
        if quiet and _hands_over(statement.body):
            return True
    return False


def swallowing_decorator(terms: Terms) -> str:
    """Return which decorator of the tests' own swallows failures, or never calls the function."""
    from freezegate.policy.mutes.checks.terms import Terms as Other

    for decorator in terms.unit.node.decorator_list:
        node = decorator.func if isinstance(decorator, ast.Call) else decorator
        for origin in terms.names.names(terms.path, node):
            found = terms.names.unit(origin) if "::" in origin else None
            if found is None or found[1].node is terms.unit.node:
                continue
            if quiet_function(Other(terms.names, *found), found[1].node):
                return f"`@{unparsed(decorator)[:40]}` swallows its failure"
            if not isinstance(decorator, ast.Call) and _ignores_its_argument(found[1].node):
                return f"`@{unparsed(decorator)[:40]}` never runs it"
    return ""


def loses_failures(terms: Terms, call: ast.Call) -> str:
    """Return why a function that is handed to a call fails for nobody, empty where it does."""
    from freezegate.policy.mutes.checks.terms import Terms as Other

    shown = unparsed(call.func)[:40]
    for origin in terms.names.names(terms.path, call.func, terms.unit):
        if origin in ("threading.Thread", "threading.Timer", "_thread.start_new_thread"):
            return f"{shown}() runs it in a thread"
        found = terms.names.unit(origin) if "::" in origin else None
        if found and quiet_function(Other(terms.names, *found), found[1].node):
            return f"{shown}() swallows its failure"
    return ""


def _ignores_its_argument(function: Function) -> bool:
    first = next(iter([*function.args.posonlyargs, *function.args.args]), None)
    if first is None or function.args.vararg:
        return False
    loaded = (n for n in ast.walk(function) if isinstance(n, ast.Name))
    return not any(each.id == first.arg for each in loaded)


def _suppresses_plainly(terms: Terms, node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    found = terms.names.names(terms.path, node.func, terms.unit)
    return bool(found & _SUPPRESSING) and any(_catches(terms, each) for each in node.args)


def _hands_over(body: list[ast.stmt]) -> bool:
    kinds = ast.Yield | ast.YieldFrom | ast.Call
    return any(isinstance(node, kinds) for each in body for node in ast.walk(each))


def _is_quiet(terms: Terms, origin: str) -> bool:
    from freezegate.policy.mutes.checks.terms import Terms as Other

    leave = _leaving(terms, origin)
    if leave:
        answers = [n.value for n in ast.walk(leave) if isinstance(n, ast.Return) and n.value]
        return any(truth(each) is True or _says_failures(each) for each in answers)
    found = terms.names.unit(origin)
    if found is None or not any(isinstance(n, ast.Yield) for n in ast.walk(found[1].node)):
        return False
    return quiet_function(Other(terms.names, *found), found[1].node)


def _catches(terms: Terms, node: ast.expr | None) -> bool:
    if node is None:
        return True
    if isinstance(node, ast.Tuple):
        return any(_catches(terms, each) for each in node.elts)
    origins = terms.names.names(terms.path, terms.plain(node), terms.unit)
    if isinstance(node, ast.Attribute) and node.attr == "failureException":
        return True
    return bool(origins & (_CAUGHT | _FAILED))


def _passes_on(terms: Terms, handler: ast.ExceptHandler) -> bool | None:
    """Whether a handler always fails itself; None where it does so at times."""
    if _always_fails(terms, handler.body):
        return True
    for statement in statements_of(handler.body):
        if _fails(terms, statement):
            return None
    return _used_later(handler)


def _always_fails(terms: Terms, body: list[ast.stmt]) -> bool:
    for statement in body:
        if _fails(terms, statement):
            return True
        if isinstance(statement, ast.If) and all(
            _always_fails(terms, each) for each in (statement.body, statement.orelse)
        ):
            return True
        if isinstance(statement, ast.With | ast.AsyncWith) and _always_fails(terms, statement.body):
            return True
        if isinstance(statement, ast.Return | ast.Break | ast.Continue):
            return False
    return False


def _fails(terms: Terms, statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise):
        return True
    if isinstance(statement, ast.Assert):
        return truth(statement.test, terms.look) is not True
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        origins = terms.names.names(terms.path, call.func, terms.unit)
        return method in ("fail", "assertEqual", "fail_test") or bool(origins & _FAILING_CALLS)
    return False


def _used_later(handler: ast.ExceptHandler) -> bool | None:
    """A failure that is kept (`errors.append(error)`) may be looked at afterwards."""
    if handler.name is None:
        return False
    for node in (n for each in handler.body for n in ast.walk(each)):
        if isinstance(node, ast.Call | ast.Assign):
            if isinstance(node, ast.Call) and _prints(node):
                continue
            if any(isinstance(n, ast.Name) and n.id == handler.name for n in ast.walk(node)):
                return None
    return False


def _prints(call: ast.Call) -> bool:
    words = (
        "print",
        "repr",
        "str",
        "debug",
        "info",
        "warning",
        "warn",
        "error",
        "exception",
        "log",
    )
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else name
    return name in words


def _own_statements(body: list[ast.stmt]) -> list[ast.stmt]:
    return list(statements_of(body))
