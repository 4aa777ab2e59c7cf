"""What skips a test for good, though the freeze that once covered that is over."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.marked_tests import Place
from freezegate.policy.mutes.modules import Side
from freezegate.policy.mutes.names import Names
from freezegate.policy.mutes.silencers import Silencers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.ids import TestId
    from freezegate.policy.domain.tree import Tree
    from freezegate.policy.mutes.silencers import Silencer


def left_skip(test_id: TestId, witnessed: Tree | None, old: Tree, new: Tree) -> Place | None:
    """Return where the new tree skips a test, or rows of it: without a condition, or since then.

    What the tree on which the evidence was taken (None where it is not here) skipped as well is
    the test's own: its runs were observed all the same. A condition that comes in the place of a
    skip for good is what is left of that one.
    """
    own = frozenset(map(_key, _skips(test_id, witnessed))) if witnessed else frozenset()
    before, after = (
        [each for each in _skips(test_id, tree) if _key(each) not in own] for tree in (old, new)
    )
    stands = any(map(_is_for_good, before))
    found = next((each for each in after if stands or _is_for_good(each)), None)
    if found is None:
        return None
    is_new = _key(found) not in map(_key, before)
    return Place(test_id.partition("[")[0], found.node.lineno, is_new)


def _skips(test_id: TestId, tree: Tree) -> Iterator[Silencer]:
    side = Side(tree, {})
    silencers = Silencers(side, Names(side))
    path = str(test_id.path)
    module = side.module(path)
    unit = module.units.get(".".join(test_id.names)) if module else None
    if unit is None:
        return
    every = (
        *silencers.of_markers(path, unit),
        *silencers.of_body(path, unit),
        *silencers.of_import(path),
    )
    yield from (each for each in every if each.kind != "rerun")


def _is_for_good(silencer: Silencer) -> bool:
    """Whether nothing decides about it, and no check stands before it."""
    unasked = not silencer.when or silencer.scope == "parameter"
    return unasked and not silencer.after and not silencer.strict


def _key(silencer: Silencer) -> tuple[str, str, str]:
    return silencer.scope, silencer.row, ast.dump(silencer.node)
