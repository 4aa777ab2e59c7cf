"""Folders that a module names by its own place: `os.path.dirname(__file__)` and its kin."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_KEEPS = frozenset(
    {"os.fspath", "os.path.abspath", "os.path.normpath", "os.path.realpath", "pathlib.Path", "str"}
)
_SETTLES = frozenset({"os.path.abspath", "os.path.normpath", "os.path.realpath"})
_MAX_STEPS = 50  # more folders than anybody nests
_KEEPING_METHODS = frozenset({"absolute", "as_posix", "resolve"})


class Place(NamedTuple):
    """A path seen from the module's own file: so many steps up, then these names down.

    `open_dots` says that a `..` was written out, after which the text and the folder differ;
    `settled` that the text is the folder's own path, without oddities.
    """

    up: int
    down: tuple[str, ...] = ()
    open_dots: bool = False
    settled: bool = True

    @property
    def folder(self) -> str | None:
        """The path from the module's folder, None for what is the file itself or below it."""
        return "/".join((".",) + ("..",) * (self.up - 1) + self.down) if self.up else None

    def parent(self) -> Place | None:
        """Return the folder above."""
        if self.open_dots:
            return None
        up, down = (self.up, self.down[:-1]) if self.down else (self.up + 1, ())
        return Place(up, down, settled=self.settled)

    def below(self, text: str) -> Place | None:
        """Return a path below, None for an absolute one."""
        place = self
        if text.startswith(("/", "~")) or "\\" in text or not self.up:
            return None
        for part in text.split("/"):
            if part == "..":
                above = place._replace(open_dots=False).parent()
                assert above is not None  # noqa: S101 - no dots are open
                place = above._replace(open_dots=True, settled=False)
            elif part in ("", "."):
                place = place._replace(settled=False)
            else:
                place = place._replace(down=(*place.down, part))
        return place


class FolderReader:
    """Read expressions over `__file__`; `constants` are names that a module binds
    once, with `__file__` among them where it binds that too."""

    def __init__(
        self, dotted: Callable[[ast.AST], str | None], constants: Mapping[str, ast.expr]
    ) -> None:
        """Read with the origins of names."""
        self._dotted, self._constants = dotted, dict(constants)

    def read_text(self, node: ast.expr) -> Place | None:
        """Return the place that a text names; Python takes no other objects on its path."""
        return self.read(node) if self._is_text(node) else None

    def _is_text(self, node: ast.expr) -> bool:
        seen: set[str] = set()
        while isinstance(node, ast.Name) and node.id in self._constants and node.id not in seen:
            seen.add(node.id)
            node = self._constants[node.id]
        if not isinstance(node, ast.Call):
            return False
        name = self._dotted(node.func) or ""
        method = isinstance(node.func, ast.Attribute) and node.func.attr == "as_posix"
        return name in ("os.fspath", "str") or name.startswith("os.path.") or method

    def read(self, node: ast.expr) -> Place | None:
        """Return the place that an expression names, None for anything that is not plain."""
        match node:
            case ast.Name(id="__file__") if "__file__" not in self._constants:
                return Place(0)
            case ast.Name(id=name):
                value = self._constants.pop(name, None)  # out while it is read: no circles
                place = self.read(value) if value is not None else None
                if value is not None:
                    self._constants[name] = value
                return place
            case ast.Attribute(attr="parent"):
                return _above(self.read(node.value), 1)
            case ast.Subscript(
                value=ast.Attribute(attr="parents", value=base), slice=ast.Constant(value=int(n))
            ) if not isinstance(n, bool) and 0 <= n < _MAX_STEPS:
                return _above(self.read(base), n + 1)
            case ast.BinOp(op=ast.Div(), left=left, right=ast.Constant(value=str(text))):
                place = self.read(left)
                return place and place.below(text)
            case ast.Call(keywords=[]):
                return self._called(node)
        return None

    def _called(self, call: ast.Call) -> Place | None:
        name = self._dotted(call.func)
        if name in _KEEPS and len(call.args) == 1:
            place = self.read(call.args[0])
            settled = name in _SETTLES
            return place._replace(open_dots=False, settled=True) if place and settled else place
        if name == "os.path.dirname" and len(call.args) == 1:
            return _above(self.read(call.args[0]), 1)
        if name == "os.path.join" and call.args:
            return _joined(self.read(call.args[0]), call.args[1:])
        if not isinstance(call.func, ast.Attribute):
            return None
        if call.func.attr in _KEEPING_METHODS and not call.args:
            place = self.read(call.func.value)
            settled = call.func.attr == "resolve"
            return place._replace(open_dots=False, settled=True) if place and settled else place
        if call.func.attr == "joinpath":
            return _joined(self.read(call.func.value), call.args)
        return None


def _above(place: Place | None, steps: int) -> Place | None:
    for _ in range(steps):
        place = place and place.parent()
    return place


def _joined(place: Place | None, parts: list[ast.expr]) -> Place | None:
    for part in parts:
        if place is None or not isinstance(part, ast.Constant) or not isinstance(part.value, str):
            return None
        place = place.below(part.value)
    return place
