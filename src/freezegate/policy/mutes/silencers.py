"""What skips a function, or expects it to fail, on one side: markers, calls, what runs before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.guards import (
    Guard,
    Reading,
    conditions,
    guarded,
    guarded_at_import,
)
from freezegate.policy.mutes.marks import Mark, Marks
from freezegate.policy.mutes.normal import without_docstring
from freezegate.policy.mutes.step import is_test_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.guards import Conditions
    from freezegate.policy.mutes.modules import Side, Unit
    from freezegate.policy.mutes.names import Names, Origins

_FAILING = frozenset({"pytest.mark.xfail", "unittest.expectedFailure"})
_MARKING = _FAILING | {
    "pytest.mark.skip",
    "pytest.mark.skipif",
    "unittest.skip",
    "unittest.skipIf",
    "unittest.skipUnless",
    "pytest.mark.?",
}
_MADE = frozenset({"pytest.MarkDecorator", "pytest.Mark"})
_RERUNNING = frozenset({"pytest.mark.flaky", "flaky.flaky", "pytest.mark.repeat"})
_CALLS = frozenset(
    {
        "pytest.skip",
        "pytest.xfail",
        "pytest.importorskip",
        "pytest.skip.Exception",
        "pytest.xfail.Exception",
        "unittest.SkipTest",
        "unittest.TestCase.skipTest",
        "nose.SkipTest",
        "nose.plugins.skip.SkipTest",
        "twisted.trial.unittest.SkipTest",
        "param:self.skipTest",
        "param:cls.skipTest",
        "builtins.super.skipTest",
        "param:request.node.skipTest",
    }
)
SKIPPING = _CALLS | _MARKING | _MADE
_CONDITIONAL = ("pytest.mark.skipif", "unittest.skipIf", "unittest.skipUnless", "pytest.mark.xfail")


class Silencer(NamedTuple):
    """One thing that skips or expects a failure, `when` its conditions hold (none: always).

    `scope` says how far it reaches: `test`, `class`, `module`, `parameter` (then `row` tells the
    row). `strict` and `raises` belong to expected failures; `after` counts the checks that stand
    before a call in its body; `through` is the function that runs before the test.
    """

    kind: str  # skip, xfail or rerun
    node: ast.expr
    path: str
    scope: str
    when: Conditions
    strict: bool | None = None
    raises: frozenset[str] | None = None
    after: int = 0
    through: str = ""
    row: str = ""


class Silencers:
    """Silencers of one side."""

    def __init__(self, side: Side, names: Names) -> None:
        """Read modules of a side and follow what their names stand for."""
        self.side, self.names = side, names
        self.marks = Marks(side, names)

    def of_markers(self, path: str, unit: Unit) -> Iterator[Silencer]:
        """Yield the markers on a test, or on the rows of a fixture, that may take effect."""
        on_test = is_test_name(unit.name)
        for mark in self.marks.of(path, unit) if on_test else self.marks.of_rows(path, unit):
            found = self._of_mark(mark)
            if found:
                yield found

    def of_body(self, path: str, unit: Unit) -> Iterator[Silencer]:
        """Yield what a function's body does to skip, itself or by its helpers."""
        reading = Reading(self.names, path, unit)
        sought = _CALLS if is_test_name(unit.name) or _is_hook(unit) else _CALLS | _MARKING
        checks = 0
        for node, guards in guarded(without_docstring(unit.node.body)):
            checks += isinstance(node, ast.Compare)
            kind = self._kind_of(path, node, unit, sought)
            when = conditions(guards, reading) if kind else None
            if kind and when is not None:
                yield Silencer(kind, node, path, "test", when, after=checks)

    def of_class(self, path: str, name: str) -> Iterator[Silencer]:
        """Yield the markers of a class by its name."""
        for mark in self.marks.of_classes(path, name):
            found = self._of_mark(mark)
            if found:
                yield found

    def of_name(self, path: str, name: str) -> Iterator[Silencer]:
        """Yield what a name at the top of a module stands for, if that skips."""
        node = ast.Name(name, ast.Load(), lineno=1, col_offset=0)
        origins = self.marks.with_helpers(self.names.names(path, node))
        found = self._of_mark(Mark(node, origins, path, "module"))
        if found:
            yield found

    def of_import(self, path: str) -> Iterator[Silencer]:
        """Yield what skips a whole module while it is imported."""
        module = self.side.module(path)
        reading = Reading(self.names, path)
        for node, guards in guarded_at_import(module.tree.body) if module else ():
            origins = self._run_at_import(path, node)
            when = conditions(guards, reading) if origins & _CALLS else None
            if when is not None:
                yield Silencer("skip", node, path, "module", when)

    def _run_at_import(self, path: str, node: ast.expr) -> Origins:
        """What a call comes to; of what is only named nothing runs."""
        if isinstance(node, ast.Call):
            return self.marks.with_helpers(self.names.names(path, node.func))
        return frozenset()

    def reaches_skip(self, path: str, unit: Unit) -> bool:
        """Say whether a function may skip the test for which it runs."""
        return next(self.of_body(path, unit), None) is not None

    def _kind_of(self, path: str, node: ast.expr, unit: Unit, sought: Origins) -> str | None:
        if isinstance(node, ast.Name | ast.Attribute):
            if not isinstance(node.ctx, ast.Load):
                return None
            origins = self.names.names(path, node, unit)
            origins = self.marks.with_helpers(self.marks.own_methods(path, unit, origins))
            return "skip" if origins & sought else None
        return self._added_marker(path, node, unit)

    def _added_marker(self, path: str, node: ast.expr, unit: Unit) -> str | None:
        """`request.applymarker(pytest.mark.xfail)` and `node.add_marker(...)` in a body."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            return None
        if node.func.attr not in ("applymarker", "add_marker") or _is_hook(unit):
            return None
        for each in node.args:
            found = self.marks.with_helpers(self.names.names(path, each, unit)) & (_MARKING | _MADE)
            if found or fold(each) in ("skip", "xfail", "skipif"):
                return "skip"
        return None

    def _of_mark(self, mark: Mark) -> Silencer | None:
        if not mark.origins & (SKIPPING | _RERUNNING):
            return None
        path, node = self.names.written(mark.path, mark.node)
        call = node if isinstance(node, ast.Call) else None
        own = self.names.names(path, call.func) if call else frozenset[str]()
        guards = list(_conditions_of(call, own)) if call else []
        if mark.row:
            guards.append(Guard("row", None, text=mark.row))
        elif mark.scope == "parameter":
            guards.append(Guard("row", None, text=ast.dump(mark.node)))
        when = conditions(tuple(guards), Reading(self.names, path))
        if when is None:
            return None
        return Silencer(
            kind=_kind(mark.origins, call),
            node=mark.node,
            path=mark.path,
            scope=mark.scope,
            when=when,
            strict=_strict(call, mark.origins),
            raises=self._raises(path, call),
            row=mark.row,
        )

    def _raises(self, path: str, call: ast.Call | None) -> frozenset[str] | None:
        for keyword in call.keywords if call else ():
            if keyword.arg == "raises":
                value = keyword.value
                each = value.elts if isinstance(value, ast.Tuple) else [value]
                return frozenset(n for e in each for n in self.names.names(path, e))
        return None


def _is_hook(unit: Unit) -> bool:
    """Hooks of pytest are judged by another detector (SPEC 7, harness)."""
    return unit.name.startswith("pytest_") and unit.name != "pytest_generate_tests"


def _kind(origins: Origins, call: ast.Call | None) -> str:
    if not origins & SKIPPING:
        return "rerun"
    skips = origins & SKIPPING - _FAILING
    runs = not call or all(k.arg != "run" or fold(k.value) is True for k in call.keywords)
    return "xfail" if not skips and runs else "skip"


def _strict(call: ast.Call | None, origins: Origins) -> bool | None:
    if "unittest.expectedFailure" in origins:
        return True
    for keyword in call.keywords if call else ():
        if keyword.arg == "strict":
            return bool(fold(keyword.value) is True)
    return None


def _conditions_of(call: ast.Call, own: Origins) -> Iterator[Guard]:
    """The condition of a marker that has one; several are alternatives."""
    if not own.intersection(_CONDITIONAL):
        return
    tests = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "condition")]
    if "pytest.mark.skipif" in own or "pytest.mark.xfail" in own:
        tests = [*call.args, *(k.value for k in call.keywords if k.arg == "condition")]
    tests = [_evaluated(each) for each in tests]
    if tests:
        test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)
        yield Guard("if", test, "unittest.skipUnless" not in own)


def _evaluated(test: ast.expr) -> ast.expr:
    """A condition that is written as a text is evaluated by pytest."""
    if isinstance(test, ast.Constant) and isinstance(test.value, str):
        try:
            return ast.parse(test.value, mode="eval").body
        except SyntaxError:
            return test
    return test
