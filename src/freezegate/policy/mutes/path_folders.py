"""Which folder of the repository an expression for a path comes to, seen from its own module."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.domain.config import normal_folder
from freezegate.policy.mutes.constants import fold

if TYPE_CHECKING:
    from freezegate.policy.mutes.modules import Unit
    from freezegate.policy.mutes.names import Names

_SAME = frozenset(
    {"Path", "PurePath", "PosixPath", "str", "fspath", "abspath", "realpath", "normpath"}
    | {"resolve", "absolute", "as_posix", "expanduser", "fsdecode", "local", "strpath"}
)
_TOP = frozenset({"rootpath", "rootdir", "invocation_dir", "startpath", "getcwd", "cwd"})
_MAX_DEPTH = 40


class PathFolders:
    """Paths as one function or module writes them."""

    def __init__(self, names: Names, path: str, unit: Unit | None) -> None:
        """Read names as they are at that place; texts are seen from the repository's top."""
        self._names, self._path, self._unit = names, path, unit

    def of(self, node: ast.expr) -> str | None:
        """Return the folder from the top, None for one elsewhere or that cannot be told."""
        found = self._of(node, 0)
        return None if found is None else normal_folder(found)

    def _of(self, node: ast.expr, depth: int) -> str | None:
        if depth > _MAX_DEPTH:
            return None
        match node:
            case ast.Name(id="__file__"):
                return self._path
            case ast.Name(id=name):
                value = self._look(name)
                return self._of(value, depth + 1) if value is not None else None
            case ast.Attribute() | ast.Subscript(value=ast.Attribute(attr="parents")):
                return self._of_attribute(node, depth + 1)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self._joined([left, right], depth + 1)
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                return self._added([left, right], depth + 1)
            case ast.Call():
                return self._of_call(node, depth + 1)
            case ast.JoinedStr(values=values):
                return self._added(values, depth + 1)
            case ast.FormattedValue(value=inner):
                return self._of(inner, depth + 1)
            case _:
                text = fold(node, self._look)
                return text if isinstance(text, str) and not text.startswith("/") else None

    def _look(self, name: str) -> ast.expr | None:
        return self._names.constant(self._path, name, self._unit)

    def _of_attribute(self, node: ast.Attribute | ast.Subscript, depth: int) -> str | None:
        match node:
            case ast.Attribute(attr="parent", value=inner):
                return _above(self._of(inner, depth), 1)
            case ast.Subscript(value=ast.Attribute(value=inner), slice=index):
                number = fold(index)
                known = isinstance(number, int) and number >= 0
                return _above(self._of(inner, depth), number + 1) if known else None
            case ast.Attribute(attr=word) if word in _TOP:
                return ""
            case ast.Attribute(attr=word, value=inner) if word in _SAME:
                return self._of(inner, depth)
            case _:
                return None

    def _of_call(self, node: ast.Call, depth: int) -> str | None:
        name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
        holder = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name == "dirname" and node.args:
            return _above(self._of(node.args[0], depth), 1)
        if name in ("join", "joinpath"):
            own = [holder] if name == "joinpath" and holder is not None else []
            return self._joined([*own, *node.args], depth)
        if name in _TOP:
            return ""
        if name in _SAME and node.args:
            return self._joined(node.args, depth)
        return self._of(holder, depth) if name in _SAME and holder is not None else None

    def _joined(self, parts: list[ast.expr], depth: int) -> str | None:
        found = [self._of(each, depth) for each in parts]
        known = [each for each in found if each is not None]
        return "/".join(filter(None, known)) if len(known) == len(parts) else None

    def _added(self, parts: list[ast.expr], depth: int) -> str | None:
        """Texts one behind the other, the slashes between them included."""
        found = [self._written(each, depth) for each in parts]
        known = [each for each in found if each is not None]
        return "".join(known) if len(known) == len(parts) else None

    def _written(self, node: ast.expr, depth: int) -> str | None:
        text = fold(node, self._look)
        return text if isinstance(text, str) else self._of(node, depth)


def _above(path: str | None, steps: int) -> str | None:
    normal = None if path is None else normal_folder(path)
    if normal is None:
        return None
    parts = normal.split("/") if normal else []
    return "/".join(parts[:-steps]) if len(parts) >= steps else None
