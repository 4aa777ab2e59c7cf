"""Replacements that outlast what made them: every test that runs later meets them too."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.modules import Function
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.mutes.patch_targets import replaced_by
from freezegate.policy.mutes.patched_subject import Patch, is_ours, patch_told
from freezegate.policy.mutes.step import is_test_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from freezegate.policy.mutes.modules import Module, Unit
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.step import FilePair, MuteStep

_STORING = frozenset({"update", "setdefault", "__setitem__", "__setattr__", "__delattr__"})
_SETTERS = frozenset({"setattr", "delattr"})
_UNDOING = frozenset({"addCleanup", "addClassCleanup", "addfinalizer", "callback", "push"})
_KEPT = (ast.Name, ast.Attribute)  # what was there, under the name that kept it
_BLOCKS = (ast.Try, ast.TryStar)


def find_leaks(step: MuteStep) -> Iterator[Mute]:
    """Yield new replacements of tested code, or of tests, that nothing takes back."""
    old = {id(pair.new.unit.node) for pair in step.pairs if pair.new and pair.old}
    for pair in step.test_files:
        fresh = [node for node in step.differing(pair.new) if _lasts(node)]
        if fresh and pair.new is not None:
            yield from _of_module(step, pair, pair.new, fresh, old)


def _lasts(node: ast.AST) -> bool:
    """Whether it stores something in an object or a table, for as long as that lives."""
    match node:
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _SETTERS
        case ast.Call(func=ast.Attribute(attr="start", value=ast.Call())):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _STORING
        case _:
            return False


def _of_module(
    step: MuteStep, pair: FilePair, module: Module, fresh: list[ast.AST], old: set[int]
) -> Iterator[Mute]:
    inside = {id(n): u for u in module.units.values() for n in ast.walk(u.node)}
    before = {ast.dump(n) for n in step.differing(pair.old) if _lasts(n)} if pair.old else set()
    for node in fresh:
        unit = inside.get(id(node))
        if (unit and id(unit.node) in old) or ast.dump(node) in before:
            continue  # told by patched_subject.py, or there already
        patch = Patch(node, _targets(step, pair.path, node, unit), unit)
        certainty = _certainty(step, pair, patch)
        if certainty is not None and not _is_undone(module, patch):
            about = f"{pair.path}::{unit.name}" if unit else pair.path
            found = patch_told(pair.path, about, patch)
            was = f"every test called {', '.join(sorted(patch.targets))[:80]} itself"
            yield found._replace(certainty=certainty, was=was)


def _targets(step: MuteStep, path: str, node: ast.AST, unit: Unit | None) -> frozenset[str]:
    match node:
        case ast.Assign(targets=[ast.Attribute(value=holder)]) if not _is_shared(
            step, path, holder, unit
        ):
            return frozenset()
        case ast.Call(func=ast.Name() | ast.Attribute(attr="__setattr__"), args=[holder, *_]) if (
            not _is_shared(step, path, holder, unit)
        ):
            return frozenset()
        case ast.Call(func=ast.Attribute(attr="start", value=ast.Call() as made)):
            return replaced_by(step.new_names, path, made, unit)
        case _:
            return replaced_by(step.new_names, path, node, unit)


def _is_shared(step: MuteStep, path: str, holder: ast.expr, unit: Unit | None) -> bool:
    """Whether it is a class or a module, and no object that was made for one test."""
    origins = step.new_names.origins(path, holder, unit)
    match holder:
        case ast.Call(func=ast.Name(id="type")) | ast.Attribute(attr="__class__"):
            return True
    return any("(" not in o and not o.startswith("param:") for o in origins)


def _certainty(step: MuteStep, pair: FilePair, patch: Patch) -> Certainty | None:
    """Tests are replaced by nobody; tested code may be, if a person agrees."""
    if any(_is_test(step, pair.path, target) for target in patch.targets):
        return Certainty.CLEAR
    return Certainty.DOUBTFUL if is_ours(step, patch) else None


def _is_test(step: MuteStep, path: str, target: str) -> bool:
    file, separator, name = target.partition("::")
    return bool(separator) and file != path and step.is_test_code(file) and is_test_name(name)


def _is_undone(module: Module, patch: Patch) -> bool:
    """Whether the same thing is set again at the end, or a clean-up is asked for."""
    scope = patch.unit.node if patch.unit else module.tree
    if any(isinstance(n, ast.Attribute) and n.attr in _UNDOING for n in ast.walk(scope)):
        return True
    ends = [n for part in _ends(scope) for n in ast.walk(part)]
    if patch.unit:
        ends += [n for end in _teardowns(module, patch.unit) for n in ast.walk(end)]
    if any(isinstance(n, ast.Attribute) and n.attr in ("stop", "stopall") for n in ends):
        return True
    what = _stored(patch.node)[0]
    back = [_stored(n)[1] for n in ends if what and _stored(n)[0] == what]
    return any(isinstance(value, _KEPT) for value in back)


def _stored(node: ast.AST) -> tuple[str, ast.expr | None]:
    """Where something is stored, and what."""
    match node:
        case ast.Assign(targets=[target], value=value):
            return ast.dump(target), value
        case ast.Call(func=ast.Name(id="setattr"), args=[holder, name, value]):
            return ast.dump(holder) + ast.dump(name), value
        case _:
            return "", None


def _ends(scope: ast.AST) -> Iterator[ast.stmt]:
    """What is done in any case: `finally`, and what stands behind the `yield` of a fixture."""
    for node in ast.walk(scope):
        if isinstance(node, _BLOCKS):
            yield from node.finalbody
    if isinstance(scope, Function):
        yields = [place for place, part in enumerate(scope.body) if _has_yield(part)]
        yield from scope.body[yields[0] + 1 :] if yields else ()


def _has_yield(part: ast.AST) -> bool:
    return any(isinstance(each, ast.Yield) for each in ast.walk(part))


def _teardowns(module: Module, unit: Unit) -> Iterable[Function]:
    return [
        each.node
        for each in module.units.values()
        if each.classes == unit.classes and "teardown" in each.node.name.lower().replace("_", "")
    ]
