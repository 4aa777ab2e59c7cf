"""Which file Python takes for a name, and which absent ones would win over it.

Source: CPython's `importlib._bootstrap_external`, FileFinder and PathFinder.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from freezegate.model.entries import TREE_MODE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from freezegate.policy.domain.tree import Tree


class Found(NamedTuple):
    """The module that Python would import.

    `path` is its file, None for a namespace package; `folders` are where its submodules are looked
    for, None for a plain module; `bytecode` are cached files that may answer in its place.
    """

    path: str | None
    folders: tuple[str, ...] | None
    bytecode: tuple[str, ...] = ()


class Look(NamedTuple):
    """What a search came upon: `absent` paths would have won, `link` stands in the way."""

    found: Found | None
    absent: tuple[str, ...]
    link: str | None = None


def find_module(tree: Tree, folders: Sequence[str], name: str, python: str) -> Look:
    """Return what `import NAME` comes to in a list of folders, the first one winning.

    In each folder a package comes before an extension module, that before source, and source
    before bytecode. A folder without any of them is a part of a namespace package, which comes
    after everything else.
    """
    absent: list[str] = []
    portions: list[str] = []
    for folder in folders:
        here, package = tree.names(folder), joined(folder, name)
        entry = tree.entry(package) if name in here else None
        if entry and entry.mode == TREE_MODE:
            init = _file_of(tree, package, tree.names(package), "__init__", python)
            if init:
                found = _found(tree, package, "__init__", init, (package,), absent)
                return Look(found, tuple(absent), _link(tree, init))
            portions.append(package)
        elif entry and not entry.is_regular:
            return Look(None, tuple(absent), package)
        absent.append(f"{package}/__init__.py")
        file = _file_of(tree, folder, here, name, python)
        if file:
            found = _found(tree, folder, name, file, None, absent)
            return Look(found, tuple(absent), _link(tree, file))
        absent.append(f"{package}.py")
    found_portions = Found(None, tuple(portions)) if portions else None
    return Look(found_portions, tuple(absent))


def joined(folder: str, name: str) -> str:
    """Return a path below a folder, `""` being the top."""
    return f"{folder}/{name}" if folder else name


def stem_of(path: str) -> str | None:
    """Return the path that an extension module or bytecode stands for, without its suffix.

    None where the file is neither; `tests/__pycache__/a.cpython-312.pyc` stands for `tests/a`.
    """
    folder, _, name = path.rpartition("/")
    if not name.endswith((".pyc", ".pyo", ".so", ".pyd")):
        return None
    if folder.rpartition("/")[2] == "__pycache__":
        folder = folder.rpartition("/")[0]
    return joined(folder, name.split(".", 1)[0])


def _found(
    tree: Tree,
    folder: str,
    stem: str,
    file: str,
    folders: tuple[str, ...] | None,
    absent: list[str],
) -> Found:
    if file.endswith(".pyc"):
        absent.append(joined(folder, f"{stem}.py"))
    caches = joined(folder, "__pycache__")
    cached = tuple(
        joined(caches, name)
        for name in sorted(tree.names(caches))
        if name.startswith(f"{stem}.") and name.endswith(".pyc") and file.endswith(".py")
    )
    return Found(file, folders, cached)


def _file_of(tree: Tree, folder: str, names: frozenset[str], stem: str, python: str) -> str | None:
    """Return the file that answers for a stem in a folder; folders of such names are none."""
    pattern = _spellings(python)
    ranked = sorted(
        (match.lastindex or 0, name)
        for name in _by_stem(names).get(stem, ())
        if (match := pattern.fullmatch(name[len(stem) :]))
    )
    for _, name in ranked:
        entry = tree.entry(joined(folder, name))
        if entry and entry.mode != TREE_MODE:
            return joined(folder, name)
    return None


@lru_cache(maxsize=512)
def _by_stem(names: frozenset[str]) -> dict[str, list[str]]:
    """The names of a folder by what stands before their first dot: each is asked for often."""
    found: dict[str, list[str]] = {}
    for name in names:
        stem, dot, _ = name.partition(".")
        if dot:
            found.setdefault(stem, []).append(name)
    return found


@lru_cache(maxsize=8)
def _spellings(python: str) -> re.Pattern[str]:
    """The suffixes of modules in the order in which Python tries them, on whatever platform."""
    tag = python.replace(".", "")
    return re.compile(
        rf"(\.(?:cpython-{tag}[^.]*\.so|cp{tag}-[^.]*\.pyd))|(\.abi3\.so)|(\.(?:so|pyd))|(\.py)|(\.pyc)"
    )


def _link(tree: Tree, path: str) -> str | None:
    entry = tree.entry(path)
    return None if entry is None or entry.is_regular else path
