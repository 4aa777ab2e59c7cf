"""Checks that a block, or a function that is handed over, ends in an exception or a warning."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.scale import Check, Kind
from freezegate.policy.mutes.checks.tautology import takes_all
from freezegate.policy.mutes.constants import UNKNOWN, fold, truth
from freezegate.policy.mutes.modules import Function, statements_of
from freezegate.policy.mutes.normal import unparsed

if TYPE_CHECKING:
    from freezegate.policy.mutes.checks.terms import Terms

RAISING = frozenset(
    (
        "pytest.raises",
        "pytest.RaisesExc",
        "pytest.RaisesGroup",
        "pytest.warns",
        "pytest.deprecated_call",
    )
)
# Of Python's own they raise by what they are handed, and do nothing else.
_FAILING = frozenset(
    ("int", "float", "complex", "chr", "ord", "next", "iter", "len", "abs", "sum", "max", "min")
) | {"list", "tuple", "dict", "set", "bytes", "range", "eval", "exec", "getattr", "__import__"}
RAISING_METHODS = frozenset(
    ("assertRaises", "assertRaisesRegex", "assertRaisesRegexp", "assertWarns", "assertWarnsRegex")
)


def is_raising(terms: Terms, node: ast.expr) -> bool:
    """Say whether a context manager expects an exception or a warning."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr in RAISING_METHODS:
        return True
    return bool(terms.names.names(terms.path, node.func, terms.unit) & RAISING)


def expected_exception(
    terms: Terms, call: ast.Call, block: ast.With | ast.AsyncWith | None, called: str = ""
) -> Check:
    """Return the check that a block, or a function that is handed over, ends in an exception."""
    if not called:
        origins = terms.names.names(terms.path, call.func, terms.unit)
        known = sorted(origins & RAISING)
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        called = known[0] if known else method
    kind = Kind.WARNS if "arn" in called or "deprecated" in called else Kind.RAISES
    keywords = {k.arg: k.value for k in call.keywords}
    args = list(call.args)
    if "deprecated_call" in called:
        default: ast.expr = ast.Name("DeprecationWarning", ast.Load())
    else:
        default = ast.Name("BaseException", ast.Load())
    types = keywords.get("expected_exception") or (args.pop(0) if args else default)
    pattern = keywords.get("match")
    if "Regex" in called:
        pattern = keywords.get("expected_regex") or (args.pop(0) if args else None)
    looked_at = _block(terms, block.body) if block else ast.Tuple(args, ast.Load())
    if block is None and len(args) >= 1 and kind is Kind.RAISES:
        looked_at = ast.Call(args[0], args[1:], [])
    if pattern is not None and takes_all(terms, pattern):
        pattern = None
    return Check(
        kind,
        call,
        terms.normal(looked_at),
        _types(terms, terms.normal(types)),
        pattern=None if pattern is None else terms.normal(pattern),
        dead=_raises_itself(terms, block, kind) if block else "",
    )


def _block(terms: Terms, body: list[ast.stmt]) -> ast.expr:
    """The one statement of a block, or what all of them evaluate and raise."""
    nodes = [node for node in statements_of(body) if not isinstance(node, Function | ast.ClassDef)]
    values = [_value(node) for node in nodes]
    parts = [terms.normal(value) for value in values if value is not None]
    return parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())


def _value(node: ast.stmt) -> ast.expr | None:
    match node:
        case ast.Expr() | ast.Assign() | ast.Return():
            return node.value
        case ast.Raise(exc=ast.Call(func=raised) | raised):
            return raised  # what it is called with makes no other exception of it
        case _:
            return None


def _raises_itself(terms: Terms, statement: ast.With | ast.AsyncWith, kind: Kind) -> str:
    """Why a block proves nothing; one of several managers may be what is tested."""
    if len(statement.items) != 1:
        return ""
    if any(_always_raises(each) for each in statement.body):
        return "the block raises it itself"
    inside = statements_of(statement.body)
    values = [n.value for n in inside if isinstance(n, ast.Expr | ast.Assign)]
    if kind is Kind.WARNS:
        return "the block warns itself" if any(_warns(terms, each) for each in values) else ""
    alone = len(values) > 1 and any(_fails_alone(terms, each) for each in values)
    return "the block raises it itself" if alone else ""


def _warns(terms: Terms, node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    found = terms.names.names(terms.path, node.func, terms.unit)
    return bool(found & {"warnings.warn", "warnings.warn_explicit"})


def _fails_alone(terms: Terms, node: ast.expr) -> bool:
    """`int("x")`, `{}["x"]`, `1 / 0`: it asks nothing of the tested code, and has no value."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    if any(each.id not in _FAILING for each in names):
        return False
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and not isinstance(each.func, ast.Name):
            return False
    computes = isinstance(node, ast.Call | ast.Subscript | ast.BinOp)
    return computes and fold(node, terms.look) is UNKNOWN


def _always_raises(statement: ast.stmt) -> bool:
    match statement:
        case ast.Raise(exc=ast.expr()):
            return True
        case ast.If(test=test, body=body, orelse=orelse):
            held = truth(test)
            return held is not None and any(map(_always_raises, body if held else orelse))
        case ast.Try(handlers=handlers, body=body, finalbody=last):
            return any(map(_always_raises, last if handlers else (*body, *last)))
        case _:
            return False


def _types(terms: Terms, node: ast.expr) -> ast.expr:
    """The exceptions that are taken, under the names that they have where they are defined."""
    if isinstance(node, ast.Tuple):
        return ast.Tuple([_types(terms, each) for each in node.elts], ast.Load())
    if not isinstance(node, ast.Name | ast.Attribute):
        return node
    origins = terms.names.names(terms.path, node, terms.unit)
    found = {each.rpartition("::")[2].rpartition(".")[2] for each in origins if _is_type(each)}
    if not found or found == {unparsed(node).rpartition(".")[2]}:
        return node
    names: list[ast.expr] = [ast.Name(each, ast.Load()) for each in sorted(found)]
    return names[0] if len(names) == 1 else ast.Tuple(names, ast.Load())


def _is_type(origin: str) -> bool:
    return not origin.startswith(("param:", "module:")) and origin.isprintable()
