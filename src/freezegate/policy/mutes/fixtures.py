"""The fixtures of one side: what a file defines, which definition a test gets, who asks for it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.finder import joined
from freezegate.policy.mutes.constants import fold, truth

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.policy.mutes.modules import Function, Side, Unit
    from freezegate.policy.mutes.names import Names

_FIXTURE = frozenset(
    {"pytest.fixture", "pytest.yield_fixture", "pytest_asyncio.fixture", "anyio.fixture"}
)


class Fixture(NamedTuple):
    """A fixture's function; `options` is the call of its decorator where it has arguments."""

    path: str
    unit: Unit
    options: ast.Call | None

    @property
    def is_autouse(self) -> bool:
        """Say whether tests get it without asking."""
        value = self.option("autouse")
        return value is not None and truth(value) is not False

    def option(self, name: str) -> ast.expr | None:
        """Return an argument of the decorator."""
        keywords = self.options.keywords if self.options else []
        return next((each.value for each in keywords if each.arg == name), None)


class Fixtures:
    """Fixtures by file, each file read when it is asked for."""

    def __init__(self, side: Side, names: Names) -> None:
        """Read modules of a side."""
        self._side, self._names = side, names
        self._files: dict[str, Mapping[str, Fixture]] = {}

    def of(self, path: str) -> Mapping[str, Fixture]:
        """Return what a file defines or imports, by the names that tests ask for."""
        if path not in self._files:
            self._files[path] = dict(self._defined(path))
        return self._files[path]

    def find(self, path: str, name: str) -> Fixture | None:
        """Return what a test in a file gets: its own module's, else the nearest conftest's."""
        for file in (path, *conftests_above(path)):
            if name in self.of(file):
                return self.of(file)[name]
        return None

    def asked(self, path: str, unit: Unit) -> frozenset[str]:
        """Return the fixtures that a test asks for, and those that they ask for."""
        found = set[str]()
        waiting = [unit]
        while waiting:
            for name in _asked(waiting.pop()) - found:
                found.add(name)
                fixture = self.find(path, name)
                waiting += [fixture.unit] if fixture else []
        return frozenset(found)

    def fixture(self, path: str, unit: Unit) -> Fixture | None:
        """Return a function as a fixture, None where it is none."""
        for decorator in unit.node.decorator_list:
            if self._names.names(path, decorator) & _FIXTURE:
                options = decorator if isinstance(decorator, ast.Call) else None
                return Fixture(path, unit, options)
        return None

    def _defined(self, path: str) -> Iterator[tuple[str, Fixture]]:
        module = self._side.module(path)
        if module is None or (b"fixture" not in module.source and b"import" not in module.source):
            return
        for unit in module.units.values():
            found = self.fixture(path, unit)
            if found:
                yield _name(found), found
        for name, bindings in module.bindings.items():
            for binding in bindings:
                if isinstance(binding.node, ast.ImportFrom):
                    yield from self._imported(path, name)
                elif isinstance(binding.value, ast.Call):
                    yield from self._made(path, name, binding.value)

    def _imported(self, path: str, name: str) -> Iterator[tuple[str, Fixture]]:
        for origin in self._names.names(path, ast.Name(name, ast.Load())):
            found = self._names.unit(origin)
            fixture = self.fixture(*found) if found else None
            if fixture:
                yield (_name(fixture) if fixture.option("name") else name), fixture

    def _made(self, path: str, name: str, call: ast.Call) -> Iterator[tuple[str, Fixture]]:
        """`order = pytest.fixture(make_order)`."""
        if not call.args or not self._names.names(path, call.func) & _FIXTURE:
            return
        for origin in self._names.names(path, call.args[0]):
            found = self._names.unit(origin)
            if found:
                options = call.func if isinstance(call.func, ast.Call) else call
                made = Fixture(*found, options)
                yield (_name(made) if made.option("name") else name), made


def conftests_above(path: str) -> Iterator[str]:
    """Yield the conftest files whose fixtures a file gets, the nearest first."""
    parts = path.split("/")[:-1]
    for end in range(len(parts), -1, -1):
        conftest = joined("/".join(parts[:end]), "conftest.py")
        if conftest != path:
            yield conftest


def _name(fixture: Fixture) -> str:
    value = fixture.option("name")
    text = fold(value) if value is not None else None
    return text if isinstance(text, str) else fixture.unit.node.name


def arguments_of(node: Function) -> frozenset[str]:
    """Return the names of what pytest gives to a test or a fixture."""
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    return frozenset(each.arg for each in arguments) - {"self", "cls"}


def _asked(unit: Unit) -> frozenset[str]:
    found = set(arguments_of(unit.node))
    decorators = [*unit.node.decorator_list, *(d for k in unit.classes for d in k.decorator_list)]
    for each in decorators:
        if isinstance(each, ast.Call) and "usefixtures" in ast.dump(each.func):
            found |= {str(fold(argument)) for argument in each.args}
    return frozenset(found)
