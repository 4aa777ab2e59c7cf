"""Where in a tree a module lies that none of the known folders holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.entries import TREE_MODE
from freezegate.policy.domain.finder import joined

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from freezegate.policy.domain.tree import Tree

_MAX_DEPTH = 4  # of the folder that somebody's path may hold: libs/python/testkit/src
_MAX_FOLDERS = 20_000  # half a second; the shallow ones come first


def find_elsewhere(tree: Tree, names: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield modules and packages of these names with the files that make them such.

    Only folders that are no packages themselves are looked in: nobody has another on his path.
    """
    waiting = [("", 0)] if names else []
    for looked, (folder, depth) in enumerate(waiting):  # grows while it is walked
        if looked > _MAX_FOLDERS:
            return
        inside = tree.names(folder)
        for name in sorted(inside):
            path = joined(folder, name)
            entry = tree.entry(path)
            if entry is None:
                continue
            if entry.mode == TREE_MODE:
                if depth < _MAX_DEPTH:
                    waiting.append((path, depth + 1))
                if name in names and "__init__.py" not in inside:
                    init = f"{path}/__init__.py"
                    if tree.entry(init):
                        yield name, init
            elif name.endswith(".py") and name[:-3] in names and "__init__.py" not in inside:
                yield name[:-3], path
