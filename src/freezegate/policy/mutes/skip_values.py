"""Conditions for skipping that stand as they stood, and ask for a value that is another one now."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.constants import fold, truth
from freezegate.policy.mutes.modules import Function
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.skip_users import find_skip_users
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module, Side
    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "marker"
_REMEDY = "Leave the value as it was; a test that fails is mended, not switched off."
_MARKERS = frozenset({"pytest.mark.skipif", "unittest.skipIf", "pytest.mark.xfail"})
_UNLESS = "unittest.skipUnless"
_CALLS = frozenset({"skip", "skipTest", "SkipTest", "xfail", "Exception", "importorskip"})
_NEEDED = "pytest.importorskip"
_MAX_FOLLOWED = 200  # names behind one condition


class _Condition(NamedTuple):
    """A condition, and whether tests are skipped where it holds or where it does not."""

    test: ast.expr
    skips: bool


def find_skip_values(step: MuteStep) -> Iterator[Mute]:
    """Yield conditions of tests that were there whose values changed elsewhere, or above them."""
    for path in find_skip_users(step):
        old, new = step.old.module(path), step.new.module(path)
        if old is not None and new is not None:
            yield from _of_module(step, path, old, new)


def _of_module(step: MuteStep, path: str, old: Module, new: Module) -> Iterator[Mute]:
    before = {ast.dump(each.test): each for each in _conditions(step.old_names, path, old)}
    told = set[str]()
    for each in _conditions(step.new_names, path, new):
        key = ast.dump(each.test)
        was = before.get(key)
        if was is None or key in told:
            continue
        sides = (step.old, step.old_names, was), (step.new, step.new_names, each)
        meant = [_Meaning(side, names).of(path, found.test) for side, names, found in sides]
        if meant[0] != meant[1] and not _never(step.new_names, path, each):
            told.add(key)
            yield _mute(path, each.test, sorted(meant[0] - meant[1]), sorted(meant[1] - meant[0]))


def _conditions(names: Names, path: str, module: Module) -> Iterator[_Condition]:
    for node in ast.walk(module.tree):
        match node:
            case ast.Call():
                yield from _of_call(names, path, node)
            case ast.If(test=test, body=body, orelse=orelse):
                if any(map(_silences, body)) or any(map(_defines, orelse)):
                    yield _Condition(test, skips=True)
                if any(map(_silences, orelse)) or any(map(_defines, body)):
                    yield _Condition(test, skips=False)
            case _:
                pass


def _of_call(names: Names, path: str, call: ast.Call) -> Iterator[_Condition]:
    called = names.names(path, call.func)
    named = [each.value for each in call.keywords if each.arg == "condition"]
    if called & _MARKERS or _UNLESS in called:
        for test in (*call.args, *named):
            yield _Condition(_evaluated(test), skips=_UNLESS not in called)
    elif _NEEDED in called:
        yield from (_Condition(each, skips=True) for each in call.args[:1])


def _evaluated(test: ast.expr) -> ast.expr:
    text = fold(test)
    if not isinstance(text, str):
        return test
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return test


def _silences(statement: ast.stmt) -> bool:
    """Whether a block skips: by a call, or by what it raises."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call | ast.Raise):
            called = node.func if isinstance(node, ast.Call) else node.exc
            if {getattr(called, "attr", None), getattr(called, "id", None)} & _CALLS:
                return True
    return False


def _defines(statement: ast.stmt) -> bool:
    tests = isinstance(statement, Function) and is_test_name(statement.name)
    return tests or (isinstance(statement, ast.ClassDef) and statement.name.startswith("Test"))


def _never(names: Names, path: str, condition: _Condition) -> bool:
    """Whether it is plain that nothing is skipped now."""
    known = truth(_Written(names, path).visit(_copied(condition.test)))
    return known is not None and known is not condition.skips


def _copied(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


class _Written(ast.NodeTransformer):
    """Puts the values of names in their places."""

    def __init__(self, names: Names, path: str) -> None:
        self._names, self._path = names, path

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._names.written(self._path, node)[1]

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return self._names.written(self._path, node)[1]


class _Meaning:
    """What the names in an expression stand for on one side, in normal form."""

    def __init__(self, side: Side, names: Names) -> None:
        self._side, self._names = side, names

    def of(self, path: str, test: ast.expr) -> frozenset[str]:
        """Return the statements and values behind an expression, however far they are."""
        found = set[str]()
        seen = set[int]()
        waiting: list[tuple[str, ast.AST]] = [(path, test)]
        for where, node in waiting:  # grows while it is walked
            for inner in ast.walk(node):
                if len(seen) < _MAX_FOLLOWED and isinstance(inner, ast.Name | ast.Attribute):
                    for place, meant in self._behind(where, inner):
                        if id(meant) not in seen:
                            seen.add(id(meant))
                            found.add(shown(meant, 200))
                            waiting.append((place, meant))
        return frozenset(found)

    def _behind(self, path: str, node: ast.Name | ast.Attribute) -> Iterator[tuple[str, ast.AST]]:
        place, value = self._names.written(path, node)
        if isinstance(value, ast.Name):  # bound in several places, by an import or a function
            module = self._side.module(place)
            for binding in module.bindings.get(value.id, ()) if module else ():
                yield place, binding.node
        elif value is not node:
            yield place, value
        for origin in self._names.names(path, node):
            unit = self._names.unit(origin)
            if unit:
                yield unit[0], unit[1].node


def _mute(path: str, test: ast.expr, was: list[str], now: list[str]) -> Mute:
    before, after = (" and ".join(each)[:120] or "nothing" for each in (was, now))
    return Mute(
        family=MuteFamily.MARKER,
        detector=_DETECTOR,
        certainty=Certainty.DOUBTFUL,
        path=path,
        line=test.lineno,
        was=f"{shown(test)}, where it says {before}",
        now=f"{shown(test)}, where it says {after}",
        remedy=_REMEDY,
        test=path,
        before=before,
        after=after,
    )
