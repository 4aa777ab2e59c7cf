"""Fixtures that skip, swallow, stand in front of others, or no longer do what they did."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.constants import UNKNOWN, fold
from freezegate.policy.mutes.fixtures import Fixture, Fixtures, arguments_of, conftests_above
from freezegate.policy.mutes.guarded import guarded, swallows
from freezegate.policy.mutes.hook_effects import asks_for_marks
from freezegate.policy.mutes.hook_words import SKIP_CALLS
from freezegate.policy.mutes.marks import Marks
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.normal import normal_body, without_docstring
from freezegate.policy.mutes.step import is_test_file, is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Unit
    from freezegate.policy.mutes.pairing import Pair
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "harness"
_MAX_FILES = 400  # test modules below a conftest file that are looked through
_REMEDY = "Let fixtures only prepare what tests need."


def find_fixtures(step: MuteStep) -> Iterator[Mute]:
    """Yield fixtures of the new side through which old tests check less."""
    if any(b"fixture" in pair.new.source for pair in step.test_files if pair.new):
        looked = _Fixtures(step)
        for pair in step.pairs:
            if pair.new:
                yield from looked.changed(pair)
        for file in step.test_files:
            yield from looked.overriding(file.path)


class _Fixtures:
    """Both sides' fixtures."""

    def __init__(self, step: MuteStep) -> None:
        """Read them through the step's sides."""
        self._step = step
        self._old = Fixtures(step.old, step.old_names)
        self._new = Fixtures(step.new, step.new_names)
        self._marks = Marks(step.new, step.new_names)

    def changed(self, pair: Pair) -> Iterator[Mute]:
        """Yield what became of one function that is a fixture now."""
        assert pair.new is not None  # noqa: S101 - asked by the caller
        path, unit = pair.new
        new = self._new.fixture(path, unit)
        old = self._old.fixture(*pair.old) if pair.old else None
        if new is None:
            return
        if self._reaches_old_tests(new, is_new=old is None):
            yield from self._skips(new, old)
            yield from self._swallows(new, old)
        if old and pair.old:
            yield from _gutted(old, new)
            yield from _shortened(old, new)
            yield from _rows(old, new)

    def _reaches_old_tests(self, fixture: Fixture, *, is_new: bool) -> bool:
        """Whether tests that were there get a fixture: without asking, or because they ask now."""
        if fixture.is_autouse:
            return any(self._old_tests(fixture.path))
        if not is_new:
            return True
        for pair in self._step.pairs:
            if pair.old and pair.new and is_test_name(pair.new.unit.name):
                now = self._new.asked(*pair.new)
                before = self._old.asked(*pair.old)
                mine = {n for n in now - before if self._new.find(pair.new.path, n) == fixture}
                if mine:
                    return True
        return False

    def _old_tests(self, path: str) -> Iterator[str]:
        """The files with tests that were there and that a definition in a file is for."""
        if path.rpartition("/")[2] != "conftest.py":
            module = self._step.old.module(path)
            if module and any(is_test_name(name) for name in module.units):
                yield path
            return
        for number, (file, _) in enumerate(self._step.old.tree.files(path.rpartition("/")[0])):
            if number > _MAX_FILES * 10:
                yield file
                return
            if is_test_file(file):
                yield file

    def _skips(self, new: Fixture, old: Fixture | None) -> Iterator[Mute]:
        before = {ast.dump(node) for node, _ in self._skip_calls(old)} if old else set()
        for node, doubtful in self._skip_calls(new):
            if (
                old is None
                or (new.is_autouse and not old.is_autouse)
                or ast.dump(node) not in before
            ):
                certainty = Certainty.DOUBTFUL if doubtful else Certainty.CLEAR
                yield _mute(new, old, node, certainty, "no fixture that skips them")

    def _skip_calls(self, fixture: Fixture) -> Iterator[tuple[ast.expr, bool]]:
        for statement in guarded(fixture.unit.node.body):
            marked = asks_for_marks(list(statement.conditions()))
            for part in statement.parts():
                if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Load):
                    names = self._step.new_names.names(fixture.path, part, fixture.unit)
                    if self._marks.with_helpers(names) & SKIP_CALLS:
                        yield part, marked

    def _swallows(self, new: Fixture, old: Fixture | None) -> Iterator[Mute]:
        if old and any(_swallowing(old)):
            return
        for handler in _swallowing(new):
            certainty = Certainty.CLEAR if new.is_autouse else Certainty.DOUBTFUL
            yield _mute(new, old, handler, certainty, "no fixture that catches what they raise")

    def overriding(self, path: str) -> Iterator[Mute]:
        """Yield fixtures that stand in front of one that is still there, for tests that were."""
        before = self._old.of(path)
        for name, new in self._new.of(path).items():
            if name in before or (self._step.old.module(path) is None and not _is_conftest(path)):
                continue
            other, still = self._old.find(path, name), self._new_behind(path, name)
            if other and (still is None or _same(other, new)):
                continue
            if any(name in self._old.asked(*test) for test in self._tests_of(path)):
                extends = name in arguments_of(new.unit.node) or other is None
                certainty = Certainty.DOUBTFUL if extends else Certainty.CLEAR
                was = f"the fixture {name} of {other.path if other else 'pytest or a plugin'}"
                yield _mute(new, other, new.unit.node, certainty, was)

    def _new_behind(self, path: str, name: str) -> Fixture | None:
        others = (self._new.of(file).get(name) for file in conftests_above(path))
        return next((each for each in others if each), None)

    def _tests_of(self, path: str) -> Iterator[tuple[str, Unit]]:
        for number, file in enumerate(self._old_tests(path)):
            module = self._step.old.module(file) if number < _MAX_FILES else None
            for unit in module.units.values() if module else ():
                if is_test_name(unit.name):
                    yield file, unit


def _is_conftest(path: str) -> bool:
    return path.rpartition("/")[2] == "conftest.py"


def _same(old: Fixture, new: Fixture) -> bool:
    return normal_body(old.unit.node) == normal_body(new.unit.node)


def _swallowing(fixture: Fixture) -> Iterator[ast.ExceptHandler]:
    for node in ast.walk(fixture.unit.node):
        if (
            isinstance(node, ast.Try | ast.TryStar)
            and swallows(node)
            and any(isinstance(each, ast.Yield) for part in node.body for each in ast.walk(part))
        ):
            yield node.handlers[0]


def _gutted(old: Fixture, new: Fixture) -> Iterator[Mute]:
    """A fixture that called or checked something, and now hands out a constant or a stand-in."""
    body = without_docstring(new.unit.node.body)
    did = any(isinstance(n, ast.Call | ast.Assert | ast.Raise) for n in ast.walk(old.unit.node))
    works = any(_works(each) for each in without_docstring(old.unit.node.body))
    if did and works and not any(_works(each) for each in body):
        plain = all(_value(each) in (None, True, False) for each in body)
        certainty = Certainty.CLEAR if plain else Certainty.DOUBTFUL
        was = " ".join(shown(each) for each in old.unit.node.body[:2])
        yield _mute(new, old, (body or [new.unit.node])[-1], certainty, was)


def _shortened(old: Fixture, new: Fixture) -> Iterator[Mute]:
    """A fixture that hands out less: tests go through fewer items, perhaps through none."""
    before, after = (_handed_out(each) for each in (old, new))
    for was, now in zip(before, after, strict=False):
        sizes = [_size(fold(each)) for each in (was, now)]
        if sizes[0] is not None and sizes[1] is not None and sizes[1] < sizes[0]:
            yield _mute(new, old, now, Certainty.DOUBTFUL, shown(was))


def _handed_out(fixture: Fixture) -> list[ast.expr]:
    nodes = ast.walk(fixture.unit.node)
    values = (n.value for n in nodes if isinstance(n, ast.Return | ast.Yield))
    return [value for value in values if value is not None]


def _size(value: object) -> int | None:
    return len(value) if isinstance(value, list | tuple | dict | set | frozenset) else None


def _works(statement: ast.stmt) -> bool:
    """Whether a statement does more than hand out a constant."""
    if isinstance(statement, ast.Pass):
        return False
    value = statement.value if isinstance(statement, ast.Return | ast.Expr) else statement
    if isinstance(value, ast.Yield):
        value = value.value
    return value is not None and (not isinstance(value, ast.expr) or fold(value) is UNKNOWN)


def _value(statement: ast.stmt) -> object:
    value = getattr(statement, "value", None)
    value = value.value if isinstance(value, ast.Yield) else value
    found = fold(value) if isinstance(value, ast.expr) else None
    return found if isinstance(found, bool) or found is None else "more"


def _rows(old: Fixture, new: Fixture) -> Iterator[Mute]:
    """`params=` with fewer rows: each row is a test."""
    before, after = old.option("params"), new.option("params")
    counted = [_count(each) for each in (before, after)]
    if counted[0] is not None and counted[1] is not None and counted[1] < counted[0]:
        node = after or new.unit.node
        yield _mute(new, old, node, Certainty.CLEAR, f"params={shown(before)}")


def _count(node: ast.expr | None) -> int | None:
    if node is None:
        return 1
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return None if any(isinstance(e, ast.Starred) for e in node.elts) else len(node.elts)
    return None


def _mute(new: Fixture, old: Fixture | None, node: ast.AST, certainty: Certainty, was: str) -> Mute:
    text = shown(node.body[0] if isinstance(node, ast.FunctionDef) else node)
    return Mute(
        family=MuteFamily.HARNESS,
        detector=_DETECTOR,
        certainty=certainty,
        path=new.path,
        line=getattr(node, "lineno", new.unit.node.lineno),
        was=was,
        now=f"fixture {new.unit.node.name}: {text}",
        remedy=_REMEDY,
        offer="TEST",
        before=shown(old.unit.node, 200) if old else "",
        after=text,
    )
