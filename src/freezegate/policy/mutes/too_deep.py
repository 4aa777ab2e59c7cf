"""Python that is nested deeper than anybody writes: what it does to tests is not followed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module
    from freezegate.policy.mutes.step import FilePair, MuteStep

_MAX_LEVELS = 200


def find_too_deep(step: MuteStep) -> Iterator[Mute]:
    """Yield the changed modules that no detector could walk; if it was another one, all of them."""
    pairs = (*step.test_files, *step.subject_files)
    found = [pair for pair in pairs if max(_levels(pair.old), _levels(pair.new)) > _MAX_LEVELS]
    for pair in found or pairs:
        yield _mute(pair)


def _levels(module: Module | None) -> int:
    """Return how deep a syntax tree is nested."""
    deepest = 0
    nodes: list[tuple[ast.AST, int]] = [(module.tree, 0)] if module else []
    while nodes:
        node, level = nodes.pop()
        deepest = max(deepest, level)
        nodes += [(child, level + 1) for child in ast.iter_child_nodes(node)]
    return deepest


def _mute(pair: FilePair) -> Mute:
    old, new = _levels(pair.old), _levels(pair.new)
    return Mute(
        family=MuteFamily.COLLECTION,
        detector="opaque",
        certainty=Certainty.DOUBTFUL if new < old else Certainty.CLEAR,
        path=pair.path,
        line=None,
        was=f"code in {old} levels" if pair.old else "no such module",
        now=f"code in {new} levels, of which about {_MAX_LEVELS} are followed",
        remedy="Give the parts of that expression names of their own.",
        test=pair.path,
        opaque=True,
    )
