"""Which modules are there, what does each bind, and where does an import in one of them lead?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.surface_scope import (
    STAR,
    Function,
    Item,
    Origin,
    bound_names,
    fixture_names,
    flatten,
    imported_names,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Module(NamedTuple):
    """A module's statements, by the names that they bind, and its star imports."""

    packages: frozenset[str]
    items: tuple[Item, ...]
    bindings: Mapping[str, tuple[Item, ...]]
    stars: tuple[tuple[Item, Origin], ...]
    futures: frozenset[str]


class Code(NamedTuple):
    """All modules by path, their dotted names, every beginning of these, and the fixtures.

    `fixtures` lead from the name that a test asks for to each path and name that may define it,
    and whether it is a definition and no import.
    """

    modules: Mapping[str, Module]
    paths: Mapping[str, str]
    prefixes: frozenset[str]
    fixtures: Mapping[str, Sequence[tuple[str, str, bool]]]

    def absolute(self, path: str, origin: Origin) -> tuple[str, ...]:
        """Return the dotted names that an import's module may have, seen from a path."""
        if not origin.level:
            return (origin.module,)
        found = []
        for package in sorted(self.modules[path].packages):
            parts = package.split(".")
            above = parts[: len(parts) - origin.level + 1]
            found.append(".".join([*above, *([origin.module] if origin.module else [])]))
        return tuple(found)

    def targets(self, path: str, origin: Origin) -> tuple[str, ...]:
        """Return the paths that a star import reads; none where it leaves the test code."""
        dotted = self.absolute(path, origin)
        return tuple(dict.fromkeys(self.paths[each] for each in dotted if each in self.paths))

    def all_names(self, path: str) -> frozenset[str]:
        """Return what a module binds, by star imports too."""
        found: set[str] = set()
        waiting, seen = [path], {path}
        while waiting:
            each = waiting.pop()
            found.update(self.modules[each].bindings)
            inner = {t for _, star in self.modules[each].stars for t in self.targets(each, star)}
            waiting.extend(inner - seen)
            seen |= inner
        return frozenset(found)

    def dumps(self, path: str) -> frozenset[str]:
        """Return the syntax trees, as texts, of a module's statements and of those in classes."""
        found: set[str] = set()
        waiting = list(self.modules[path].items)
        while waiting:
            item = waiting.pop()
            found.add(ast.dump(item.node))
            if isinstance(item.node, ast.ClassDef):
                waiting.extend(flatten(item.node.body))
        return frozenset(found)

    def is_ordered(self, path: str, name: str, node: ast.AST) -> bool:
        """Say whether it matters what stands before a statement at a module's top level."""
        if len(self.modules[path].bindings.get(name, ())) > 1:
            return True
        if isinstance(node, Function):
            arguments = node.args
            return bool(node.decorator_list or arguments.defaults or any(arguments.kw_defaults))
        return not isinstance(node, ast.Import | ast.ImportFrom)


def read_code(trees: Mapping[str, ast.Module], paths: Mapping[str, str]) -> Code:
    """Return the modules' statements by name, and the fixtures among them."""
    names: dict[str, set[str]] = {}
    for dotted, path in paths.items():
        names.setdefault(path, set()).add(dotted)
    modules = {
        path: _read_module(tree, _packages(path, names.get(path, set())))
        for path, tree in trees.items()
    }
    prefixes = frozenset(
        ".".join(parts[:length])
        for parts in (dotted.split(".") for dotted in paths)
        for length in range(1, len(parts) + 1)
    )
    code = Code(modules, paths, prefixes, {})
    return code._replace(fixtures=_find_fixtures(code))


def _read_module(tree: ast.Module, packages: frozenset[str]) -> Module:
    items = tuple(flatten(tree.body))
    bindings: dict[str, list[Item]] = {}
    for item in items:
        for name in dict.fromkeys(bound_names(item.node)):
            bindings.setdefault(name, []).append(item)
    stars = tuple(
        (item, Origin(item.node.module or "", item.node.level, STAR))
        for item in items
        if isinstance(item.node, ast.ImportFrom) and any(a.name == STAR for a in item.node.names)
    )
    futures = frozenset(
        alias.name
        for item in items
        if isinstance(item.node, ast.ImportFrom) and item.node.module == "__future__"
        for alias in item.node.names
    )
    frozen = {name: tuple(each) for name, each in bindings.items()}
    return Module(packages, items, frozen, stars, futures)


def _packages(path: str, names: set[str]) -> frozenset[str]:
    """Return what relative imports may start from: by the module's names, and by its path."""
    folder, _, file = path.rpartition("/")
    parts = folder.split("/")
    found = {".".join(parts[start:]) for start in range(len(parts))}
    found |= {name if file == "__init__.py" else name.rpartition(".")[0] for name in names}
    return frozenset(found - {""})


def _find_fixtures(code: Code) -> dict[str, list[tuple[str, str, bool]]]:
    """Find fixtures, and names imported from the test code, which may be fixtures."""
    found: dict[str, list[tuple[str, str, bool]]] = {}
    for path, module in code.modules.items():
        for item in module.items:
            for name, bound in _fixture_bindings(code, path, item.node):
                found.setdefault(name, []).append((path, bound, isinstance(item.node, Function)))
    return found


def _fixture_bindings(code: Code, path: str, node: ast.AST) -> list[tuple[str, str]]:
    if isinstance(node, ast.ImportFrom):
        return [
            (bound, bound)
            for bound, origin in imported_names(node)
            if any(dotted in code.prefixes for dotted in code.absolute(path, origin))
        ]
    return [(name, fixture_names(node)[0]) for name in fixture_names(node)]
