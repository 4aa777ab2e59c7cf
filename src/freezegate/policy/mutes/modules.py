"""A test module as it stands on one side: parsed once for each blob, its functions by name."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.imports import parse_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.model.entries import Entry
    from freezegate.policy.domain.tree import Tree

Function = ast.FunctionDef | ast.AsyncFunctionDef
_COOKIE_BYTES = 400  # two lines, in which a text may say that its bytes mean something else
_FRAMEWORKS = (b"pytest", b"unittest", b"nose", b"twisted")
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


class Unit(NamedTuple):
    """A function at module or class level; one inside another function is a part of that one.

    `name` is qualified (`TestShop.test_total`), `classes` are those around it, outermost first,
    `guards` the statements (`if`, `try`, loops) that decide whether the definition is reached.
    """

    name: str
    node: Function
    classes: tuple[ast.ClassDef, ...] = ()
    guards: tuple[ast.stmt, ...] = ()


class Binding(NamedTuple):
    """One place at which a scope binds a name: the statement and, where there is one, the value."""

    node: ast.AST
    value: ast.expr | None = None


class Module:
    """What one blob says; `fault` tells why nothing is known where it cannot be read."""

    def __init__(self, source: bytes) -> None:
        """Parse the source; a text that is no Python is a fault, not an error."""
        parsed = parse_source(source)
        self.source = source
        self.fault = parsed if isinstance(parsed, str) else None
        self.tree = ast.Module(body=[], type_ignores=[]) if isinstance(parsed, str) else parsed
        self.units: Mapping[str, Unit] = {}
        self.shadowed: tuple[Unit, ...] = ()
        self.classes: Mapping[str, ast.ClassDef] = {}
        self._encoded = b"coding" in source[:_COOKIE_BYTES]
        # A module without any of these words marks and skips nothing by itself.
        self.names_framework = self._encoded or any(word in source for word in _FRAMEWORKS)
        self.bindings = bindings_of(self.tree.body, walrus=self._encoded or b":=" in source)
        self._index()

    def _index(self) -> None:
        units: dict[str, Unit] = {}
        classes: dict[str, ast.ClassDef] = {}
        shadowed: list[Unit] = []
        for found in _definitions(self.tree.body, "", (), ()):
            if isinstance(found, Unit):
                before = units.get(found.name)
                if before and not found.guards and not before.guards and not _accessor(found.node):
                    shadowed.append(before)
                units[found.name] = found
            else:
                name, node = found
                classes[name] = node
        self.units, self.classes, self.shadowed = units, classes, tuple(shadowed)

    @cached_property
    def lines(self) -> list[bytes]:
        """The source, line by line, endings kept."""
        return self.source.splitlines(keepends=True)

    @cached_property
    def every_class(self) -> Mapping[str, ast.ClassDef]:
        """The first class of each plain name, those inside of functions included."""
        found: dict[str, ast.ClassDef] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, node)
        return found

    def segment(self, node: ast.AST) -> bytes:
        """Return the whole lines of a node, decorators included; equal ones read alike."""
        first = min(
            [getattr(node, "lineno", 1), *(d.lineno for d in getattr(node, "decorator_list", ()))]
        )
        return b"".join(self.lines[first - 1 : getattr(node, "end_lineno", None) or first])

    def may_say(self, node: ast.AST, word: bytes) -> bool:
        """Say whether a word may stand in a node's lines; looking for it as a node takes longer."""
        return self._encoded or word in self.segment(node)

    def text(self, node: ast.AST) -> str:
        """Return a node's own source, decorators excluded; empty for one without a place."""
        return ast.get_source_segment(self.source.decode("utf-8", "replace"), node) or ""


class Side:
    """One side of a step: modules by path, each blob parsed once for both sides."""

    def __init__(self, tree: Tree, parsed: dict[bytes, Module]) -> None:
        """Read modules through a tree; `parsed` is shared with the other side."""
        self.tree = tree
        self._parsed = parsed
        self._modules: dict[str, Module | None] = {}

    def entry(self, path: str) -> Entry | None:
        """Return the regular file at a path."""
        entry = self.tree.entry(path)
        return entry if entry and entry.is_regular else None

    def module(self, path: str) -> Module | None:
        """Return the module at a path, None where no regular file stands there."""
        if path not in self._modules:
            self._modules[path] = self._read(path)
        return self._modules[path]

    def _read(self, path: str) -> Module | None:
        entry = self.entry(path)
        if entry is None:
            return None
        if entry.oid not in self._parsed:
            self._parsed[entry.oid] = Module(self.tree.source(entry))
        return self._parsed[entry.oid]


def bindings_of(body: list[ast.stmt], *, walrus: bool = True) -> dict[str, list[Binding]]:
    """Return what a body binds, inner blocks included, functions and classes not entered."""
    found: dict[str, list[Binding]] = {}
    for name, binding in _bindings(body, walrus):
        found.setdefault(name, []).append(binding)
    return found


def _bindings(body: list[ast.stmt], walrus: bool) -> Iterator[tuple[str, Binding]]:
    for statement in statements_of(body):
        if isinstance(statement, Function | ast.ClassDef):
            yield statement.name, Binding(statement)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                whole = isinstance(statement, ast.ImportFrom)
                name = alias.name if whole else alias.name.split(".")[0]
                yield alias.asname or name, Binding(statement)
        else:
            for target, value in _assigned(statement):
                yield from _targets(target, statement, value)
            for each in _walrus(statement) if walrus else ():
                yield each.target.id, Binding(statement, each.value)


def _assigned(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    match statement:
        case ast.Assign() | ast.Delete():
            value = statement.value if isinstance(statement, ast.Assign) else None
            yield from ((target, value) for target in statement.targets)
        case ast.AnnAssign(value=ast.expr()) | ast.AugAssign():
            yield statement.target, statement.value
        case ast.For() | ast.AsyncFor():
            yield statement.target, None
        case ast.With() | ast.AsyncWith():
            yield from ((i.optional_vars, None) for i in statement.items if i.optional_vars)
        case _:
            pass


def _targets(
    target: ast.expr, statement: ast.stmt, value: ast.expr | None
) -> Iterator[tuple[str, Binding]]:
    if isinstance(target, ast.Name):
        yield target.id, Binding(statement, value)
    elif isinstance(target, ast.Tuple | ast.List):
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        paired = len(values) == len(target.elts)
        for place, inner in enumerate(target.elts):
            yield from _targets(inner, statement, values[place] if paired else None)


def _walrus(statement: ast.stmt) -> Iterator[ast.NamedExpr]:
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            yield from (each for each in ast.walk(child) if isinstance(each, ast.NamedExpr))


def statements_of(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements in source order, inner blocks included, definitions not entered."""
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, Function | ast.ClassDef):
            for block in reversed(_BLOCKS):
                waiting.extend(reversed(getattr(node, block, ())))


def _definitions(
    body: list[ast.stmt],
    prefix: str,
    classes: tuple[ast.ClassDef, ...],
    guards: tuple[ast.stmt, ...],
) -> Iterator[Unit | tuple[str, ast.ClassDef]]:
    for statement in body:
        if isinstance(statement, Function):
            yield Unit(prefix + statement.name, statement, classes, guards)
        elif isinstance(statement, ast.ClassDef):
            name = prefix + statement.name
            yield name, statement
            yield from _definitions(statement.body, f"{name}.", (*classes, statement), guards)
        else:
            for block in _BLOCKS:
                inner = getattr(statement, block, ())
                for part in inner:
                    nested = [part] if isinstance(part, ast.stmt) else getattr(part, "body", [])
                    yield from _definitions(nested, prefix, classes, (*guards, statement))


def _accessor(node: Function) -> bool:
    """Whether a definition completes one of the same name: setters, overloads, registrations."""
    return any(
        isinstance(each, ast.Attribute) or (isinstance(each, ast.Name) and each.id == "overload")
        for each in node.decorator_list
    )
