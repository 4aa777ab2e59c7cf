"""Is a test, with the helpers and fixtures that it reaches, the same syntax tree in two trees?

Who reaches too much refuses honest patches, who reaches too little lets a frozen test be changed;
where a name cannot be followed with certainty, this reaches too much (SPEC section 6.2(2)).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.imports import parse_source
from freezegate.policy.domain.surface_marker import find_skip_marker
from freezegate.policy.domain.surface_modules import read_code
from freezegate.policy.domain.surface_scope import Function, Item, bound_names, flatten
from freezegate.policy.domain.surface_walk import ORDER, WHEN_IMPORTED, Owner, Part, Walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from freezegate.model.ids import TestId
    from freezegate.policy.domain.surface_modules import Code


class Fault(NamedTuple):
    """Why a surface is not known."""

    path: str
    what: str


class Surface(NamedTuple):
    """All that a test reaches, (path, name) to each statement that binds the name, in order.

    `code` is all that stands in the tree, reached or not.
    """

    pieces: Mapping[tuple[str, str], tuple[Part, ...]]
    fault: Fault | None = None
    code: Code | None = None


class Difference(NamedTuple):
    """A piece that two surfaces do not share; `line` is one of the new side, if it is there."""

    path: str
    name: str
    line: int
    word: str


def read_surface(
    modules: Mapping[str, str],
    sources: Mapping[str, bytes],
    conftests: Sequence[str],
    test: TestId,
    *,
    skip_allowed: bool = True,
) -> Surface:
    """Return what a test reaches in one tree.

    `modules` are the importable modules outside the subject by dotted name, with their paths;
    `sources` the bytes of each of these paths, of the test's and of the conftests'. One plain skip
    marker on the test is left out where `skip_allowed`. Source that cannot be read is a fault.
    """
    paths = dict.fromkeys((str(test.path), *conftests, *modules.values()))
    try:
        trees: dict[str, ast.Module] = {}
        for path in paths:
            tree = parse_source(sources[path]) if path in sources else "no such file"
            if isinstance(tree, str):
                return Surface({}, Fault(path, tree))
            trees[path] = tree
        return _read_trees(trees, modules, conftests, test, skip_allowed=skip_allowed)
    except (RecursionError, MemoryError):
        return Surface({}, Fault(str(test.path), "source that is nested too deep to compare"))


def differing_pieces(old: Surface, new: Surface) -> tuple[Difference, ...]:
    """Return every piece that was added, removed or changed; a fault of either side is one too."""
    faults = [side.fault for side in (old, new) if side.fault]
    if faults:
        return tuple(Difference(fault.path, "", 1, fault.what) for fault in dict.fromkeys(faults))
    keys = sorted(old.pieces.keys() | new.pieces.keys())
    found = [
        difference
        for key in keys
        if (difference := _compare(key, old.pieces.get(key), new.pieces.get(key)))
    ]
    told = {each.path for each in found if each.name != ORDER}
    found = [each for each in found if each.name != ORDER or each.path not in told]
    deeds = {each._replace(name="") for each in found if each.name == WHEN_IMPORTED}
    found = [e for e in found if e.name == WHEN_IMPORTED or e._replace(name="") not in deeds]
    followers = set(_followers(found, old, new))
    causes = tuple(each for each in found if each not in followers)
    return causes or tuple(each._replace(word=_REACH[each.word]) for each in found)


_REACH = {"added": "newly reached", "removed": "no longer reached"}


def _followers(found: Sequence[Difference], old: Surface, new: Surface) -> Iterator[Difference]:
    """Yield the pieces that stand in both trees alike, and that only one of the tests reaches."""
    for each in found:
        here, there = (new, old) if each.word == "added" else (old, new)
        if each.word == "changed" or there.code is None or each.path not in there.code.modules:
            continue
        nodes = [part.node for part in here.pieces[each.path, each.name]]
        standing = there.code.dumps(each.path)
        if all(node is not None and ast.dump(node) in standing for node in nodes):
            yield each


def _compare(
    key: tuple[str, str], old: tuple[Part, ...] | None, new: tuple[Part, ...] | None
) -> Difference | None:
    if old is None or new is None:
        present = old or new or ()
        return Difference(*key, present[0].line, "added" if old is None else "removed")
    if [part.dump for part in old] == [part.dump for part in new]:
        return None
    same = sum(1 for _ in _common_start(old, new))
    return Difference(*key, new[min(same, len(new) - 1)].line, "changed")


def _common_start(old: Sequence[Part], new: Sequence[Part]) -> Iterator[Part]:
    for before, after in zip(old, new, strict=False):
        if before.dump != after.dump:
            return
        yield after


def _read_trees(
    trees: Mapping[str, ast.Module],
    modules: Mapping[str, str],
    conftests: Sequence[str],
    test: TestId,
    *,
    skip_allowed: bool,
) -> Surface:
    module = trees[test.path]
    owners, tests = _find_test(module, test.names)
    functions = [item.node for item in tests if isinstance(item.node, Function)]
    if not functions and (tests or not any(map(_inherits, owners))):
        return Surface({}, Fault(str(test.path), f"no test {'::'.join(test.names)}"))
    if skip_allowed and functions:
        decorators = functions[-1].decorator_list
        marker = find_skip_marker(module, decorators)
        decorators[:] = [each for place, each in enumerate(decorators) if place != marker]
    code = read_code(trees, modules)
    walk = Walk(code, str(test.path), owners)
    walk.start(test.names[-1], frozenset(conftests))
    return Surface(walk.pieces(), code=code)


def _inherits(owner: Owner) -> bool:
    """Say whether a class has bases; these are compared as a whole."""
    return any(isinstance(item.node, ast.ClassDef) and item.node.bases for item in owner.bindings)


def _find_test(
    module: ast.Module, names: tuple[str, ...]
) -> tuple[tuple[Owner, ...], tuple[Item, ...]]:
    """Return the classes around the test, outermost first, and what binds its name."""
    owners: list[Owner] = []
    scope = tuple(flatten(module.body))
    for depth, name in enumerate(names[:-1], start=1):
        bindings = tuple(item for item in scope if name in bound_names(item.node))
        scope = tuple(
            inner
            for item in bindings
            if isinstance(item.node, ast.ClassDef)
            for inner in flatten(item.node.body, item.guards)
        )
        owners.append(Owner(".".join(names[:depth]), bindings, scope))
    return tuple(owners), tuple(item for item in scope if names[-1] in bound_names(item.node))
