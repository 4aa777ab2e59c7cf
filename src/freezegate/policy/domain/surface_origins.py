"""What does a name in the test code stand for: something outside by its dotted name, or a node?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from freezegate.policy.domain.surface_scope import imported_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from freezegate.policy.domain.surface_modules import Code
    from freezegate.policy.domain.surface_scope import Origin


class Own(NamedTuple):
    """A statement of the test code that binds a name."""

    path: str
    node: ast.AST


Meaning = str | Own
T = TypeVar("T")


class Names:
    """Where names lead, through imports and plain aliases, in all modules of the test code."""

    def __init__(self, code: Code) -> None:
        """Look names up in the modules that `code` holds."""
        self._code = code
        self._answers: dict[tuple[str, int], object] = {}
        self._all: dict[str, frozenset[str]] = {}
        self._found: dict[tuple[str, tuple[str, ...], bool], tuple[Meaning, ...]] = {}

    def once(self, question: str, node: ast.AST, ask: Callable[[], T], circle: T) -> T:
        """Return the answer about a node, asked once; `circle` if that comes down to itself."""
        key = (question, id(node))
        if key not in self._answers:
            self._answers[key] = circle
            self._answers[key] = ask()
        return cast("T", self._answers[key])

    def meanings(
        self, path: str, parts: tuple[str, ...], *, outer: bool = True
    ) -> tuple[Meaning, ...]:
        """Return all that `a.b.c` may stand for at a module's top level; nothing where unknown.

        What nobody binds is a built-in, where `outer` allows it. Names in a circle are unknown.
        """
        key = (path, parts, outer)
        if key not in self._found:
            self._found[key] = ()
            self._found[key] = self._look_up(path, parts, outer=outer)
        return self._found[key]

    def _look_up(self, path: str, parts: tuple[str, ...], *, outer: bool) -> tuple[Meaning, ...]:
        if path not in self._code.modules:
            return ()
        module = self._code.modules[path]
        root, rest = parts[0], parts[1:]
        found: list[tuple[Meaning, ...]] = [
            self._bound(path, item.node, parts)
            for item in module.bindings.get(root, ())
            if not (rest and _is_constant(item.node))
        ]
        for _, star in module.stars:
            found.extend(
                self.meanings(target, parts, outer=False)
                for target in self._code.targets(path, star)
                if root in self._names_in(target)
            )
        if not found and outer and root not in module.bindings:
            return (".".join(["builtins", *parts]),)
        # Once each: two names for two names, again and again, would be too many.
        return tuple(dict.fromkeys(each for some in found for each in some)) if all(found) else ()

    def _names_in(self, path: str) -> frozenset[str]:
        if path not in self._all:
            self._all[path] = self._code.all_names(path)
        return self._all[path]

    def _bound(self, path: str, node: ast.AST, parts: tuple[str, ...]) -> tuple[Meaning, ...]:
        root, rest = parts[0], parts[1:]
        if isinstance(node, ast.Import | ast.ImportFrom):
            found = [
                self._imported(origin, dotted, rest)
                for name, origin in imported_names(node)
                if name == root
                for dotted in self._code.absolute(path, origin)
            ]
            known = [each for each in found if each]
            return tuple(each for some in known for each in some)
        alias = chain(assigned(node, root))
        if alias:
            return self.meanings(path, (*alias, *rest))
        return () if rest else (Own(path, node),)

    def _imported(self, origin: Origin, dotted: str, rest: tuple[str, ...]) -> tuple[Meaning, ...]:
        names = (*dotted.split("."), *([origin.name] if origin.name else []), *rest)
        if names[0] in self._code.prefixes:
            return self._within(names[0], names[1:])
        # A relative import never leads out of the repository.
        return () if origin.level else (".".join(names),)

    def _within(self, dotted: str, names: tuple[str, ...]) -> tuple[Meaning, ...]:
        path = self._code.paths.get(dotted)
        if not names:
            return ()
        if path is not None and names[0] in self._names_in(path):
            return self.meanings(path, names, outer=False)
        below = f"{dotted}.{names[0]}"
        return self._within(below, names[1:]) if below in self._code.prefixes else ()


def chain(node: ast.AST | None) -> tuple[str, ...]:
    """Return the names of `a.b.c`; nothing for anything that has a call or an index in it."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else ()


def assigned(node: ast.AST, name: str | None = None) -> ast.expr | None:
    """Return the value of `name = value`, None for all other statements."""
    if isinstance(node, ast.AnnAssign):
        targets: list[ast.expr] = [node.target]
    elif isinstance(node, ast.Assign):
        targets = node.targets
    else:
        return None
    plain = [each.id for each in targets if isinstance(each, ast.Name)]
    fits = len(plain) == len(targets) and (name is None or name in plain)
    return node.value if fits else None


def _is_constant(node: ast.AST) -> bool:
    return isinstance(assigned(node), ast.Constant)
