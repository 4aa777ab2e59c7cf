"""Under which conditions an expression is reached inside a body, as far as they are written."""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.constants import truth
from freezegate.policy.mutes.modules import Function
from freezegate.policy.mutes.names import TOO_FAR

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from freezegate.policy.mutes.modules import Unit
    from freezegate.policy.mutes.names import Names

_MAX_WRITTEN = 500  # names of one condition that are replaced


class Guard(NamedTuple):
    """One condition: `holds` says whether the test must be true or false, `kind` what it is."""

    kind: str
    test: ast.expr | None
    holds: bool = True
    text: str = ""


Guards = tuple[Guard, ...]


def guarded(body: Sequence[ast.stmt], around: Guards = ()) -> Iterator[tuple[ast.expr, Guards]]:
    """Yield every expression of a body with its conditions; inner functions are entered."""
    for statement in body:
        for expression in _own_expressions(statement):
            yield from _expressions(expression, around)
        for inner, guards in _blocks(statement):
            yield from guarded(inner, (*around, *guards))


def _own_expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    match statement:
        case ast.Raise(exc=ast.Name() | ast.Attribute()):
            assert statement.exc  # noqa: S101 - the pattern says so
            yield ast.copy_location(ast.Call(statement.exc, [], []), statement)
        case ast.With() | ast.AsyncWith():
            yield from (item.context_expr for item in statement.items)
        case _:
            children = ast.iter_child_nodes(statement)
            yield from (child for child in children if isinstance(child, ast.expr))


def _blocks(statement: ast.stmt) -> Iterator[tuple[Sequence[ast.stmt], Guards]]:
    match statement:
        case ast.If() | ast.While():
            yield statement.body, (Guard("if", statement.test),)
            yield statement.orelse, (Guard("if", statement.test, False),)
        case ast.For() | ast.AsyncFor():
            yield statement.body, (Guard("for", statement.iter),)
            yield statement.orelse, ()
        case ast.Try() | ast.TryStar():
            yield (*statement.body, *statement.orelse, *statement.finalbody), ()
            for handler in statement.handlers:
                text = ast.dump(handler.type) if handler.type else ""
                yield handler.body, (Guard("except", None, text=text),)
        case ast.Match():
            for case in statement.cases:
                text = ast.dump(statement.subject) + ast.dump(case.pattern)
                yield case.body, (Guard("case", case.guard, text=text),)
        case _:
            yield getattr(statement, "body", ()), ()


def guarded_at_import(
    body: Sequence[ast.stmt], around: Guards = ()
) -> Iterator[tuple[ast.expr, Guards]]:
    """Yield what runs when a module is imported: functions are not entered, classes are."""
    flat = [_shell(each) for each in body]
    yield from guarded(flat, around)


def _shell(statement: ast.stmt) -> ast.stmt:
    """Return a statement whose functions have no body and no decorators."""
    if isinstance(statement, Function):
        defaults = [each for each in statement.args.kw_defaults if each]
        values = ast.Tuple([*statement.args.defaults, *defaults], ast.Load())
        return ast.copy_location(ast.Expr(values), statement)
    if not any(hasattr(statement, block) for block in ("body", "handlers", "cases")):
        return statement
    shallow = copy.copy(statement)
    for block in ("body", "orelse", "finalbody"):
        if hasattr(shallow, block):
            setattr(shallow, block, [_shell(each) for each in getattr(shallow, block)])
    for block in ("handlers", "cases"):
        if hasattr(shallow, block):
            parts = [copy.copy(each) for each in getattr(shallow, block)]
            for part in parts:
                part.body = [_shell(each) for each in part.body]
            setattr(shallow, block, parts)
    return shallow


def _expressions(node: ast.expr, around: Guards) -> Iterator[tuple[ast.expr, Guards]]:
    """An expression and its parts; `a and b` reaches b where a holds."""
    yield node, around
    match node:
        case ast.BoolOp():
            inner = around
            for value in node.values:
                yield from _expressions(value, inner)
                inner = (*inner, Guard("if", value, isinstance(node.op, ast.And)))
        case ast.IfExp():
            yield from _expressions(node.test, around)
            yield from _expressions(node.body, (*around, Guard("if", node.test)))
            yield from _expressions(node.orelse, (*around, Guard("if", node.test, False)))
        case _:
            for child in ast.walk(node):
                if child is not node and isinstance(child, ast.expr):
                    yield child, around


class Reading(NamedTuple):
    """Where conditions are read: the names of one side, seen from a module or a function."""

    names: Names
    path: str
    unit: Unit | None = None

    def truth(self, test: ast.expr) -> bool | None:
        """Return whether a condition always or never holds."""
        return truth(test, lambda name: self.names.constant(self.path, name, self.unit))

    def text(self, test: ast.expr) -> str:
        """Return a condition with the names replaced by what is written for them."""
        known = _Written(self)
        return ast.dump(known.visit(copy.deepcopy(test)))


class _Written(ast.NodeTransformer):
    """Replaces names; what takes more than can be followed is like nothing on the other side."""

    def __init__(self, reading: Reading) -> None:
        self._reading, self._left = reading, _MAX_WRITTEN
        self._open: set[int] = set()

    def visit_Name(self, node: ast.Name) -> ast.expr:
        around = self._reading
        path, found = around.names.written(around.path, node, around.unit)
        if isinstance(found, ast.Name) or id(found) in self._open:
            return node
        self._left -= 1
        if self._left < 0:
            return ast.Name(f"{TOO_FAR} {id(around.names)}", ast.Load())
        self._open.add(id(found))
        self._reading = around._replace(path=path, unit=None)
        replaced: ast.expr = self.visit(copy.deepcopy(found))
        self._reading = around
        self._open.discard(id(found))
        return replaced


Conditions = frozenset[frozenset[str]]  # all of them hold, of each at least one alternative


def conditions(guards: Guards, reading: Reading) -> Conditions | None:
    """Return the conditions that decide, in normal form; None where they never hold together."""
    found = set()
    for guard in guards:
        decided = reading.truth(guard.test) if guard.test is not None else None
        if decided is not None and guard.kind != "case":
            if decided is not guard.holds:
                return None
            continue
        found |= set(_parts(guard, reading))
    return frozenset(found)


def within(narrow: Conditions, wide: Conditions) -> bool:
    """Say whether the first hold only where the second do, as far as the texts tell."""
    return all(any(one <= other for one in narrow) for other in wide)


def _parts(guard: Guard, reading: Reading) -> Iterator[frozenset[str]]:
    """`a and b` is two conditions, so that one more is seen to narrow."""
    if guard.test is None or guard.text:
        yield frozenset({f"{guard.kind} {guard.text}"})
        return
    test, holds = _plain(guard.test, guard.holds)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And if holds else ast.Or):
        for value in test.values:
            yield from _parts(Guard(guard.kind, value, holds), reading)
    else:
        yield frozenset(_alternatives(guard.kind, test, holds, reading))


def _alternatives(kind: str, test: ast.expr, holds: bool, reading: Reading) -> Iterator[str]:
    test, holds = _plain(test, holds)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or if holds else ast.And):
        for value in test.values:
            yield from _alternatives(kind, value, holds, reading)
    else:
        yield f"{kind} {'' if holds else 'not '}{reading.text(test)}"


def _plain(test: ast.expr, holds: bool) -> tuple[ast.expr, bool]:
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, holds = test.operand, not holds
    return test, holds
