"""Where skip markers of freezes stand.

A name is no identity (SPEC 2): a marker of ours counts by the property that it names, wherever it
stands.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.marking import own_reason
from freezegate.policy.module_source import TestFunction

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.model.ledger import Frozen

    Sources = Mapping[str, bytes]

MARK = b"freezegate:"  # in any marker of ours, before its text is asked for by syntax
_Definition = TestFunction | ast.ClassDef


class Place(NamedTuple):
    """A definition in a source: its id from the repository's top, and its line.

    `is_new` tells that the patch itself wrote what skips there.
    """

    node_id: str
    line: int
    is_new: bool = False

    @property
    def path(self) -> str:
        """The file."""
        return self.node_id.partition("::")[0]


def find_mark(sources: Sources, line: Frozen, *, by_property: bool) -> Place | None:
    """Return where a marker of a freeze stands: on its test, or else where its property is named.

    `by_property` is False where another freeze covers the property.
    """
    found = [each for path, source in sources.items() for each in _marks(path, source)]
    test = line.test_id.partition("[")[0]
    own = (place for place, _ in found if place.node_id == test)
    same = (place for place, named in found if by_property and named == line.property_id)
    return next(own, None) or next(same, None)


def _definitions(path: str, source: bytes) -> Iterator[tuple[Place, _Definition]]:
    try:
        yield from _below(ast.parse(source), path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return


def _below(scope: ast.AST, prefix: str) -> Iterator[tuple[Place, _Definition]]:
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, _Definition):
            name = f"{prefix}::{node.name}"
            yield Place(name, node.lineno), node
            if isinstance(node, ast.ClassDef):
                yield from _below(node, name)
        elif isinstance(node, ast.stmt | ast.excepthandler):
            yield from _below(node, prefix)


@lru_cache(maxsize=1024)
def _marks(path: str, source: bytes) -> tuple[tuple[Place, str], ...]:
    """Return each definition that carries a marker of ours, and the property that this names."""
    found = tuple(_definitions(path, source)) if MARK in source else ()
    module = ast.parse(source) if found else ast.Module([], [])
    named = ((place, own_reason(module, node.decorator_list)) for place, node in found)
    return tuple((place, name) for place, name in named if name is not None)
