"""The rows with which a test runs, one text each, as far as they are written down."""

from __future__ import annotations

import ast
import itertools
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.constants import UNKNOWN, fold, truth
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.users import mutations

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.names import Names

    Look = Callable[[str], ast.expr | None]

MAX_ROWS = 10_000
_MAX_DEPTH = 15
_SAME = frozenset({"list", "tuple", "sorted", "reversed", "set", "frozenset", "iter", "dict"})


class Table(NamedTuple):
    """One parametrization: `rows` is None where they are only known when they are computed."""

    node: ast.expr
    call: ast.Call
    values: ast.expr
    rows: tuple[str, ...] | None


class Rows:
    """Tables of one side."""

    def __init__(self, side: Side, names: Names) -> None:
        """Follow names of values through the modules of a side."""
        self._side, self._names = side, names

    def of_decorators(self, path: str, nodes: Sequence[ast.expr]) -> list[Table]:
        """Return the tables that some decorators or markers give."""
        found: list[Table] = []
        for node in nodes:
            where, written = self._names.written(path, node)
            if isinstance(written, ast.Call):
                values = self._values(where, written)
                if values is not None:
                    found.append(Table(node, written, values, self.rows(where, values)))
        return found

    def _values(self, path: str, call: ast.Call) -> ast.expr | None:
        """The expression that gives the rows, None for what is no table."""
        origins = self._names.names(path, call.func)
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        if any(o.endswith((".mark.parametrize", "pytest_cases.parametrize")) for o in origins):
            return call.args[1] if len(call.args) > 1 else given.get("argvalues")
        if "pytest.fixture" in origins:
            return given.get("params")
        if any(o.endswith("parameterized.expand") for o in origins):
            return call.args[0] if call.args else given.get("input")
        if "ddt.data" in origins:
            return ast.Tuple(call.args, ast.Load())
        return None

    def rows(self, path: str, node: ast.expr) -> tuple[str, ...] | None:
        """Return the texts of the rows that an expression gives."""
        try:
            found = self._rows(path, node, 0)
        except (TypeError, ValueError, RecursionError):
            return None
        return None if found is None or len(found) > MAX_ROWS else tuple(found)

    def _rows(self, path: str, node: ast.expr, depth: int) -> list[str] | None:
        if depth > _MAX_DEPTH:
            return None
        match node:
            case ast.List() | ast.Tuple() | ast.Set():
                return self._of_parts(path, node.elts, depth)
            case ast.Dict():
                return [row_text(key) for key in node.keys if key] if all(node.keys) else None
            case ast.Name() | ast.Attribute():
                where, value = self._names.written(path, node)
                known = value is not node and not self._changes(path, node)
                return self._rows(where, value, depth + 1) if known else None
            case ast.BinOp():
                return self._joined(path, node, depth)
            case ast.Subscript(slice=ast.Slice()):
                return self._cut(path, node, depth)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                return self._comprehended(path, node, depth)
            case ast.IfExp():
                chosen = truth(node.test, lambda name: self._names.constant(path, name))
                part = node.body if chosen else node.orelse
                return None if chosen is None else self._rows(path, part, depth + 1)
            case ast.Call():
                return self._called(path, node, depth)
            case _:
                return None

    def _changes(self, path: str, node: ast.Name | ast.Attribute) -> bool:
        """Whether a module changes the value in place."""
        name = node.id if isinstance(node, ast.Name) else node.attr
        holders = {path, self._names.written(path, node)[0]}
        modules = [self._side.module(each) for each in holders]
        return any(name == changed for m in modules if m for changed, _ in mutations(m))

    def _of_parts(self, path: str, parts: Sequence[ast.expr], depth: int) -> list[str] | None:
        found: list[str] = []
        for part in parts:
            if isinstance(part, ast.Starred):
                inner = self._rows(path, part.value, depth + 1)
                if inner is None:
                    return None
                found += inner
            else:
                found.append(row_text(part))
        return found

    def _joined(self, path: str, node: ast.BinOp, depth: int) -> list[str] | None:
        left = self._rows(path, node.left, depth + 1)
        if isinstance(node.op, ast.Mult):
            times = fold(node.right)
            small = isinstance(times, int) and 0 <= times < MAX_ROWS
            return left * times if left is not None and small else None
        right = self._rows(path, node.right, depth + 1)
        known = left is not None and right is not None
        return [*(left or ()), *(right or ())] if known and isinstance(node.op, ast.Add) else None

    def _cut(self, path: str, node: ast.Subscript, depth: int) -> list[str] | None:
        inner = self._rows(path, node.value, depth + 1)
        assert isinstance(node.slice, ast.Slice)  # noqa: S101 - asked by the caller
        ends = (node.slice.lower, node.slice.upper, node.slice.step)
        worth = [fold(each, self._look(path)) if each else None for each in ends]
        return None if inner is None or UNKNOWN in worth else inner[slice(*worth)]

    def _comprehended(
        self, path: str, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, depth: int
    ) -> list[str] | None:
        sources: list[list[str]] = []
        for each in node.generators:
            decided = [truth(test, self._look(path)) for test in each.ifs]
            inner = self._rows(path, each.iter, depth + 1)
            if False in decided:
                return []
            if inner is None or None in decided:
                return None
            sources.append(inner)
        every = itertools.islice(itertools.product(*sources), MAX_ROWS + 1)
        return [f"{ast.dump(node.elt)} {' '.join(row)}" for row in every]

    def _called(self, path: str, node: ast.Call, depth: int) -> list[str] | None:
        origins = self._names.names(path, node.func)
        names = {each.rpartition(".")[2] for each in origins}
        every = [self._rows(path, each, depth + 1) for each in node.args]
        known = [each for each in every if each is not None]
        if names == {"range"}:
            ends = [fold(each, self._look(path)) for each in node.args]
            whole = range(*ends) if UNKNOWN not in ends else None
            return [str(each) for each in whole] if whole and len(whole) <= MAX_ROWS else None
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("items", "keys", "values"):
            return self._rows(path, node.func.value, depth + 1)
        if names & _SAME and len(every) == 1:
            return every[0]
        if names == {"enumerate"} and every:
            return every[0]
        if names == {"map"} and len(every) > 1:
            return every[1]
        if names == {"zip"} and len(known) == len(every):
            return [" ".join(row) for row in zip(*known, strict=False)]
        if names in ({"product"}, {"chain"}) and len(known) == len(every) and not node.keywords:
            if names == {"chain"}:
                return [row for each in known for row in each]
            product = itertools.islice(itertools.product(*known), MAX_ROWS + 1)
            return [" ".join(row) for row in product]
        value = fold(node, self._look(path))
        if isinstance(value, list | tuple):
            return [row_text(ast.Constant(each)) for each in value]
        return None

    def _look(self, path: str) -> Look:
        return lambda name: self._names.constant(path, name)


def row_text(row: ast.expr) -> str:
    """A row by its values, the same whether or not it is written with `pytest.param`."""
    parts: Sequence[ast.expr] = [row]
    if isinstance(row, ast.Call) and unparsed(row.func).rpartition(".")[2] == "param":
        parts = row.args
    elif isinstance(row, ast.Tuple | ast.List):
        parts = row.elts
    return ", ".join(ast.dump(each) for each in parts)
