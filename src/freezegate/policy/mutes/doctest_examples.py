"""The examples that a module's docstrings, or a text, hold for doctest, by who owns them."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.modules import Function

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.policy.mutes.modules import Module

PROMPT = ">>>"
_DIRECTIVE = re.compile(r"#(\s*)doctest:")
# The parser refuses options that it does not know, those of pytest and of plugins among them.
_READ_LATER = re.compile(r"#\s*doctest;\s*([^\n'\"]*)$", re.MULTILINE)


class Example(NamedTuple):
    """One example: its code in normal form, what it shall print, and the options that are on."""

    code: str
    want: str
    options: frozenset[str]
    source: str
    line: int

    @property
    def key(self) -> tuple[str, str]:
        """What it runs and expects, however it is written."""
        return self.code, self.want


Texts = dict[str, tuple[str, int]]  # a text and the line where its owner begins, by the owner


def texts_of(module: Module) -> Texts:
    """Return the docstrings of a module, its classes and functions, and its `__test__`."""
    owners: Mapping[str, ast.AST] = {
        "": module.tree,
        **module.classes,
        **{name: unit.node for name, unit in module.units.items()},
    }
    found = {name: (_docstring(node), getattr(node, "lineno", 1)) for name, node in owners.items()}
    for binding in module.bindings.get("__test__", ()):
        found.update(_named_texts(binding.value))
    return found


def _docstring(node: ast.AST) -> str:
    if not isinstance(node, ast.Module | ast.ClassDef | Function):
        return ""
    return ast.get_docstring(node, clean=False) or ""


def _named_texts(table: ast.expr | None) -> Iterator[tuple[str, tuple[str, int]]]:
    if not isinstance(table, ast.Dict):
        return
    for key, value in zip(table.keys, table.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(value, ast.Constant):
            yield f"__test__.{key.value!r}", (str(value.value), value.lineno)


def examples_of(text: str, line: int = 1) -> tuple[Example, ...] | None:
    """Return the examples of a text, None where doctest itself stops at it."""
    if PROMPT not in text:
        return ()
    from doctest import DocTestParser  # loads a debugger: only where an example changed

    try:
        found = DocTestParser().get_examples(_DIRECTIVE.sub(r"#\1doctest;", text))
    except ValueError:
        return None
    return tuple(
        Example(_normal(e.source), e.want, _options(e.source), e.source.strip(), line + e.lineno)
        for e in found
    )


def _options(source: str) -> frozenset[str]:
    every = (word for found in _READ_LATER.findall(source) for word in re.split(r"[,\s]+", found))
    return frozenset(word[1:].upper() for word in every if word.startswith("+"))


def _normal(source: str) -> str:
    try:
        return ast.dump(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source.strip()
