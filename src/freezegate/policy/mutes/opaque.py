"""Test code that cannot be read: damaged, too large, or computed where names must be plain."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.names import TOO_FAR
from freezegate.policy.mutes.step import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.step import FilePair, MuteStep

_DETECTOR = "opaque"
_RUNS_TEXT = frozenset({"builtins.exec", "builtins.eval", "builtins.compile"})
_WRITERS = frozenset({"pop", "popitem", "clear", "update", "setdefault"}) | frozenset(
    {"__setitem__", "__delitem__", "__ior__"}
)
_OWN_NAMES = frozenset({"builtins.globals", "builtins.vars", "builtins.locals"})
_SILENCING = frozenset(
    {"skip", "skipif", "skipIf", "skipUnless", "skipTest", "xfail", "importorskip", "exit"}
    | {"expectedFailure", "suppress", "mark", "fixture", "SkipTest"}
)
_PLAIN = "Write the test plainly: names, decorators and calls that can be read where they stand."


def find_opaque(step: MuteStep) -> Iterator[Mute]:
    """Yield changed test modules that do not parse, and new code that is computed from texts."""
    for pair in step.test_files:
        if pair.new is None:
            continue
        if pair.new.fault:
            yield _unreadable(pair, pair.new.fault)
        elif not (pair.old and pair.old.fault):
            yield from _computed(step, pair)


def _unreadable(pair: FilePair, fault: str) -> Mute:
    before = pair.old.fault if pair.old else None
    return Mute(
        family=MuteFamily.COLLECTION,
        detector=_DETECTOR,
        certainty=Certainty.DOUBTFUL if before else Certainty.CLEAR,
        path=pair.path,
        line=None,
        was=before or ("a module that could be read" if pair.old else "no such module"),
        now=fault,
        remedy=f"python -m py_compile {pair.path}",
        test=pair.path,
        opaque=True,
    )


def _computed(step: MuteStep, pair: FilePair) -> Iterator[Mute]:
    old, new = step.differing(pair.old), step.differing(pair.new)
    before = [shown(node) for node in _computations(step.old_names, pair.path, old)]
    for node in _computations(step.new_names, pair.path, new):
        if shown(node) in before:
            before.remove(shown(node))
        else:
            yield _mute(pair, node, "nothing computed from texts there", shown(node))
    for node in _unfollowed(step.new_names, pair.path, new):
        now = f"{shown(node)}, made of more names than are followed"
        yield _mute(pair, node, "names that could be followed", now)


def _mute(pair: FilePair, node: ast.expr, was: str, now: str) -> Mute:
    return Mute(
        family=MuteFamily.COLLECTION,
        detector=_DETECTOR,
        certainty=Certainty.CLEAR,
        path=pair.path,
        line=node.lineno,
        was=was,
        now=now,
        remedy=_PLAIN,
        test=pair.path,
        opaque=True,
        after=shown(node),
    )


def _unfollowed(names: Names, path: str, nodes: Sequence[ast.AST]) -> Iterator[ast.expr]:
    """What marks, calls or catches by a name that leads further than names are followed."""
    for node in nodes:
        for each in _deciding(node):
            plain = each.func if isinstance(each, ast.Call) else each
            if any(_is_too_far(origin) for origin in names.names(path, plain)):
                yield each


def _deciding(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions by which a statement may skip or swallow."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield from node.decorator_list
            yield from (each.value for each in getattr(node, "keywords", ()))
        case ast.Assign(targets=[ast.Name(id="pytestmark")]):
            value = node.value
            yield from value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
        case ast.keyword(arg="marks"):
            yield node.value
        case ast.ExceptHandler(type=ast.expr() as kind):
            yield kind
        case ast.Call():
            yield node
        case _:
            pass


def _is_too_far(origin: str) -> bool:
    """Whether it is such a name itself, or what skips as an attribute of it."""
    word = origin.rpartition(".")[2]
    return origin == TOO_FAR or (origin.startswith(TOO_FAR) and word in _SILENCING)


def _computations(names: Names, path: str, nodes: Sequence[ast.AST]) -> Iterator[ast.expr]:
    """Calls that run a text or write into a module's names, and attributes with computed names."""
    for node in nodes:
        if isinstance(node, ast.Call):
            origins = names.names(path, node.func)
            unknown = _is_unknown_marker(names, path, node)
            if origins & _RUNS_TEXT or unknown or _writes_own_names(names, path, node):
                yield node
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Store | ast.Del)
            and isinstance(node.value, ast.Call)
            and names.names(path, node.value.func) & _OWN_NAMES
        ):
            yield node


def _writes_own_names(names: Names, path: str, node: ast.Call) -> bool:
    """`globals().pop(WORD)` and the like, whatever the words are."""
    match node.func:
        case ast.Attribute(value=ast.Call(func=holder), attr=method) if method in _WRITERS:
            return bool(names.names(path, holder) & _OWN_NAMES)
        case _:
            return False


def _is_unknown_marker(names: Names, path: str, node: ast.Call) -> bool:
    """`getattr(pytest.mark, WORD)` with a word that is only known when it runs."""
    return any(
        origin.startswith(("pytest.", "unittest.")) and "?" in origin
        for origin in names.names(path, node)
    )
