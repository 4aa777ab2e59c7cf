"""What does a piece of source ask for: names, attributes, arguments, texts that may be names?"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.domain.surface_scope import (
    Function,
    Origin,
    dotted_parts,
    imported_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_OPEN_NAMES = frozenset(
    {"__dict__", "__globals__", "__subclasses__", "f_globals", "modules"}
    | {"dir", "eval", "exec", "globals", "locals", "vars"}
)


class Uses(NamedTuple):
    """What a node uses, whoever binds it: more rather than less.

    `names` are dotted chains, split; `imports` what the node itself imports, with the name that
    this binds; `asks_any_name` and `asks_any_fixture` say that a computed text may ask for all.
    """

    names: frozenset[tuple[str, ...]]
    attributes: frozenset[str]
    arguments: frozenset[str]
    texts: frozenset[str]
    imports: frozenset[tuple[str, Origin]]
    asks_any_name: bool
    asks_any_fixture: bool


def find_uses(node: ast.AST) -> Uses:
    """Return what a node uses, inner functions, lambdas and annotations included."""
    nodes = list(ast.walk(node))
    names = frozenset(_chains(nodes))
    attributes = frozenset(n.attr for n in nodes if isinstance(n, ast.Attribute))
    return Uses(
        names=names,
        attributes=attributes,
        arguments=frozenset(n.arg for n in nodes if isinstance(n, ast.arg)),
        texts=frozenset(_texts(nodes)),
        imports=frozenset(
            pair
            for n in nodes
            if isinstance(n, ast.Import | ast.ImportFrom)
            for pair in imported_names(n)
        ),
        asks_any_name=not _OPEN_NAMES.isdisjoint(attributes.union(*names)),
        asks_any_fixture=any(_asks_computed_fixture(n) for n in nodes),
    )


def _chains(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ...]]:
    """Yield `a.b.c` once and whole; `ast.walk` comes to the outermost attribute first."""
    inner: set[int] = set()
    for node in nodes:
        if not isinstance(node, ast.Name | ast.Attribute) or id(node) in inner:
            continue
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
            inner.add(id(root))
        if isinstance(root, ast.Name):
            yield dotted_parts(node)


def _texts(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield texts that are names, and the names in annotations that are texts."""
    for node in nodes:
        if isinstance(node, ast.Constant) and _is_dotted(node.value):
            yield str(node.value)
        for annotation in _annotations(node):
            for each in ast.walk(annotation):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield from _DOTTED.findall(each.value)


def _is_dotted(value: object) -> bool:
    return isinstance(value, str) and _DOTTED.fullmatch(value) is not None


def _annotations(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.arg | ast.AnnAssign):
        return [node.annotation] if node.annotation else []
    return [node.returns] if isinstance(node, Function) and node.returns else []


def _asks_computed_fixture(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    known = all(isinstance(each, ast.Constant) for each in node.args)
    return dotted_parts(node.func)[-1:] == ("getfixturevalue",) and not known
