"""Packages whose modules come from other folders, by their `__path__`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.guarded import guarded
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "import_root"
_REMEDY = "Let the tests import the code that is shipped: leave the package's `__path__` alone."
_CHANGES = frozenset(
    {"insert", "append", "extend", "remove", "clear", "pop", "reverse", "sort", "__setitem__"}
)


def find_package_paths(step: MuteStep) -> Iterator[Mute]:
    """Yield changes of `PACKAGE.__path__` that are new."""
    for pair in (*step.test_files, *step.subject_files):
        if pair.new is None or b"__path__" not in pair.new.source:
            continue
        before = {ast.dump(each) for each in ast.walk(pair.old.tree)} if pair.old else set[str]()
        for statement in guarded(pair.new.tree.body):
            if (
                any(_extends(p) for p in statement.parts())
                and ast.dump(statement.node) not in before
            ):
                yield _package_told(step, pair.path, statement.node)


def _extends(part: ast.AST) -> bool:
    """A change of `x.__path__` itself, and of what it holds."""
    match part:
        case ast.Attribute(attr="__path__", ctx=ast.Store() | ast.Del()):
            return True
        case ast.Subscript(value=ast.Attribute(attr="__path__"), ctx=ast.Store() | ast.Del()):
            return True
        case ast.Call(func=ast.Attribute(value=holder, attr=name)) if name in _CHANGES:
            return "__path__" in (getattr(holder, "attr", None), getattr(holder, "id", None))
        case ast.Call(args=[_, ast.Constant(value="__path__"), _]):
            return True
        case _:
            return False


def _package_told(step: MuteStep, path: str, statement: ast.stmt) -> Mute:
    clear = step.is_test_code(path)
    return Mute(
        family=MuteFamily.HARNESS if clear else MuteFamily.SUBJECT,
        detector=_DETECTOR,
        certainty=Certainty.CLEAR if clear else Certainty.DOUBTFUL,
        path=path,
        line=statement.lineno,
        was="modules of a package come from its own folder",
        now=shown(statement),
        remedy=_REMEDY,
        after=shown(statement),
    )
