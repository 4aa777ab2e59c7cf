"""Tests that were there, and that ask for another module, or a later version, before they run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.modules import Function
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from freezegate.policy.mutes.modules import Module, Unit
    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "marker"
_NEEDED = "pytest.importorskip"
_REMEDY = "Ask for the module that the test imports, in the version that it needs."


def find_needed_modules(step: MuteStep) -> Iterator[Mute]:
    """Yield calls of `importorskip` in whose place another one stood."""
    for pair in step.changed_pairs:
        if pair.old and pair.new:
            old, new = pair.old, pair.new
            before = _needs(step.old_names, old.path, ast.walk(old.unit.node), old.unit)
            after = _needs(step.new_names, new.path, ast.walk(new.unit.node), new.unit)
            yield from _compared(new.path, new.test_id, before, after)
    for path, was, now in step.test_files:
        if was and now:
            before = _needs(step.old_names, path, _outside(was))
            yield from _compared(path, path, before, _needs(step.new_names, path, _outside(now)))


def _outside(module: Module) -> Iterator[ast.AST]:
    for statement in module.tree.body:
        if not isinstance(statement, Function | ast.ClassDef):
            yield from ast.walk(statement)


def _needs(
    names: Names, path: str, nodes: Iterable[ast.AST], unit: Unit | None = None
) -> dict[str, ast.Call]:
    calls = (node for node in nodes if isinstance(node, ast.Call))
    return {ast.dump(c): c for c in calls if _NEEDED in names.names(path, c.func, unit)}


def _compared(
    path: str, test: str, before: dict[str, ast.Call], after: dict[str, ast.Call]
) -> Iterator[Mute]:
    """What is new beside all that was there is told as any new skip is."""
    gone = [call for key, call in before.items() if key not in after]
    fresh = [call for key, call in after.items() if key not in before]
    for old, new in zip(gone, fresh, strict=False):
        if not _asks_less(old, new):
            yield Mute(
                family=MuteFamily.MARKER,
                detector=_DETECTOR,
                certainty=Certainty.DOUBTFUL,
                path=path,
                line=new.lineno,
                was=shown(old),
                now=shown(new),
                remedy=_REMEDY,
                test=test,
                before=shown(old),
                after=shown(new),
            )


def _asks_less(old: ast.Call, new: ast.Call) -> bool:
    """Whether it is the same module, and no version any more or another reason."""
    kept = {ast.dump(each) for each in (*old.args, *old.keywords)}
    asked = [*new.args, *(each for each in new.keywords if each.arg != "reason")]
    return all(ast.dump(each) in kept for each in asked)
