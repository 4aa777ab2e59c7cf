"""Markers of the project's own that an old test gets, where a conftest file acts on them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.domain.config import folders_above
from freezegate.policy.domain.finder import joined
from freezegate.policy.mutes.marks import Marks
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.marks import Mark
    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.pairing import Place
    from freezegate.policy.mutes.step import MuteStep

_PREFIX = "pytest.mark."
# What pytest itself gives a meaning, judged elsewhere or without effect on whether a test runs.
_BUILTIN = frozenset(
    {"parametrize", "usefixtures", "filterwarnings", "skip", "skipif", "xfail", "flaky", "?"}
)


def find_custom_marks(step: MuteStep) -> Iterator[Mute]:
    """Yield markers that are new on an old test and that a conftest file above it names."""
    old, new = Marks(step.old, step.old_names), Marks(step.new, step.new_names)
    for pair in step.changed_pairs:
        if pair.old is None or pair.new is None or not is_test_name(pair.new.unit.name):
            continue
        before = custom_marks(old, pair.old)
        for name, mark in custom_marks(new, pair.new).items():
            conftest = _acting(step.new, pair.new.path, name) if name not in before else None
            if conftest:
                yield _mute(pair.new, name, mark, conftest)


def custom_marks(marks: Marks, place: Place) -> dict[str, Mark]:
    """Return the markers on a test that pytest gives no meaning, by name."""
    found: dict[str, Mark] = {}
    for mark in marks.of(place.path, place.unit):
        for origin in mark.origins:
            name = origin.removeprefix(_PREFIX).partition(".")[0]
            if origin.startswith(_PREFIX) and name not in _BUILTIN:
                found.setdefault(name, mark)
    return found


def _acting(side: Side, path: str, name: str) -> str | None:
    """Return the conftest file that names a marker, beyond its mere registration."""
    for folder in folders_above(path.rpartition("/")[0]):
        conftest = joined(folder, "conftest.py")
        module = side.module(conftest)
        if module and name.encode() in module.source and _names(module.tree, name):
            return conftest
    return None


def _names(tree: ast.AST, name: str) -> bool:
    for node in ast.iter_child_nodes(tree):
        call = node.func if isinstance(node, ast.Call) else None
        if isinstance(call, ast.Attribute) and call.attr in ("addinivalue_line", "addoption"):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and name in node.value:
            return True
        if isinstance(node, ast.Attribute | ast.Name) and name in (
            getattr(node, "attr", None),
            getattr(node, "id", None),
        ):
            return True
        if _names(node, name):
            return True
    return False


def _mute(place: Place, name: str, mark: Mark, conftest: str) -> Mute:
    test = place.test_id
    return Mute(
        family=MuteFamily.MARKER,
        detector="custom_mark",
        certainty=Certainty.DOUBTFUL,
        path=place.path,
        line=mark.node.lineno,
        was=f"{test} without the marker {name}",
        now=f"{shown(mark.node)}, on which {conftest} acts",
        remedy="Leave the marker away, or let a person confirm that the test still runs.",
        test=test,
        freezable=True,
        after=shown(mark.node),
    )
