"""Checking helpers and methods in whose place others stand that check nothing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.reading import read_checks
from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from freezegate.policy.mutes.names import Names, Origins
    from freezegate.policy.mutes.step import FilePair, MuteStep

_DETECTOR = "replaced_helper"
_REMEDY = "Let the name stand for what checked before, or check as much in its place."
_CHECKING = ("assert", "fail")
_LIBRARY = ("pytest.raises", "pytest.warns", "pytest.approx", "pytest.fail")


def find_replaced(step: MuteStep) -> Iterator[Mute]:
    """Yield names that other tests use to check, and that mean something else now."""
    for pair in step.test_files:
        if pair.old is not None and pair.new is not None:
            yield from _names(step, pair)
            yield from _methods(step, pair)
            yield from _assigned(step, pair)


def _names(step: MuteStep, pair: FilePair) -> Iterator[Mute]:
    assert pair.old is not None  # noqa: S101 - asked by the caller
    assert pair.new is not None  # noqa: S101 - asked by the caller
    for name in pair.old.bindings.keys() & pair.new.bindings.keys():
        read = ast.Name(name, ast.Load())
        before = step.old_names.names(pair.path, read)
        after = step.new_names.names(pair.path, read)
        if before == after or not _checks(step.old_names, before):
            continue
        own = [each for each in after if step.new_names.unit(each)]
        if own and not _checks(step.new_names, after):
            node = pair.new.bindings[name][-1].node
            yield _mute(pair, name, node, f"{name} was {', '.join(sorted(before))}")


def _checks(names: Names, origins: Origins) -> bool:
    for origin in origins:
        last = origin.rpartition(".")[2]
        if "::" not in origin and (origin in _LIBRARY or last.startswith(_CHECKING)):
            return True
        found = names.unit(origin)
        if found and any(not each.dead for each in read_checks(names, *found)):
            return True
    return False


def _methods(step: MuteStep, pair: FilePair) -> Iterator[Mute]:
    """`def assertEqual(self, *rest): pass` hides the one of unittest."""
    assert pair.old is not None  # noqa: S101 - asked by the caller
    assert pair.new is not None  # noqa: S101 - asked by the caller
    for name, unit in pair.new.units.items():
        if name in pair.old.units or not unit.classes:
            continue
        if not unit.node.name.startswith(_CHECKING) or unit.node.name.islower():
            continue
        calls = any(isinstance(n, ast.Call) for each in unit.node.body for n in ast.walk(each))
        if not calls and not read_checks(step.new_names, pair.path, unit):
            yield _mute(pair, name, unit.node, f"{unit.node.name} of its base class")


def _assigned(step: MuteStep, pair: FilePair) -> Iterator[Mute]:
    """`Case.assertEqual = ...`, in a class or by `setattr`, and what unittest compares by."""
    before = {ast.dump(node) for node in _replacing(step.differing(pair.old))}
    for node in _replacing(step.differing(pair.new)):
        if ast.dump(node) not in before:
            yield _mute(pair, shown(node, 40), node, "the method of unittest")


def _replacing(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=name)]) if _is_method(name):
                yield node
            case ast.Call(func=ast.Name(id="setattr"), args=[_, word, _]) if _is_method(fold(word)):
                yield node
            case ast.Call(func=ast.Attribute(attr="addTypeEqualityFunc")):
                yield node
            case (
                ast.Attribute(attr="_type_equality_funcs")
                | ast.Constant(value="_type_equality_funcs")
            ):
                yield node
            case ast.ClassDef():
                for each in node.body:
                    targets = each.targets if isinstance(each, ast.Assign) else []
                    if any(isinstance(t, ast.Name) and _is_method(t.id) for t in targets):
                        yield each
            case _:
                pass


def _is_method(name: object) -> bool:
    return isinstance(name, str) and name.startswith(_CHECKING) and not name.islower()


def _mute(pair: FilePair, name: str, node: ast.AST, was: str) -> Mute:
    return Mute(
        family=MuteFamily.ASSERTION,
        detector=_DETECTOR,
        certainty=Certainty.CLEAR,
        path=pair.path,
        line=getattr(node, "lineno", None),
        was=was,
        now=f"{name} checks nothing: {shown(node)}",
        remedy=_REMEDY,
        test=pair.path,
        after=shown(node, 200),
    )
