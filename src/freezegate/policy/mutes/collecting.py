"""Which tests pytest collects from a module on one side, found without importing it.

Source: pytest 9.2, `_pytest/python.py` (`PyCollector`, `Class.collect`) and `_pytest/unittest.py`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.config import folders_above
from freezegate.policy.mutes.classes import Classes, Klass
from freezegate.policy.mutes.constants import UNKNOWN, fold
from freezegate.policy.mutes.dropping import drops
from freezegate.policy.mutes.ignoring import ignored
from freezegate.policy.mutes.modules import Function, Unit
from freezegate.policy.mutes.namespace import ABSENT, Scope, Value, run_body
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.selection import Selection, read_selection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.names import Names, Origins

_MAX_DEPTH = 50  # modules that import from modules
_FIXTURE = frozenset({"pytest.fixture", "pytest.yield_fixture", "pytest_asyncio.fixture"})
# Decorators after which a name is no function, or one that does not run the body.
_NOT_RUN = frozenset(
    {
        "functools.cached_property",
        "contextlib.contextmanager",
        "contextlib.asynccontextmanager",
        "unittest.mock.Mock",
        "unittest.mock.MagicMock",
        "unittest.mock.NonCallableMock",
        "unittest.mock.create_autospec",
        "types.SimpleNamespace",
    }
)
_MADE_WITH_INIT = ("typing.NamedTuple", "collections.namedtuple", "enum.", "pydantic.BaseModel")
_HARMLESS_BASES = ("builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol")


class Collected(NamedTuple):
    """A test without its parameters: `name` below its file, and the function that it runs.

    `sure` is false where it cannot be known that it is collected. `unit` is None for what is no
    function in the repository.
    """

    name: str
    path: str
    unit: Unit | None
    sure: bool = True


class Collector:
    """The tests of one side."""

    def __init__(self, side: Side, names: Names, classes: Classes) -> None:
        """Read configuration and modules of a side."""
        self._side, self._names, self._classes = side, names, classes
        self._selections: dict[str, Selection] = {}
        self._scopes: dict[str, Scope] = {}
        self._tests: dict[str, dict[str, Collected]] = {}
        self._units: dict[str, dict[int, Unit]] = {}
        self._imported: dict[tuple[str, str, int], tuple[Collected, ...]] = {}

    def selection(self, path: str) -> Selection:
        """Return what is configured for a file."""
        folder = path.rpartition("/")[0]
        if folder not in self._selections:
            self._selections[folder] = read_selection(self._side.tree, folder)
        return self._selections[folder]

    def why_not(self, path: str) -> str | None:
        """Return why pytest, run without arguments, does not collect a file; None where it does."""
        return (
            self.selection(path).why_not(path, self._side.tree)
            or ignored(self._side, self._names, path)
            or self._in_environment(path)
        )

    def _in_environment(self, path: str) -> str | None:
        """What looks like an installed environment is left out."""
        for folder in folders_above(path.rpartition("/")[0])[:-1]:
            for mark in ("pyvenv.cfg", "conda-meta/history"):
                if self._side.entry(f"{folder}/{mark}"):
                    return f"{folder}/{mark} makes pytest take {folder} for an environment"
        return None

    def tests(self, path: str) -> dict[str, Collected]:
        """Return the tests of a module by name, whether or not its file is collected."""
        if path not in self._tests:
            module = self._side.module(path)
            known = module is not None and self._is_on(self._scope(path), "__test__")
            found = self._of_module(path) if known else ()
            self._tests[path] = {test.name: test for test in found}
        return self._tests[path]

    def _of_module(self, path: str) -> Iterator[Collected]:
        for name, values in self._scope(path).items():
            present = [value for value in values if value is not ABSENT]
            if not present or "." in name or not self._is_on(self._scope(path), f"{name}.__test__"):
                continue
            for value in present[-1:]:
                sure = len(present) == len(values)
                for test in self._of_value(path, name, value, 0):
                    yield test if sure else test._replace(sure=False)

    def _scope(self, path: str) -> Scope:
        """What a module's names stand for, star imports of the repository's own included."""
        if path not in self._scopes:
            self._scopes[path] = {}
            module = self._side.module(path)
            body = module.tree.body if module else []
            scope = run_body(body, lambda name: self._names.constant(path, name))
            self._scopes[path] = self._with_stars(path, scope)
        return self._scopes[path]

    def _with_stars(self, path: str, scope: Scope) -> Scope:
        found: Scope = {}
        for name, values in scope.items():
            statement = values[-1].node
            if not name.startswith("*") or not isinstance(statement, ast.ImportFrom):
                found[name] = values
                continue
            file = self._names.file_of(path, statement.module or "", statement.level)
            for inner in self._exported(file) if file and file != path else ():
                found[inner] = (Value(statement, None),)
        return found

    def _exported(self, file: str) -> list[str]:
        scope = self._scope(file)
        listed = [fold(v.value) for v in scope.get("__all__", ()) if v.value is not None]
        if listed and isinstance(listed[-1], list | tuple):
            return [each for each in listed[-1] if isinstance(each, str)]
        return [name for name in scope if not name.startswith("_") and "." not in name]

    def _is_on(self, scope: Scope, name: str) -> bool:
        """Whether `__test__` leaves something on: it does unless it is known to be false."""
        values = [v.value for v in scope.get(name, ()) if v.value is not None]
        worth = [fold(value) for value in values]
        return not worth or any(each is UNKNOWN or bool(each) for each in worth)

    def _is_asked_for(self, scope: Scope, name: str) -> bool:
        """Whether `__test__` makes a test of what has another name."""
        return any(v.value is not None and fold(v.value) is True for v in scope.get(name, ()))

    def _of_value(self, path: str, name: str, value: Value, depth: int) -> Iterator[Collected]:
        statement = value.node
        if depth > _MAX_DEPTH:
            return
        if isinstance(statement, ast.ClassDef):
            yield from self._of_class(path, name, self._qualified(path, statement), path)
        elif isinstance(statement, Function):
            unit = self._unit(path, statement)
            if self._is_test_function(path, name, f"{name}.__test__") and self._runs(path, unit):
                yield Collected(name, path, unit)
        elif isinstance(statement, ast.ImportFrom):
            yield from self._of_import(path, name, statement, depth)
        elif value.value is not None:
            yield from self._of_expression(path, name, value.value)

    def _is_test_function(self, path: str, name: str, switch: str) -> bool:
        asked = self._is_asked_for(self._scope(path), switch)
        return asked or self.selection(path).is_function(name)

    def _of_import(
        self, path: str, name: str, statement: ast.ImportFrom, depth: int
    ) -> Iterator[Collected]:
        key = (path, name, id(statement))
        if key not in self._imported:
            self._imported[key] = ()  # names that are imported from each other come from nowhere
            self._imported[key] = tuple(self._followed(path, name, statement, depth))
        yield from self._imported[key]

    def _followed(
        self, path: str, name: str, statement: ast.ImportFrom, depth: int
    ) -> Iterator[Collected]:
        file = self._names.file_of(path, statement.module or "", statement.level)
        sources = [a.name for a in statement.names if (a.asname or a.name) == name]
        source = sources[0] if sources else name
        if self.selection(path).settings.get("collect_imported_tests") in (False, "false", "0"):
            return
        if file and file != path:
            for value in self._scope(file).get(source, ()):
                yield from self._of_other(path, name, file, source, value, depth)
        elif self.selection(path).is_function(name) and not file:
            yield Collected(name, path, None, sure=False)

    def _of_other(
        self, path: str, name: str, file: str, source: str, value: Value, depth: int
    ) -> Iterator[Collected]:
        """What another module binds, seen here under this module's name for it."""
        if isinstance(value.node, ast.ClassDef):
            yield from self._of_class(path, name, self._qualified(file, value.node), file)
        elif isinstance(value.node, Function):
            unit = self._unit(file, value.node)
            switch = self._scope(file), f"{source}.__test__"
            wanted = self.selection(path).is_function(name) and self._is_on(*switch)
            if (wanted or self._is_asked_for(*switch)) and self._runs(file, unit):
                yield Collected(name, file, unit)
        elif isinstance(value.node, ast.ImportFrom):
            found = self._of_import(file, source, value.node, depth + 1)
            yield from (t._replace(name=name + t.name.removeprefix(source)) for t in found)
        elif value.value is not None:
            found = self._of_expression(file, source, value.value)
            yield from (t._replace(name=name + t.name.removeprefix(source)) for t in found)

    def _of_expression(self, path: str, name: str, value: ast.expr) -> Iterator[Collected]:
        """A name that is assigned: another name of a function or class, or a call's result."""
        for origin in sorted(self._names.origins(path, value)):
            file, separator, inner = origin.partition("::")
            module = self._side.module(file) if separator else None
            if module and inner in module.classes:
                yield from self._of_class(path, name, inner, file)
            elif self.selection(path).is_function(name):
                unit = self._names.unit(origin) if separator else None
                if unit and "()" not in origin and self._runs(*unit):
                    yield Collected(name, unit[0], unit[1], sure=isinstance(value, ast.Name))
                elif "()" in origin and isinstance(value, ast.Call):
                    yield Collected(name, path, unit[1] if unit else None, sure=False)
        if isinstance(value, ast.Lambda) and self.selection(path).is_function(name):
            yield Collected(name, path, None)

    def _of_class(self, path: str, shown: str, name: str, file: str) -> Iterator[Collected]:
        """The tests of a class that stands in `file` under `name` and is seen as `shown`."""
        hierarchy = self._classes.hierarchy(file, name)
        if not hierarchy:
            return
        scopes = [self._class_scope(each) for each in hierarchy]
        foreign = self._classes.foreign(file, name)
        by_unittest = is_unittest(foreign)
        plain = shown.rpartition("::")[2]
        switch = [s for s in scopes if "__test__" in s][:1]
        asked = any(self._is_asked_for(s, "__test__") for s in switch)
        if not (by_unittest or asked or self.selection(path).is_class(plain)):
            return
        if any(not self._is_on(s, "__test__") for s in switch) or is_abstract(scopes, hierarchy):
            return
        if not by_unittest and self._has_constructor(hierarchy, scopes, foreign):
            return
        sure = by_unittest in (True, False) and not (foreign - set(_KNOWN) - set(_HARMLESS_BASES))
        found = list(self._members(path, shown, hierarchy, scopes, by_unittest is not False, sure))
        yield from found
        if by_unittest and not found:
            yield from self._run_test(shown, hierarchy)

    def _run_test(self, shown: str, hierarchy: tuple[Klass, ...]) -> Iterator[Collected]:
        """What unittest takes for the test of a class without any."""
        for klass in hierarchy:
            found = self._names.unit(f"{klass.path}::{klass.name}.runTest")
            if found:
                yield Collected(f"{shown}::runTest", *found)
                return

    def _class_scope(self, klass: Klass) -> Scope:
        look = lambda name: self._names.constant(klass.path, name)  # noqa: E731
        scope = run_body(klass.node.body, look)
        outer = self._scope(klass.path)
        prefix = f"{klass.name}."
        for name, values in outer.items():
            if name.startswith(prefix):
                scope[name.removeprefix(prefix)] = values
        return scope

    def _has_constructor(
        self, hierarchy: tuple[Klass, ...], scopes: list[Scope], foreign: Origins
    ) -> bool:
        own = any(n in s and ABSENT not in s[n] for s in scopes for n in ("__init__", "__new__"))
        made = any(base.startswith(_MADE_WITH_INIT) for base in foreign)
        return own or made or any(self._is_dataclass(each) for each in hierarchy)

    def _is_dataclass(self, klass: Klass) -> bool:
        wanted = {"dataclasses.dataclass", "attr.s", "attrs.define", "attr.define", "attrs.frozen"}
        decorators = klass.node.decorator_list
        return any(self._names.names(klass.path, each) & wanted for each in decorators)

    def _members(
        self,
        path: str,
        shown: str,
        hierarchy: tuple[Klass, ...],
        scopes: list[Scope],
        by_unittest: bool,
        sure: bool,
    ) -> Iterator[Collected]:
        seen: set[str] = set()
        for klass, scope in zip(hierarchy, scopes, strict=True):
            for name, values in scope.items():
                if name in seen or "." in name:
                    continue
                seen.add(name)
                present = [value for value in values if value is not ABSENT]
                if not present or not self._is_on(scope, f"{name}.__test__"):
                    continue
                for test in self._of_member(path, shown, klass, name, present[-1], by_unittest):
                    certain = sure and len(present) == len(values) and test.sure
                    yield test._replace(sure=certain)

    def _of_member(
        self, path: str, shown: str, klass: Klass, name: str, value: Value, by_unittest: bool
    ) -> Iterator[Collected]:
        statement = value.node
        if isinstance(statement, ast.ClassDef):
            if not by_unittest:
                inner = f"{klass.name}.{statement.name}"
                yield from self._of_class(path, f"{shown}::{name}", inner, klass.path)
            return
        wanted = name.startswith("test") if by_unittest else self.selection(path).is_function(name)
        if not wanted:
            return
        if isinstance(statement, Function):
            own = self._unit(klass.path, statement)
            if self._runs(klass.path, own):
                yield Collected(f"{shown}::{name}", klass.path, own)
        elif value.value is not None and not isinstance(value.value, ast.Constant):
            unit = self._named_unit(klass, value.value)
            certain = unit is not None and isinstance(value.value, ast.Name)
            yield Collected(f"{shown}::{name}", klass.path, unit, sure=certain)

    def _named_unit(self, klass: Klass, value: ast.expr) -> Unit | None:
        module = self._side.module(klass.path)
        if isinstance(value, ast.Name) and module:
            return module.units.get(f"{klass.name}.{value.id}") or module.units.get(value.id)
        return None

    def _runs(self, path: str, unit: Unit) -> bool:
        """Whether what a function's name stands for runs its body as a test."""
        module = self._side.module(path)
        if (module is None or module.may_say(unit.node, b"yield")) and is_generator(unit.node):
            return False
        return not any(self._stops(path, each) for each in unit.node.decorator_list)

    def _stops(self, path: str, decorator: ast.expr) -> bool:
        origins = self._names.names(path, decorator)
        for origin in origins:
            if origin in _FIXTURE | _NOT_RUN:
                return True
            # A name that is bound nowhere is the interpreter's own: `@property`, `@type`, `@bool`.
            own = isinstance(decorator, ast.Name) and origin == f"builtins.{decorator.id}"
            if own and origin not in ("builtins.staticmethod", "builtins.classmethod"):
                return True
        return drops(self._names, path, decorator)

    def _unit(self, path: str, node: Function) -> Unit:
        if path not in self._units:
            module = self._side.module(path)
            every = (*module.shadowed, *module.units.values()) if module else ()
            self._units[path] = {id(unit.node): unit for unit in every}
        return self._units[path].get(id(node)) or Unit(node.name, node)

    def _qualified(self, path: str, node: ast.ClassDef) -> str:
        module = self._side.module(path)
        found = (n for n, k in module.classes.items() if k is node) if module else iter(())
        return next(found, node.name)


_KNOWN = frozenset({"unittest.TestCase", "unittest.IsolatedAsyncioTestCase"})


def is_unittest(foreign: Origins) -> bool | None:
    """Say whether a class is one of unittest's by its foreign bases; None: by its name only."""
    if foreign & _KNOWN:
        return True
    return None if any(each.endswith("TestCase") for each in foreign) else False


def is_abstract(scopes: list[Scope], hierarchy: tuple[Klass, ...]) -> bool:
    """Say whether a class cannot be made: an abstract method stays without a body."""
    seen: set[str] = set()
    abc = any(_is_abc(each.node) for each in hierarchy)
    for scope in scopes if abc else ():
        for name, values in scope.items():
            node = values[-1].node
            if name not in seen and isinstance(node, Function) and _is_abstract_method(node):
                return True
            seen.add(name)
    return False


def _is_abc(node: ast.ClassDef) -> bool:
    texts = [unparsed(each) for each in (*node.bases, *(k.value for k in node.keywords))]
    return any(text.rpartition(".")[2] in ("ABC", "ABCMeta") for text in texts)


def _is_abstract_method(node: Function) -> bool:
    texts = [unparsed(each).rpartition(".")[2] for each in node.decorator_list]
    return any(each.startswith("abstract") for each in texts)


def is_generator(node: Function) -> bool:
    """Say whether a call of a function runs nothing of its body: `yield` makes it so."""
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(each, Function | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(each)
    return False
