"""What a module's names stand for: where they come from, and what they are bound to once."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.policy.domain.nodes import Nodes

# Nobody gives these names to something of his own that a reader could tell from the real ones.
BUILTINS = frozenset({"__builtins__", "__import__", "__loader__", "eval", "exec"})
_HELD_MODULES = frozenset({"builtins", "sys"})
_MAX_PARTS = 8  # more attributes than any suspect has
_BINDERS = (
    ast.Name,
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.arg,
)


class Origins(NamedTuple):
    """What a module's names stand for: local name to dotted origin; and what it defines itself.

    `own` are those of its names that nothing else can be meant by.
    """

    names: Mapping[str, str]
    defined: frozenset[str]
    own: frozenset[str]

    def dotted(self, node: ast.AST) -> str | None:
        """Return the dotted origin of a name or attribute chain, None for anything else.

        Modules that others hold are themselves: `os.sys.path` is `sys.path`.
        """
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            if node.attr in _HELD_MODULES:
                break
            if len(parts) > _MAX_PARTS:
                return None
            node = node.value
        else:
            if not isinstance(node, ast.Name) or node.id in self.own:
                return None
            parts.append(_itself(self.names.get(node.id, node.id)))
        return ".".join(reversed(parts))


def read_origins(nodes: Nodes) -> Origins:
    """Return what imports and definitions make of a module's names."""
    names: dict[str, str] = {}
    for each in nodes.of(ast.Import):
        for alias in each.names:
            top = alias.name.split(".")[0]
            names[alias.asname or top] = alias.name if alias.asname else top
    for asked in nodes.of(ast.ImportFrom):
        for alias in asked.names if not asked.level else ():
            names[alias.asname or alias.name] = f"{asked.module}.{alias.name}"
    defined = {n.name for n in nodes.of(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)}
    defined.update(n.arg for n in nodes.of(ast.arg))
    defined.update(n.id for n in nodes.of(ast.Name) if isinstance(n.ctx, ast.Store))
    return Origins(names, frozenset(defined), frozenset(defined - BUILTINS - names.keys()))


def read_constants(module: ast.Module, nodes: Nodes) -> dict[str, ast.expr]:
    """Return what the top level binds to plain names that nothing else in the module binds."""
    bound: dict[str, int] = {}
    for node in nodes.of(*_BINDERS):
        for name in _names_bound(node):
            bound[name] = bound.get(name, 0) + 1
    if "__file__" in bound:
        return {"__file__": ast.Constant(None)}
    return {
        statement.targets[0].id: statement.value
        for statement in module.body
        if isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
        and bound[statement.targets[0].id] == 1
    }


def _names_bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.Import() | ast.ImportFrom():
            yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.arg():
            yield node.arg


def _itself(origin: str) -> str:
    """Return a guarded module's own name where another module's attribute stands for it."""
    last = origin.rpartition(".")[2]
    return last if last in _HELD_MODULES else origin
