"""What does a test reach, from its function on, and what counts whether or not it is reached?"""

from __future__ import annotations

import ast
import copy
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.imports import literal_texts
from freezegate.policy.domain.surface_always import ALWAYS_METHODS, is_always, is_script
from freezegate.policy.domain.surface_fixtures import asked_fixtures, needed_by
from freezegate.policy.domain.surface_future import has_asked_hints, other_futures
from freezegate.policy.domain.surface_origins import Names, Own
from freezegate.policy.domain.surface_quiet import Quiet
from freezegate.policy.domain.surface_scope import (
    Definition,
    Item,
    Origin,
    bound_names,
    fixture_names,
    imported_names,
    is_forced_fixture,
)
from freezegate.policy.domain.surface_uses import find_uses, renames_an_importer

if TYPE_CHECKING:
    from freezegate.policy.domain.surface_modules import Code

WHEN_IMPORTED = "(what runs at import)"
FUTURE = "(from __future__)"
ORDER = "(order of statements)"


class Part(NamedTuple):
    """One statement that makes up a piece: its syntax tree as a text, its line, the tree itself."""

    dump: str
    line: int
    node: ast.AST | None = None


class Owner(NamedTuple):
    """A class around the test: every statement that binds its name, and what stands inside."""

    name: str
    bindings: tuple[Item, ...]
    members: tuple[Item, ...]


class Walk:
    """The pieces found so far, and where to go on from each."""

    def __init__(self, code: Code, path: str, owners: tuple[Owner, ...]) -> None:
        self._code = code
        self._quiet = Quiet(Names(code))
        self._path = path
        self._owners = owners
        self._owned = {id(i.node) for owner in owners for i in owner.bindings}
        self._members: dict[str, list[tuple[Owner, Item]]] = {}
        for owner in owners:
            for item in owner.members:
                for name in {*bound_names(item.node), *fixture_names(item.node)}:
                    self._members.setdefault(name, []).append((owner, item))
        self._digests: dict[int, str] = {}
        self._guards: set[int] = set()
        self._all_names: dict[str, frozenset[str]] = {}
        self._parts: dict[tuple[str, str], dict[tuple[int, int], Part]] = {}
        self._seen: set[tuple[str, ...]] = set()
        self._waiting: list[tuple[ast.AST, str]] = []
        self._hinted: set[str] = set()
        self._texts: set[tuple[str, str]] = set()
        self._asks_any_text = False
        self._asked: set[str] = set()
        self._test = ""
        self._nearest: frozenset[str] = frozenset()

    def pieces(self) -> dict[tuple[str, str], tuple[Part, ...]]:
        """Return each piece with its statements in source order."""
        found = {
            key: tuple(part for _, part in sorted(parts.items()))
            for key, parts in self._parts.items()
        }
        for path in {path for path, _ in found}:
            futures = self._code.modules[path].futures
            if path not in self._hinted:
                futures = other_futures(futures)
            if futures:
                found[path, FUTURE] = (Part(" ".join(sorted(futures)), 1),)
        return found

    def start(self, test: str, conftests: frozenset[str]) -> None:
        """Reach the test, what always counts, and all that these reach."""
        self._test = test
        self._nearest = conftests | {self._path}
        if not self._owners:
            self._look_up(self._path, test)
        for owner in self._owners:
            self._add_owner(owner, test if owner is self._owners[-1] else "")
        for path, module in self._code.modules.items():
            for item in module.items:
                self._add_always(path, item)
            for item, star in module.stars:
                self._add_star(path, item, star, is_conftest=path in conftests)
        self._follow_waiting()

    def _follow_waiting(self) -> None:
        """Go on; texts are looked at last, where something takes computed names."""
        while self._waiting or (self._asks_any_text and self._texts):
            while self._waiting:
                self._follow_uses(*self._waiting.pop())
            if self._asks_any_text and self._texts:
                self._follow_text(*self._texts.pop())

    def _add_always(self, path: str, item: Item) -> None:
        if id(item.node) in self._owned or is_script(item):
            return
        forced = is_forced_fixture(item.node) or any(map(is_always, fixture_names(item.node)))
        for name in bound_names(item.node):
            if forced or is_always(name):
                self._look_up(path, name)
        if not self._quiet.is_quiet(path, item.node):
            self._add(path, WHEN_IMPORTED, item)

    def _add_star(self, path: str, item: Item, star: Origin, *, is_conftest: bool) -> None:
        """A star counts where it may bring hooks, fixtures, or names that nobody can know."""
        targets = self._code.targets(path, star)
        provided = {name for target in targets for name in self._names_in(target)}
        if is_conftest or not targets or any(is_always(name) for name in provided):
            self._add(path, WHEN_IMPORTED, item)

    def _add_owner(self, owner: Owner, test: str) -> None:
        for item in owner.bindings:
            self._add(self._path, owner.name, _head(item))
        for item in owner.members:
            if not isinstance(item.node, Definition):
                if not self._waits_to_be_asked(owner, item):
                    self._add_member(owner, item)
            elif item.node.name == test or self._always_counts(item.node):
                self._add_member(owner, item)

    def _waits_to_be_asked(self, owner: Owner, item: Item) -> bool:
        """Plain values of a class count where somebody asks; foreign bases may, without a word."""
        names = bound_names(item.node)
        return (
            bool(names)
            and isinstance(item.node, ast.Assign | ast.AnnAssign)
            and not any(is_always(name) or name.startswith("__") for name in names)
            and not {self._test, *ALWAYS_METHODS}.intersection(names)
            and self._quiet.is_quiet(self._path, item.node)
            and not self._has_foreign_base(owner)
        )

    def _has_foreign_base(self, owner: Owner) -> bool:
        for item in owner.bindings:
            if not isinstance(item.node, ast.ClassDef) or item.node.keywords:
                return True
            if any(not self._is_of_test_code(base) for base in item.node.bases):
                return True
        return False

    def _is_of_test_code(self, base: ast.expr) -> bool:
        """Classes of the test code are reached as a whole, so that their own uses are seen."""
        meanings = self._quiet.meanings(self._path, base)
        return bool(meanings) and all(
            isinstance(each, Own)
            and isinstance(each.node, ast.ClassDef)
            and not each.node.bases
            and not each.node.keywords
            for each in meanings
        )

    def _always_counts(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
        return (
            node.name in ALWAYS_METHODS
            or (node.name.startswith("__") and node.name.endswith("__"))
            or is_forced_fixture(node)
            or not self._quiet.is_quiet(self._path, node)
        )

    def _add_member(self, owner: Owner, item: Item) -> None:
        if not isinstance(item.node, Definition):
            self._add(self._path, owner.name, item)
            self._follow_imports(item.node)
        elif id(item.node) not in self._owned:
            self._add(self._path, f"{owner.name}.{item.node.name}", item)

    def _ask_member(self, name: str) -> None:
        """Reach what the test's classes define under a name, or as a fixture."""
        _, mangled, private = name[1:].partition("__")
        for owner, item in self._members.get(name, []):
            self._add_member(owner, item)
        if name.startswith("_") and mangled:
            self._ask_member(f"__{private}")

    def _add(self, path: str, name: str, item: Item, text: str | None = None) -> None:
        """Put a statement, as a text, into a piece, once, and go on from it."""
        place = (item.node.lineno, item.node.col_offset)
        parts = self._parts.setdefault((path, name), {})
        if place in parts:
            return
        conditions = [f"{word} {self._digest(guard)}" for word, guard in item.guards]
        dump = "\n".join([*conditions, text or ast.dump(item.node)])
        parts[place] = Part(dump, item.node.lineno, item.node)
        if has_asked_hints(item.node):
            self._hinted.add(path)
        if self._code.is_ordered(path, name, item.node):
            self._parts.setdefault((path, ORDER), {})[place] = Part(name, item.node.lineno)
        for _, guard in item.guards:
            if id(guard) not in self._guards:
                self._guards.add(id(guard))
                self._waiting.append((guard, path))
        if not isinstance(item.node, ast.Import | ast.ImportFrom):
            self._waiting.append((item.node, path))

    def _digest(self, guard: ast.AST) -> str:
        """Return a condition's digest: all of a `try`, for each part of it, would be too long."""
        if id(guard) not in self._digests:
            self._digests[id(guard)] = sha256(
                ast.dump(guard).encode("utf-8", "surrogatepass")
            ).hexdigest()
        return self._digests[id(guard)]

    def _names_in(self, path: str) -> frozenset[str]:
        if path not in self._all_names:
            self._all_names[path] = self._code.all_names(path)
        return self._all_names[path]

    def _look_up(self, path: str, name: str, *rest: str) -> None:
        """Reach everything that a module binds to a name, and what `name.rest` leads to."""
        module = self._code.modules.get(path)
        if module is None or (path, name, *rest) in self._seen:
            return
        self._seen.add((path, name, *rest))
        if self._owners and path == self._path and name == self._owners[0].name:
            for member in rest[:1] or self._members:
                self._ask_member(member)
            return
        for item in module.bindings.get(name, ()):
            if isinstance(item.node, ast.Import | ast.ImportFrom):
                origins = [o for bound, o in imported_names(item.node) if bound == name]
                self._add(path, name, item, "\n".join(map(str, origins)))
                for origin in origins:
                    self._asks_any_text |= renames_an_importer(name, origin)
                    self._follow_origin(path, origin, rest)
            else:
                self._add(path, name, item)
        for item, star in module.stars:
            for target in self._code.targets(path, star):
                self._look_up_star(path, item, target, (name, *rest))

    def _look_up_private(self, path: str, name: str) -> None:
        """Inside a class `__name` stands for `_Class__name`."""
        for each in self._names_in(path):
            if each.endswith(name):
                self._look_up(path, each)

    def _look_up_star(self, path: str, item: Item, target: str, names: tuple[str, ...]) -> None:
        if names[0] not in self._names_in(target):
            return
        exports = [
            literal_texts(getattr(each.node, "value", None))
            for each in self._code.modules[target].bindings.get("__all__", ())
        ]
        listed = [names[0] in texts for texts in exports if texts is not None]
        if len(listed) < len(exports):
            self._look_up(target, "__all__")
        self._add(path, names[0], item, f"* of {target} {listed}")
        self._look_up(target, *names)

    def _follow_origin(self, path: str, origin: Origin, rest: tuple[str, ...]) -> None:
        names = rest if origin.name is None else (origin.name, *rest)
        for dotted in self._code.absolute(path, origin):
            # From the top: a package may bind its module's name to something else.
            root, *parts = dotted.split(".")
            self._follow(root, (*parts, *names))

    def _follow(self, dotted: str, names: tuple[str, ...]) -> None:
        """Reach what stands under names in a module; without names, all of the module."""
        path = self._code.paths.get(dotted)
        if path is not None and names:
            self._look_up(path, *names)
        elif path is not None:
            self._reach_all(path)
        if names and f"{dotted}.{names[0]}" in self._code.prefixes:
            self._follow(f"{dotted}.{names[0]}", names[1:])

    def _reach_all(self, path: str) -> None:
        for name in self._names_in(path):
            self._look_up(path, name)

    def _follow_imports(self, node: ast.AST) -> None:
        """A class that imports hands the name on as an attribute, so all of it counts."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            for _, origin in imported_names(node):
                self._follow_origin(self._path, origin, ())

    def _follow_uses(self, node: ast.AST, path: str) -> None:
        uses = find_uses(node)
        for root, *rest in uses.names:
            self._follow_name(path, root, rest, uses.imports)
        for _, origin in uses.imports:
            if origin.name is not None:
                self._follow_origin(path, origin, ())
        for text in uses.hints | uses.attribute_texts:
            self._follow_text(path, text)
        for text in uses.texts - uses.attribute_texts:
            self._follow_module(text)
        self._texts.update((path, text) for text in uses.texts)
        self._asks_any_text |= uses.asks_any_text
        for name in uses.attributes.union(each[0] for each in uses.names):
            self._ask_member(name)
        if uses.asks_any_member or uses.asks_any_name:
            for name in self._members:
                self._ask_member(name)
        asked = uses.arguments | uses.fixture_texts
        for name in asked.union(self._code.fixtures if uses.asks_any_fixture else ()):
            self._ask_fixture(name)
        if any(self._is_foreign(each) for each in asked_fixtures(node, self._test)):
            self._ask_nearest_fixtures()
        if uses.asks_any_name:
            self._reach_all(path)

    def _is_foreign(self, name: str) -> bool:
        """Say whether a fixture is one of a plugin, which may ask for any other one."""
        unknown = name not in self._code.fixtures and name not in self._members
        return unknown and needed_by(name) is None

    def _ask_nearest_fixtures(self) -> None:
        """What a plugin's fixture asks for may be overridden wherever pytest looks for one."""
        for name, places in self._code.fixtures.items():
            if any(path in self._nearest or is_defined for path, _, is_defined in places):
                self._ask_fixture(name)
        for name, members in self._members.items():
            if any(fixture_names(item.node) for _, item in members):
                self._ask_member(name)

    def _follow_name(
        self, path: str, root: str, rest: list[str], imports: frozenset[tuple[str, Origin]]
    ) -> None:
        self._look_up(path, root, *rest)
        if root.startswith("__") and not root.endswith("__"):
            self._look_up_private(path, root)
        for bound, origin in imports:
            if bound == root:
                self._follow_origin(path, origin, tuple(rest))

    def _follow_text(self, path: str, text: str) -> None:
        root, *rest = text.split(".")
        if root in self._code.prefixes:
            self._follow(root, tuple(rest))
        self._look_up(path, root, *rest)
        if not rest:
            self._ask_member(text)

    def _follow_module(self, text: str) -> None:
        """A text with dots that begins with a module of the test code names something in it."""
        root, *rest = text.split(".")
        if rest and root in self._code.prefixes:
            self._follow(root, tuple(rest))

    def _ask_fixture(self, name: str) -> None:
        if name in self._asked:
            return
        self._asked.add(name)
        for path, bound, _ in self._code.fixtures.get(name, ()):
            self._look_up(path, bound)
        self._ask_member(name)
        for each in needed_by(name) or ():
            self._ask_fixture(each)


def _head(item: Item) -> Item:
    """Return a class without its body, anything else as it is."""
    if not isinstance(item.node, ast.ClassDef):
        return item
    head = copy.copy(item.node)
    head.body = []
    return Item(head, item.guards)
