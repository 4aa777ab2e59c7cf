"""A class with all that it inherits: the repository's own bases followed across modules."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.modules import Unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.names import Names


class Klass(NamedTuple):
    """A class of the repository and the module in which it stands; `name` is qualified."""

    path: str
    name: str
    node: ast.ClassDef


class Classes:
    """The hierarchies of classes on one side."""

    def __init__(self, side: Side, names: Names) -> None:
        """Follow bases by what their names stand for."""
        self._side, self._names = side, names
        self._known: dict[tuple[str, str], tuple[tuple[Klass, ...], frozenset[str]]] = {}

    def hierarchy(self, path: str, name: str) -> tuple[Klass, ...]:
        """Return a class and its bases in the repository, itself first, depth first."""
        return self._look(path, name)[0]

    def foreign(self, path: str, name: str) -> frozenset[str]:
        """Return the origins of all bases that stand outside of the repository."""
        return self._look(path, name)[1]

    def method(self, path: str, name: str, method: str) -> tuple[str, Unit] | None:
        """Return the function that a class has under a name, its own or an inherited one."""
        for klass in self.hierarchy(path, name):
            module = self._side.module(klass.path)
            unit = module.units.get(f"{klass.name}.{method}") if module else None
            if unit:
                return klass.path, unit
        return None

    def _look(self, path: str, name: str) -> tuple[tuple[Klass, ...], frozenset[str]]:
        key = (path, name)
        if key not in self._known:
            found: dict[Klass, None] = {}
            foreign = frozenset(self._walk(path, name, found))
            self._known[key] = (tuple(found), foreign)
        return self._known[key]

    def _walk(self, path: str, name: str, found: dict[Klass, None]) -> Iterator[str]:
        module = self._side.module(path)
        node = module.classes.get(name) if module else None
        if node is None:
            yield f"{path}::{name}"
            return
        klass = Klass(path, name, node)
        if klass in found:
            return
        found[klass] = None
        for base in node.bases:
            origins = self._names.names(path, base)
            for origin in sorted(origins) or ["?"]:
                file, separator, inner = origin.partition("::")
                if separator and self._is_class(file, inner):
                    yield from self._walk(file, inner, found)
                else:
                    yield origin

    def _is_class(self, file: str, name: str) -> bool:
        module = self._side.module(file)
        return module is not None and name in module.classes
