"""Where skip markers of freezes stand, and where a frozen test went that left its place.

A name is no identity (SPEC 2): a marker of ours counts by the property that it names, wherever it
stands, and a test is looked for under other names.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.marking import own_reason
from freezegate.policy.module_source import TestFunction, may_stand
from freezegate.policy.mutes.normal import normal_body

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.model.digests import Blake3
    from freezegate.model.ids import TestId
    from freezegate.model.ledger import Frozen

    Sources = Mapping[str, bytes]

MARK = b"freezegate:"  # in any marker of ours, before its text is asked for by syntax
_Definition = TestFunction | ast.ClassDef


class Place(NamedTuple):
    """A definition in a source: its id from the repository's top, and its line."""

    node_id: str
    line: int

    @property
    def path(self) -> str:
        """The file."""
        return self.node_id.partition("::")[0]


class Successor(NamedTuple):
    """What stands for a frozen test now; `claims` says that it names the property by a marker."""

    place: Place
    claims: bool


class FrozenTests(NamedTuple):
    """What a patch leaves of the tests of freezes.

    `stale_markers` are the freezes that are over, with the place of a marker of ours that stands
    for each; `departed` are open freezes whose test the patch takes from its place, with what
    stands for it, None where nothing does.
    """

    stale_markers: Mapping[Blake3, Place]
    departed: Mapping[Blake3, Successor | None]


def find_mark(sources: Sources, line: Frozen, *, by_property: bool) -> Place | None:
    """Return where a marker of a freeze stands: on its test, or else where its property is named.

    `by_property` is False where another freeze covers the property.
    """
    found = [each for path, source in sources.items() for each in _marks(path, source)]
    test = line.test_id.partition("[")[0]
    own = (place for place, _ in found if place.node_id == test)
    same = (place for place, named in found if by_property and named == line.property_id)
    return next(own, None) or next(same, None)


def has_departed(test_id: TestId, old: bytes, new: bytes) -> bool:
    """Say whether a test stood in a source and stands there no longer."""
    return may_stand(old, test_id.names) and not may_stand(new, test_id.names)


def find_successor(line: Frozen, old: Sources, new: Sources) -> Successor | None:
    """Return the new definition that claims the property, carries its marker or does the same."""
    bodies = {
        normal_body(node)
        for place, node in _definitions(line.test_id.path, old.get(line.test_id.path, b""))
        if place.node_id == line.test_id.partition("[")[0] and not isinstance(node, ast.ClassDef)
    }
    fresh = [each for path in new for each in _fresh(path, old.get(path, b""), new[path])]
    if line.property_id is not None:
        for place, node in fresh:
            if _claims(node, line.property_id):
                return Successor(place, claims=True)
        marked = {place: named for path, data in new.items() for place, named in _marks(path, data)}
        for place, _ in fresh:
            if marked.get(place) == line.property_id:
                return Successor(place, claims=False)
    for place, node in fresh:
        if not isinstance(node, ast.ClassDef) and normal_body(node) in bodies:
            return Successor(place, claims=False)
    return None


def _fresh(path: str, old: bytes, new: bytes) -> Iterator[tuple[Place, _Definition]]:
    """Yield the definitions of a file whose names it did not have."""
    known = {place.node_id for place, _ in _definitions(path, old)}
    yield from (each for each in _definitions(path, new) if each[0].node_id not in known)


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


def _claims(node: _Definition, property_id: str) -> bool:
    """Say whether a decorator `…property_id("PROPERTY")` stands on a definition."""
    return any(
        isinstance(each, ast.Call)
        and ast.unparse(each.func).rpartition(".")[2] == "property_id"
        and any(isinstance(arg, ast.Constant) and arg.value == property_id for arg in each.args)
        for each in node.decorator_list
    )
