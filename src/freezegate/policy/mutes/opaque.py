"""Test code that cannot be read: damaged, too large, or computed where names must be plain."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.step import FilePair, MuteStep

_DETECTOR = "opaque"
_RUNS_TEXT = frozenset({"builtins.exec", "builtins.eval", "builtins.compile"})
_OWN_NAMES = frozenset({"builtins.globals", "builtins.vars", "builtins.locals"})
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
            continue
        yield Mute(
            family=MuteFamily.COLLECTION,
            detector=_DETECTOR,
            certainty=Certainty.CLEAR,
            path=pair.path,
            line=node.lineno,
            was="nothing computed from texts there",
            now=shown(node),
            remedy=_PLAIN,
            test=pair.path,
            opaque=True,
            after=shown(node),
        )


def _computations(names: Names, path: str, nodes: Sequence[ast.AST]) -> Iterator[ast.expr]:
    """Calls that run a text or write into a module's names, and attributes with computed names."""
    for node in nodes:
        if isinstance(node, ast.Call):
            origins = names.names(path, node.func)
            if origins & _RUNS_TEXT or _is_unknown_marker(names, path, node):
                yield node
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Store | ast.Del)
            and isinstance(node.value, ast.Call)
            and names.names(path, node.value.func) & _OWN_NAMES
        ):
            yield node


def _is_unknown_marker(names: Names, path: str, node: ast.Call) -> bool:
    """`getattr(pytest.mark, WORD)` with a word that is only known when it runs."""
    return any(
        origin.startswith(("pytest.", "unittest.")) and "?" in origin
        for origin in names.names(path, node)
    )
