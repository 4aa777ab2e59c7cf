"""What runs before a test on one side: fixtures it asks for or gets unasked, and setup methods.

Source: pytest's documentation of fixtures ("autouse", "overriding") and of xunit-style setup.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.config import folders_above
from freezegate.policy.domain.finder import joined
from freezegate.policy.mutes.constants import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.marks import Marks
    from freezegate.policy.mutes.modules import Function, Side, Unit
    from freezegate.policy.mutes.names import Names

MODULE_SETUPS = frozenset({"setup_module", "setUpModule", "setup_function"})
CLASS_SETUPS = frozenset(
    {
        "setup",
        "setUp",
        "asyncSetUp",
        "setUpClass",
        "setup_class",
        "setup_method",
        "setUpTestData",
        "run",
        "__call__",
    }
)
_FIXTURE = frozenset({"pytest.fixture", "pytest.yield_fixture", "pytest_asyncio.fixture"})


class Fixture(NamedTuple):
    """A fixture of the repository: how it is asked for, where it stands."""

    name: str
    path: str
    unit: Unit
    autouse: bool


class Before:
    """Fixtures and setups of one side."""

    def __init__(self, side: Side, names: Names, marks: Marks) -> None:
        """Follow fixtures through modules, classes and conftest files."""
        self._side, self._names, self._marks = side, names, marks
        self._known: dict[str, tuple[Fixture, ...]] = {}

    def fixture(self, path: str, unit: Unit) -> Fixture | None:
        """Return what a function is as a fixture, None where it is none."""
        for decorator in unit.node.decorator_list:
            if self._names.names(path, decorator, unit._replace(classes=())) & _FIXTURE:
                call = decorator if isinstance(decorator, ast.Call) else None
                given = {k.arg: fold(k.value) for k in call.keywords} if call else {}
                name = given.get("name")
                shown = name if isinstance(name, str) else unit.node.name
                # What is not known may be true.
                autouse = "autouse" in given and given["autouse"] is not False
                return Fixture(shown, path, unit, autouse)
        return None

    def of(self, path: str, unit: Unit) -> Iterator[tuple[str, Unit]]:
        """Yield each function that runs before a test, with its module."""
        yield from self._setups(path, unit)
        asked = [*_arguments(unit.node), *self._used(path, unit)]
        asked += [each.name for each in self._visible(path, unit) if each.autouse]
        seen: set[tuple[str, str]] = set()
        waiting: list[tuple[str, Fixture | None]] = [(name, None) for name in asked]
        while waiting:
            name, below = waiting.pop()
            found = self._find(path, unit, name, below)
            if found and (found.path, found.unit.name) not in seen:
                seen.add((found.path, found.unit.name))
                yield found.path, found.unit
                inner = _arguments(found.unit.node)
                waiting += [(each, found if each == name else None) for each in inner]

    def of_file(self, path: str) -> tuple[Fixture, ...]:
        """Return the fixtures that a module defines or imports."""
        if path not in self._known:
            self._known[path] = ()  # modules may import each other
            self._known[path] = tuple(self._in_file(path))
        return self._known[path]

    def overridden(self, fixture: Fixture) -> bool:
        """Say whether a conftest file above, or its own, has a fixture of the same name."""
        above = list(self._conftests(fixture.path))
        return any(f.name == fixture.name for p in above for f in self.of_file(p))

    def _in_file(self, path: str) -> Iterator[Fixture]:
        module = self._side.module(path)
        if module is None:
            return
        for unit in module.units.values():
            found = self.fixture(path, unit)
            if found:
                yield found
        for name, bindings in module.bindings.items():
            if any(isinstance(each.node, ast.ImportFrom) for each in bindings):
                yield from self._imported(path, name)
        for name in _plugins(module.tree):
            file = self._names.file_of(path, name)
            if file and file != path:
                yield from self.of_file(file)

    def _imported(self, path: str, name: str) -> Iterator[Fixture]:
        module = self._side.module(path)
        for binding in module.bindings[name] if module else ():
            node = binding.node
            if not isinstance(node, ast.ImportFrom):
                continue
            file = self._names.file_of(path, node.module or "", node.level)
            if not file or file == path or not self._may_hold_fixtures(file):
                continue
            if name == "*":
                yield from self.of_file(file)
                continue
            for origin in self._names.names(path, ast.Name(name, ast.Load())):
                unit = self._names.unit(origin)
                found = self.fixture(*unit) if unit else None
                yield from [found] if found else []

    def _may_hold_fixtures(self, file: str) -> bool:
        """Whether a module may know fixtures: to parse it for that would take longer."""
        entry = self._side.entry(file)
        return entry is not None and b"fixture" in self._side.tree.source(entry)

    def _setups(self, path: str, unit: Unit) -> Iterator[tuple[str, Unit]]:
        module = self._side.module(path)
        for name in sorted(MODULE_SETUPS):
            if module and name in module.units:
                yield path, module.units[name]
        owner = unit.name.rpartition(".")[0]
        for name in sorted(CLASS_SETUPS) if owner else ():
            found = self._marks.classes.method(path, owner, name)
            if found:
                yield found

    def _used(self, path: str, unit: Unit) -> Iterator[str]:
        """Names in `usefixtures` markers and in `request.getfixturevalue`."""
        marks = [mark.node for mark in self._marks.of(path, unit)]
        for node in (*marks, *unit.node.body):
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute | ast.Name):
                    name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
                    if name in ("usefixtures", "getfixturevalue"):
                        values = [self._text(path, each, unit) for each in call.args]
                        yield from (each for each in values if isinstance(each, str))
            if isinstance(node, ast.Name):
                _, value = self._names.written(path, node)
                if isinstance(value, ast.Call):
                    yield from (w for w in map(fold, value.args) if isinstance(w, str))

    def _text(self, path: str, node: ast.expr, unit: Unit) -> object:
        return fold(node, lambda name: self._names.constant(path, name, unit))

    def _visible(self, path: str, unit: Unit) -> Iterator[Fixture]:
        """Fixtures from the nearest to the farthest: own class, module, conftest chain."""
        owner = unit.name.rpartition(".")[0]
        for file, name in self._classes(path, owner):
            for each in self.of_file(file):
                if each.unit.name.rpartition(".")[0] == name:
                    yield each
        yield from (each for each in self.of_file(path) if not each.unit.classes)
        for file in self._conftests(path):
            yield from (each for each in self.of_file(file) if not each.unit.classes)

    def _classes(self, path: str, owner: str) -> Iterator[tuple[str, str]]:
        while owner:
            for klass in self._marks.classes.hierarchy(path, owner):
                yield klass.path, klass.name
            owner = owner.rpartition(".")[0]

    def _conftests(self, path: str) -> Iterator[str]:
        for folder in folders_above(path.rpartition("/")[0]):
            file = joined(folder, "conftest.py")
            if file != path and self._side.entry(file):
                yield file

    def _find(self, path: str, unit: Unit, name: str, below: Fixture | None) -> Fixture | None:
        """The nearest fixture of a name; one that asks for its own name gets the next above."""
        every = [each for each in self._visible(path, unit) if each.name == name]
        if below is not None and below in every:
            every = every[every.index(below) + 1 :]
        return every[0] if every else None


def _arguments(node: Function) -> list[str]:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [each.arg for each in every]


def _plugins(tree: ast.Module) -> Iterator[str]:
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            named = any(
                isinstance(t, ast.Name) and t.id == "pytest_plugins" for t in statement.targets
            )
            value = fold(statement.value) if named else ()
            yield from [value] if isinstance(value, str) else []
            yield from (
                (each for each in value if isinstance(each, str))
                if isinstance(value, list | tuple)
                else ()
            )
