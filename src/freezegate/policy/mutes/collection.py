"""Tests that pytest collected before and no longer does, or whose bodies no longer run."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.classes import Classes
from freezegate.policy.mutes.collecting import Collected, Collector, is_generator
from freezegate.policy.mutes.marks import Marks
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.normal import normal_body
from freezegate.policy.mutes.removal import Removals
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module, Unit
    from freezegate.policy.mutes.pairing import Place
    from freezegate.policy.mutes.rewriting import Rewritings
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "collection"
_REMEDY = "Keep the test under a name and in a place that pytest collects."
_GONE = (
    "Say in the pull request what became of the tested code, or put the test back; a person "
    "compares the two."
)
_ASYNC_WORDS = ("asyncio", "anyio", "trio", "tornado", "gen_test", "twisted", "inlineCallbacks")


class Loss(NamedTuple):
    """A test that is collected no longer: why, how surely, and what is left of it."""

    node_id: str
    old: Collected
    now: str
    certainty: Certainty
    path: str
    line: int | None = None
    left: ast.AST | None = None


def find_lost(step: MuteStep) -> Iterator[Mute]:
    """Yield the tests of changed files that are gone, hidden, shadowed or no longer run."""
    losses = _Losses(step)
    for loss in (*losses.uncollected(), *losses.shadowed(), *losses.never_awaited()):
        yield _mute(loss)
    for loss in losses.inheritable():
        yield _mute(loss)


class _Losses:
    """Both sides' tests in the changed files."""

    def __init__(self, step: MuteStep) -> None:
        self._step = step
        self._before = Collector(step.old, step.old_names, Classes(step.old, step.old_names))
        self._after = Collector(step.new, step.new_names, Classes(step.new, step.new_names))
        self._removals = Removals(step)
        self._became = {_key(pair.old): pair.new for pair in step.pairs if pair.old is not None}

    @cached_property
    def _rewritings(self) -> Rewritings:
        """What became of tests as rows of others: asked where one is lost, which is seldom."""
        from freezegate.policy.mutes.rewriting import rewritings_of

        return rewritings_of(self._step)

    @cached_property
    def _old(self) -> dict[str, Collected]:
        """Collected tests of the old side by node id."""
        return dict(self._tests(self._before))

    @cached_property
    def _new(self) -> dict[str, Collected]:
        return dict(self._tests(self._after))

    def _tests(self, collector: Collector) -> Iterator[tuple[str, Collected]]:
        side = self._step.old if collector is self._before else self._step.new
        for path in self._step.changed:
            module = side.module(path) if path.endswith(".py") else None
            if module is None or module.fault or path.endswith("conftest.py"):
                continue
            if collector.why_not(path) is None:
                for test in collector.tests(path).values():
                    yield f"{path}::{test.name}", test

    @cached_property
    def _counts(self) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
        """How many tests run each function, on both sides."""
        before, after = (
            Counter((t.path, t.unit.name) for t in tests.values() if t.unit)
            for tests in (self._old, self._new)
        )
        return before, after

    def uncollected(self) -> Iterator[Loss]:
        """Yield tests whose function no test of the new side runs."""
        for node_id, test in self._old.items():
            path = node_id.partition("::")[0]
            after = self._step.new.module(path)
            if after is not None and after.fault:
                continue  # told by another detector
            new = self._new.get(node_id)
            place = self._now(test)
            if new is not None and self._is_same(new, place, test):
                if test.sure and not new.sure:
                    yield self._unsure(node_id, test, new)
            elif place is None or not self._runs_as_often(test, place):
                yield self._loss(node_id, test, place, new)

    def _now(self, test: Collected) -> tuple[str, str] | None:
        """Where a test's function stands now."""
        if test.unit is None:
            return None
        key = (test.path, test.unit.name)
        if key in self._became:
            place = self._became[key]
            return _key(place) if place else None
        module = self._step.new.module(test.path)
        return key if module and test.unit.name in module.units else None

    def _is_same(self, new: Collected, place: tuple[str, str] | None, test: Collected) -> bool:
        """Whether what is collected under a test's id is what became of its function."""
        if test.unit is None or not test.sure:
            return True
        return new.unit is not None and (new.path, new.unit.name) == place

    def _runs_as_often(self, test: Collected, place: tuple[str, str]) -> bool:
        before, after = self._counts
        assert test.unit is not None  # noqa: S101 - it has a place
        return after[place] >= before[test.path, test.unit.name]

    def _unsure(self, node_id: str, test: Collected, new: Collected) -> Loss:
        guards = new.unit.guards if new.unit else ()
        known = test.unit.guards if test.unit else ()
        guarded = len(guards) > len(known)
        now = (
            f"collected only if {shown(getattr(guards[-1], 'test', None))}"
            if guarded
            else ("it cannot be known that it is still collected")
        )
        certainty = Certainty.CLEAR if guarded else Certainty.DOUBTFUL
        return self._at(node_id, test, now, certainty, new.path, new.unit)

    def _loss(
        self, node_id: str, test: Collected, place: tuple[str, str] | None, new: Collected | None
    ) -> Loss:
        if place is not None and place not in self._counts[1]:
            path, name = place
            module = self._step.new.module(path)
            unit = module.units[name] if module else None
            why = self._why(path, unit) if unit else "gone"
            certainty = self._if_used_as_helper(place, test)
            return self._at(node_id, test, why, certainty, path, unit)
        if new is not None:
            now = f"another definition stands under its name: {shown(new.unit and new.unit.node)}"
            certainty = Certainty.CLEAR if test.sure else Certainty.DOUBTFUL
            return self._at(node_id, test, now, certainty, new.path, new.unit)
        now = "it is gone" if place is None else "fewer classes inherit it"
        return self._at(node_id, test, now, self._if_gone(test), node_id.partition("::")[0], None)

    def _if_gone(self, test: Collected) -> Certainty:
        unit = test.unit
        if unit is None or not test.sure:
            return Certainty.DOUBTFUL
        honest = self._removals.subject_gone(test.path, unit) or self._removals.absorbed(unit)
        repeated = normal_body(unit.node) in self._running or self._stands_elsewhere(unit)
        rewritings = self._rewritings
        rewritten = honest or repeated or rewritings.only_deprecation(test.path, unit)
        rewritten = rewritten or rewritings.stands_again(test.path, unit)
        return Certainty.DOUBTFUL if rewritten else Certainty.CLEAR

    def _stands_elsewhere(self, unit: Unit) -> bool:
        """Whether a collected test of an unchanged file has the same name and body."""
        wanted = f"def {unit.node.name}(".encode()
        for path, entry in self._step.new.tree.files(""):
            if path in self._step.changed or not (path.endswith(".py") and entry.is_regular):
                continue
            if wanted in self._step.new.tree.source(entry) and not self._after.why_not(path):
                tests = self._after.tests(path).values()
                body = normal_body(unit.node)
                if any(t.unit and normal_body(t.unit.node) == body for t in tests):
                    return True
        return False

    @cached_property
    def _running(self) -> frozenset[str]:
        """The bodies of all tests that are collected on the new side."""
        return frozenset(normal_body(t.unit.node) for t in self._new.values() if t.unit)

    def _if_used_as_helper(self, place: tuple[str, str], test: Collected) -> Certainty:
        """A test that other tests call now, with tables for instance, still runs."""
        name = place[1].rpartition(".")[2]
        wanted = {f"{place[0]}::{place[1]}", f"param:self.{name}"}
        for new in self._new.values():
            for call in _calls_of(new.unit, name):
                if wanted & self._step.new_names.names(new.path, call, new.unit):
                    return Certainty.DOUBTFUL
        return Certainty.CLEAR if test.sure else Certainty.DOUBTFUL

    def _why(self, path: str, unit: Unit) -> str:
        """Say what keeps a function from being collected."""
        name, node = unit.name, unit.node
        selection = self._after.selection(path)
        outside = self._after.why_not(path)
        if outside:
            return f"{path} is not collected: {outside}"
        if is_generator(node):
            return f"{name} is a generator: nothing of its body runs"
        if not selection.is_function(node.name):
            return f"{name} matches none of python_functions {' '.join(selection.python_functions)}"
        if unit.guards:
            return f"{name} stands where it is never reached: {shown(unit.guards[-1])}"
        if unit.classes:
            return f"class {unit.classes[-1].name} holds no tests that pytest collects"
        return f"{name} is not what pytest finds under that name"

    def _at(
        self,
        node_id: str,
        test: Collected,
        now: str,
        certainty: Certainty,
        path: str,
        unit: Unit | None,
    ) -> Loss:
        line = unit.node.lineno if unit else None
        return Loss(node_id, test, now, certainty, path, line, unit.node if unit else None)

    def shadowed(self) -> Iterator[Loss]:
        """Yield tests that a second definition of the same name hides."""
        if not any(new and new.shadowed for _, _, new in self._step.test_files):
            return
        bodies = {normal_body(t.unit.node): (i, t) for i, t in self._old.items() if t.unit}
        for path, old, new in self._step.test_files:
            before = Counter(u.name for u in old.shadowed) if old else Counter[str]()
            for unit in new.shadowed if new else ():
                before[unit.name] -= 1
                known = bodies.get(normal_body(unit.node))
                runs = normal_body(unit.node) in self._running
                if known and before[unit.name] < 0 and is_test_name(unit.name) and not runs:
                    now = f"a second definition of {unit.name} stands below it"
                    yield self._at(known[0], known[1], now, Certainty.CLEAR, path, unit)

    def never_awaited(self) -> Iterator[Loss]:
        """Yield tests that became coroutines which nothing awaits."""
        marks = Marks(self._step.new, self._step.new_names)
        for node_id, test in self._old.items():
            new = self._new.get(node_id)
            if not (test.unit and new and new.unit):
                continue
            was = isinstance(test.unit.node, ast.AsyncFunctionDef)
            if was or not isinstance(new.unit.node, ast.AsyncFunctionDef):
                continue
            if not self._is_awaited(marks, new.path, new.unit):
                now = "async def, which no plugin or marker there awaits"
                yield self._at(node_id, test, now, Certainty.CLEAR, new.path, new.unit)

    def _is_awaited(self, marks: Marks, path: str, unit: Unit) -> bool:
        origins = [o for mark in marks.of(path, unit) for o in mark.origins]
        foreign = self._after_foreign(path, unit)
        settings = [str(each) for each in self._after.selection(path).settings]
        texts = [*origins, *settings, *(each for each in foreign)]
        known = any(word in text for word in _ASYNC_WORDS for text in texts)
        module = self._step.old.module(path)
        return known or "unittest.IsolatedAsyncioTestCase" in foreign or _has_async_tests(module)

    def _after_foreign(self, path: str, unit: Unit) -> frozenset[str]:
        owner = unit.name.rpartition(".")[0]
        names = self._step.new_names
        return Classes(self._step.new, names).foreign(path, owner) if owner else frozenset()

    def inheritable(self) -> Iterator[Loss]:
        """Yield tests that went from a helper module, from which others inherit or import them."""
        for path, old, new in self._step.test_files:
            if old is None or (new and new.fault) or self._before.why_not(path) is None:
                continue
            for unit in old.units.values():
                place = self._became.get((path, unit.name))
                was_test = unit.node.name.startswith("test")
                if not was_test or (place and place.unit.node.name.startswith("test")):
                    continue
                node_id = "::".join((path, *unit.name.split(".")))
                test = _as_collected(path, unit)
                used = self._if_inherited(unit) if unit.classes else self._if_imported(path)
                if used is None:
                    continue
                certainty = min(self._if_gone(test), used)
                now = f"it became {place.unit.name}" if place else "it is gone"
                yield self._at(node_id, test, now, certainty, path, place.unit if place else None)

    def _if_imported(self, path: str) -> Certainty | None:
        """A test of a helper module runs where `*` is imported; by its name it would be missed."""
        stem = path.removesuffix(".py").rpartition("/")[2].encode()
        for other, entry in self._step.new.tree.files(""):
            if self._step.is_test_code(other) and other != path and entry.is_regular:
                source = self._step.new.tree.source(entry)
                if b"import *" in source and stem in source:
                    return Certainty.CLEAR
        return None

    def _if_inherited(self, unit: Unit) -> Certainty:
        name = unit.classes[-1].name.encode()
        for path, entry in self._step.new.tree.files(""):
            if self._step.is_test_code(path) and entry.is_regular:
                source = self._step.new.tree.source(entry)
                if name in source and b"(" + name in source.replace(b".", b"("):
                    return Certainty.CLEAR
        return Certainty.DOUBTFUL


def _calls_of(unit: Unit | None, name: str) -> Iterator[ast.expr]:
    for node in ast.walk(unit.node) if unit else ():
        if isinstance(node, ast.Call) and name in (
            getattr(node.func, "id", None),
            getattr(node.func, "attr", None),
        ):
            yield node.func


def _as_collected(path: str, unit: Unit) -> Collected:
    return Collected(unit.name, path, unit)


def _has_async_tests(module: Module | None) -> bool:
    units = module.units.values() if module else ()
    return any(isinstance(u.node, ast.AsyncFunctionDef) and is_test_name(u.name) for u in units)


def _key(place: Place) -> tuple[str, str]:
    return place.path, place.unit.name


def _mute(loss: Loss) -> Mute:
    node = loss.old.unit.node if loss.old.unit else None
    gone = loss.certainty is Certainty.DOUBTFUL and loss.left is None
    return Mute(
        family=MuteFamily.COLLECTION,
        detector=_DETECTOR,
        certainty=loss.certainty,
        path=loss.path,
        line=loss.line,
        was=f"pytest collected {loss.node_id}",
        now=loss.now,
        remedy=_GONE if gone else _REMEDY,
        offer="" if gone else loss.node_id,
        test=loss.node_id,
        before=shown(node, 200),
        after=shown(loss.left, 200) if loss.left else "",
    )
