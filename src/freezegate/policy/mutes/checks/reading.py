"""The checks of a function, in order, each with what decides whether it is reached."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.calls import checks_of
from freezegate.policy.mutes.checks.evaluated import Around, evaluated_calls
from freezegate.policy.mutes.checks.helpers import arguments_of, does_nothing, own_function
from freezegate.policy.mutes.checks.predicate import checks_in
from freezegate.policy.mutes.checks.raising import expected_exception, is_raising
from freezegate.policy.mutes.checks.scale import Check, Kind
from freezegate.policy.mutes.checks.spent import spent_before
from freezegate.policy.mutes.checks.swallow import (
    leaves_finally,
    may_suppress,
    suppresses,
    swallowed_by,
    swallowing_decorator,
)
from freezegate.policy.mutes.checks.tautology import constant_truth, is_empty
from freezegate.policy.mutes.checks.terms import Terms
from freezegate.policy.mutes.checks.timeouts import gives_up, out_of_time, takes_timeouts
from freezegate.policy.mutes.checks.unrun import (
    never_matches,
    only_handed_over,
    only_made,
    yields_in_a_test,
)
from freezegate.policy.mutes.modules import Function, bindings_of
from freezegate.policy.mutes.normal import unparsed, without_docstring

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from freezegate.policy.mutes.modules import Unit
    from freezegate.policy.mutes.names import Names

_MAX_REACH = 3  # helpers that call helpers
_LEAVING = frozenset(
    (
        "pytest.exit",
        "pytest.skip",
        "pytest.xfail",
        "sys.exit",
        "os._exit",
        "os.abort",
        "builtins.exit",
    )
)


def read_checks(
    names: Names,
    path: str,
    unit: Unit,
    given: Mapping[str, ast.expr] | None = None,
    depth: int = 0,
) -> list[Check]:
    """Return every check of a function, those of the helpers that it calls included."""
    reading = Reading(Terms(names, path, unit, given), depth)
    around = Around(dead=swallowing_decorator(reading.terms) or yields_in_a_test(reading.terms))
    reading.block(without_docstring(unit.node.body), around)
    return reading.found


class Reading:
    """One walk through a function: `found` grows as statements go by."""

    def __init__(self, terms: Terms, depth: int) -> None:
        """Start with what local names stand for."""
        self.terms, self.depth = terms, depth
        self.found: list[Check] = []
        self._used = frozenset(_loaded(terms.unit.node))

    def block(self, body: list[ast.stmt], around: Around) -> str:
        """Read statements; return why nothing behind them is reached, empty where it is."""
        ended = ""
        for statement in body:
            here = around._replace(dead=around.dead or ended)
            stop = self._statement(statement, here)
            ended = ended or stop
            around = _behind(statement, around, self.terms)
        return ended

    def _statement(self, node: ast.stmt, around: Around) -> str:
        match node:
            case ast.Assert():
                self._add(checks_in(self.terms, node.test), around)
                self._expressions(node.test, around, follow=False)
                return ""
            case ast.If():
                return self._if(node, around)
            case ast.While():
                return self._while(node, around)
            case ast.For() | ast.AsyncFor():
                return self._for(node, around)
            case ast.Try() | ast.TryStar():
                return self._try(node, around)
            case ast.With() | ast.AsyncWith():
                return self._with(node, around)
            case ast.Match():
                return self._match(node, around)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(node, around)
                return ""
            case ast.ClassDef():
                self.block(node.body, around)
                return ""
            case _:
                return self._simple(node, around)

    def _simple(self, node: ast.stmt, around: Around) -> str:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr) and not isinstance(child, ast.GeneratorExp):
                self._expressions(child, around)
        match node:
            case ast.Return():
                return "it stands behind a return"
            case ast.Raise():
                if _is_failure(node):
                    self._fails(node, around)
                return "it stands behind a raise"
            case ast.Continue() | ast.Break():
                return f"it stands behind a {type(node).__name__.lower()}"
            case ast.Expr(value=ast.Call()):
                self.terms.bind_sorted(node.value)
                return self._leaves(node.value)
            case _:
                self._binds(node)
        return ""

    def _binds(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign():
                value = self.terms.normal(node.value)
                for target in node.targets:
                    self.terms.bind(target, value)
            case ast.AnnAssign(value=ast.expr() as value):
                self.terms.bind(node.target, self.terms.normal(value))
            case ast.AugAssign(target=ast.Name()):
                self.terms.bind_changed(node)
            case ast.AugAssign() | ast.Delete():
                self.terms.forget(bindings_of([node]))
            case _:
                pass

    def _leaves(self, call: ast.expr) -> str:
        assert isinstance(call, ast.Call)  # noqa: S101 - asked by the caller
        origins = self.terms.names.names(self.terms.path, call.func, self.terms.unit)
        if origins & _LEAVING:
            return f"it stands behind {unparsed(call.func)}()"
        return "it stands behind a failure" if "pytest.fail" in origins else ""

    def _if(self, node: ast.If, around: Around) -> str:
        known = constant_truth(self.terms, node.test)
        self._expressions(node.test, around)
        shown = unparsed(node.test)
        if self._guarded_failure(node, around):
            return ""
        inner, other = around, around
        if known is None:
            guard = text_of_guard(self.terms, node.test)
            inner = around._replace(guards=(*around.guards, guard))
            other = around._replace(guards=(*around.guards, f"not {guard}"))
        elif known:
            other = around._replace(dead=around.dead or f"`if {shown}` always holds")
        else:
            inner = around._replace(dead=around.dead or f"`if {shown}` never holds")
        ends = self.block(node.body, inner), self.block(node.orelse, other)
        self.terms.forget(bindings_of([*node.body, *node.orelse]) if known is None else ())
        if known is not None:
            return ends[0 if known else 1]
        return ends[0] if all(ends) else ""

    def _guarded_failure(self, node: ast.If, around: Around) -> bool:
        """`if x != 1: pytest.fail()` is `assert x == 1`."""
        if node.orelse or len(node.body) != 1 or not self._is_failing(node.body[0]):
            return False
        self._add(checks_in(self.terms, node.test, holds=False), around)
        return True

    def _is_failing(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.Raise):
            return _is_failure(node)
        if isinstance(node, ast.Assert):
            return constant_truth(self.terms, node.test) is False
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return any(c.kind is Kind.FAILS for c in checks_of(self.terms, node.value))
        return False

    def _while(self, node: ast.While, around: Around) -> str:
        known = constant_truth(self.terms, node.test)
        self.terms.forget(bindings_of(node.body))
        inner = around
        if known is None:
            inner = around._replace(guards=(*around.guards, text_of_guard(self.terms, node.test)))
        elif not known:
            shown = unparsed(node.test)
            inner = around._replace(dead=around.dead or f"`while {shown}` never holds")
        self.block(node.body, inner)
        self.terms.forget(bindings_of(node.body))
        broken = any(isinstance(n, ast.Break | ast.Return) for e in node.body for n in ast.walk(e))
        rest = self.block(node.orelse, around)
        return "it stands behind a loop without end" if known and not broken else rest

    def _for(self, node: ast.For | ast.AsyncFor, around: Around) -> str:
        self._expressions(node.iter, around)
        inner = around._replace(loops=(*around.loops, self.terms.normal(node.iter)))
        if is_empty(self.terms, node.iter):
            shown = unparsed(node.iter)
            inner = inner._replace(dead=around.dead or f"`for ... in {shown}` goes through nothing")
        inner = inner._replace(dead=inner.dead or spent_before(self.terms.unit.node, node))
        inner = inner._replace(guards=(*inner.guards, *_left_early(node)))
        self.terms.forget(bindings_of(node.body))
        name = ast.Name(f"<item {len(around.loops)}>", ast.Load())
        self.terms.bind(node.target, name)
        self.block(node.body, inner)
        self.terms.forget(bindings_of([node]))
        self.block(node.orelse, around)
        return ""

    def _try(self, node: ast.Try | ast.TryStar, around: Around) -> str:
        swallowed, maybe = swallowed_by(self.terms, node)
        if leaves_finally(node):
            swallowed = "`finally` leaves and drops its failure"
        inner = around._replace(dead=around.dead or swallowed)
        if maybe:
            inner = inner._replace(guards=(*inner.guards, maybe))
        ended = self.block(node.body, inner)
        outer = around._replace(dead=inner.dead if leaves_finally(node) else around.dead)
        self.block(node.orelse, outer._replace(dead=outer.dead or ended))
        if all(isinstance(each, ast.Pass) for each in node.body):
            outer = outer._replace(dead=outer.dead or "nothing can be caught there")
        ends = [self._handler(each, outer) for each in node.handlers]
        self.terms.forget(bindings_of([node]))
        last = self.block(node.finalbody, around)
        return last or (ended if ended and all(ends) else "")

    def _handler(self, handler: ast.ExceptHandler, around: Around) -> str:
        shown = "except" if handler.type is None else f"except {unparsed(handler.type)}"
        dead = around.dead
        if isinstance(handler.type, ast.Tuple) and not handler.type.elts:
            dead = dead or f"`{shown}` catches nothing"
        guards = (*around.guards, shown)
        return self.block(handler.body, around._replace(dead=dead, guards=guards))

    def _with(self, node: ast.With | ast.AsyncWith, around: Around) -> str:
        inner = around
        for item in node.items:
            call = item.context_expr
            self._expressions(call, inner, skip=is_raising(self.terms, call))
            if isinstance(call, ast.Call) and is_raising(self.terms, call):
                self._add([expected_exception(self.terms, call, node)], around)
                inner = inner._replace(guards=(*inner.guards, "an exception is expected"))
            inner = inner._replace(dead=inner.dead or suppresses(self.terms, call))
            inner = self._in_time(node, call, inner)
            if item.optional_vars is not None:
                entered = ast.Call(ast.Name("<with>", ast.Load()), [self.terms.normal(call)], [])
                self.terms.bind(item.optional_vars, entered)
        ended = self.block(node.body, inner._replace(dead=inner.dead or self._enters(node)))
        return "" if inner.dead or inner.guards != around.guards else ended

    def _in_time(self, node: ast.With | ast.AsyncWith, call: ast.expr, around: Around) -> Around:
        """`move_on_after(0)`, `suppress(TimeoutError)`, and managers that answer at times."""
        dead, maybe = gives_up(self.terms, call)
        taken = isinstance(call, ast.Call) and any(takes_timeouts(self.terms, a) for a in call.args)
        if taken and not is_raising(self.terms, call):
            inside = [*node.body, *(item.context_expr for item in node.items)]
            dead, maybe = out_of_time(self.terms, inside)
        maybe = maybe or may_suppress(self.terms, call)
        guards = (*around.guards, maybe) if maybe else around.guards
        return around._replace(dead=around.dead or dead, guards=guards)

    def _enters(self, node: ast.With | ast.AsyncWith) -> str:
        """`stack.enter_context(suppress(...))` in the block of an exit stack."""
        for each in (n for statement in node.body for n in ast.walk(statement)):
            match each:
                case ast.Call(func=ast.Attribute(attr="enter_context" | "push"), args=[first]):
                    found = suppresses(self.terms, first)
                    if found and not is_raising(self.terms, first):
                        return found
                case _:
                    pass
        return ""

    def _match(self, node: ast.Match, around: Around) -> str:
        for case in node.cases:
            guard = f"case {unparsed(case.pattern)}"
            dead = around.dead
            if never_matches(self.terms, node.subject, case.pattern):
                dead = dead or f"`{guard}` never holds"
            if case.guard is not None and constant_truth(self.terms, case.guard) is False:
                dead = dead or f"`{guard}` never holds"
            self.block(case.body, around._replace(dead=dead, guards=(*around.guards, guard)))
        self.terms.forget(bindings_of([node]))
        return ""

    def _function(self, node: Function, around: Around) -> None:
        dead = around.dead
        if node.name not in self._used and not node.decorator_list:
            dead = dead or f"nobody calls {node.name}()"
        elif only := only_made(self.terms, node) or only_handed_over(self.terms, node):
            dead = dead or only
        self.terms.forget(each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg))
        kept = self.terms.snapshot()
        self.block(node.body, around._replace(dead=dead))
        self.terms.restore(kept)

    def _expressions(
        self, node: ast.expr, around: Around, *, skip: bool = False, follow: bool = True
    ) -> None:
        """Find checking calls in an expression, in what of it is evaluated.

        What an asserted call checks itself is beside the point: its answer is what counts.
        """
        for call, here in evaluated_calls(self.terms, node, around):
            if skip and call is node:
                continue
            found = self._helper(call, here) if follow else None
            if found is None:
                alone = call is node or (isinstance(node, ast.Await) and call is node.value)
                made = checks_of(self.terms, call)
                self._add((c for c in made if alone or c.kind is not Kind.CUSTOM), here)

    def _helper(self, call: ast.Call, around: Around) -> bool | None:
        """The checks of the repository's own function, as if they stood here."""
        target = own_function(self.terms, call)
        if target is None or self.depth >= _MAX_REACH:
            return None
        given = arguments_of(self.terms, call, target[1].node)
        inner = read_checks(self.terms.names, *target, given, self.depth + 1)
        for each in inner:
            self.found.append(_inside(each._replace(node=call), around))
        return True if inner or does_nothing(target[1].node) else None

    def _add(self, checks: Iterable[Check], around: Around) -> None:
        for each in checks:
            self.found.append(_inside(each, around))

    def _fails(self, node: ast.stmt, around: Around) -> None:
        self.found.append(_inside(Check(Kind.FAILS, node, ast.Constant("fail")), around))


def _left_early(loop: ast.For | ast.AsyncFor) -> tuple[str, ...]:
    """A `break` or `return` of a loop: what it would go through afterwards is not checked."""
    waiting: list[ast.AST] = list(loop.body)
    for node in waiting:  # grows while it is walked
        if isinstance(node, ast.Break | ast.Return):
            return ("the loop is not left before",)
        if not isinstance(node, ast.For | ast.AsyncFor | ast.While | Function | ast.expr):
            waiting += ast.iter_child_nodes(node)
    return ()


def _behind(statement: ast.stmt, around: Around, terms: Terms) -> Around:
    """`if x: return` makes all that stands behind it conditional."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return around
    last, leaving = statement.body[-1], ast.Return | ast.Continue | ast.Break
    if not isinstance(last, leaving) or constant_truth(terms, statement.test):
        return around
    if constant_truth(terms, statement.test) is False:
        return around
    guard = f"not {text_of_guard(terms, statement.test)}"
    return around._replace(guards=(*around.guards, guard))


def text_of_guard(terms: Terms, node: ast.expr) -> str:
    """Return a condition as it is compared with others."""
    return unparsed(terms.normal(node))


def _inside(check: Check, around: Around) -> Check:
    return check._replace(
        dead=around.dead or check.dead,
        guards=(*around.guards, *check.guards),
        loops=(*around.loops, *check.loops),
    )


def _is_failure(node: ast.Raise) -> bool:
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    name = raised.attr if isinstance(raised, ast.Attribute) else ""
    name = raised.id if isinstance(raised, ast.Name) else name
    return name in ("AssertionError", "failureException")


def _loaded(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            yield each.id
