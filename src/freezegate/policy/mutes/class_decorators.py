"""Class decorators of the repository's own that take tests out of a class, or give another one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.modules import Function
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module
    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.step import FilePair, MuteStep

_REMEDY = "Leave the class as it is written; a test that cannot pass may be frozen alone."


class Effect(NamedTuple):
    """What a decorator does to the class that it gets."""

    node: ast.AST
    certainty: Certainty


def find_class_decorators(step: MuteStep) -> Iterator[Mute]:
    """Yield what decorators do to classes with tests now, and did not before."""
    for pair in step.test_files:
        for name, klass in pair.new.classes.items() if pair.old and pair.new else ():
            if pair.old and name in pair.old.classes and _holds_tests(pair.old, name):
                old = _effects(step.old_names, pair.path, pair.old.classes[name])
                before = {unparsed(each.node) for each in old}
                for effect in _effects(step.new_names, pair.path, klass):
                    if unparsed(effect.node) not in before:
                        yield _mute(pair, name, klass, effect)


def _holds_tests(module: Module, name: str) -> bool:
    return any(
        each.startswith(f"{name}.") and is_test_name(each.rpartition(".")[2])
        for each in module.units
    )


def _effects(names: Names, path: str, klass: ast.ClassDef) -> Iterator[Effect]:
    for decorator in klass.decorator_list:
        for origin in sorted(names.names(path, decorator)):
            found = names.unit(origin)
            if found:
                yield from _done_by(found[1].node)


def _done_by(function: Function) -> Iterator[Effect]:
    """What a decorator, or a function that makes one, does to what it gets."""
    inner = [n for n in ast.walk(function) if isinstance(n, Function | ast.Lambda)]
    given = {a.arg for n in inner for a in (*n.args.posonlyargs, *n.args.args)}
    made = {n.name for n in inner if isinstance(n, Function)}
    for node in ast.walk(function):
        certainty = _done(node, given, made)
        if certainty is not None:
            yield Effect(node, certainty)


def _done(node: ast.AST, given: set[str], made: set[str]) -> Certainty | None:
    match node:
        case ast.Attribute(value=ast.Name(id=name), ctx=ast.Del()) if name in given:
            return Certainty.CLEAR
        case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()) if name in given:
            return _written(node.attr)
        case ast.Call(func=ast.Name(id="delattr"), args=[ast.Name(id=name), *_]) if name in given:
            return Certainty.CLEAR
        case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=name), word, *_]) if (
            name in given
        ):
            text = fold(word)
            return _written(text) if isinstance(text, str) else Certainty.DOUBTFUL
        case ast.Return(value=ast.expr() as value):
            return None if _names(value) & (given | made) else Certainty.CLEAR
        case _:
            return None


def _written(name: str) -> Certainty | None:
    return Certainty.CLEAR if name == "__test__" or name.startswith("test") else None


def _names(node: ast.expr) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _mute(pair: FilePair, name: str, klass: ast.ClassDef, effect: Effect) -> Mute:
    return Mute(
        family=MuteFamily.COLLECTION,
        detector="class_decorator",
        certainty=effect.certainty,
        path=pair.path,
        line=klass.lineno,
        was=f"class {name} with the tests that are written in it",
        now=f"a decorator of {name}: {shown(effect.node)}",
        remedy=_REMEDY,
        test=f"{pair.path}::{'::'.join(name.split('.'))}",
        after=shown(effect.node),
    )
