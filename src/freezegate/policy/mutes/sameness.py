"""Which functions of a changed file are untouched: their text, and what the names in it mean.

Most functions of a changed module are; nothing needs to be asked of them.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from typing import TYPE_CHECKING

from freezegate.policy.domain.config import folders_above
from freezegate.policy.domain.finder import joined
from freezegate.policy.mutes.modules import Function, statements_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from freezegate.policy.mutes.modules import Binding, Module, Side, Unit
    from freezegate.policy.mutes.names import Names

_WORD = re.compile(rb"\w+")
# What a function of such a name does is done to others that do not name it.
_UNASKED = re.compile(
    rb"^(async )?\s*@.*fixture|^\s*(async )?def ((?i:set_?up)|run\b|__|pytest_)", re.MULTILINE
)


class Sameness:
    """Compare the functions of files that stand on both sides."""

    def __init__(self, old: Side, new: Side, names: Names, changed: Collection[str]) -> None:
        """Read both sides; `names` are the new side's, `changed` the changed paths."""
        self._old, self._new, self._names = old, new, names
        self._changed = frozenset(changed)
        self._renamed: dict[str, frozenset[bytes]] = {}
        self._unsettled: dict[str, bool] = {}

    def is_same(self, path: str, old: Unit, new: Unit) -> bool:
        """Say whether a function does what it did, as far as its own file's kind decides."""
        if self._is_unsettled(path):
            return False
        before, after = self._old.module(path), self._new.module(path)
        if before is None or after is None or _around(before, old) != _around(after, new):
            return False
        text = after.segment(new.node)
        return (
            before.segment(old.node) == text
            and text.isascii()
            and self.renamed(path).isdisjoint(_WORD.findall(text))
            and self.renamed(path).isdisjoint(each.name.encode() for each in new.classes)
        )

    def renamed(self, path: str) -> frozenset[bytes]:
        """Return the names of a module that mean something else than before."""
        if path not in self._renamed:
            self._renamed[path] = frozenset()  # modules may import each other
            names = {name.encode() for name in self._differing(path)} | self._done_to(path)
            self._renamed[path] = frozenset(self._with_users(path, names))
        return self._renamed[path]

    def _with_users(self, path: str, names: set[bytes]) -> set[bytes]:
        """Add the names that are made of names which mean something else, and so on."""
        module = self._new.module(path) if names else None
        waiting = _words(module) if module else {}
        while True:
            found = [name for name, words in waiting.items() if not names.isdisjoint(words)]
            if not found:
                return names
            names.update(found)
            for name in found:
                del waiting[name]

    def _differing(self, path: str) -> Iterator[str]:
        before, after = self._old.module(path), self._new.module(path)
        old, new = _meanings(before), _meanings(after)
        yield from (name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
        for name, bindings in after.bindings.items() if after else ():
            if any(self._is_elsewhere(path, name, each.node) for each in bindings):
                yield name

    def _done_to(self, path: str) -> frozenset[bytes]:
        """Return all words of statements outside of functions that stand on one side alone."""
        before, after = (_statements(side.module(path)) for side in (self._old, self._new))
        alone = (before - after) + (after - before)
        return frozenset(word for text in alone for word in _WORD.findall(text))

    def _is_elsewhere(self, path: str, name: str, node: ast.AST) -> bool:
        """Whether an imported name comes from test code in which it means something else now."""
        if isinstance(node, ast.Import):
            return any(
                self._names.file_of(path, alias.name) in self._changed for alias in node.names
            )
        if not isinstance(node, ast.ImportFrom):
            return False
        names = [a.name for a in node.names if name in (a.asname, a.name)]
        below = (f"{node.module}.{each}" if node.module else each for each in names)
        if any(self._names.file_of(path, each, node.level) in self._changed for each in below):
            return True  # a module itself
        file = self._names.file_of(path, node.module or "", node.level)
        if file is None or file not in self._changed or file == path:
            return False
        asked = {each.encode() for each in names}
        return b"*" in asked or not asked.isdisjoint(self.renamed(file))

    def _is_unsettled(self, path: str) -> bool:
        """Whether something changed that takes effect on functions which do not name it."""
        if path not in self._unsettled:
            above = [joined(f, "conftest.py") for f in folders_above(path.rpartition("/")[0])]
            self._unsettled[path] = (
                not self._changed.isdisjoint(above)
                or b"pytestmark" in self.renamed(path)
                or self._has_unasked(path)
            )
        return self._unsettled[path]

    def _has_unasked(self, path: str) -> bool:
        before, after = self._old.module(path), self._new.module(path)
        texts = [
            {module.segment(unit.node) for unit in module.units.values()} if module else set()
            for module in (before, after)
        ]
        return any(_UNASKED.search(text) for text in texts[0] ^ texts[1])


def _around(module: Module, unit: Unit) -> tuple[bytes, ...]:
    """Return what decides whether a definition is reached, as texts."""
    return tuple(
        module.segment(guard.test) if isinstance(guard, ast.If | ast.While) else b""
        for guard in unit.guards
    )


def _statements(module: Module | None) -> Counter[bytes]:
    every = statements_of(module.tree.body) if module else ()
    left_out = Function | ast.ClassDef | ast.Import | ast.ImportFrom
    return Counter(module.segment(s) for s in every if module and not isinstance(s, left_out))


def _meanings(module: Module | None) -> Mapping[str, list[bytes]]:
    if module is None:
        return {}
    found = {
        name: [_meaning(module, each) for each in bindings]
        for name, bindings in module.bindings.items()
    }
    starred = [s for s in module.tree.body if isinstance(s, ast.ImportFrom)]
    found["*"] = [module.segment(s) for s in starred if s.names[0].name == "*"]
    return found


def _words(module: Module) -> dict[bytes, set[bytes]]:
    """Return the words of all that each name of a module is bound to."""
    return {
        name.encode(): {word for each in found for word in _WORD.findall(_meaning(module, each))}
        for name, found in module.bindings.items()
    }


def _meaning(module: Module, binding: Binding) -> bytes:
    node = binding.node
    if not isinstance(node, ast.ClassDef):
        return module.segment(node)
    inner = [each for each in node.body if not isinstance(each, Function | ast.ClassDef)]
    parts = [*node.decorator_list, *node.bases, *node.keywords, *inner]
    return b"\n".join(module.segment(part) for part in parts)
