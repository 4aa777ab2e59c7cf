"""Skip and xfail markers, and calls that skip, on tests that ran before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.constants import truth
from freezegate.policy.mutes.marks import Marks
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.marks import Mark
    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.pairing import Pair, Place
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "marker"
_SKIPPING = frozenset(
    {
        "pytest.mark.skip",
        "pytest.mark.skipif",
        "pytest.mark.xfail",
        "unittest.skip",
        "unittest.skipIf",
        "unittest.skipUnless",
        "unittest.expectedFailure",
        "pytest.mark.?",
        "pytest.MarkDecorator",
        "pytest.Mark",
    }
)
_RERUNNING = frozenset({"pytest.mark.flaky", "flaky.flaky", "pytest.mark.repeat"})
_CALLS = frozenset(
    {
        "pytest.skip",
        "pytest.xfail",
        "pytest.importorskip",
        "pytest.skip.Exception",
        "pytest.xfail.Exception",
        "unittest.SkipTest",
        "param:self.skipTest",
        "param:cls.skipTest",
    }
)
_REMEDY = (
    "Make the test pass, or ask for a freeze: freezegate witness {test} --owner NAME "
    "--expires-on DATE --mark"
)


class _Silencer(NamedTuple):
    """One thing that skips: `text` tells it from others of its kind."""

    text: str
    node: ast.expr
    scope: str
    wide: str  # the node id of all that it silences
    doubtful: bool


def find_markers(step: MuteStep) -> Iterator[Mute]:
    """Yield what skips a test that was there before, on the new side alone."""
    old, new = Marks(step.old, step.old_names), Marks(step.new, step.new_names)
    for pair in step.pairs:
        if pair.new is None:
            continue
        before = [s.text for s in _silencers(old, step.old_names, pair.old)] if pair.old else []
        for each in _silencers(new, step.new_names, pair.new):
            if each.text in before:
                before.remove(each.text)
            else:
                yield _mute(pair, each)


def _silencers(marks: Marks, names: Names, place: Place | None) -> Iterator[_Silencer]:
    if place is None:
        return
    if is_test_name(place.unit.name):
        for mark in marks.of(place.path, place.unit):
            if mark.origins & (_SKIPPING | _RERUNNING) and _may_hold(names, mark):
                yield _Silencer(
                    f"{mark.scope} {ast.dump(mark.node)}",
                    mark.node,
                    mark.scope,
                    _silenced(place, mark.scope),
                    not mark.origins & _SKIPPING,
                )
    for node in ast.walk(place.unit.node):
        if isinstance(node, ast.Name | ast.Attribute):
            origins = marks.with_helpers(names.names(place.path, node, place.unit))
            skips = bool(origins & _CALLS)
        else:
            skips = _adds_marker(names, place, node)
        if skips and isinstance(node, ast.expr):
            yield _Silencer(f"call {ast.dump(node)}", node, "test", place.test_id, False)


def _adds_marker(names: Names, place: Place, node: ast.AST) -> bool:
    """`request.applymarker(pytest.mark.xfail)` and `node.add_marker(...)` in a body."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    if node.func.attr not in ("applymarker", "add_marker"):
        return False
    return any(
        names.names(place.path, each, place.unit) & _SKIPPING
        or (isinstance(each, ast.Constant) and each.value in ("skip", "xfail", "skipif"))
        for each in node.args
    )


def _may_hold(names: Names, mark: Mark) -> bool:
    """Whether a condition can be true: `skipif(False)` silences nothing."""
    if not isinstance(mark.node, ast.Call) or not mark.origins & {
        "pytest.mark.skipif",
        "unittest.skipIf",
        "unittest.skipUnless",
    }:
        return True
    condition = mark.node.args[0] if mark.node.args else None
    if condition is None:
        condition = next((k.value for k in mark.node.keywords if k.arg == "condition"), None)
    if condition is None:
        return True
    never = "unittest.skipUnless" in mark.origins
    return truth(condition, lambda name: names.constant(mark.path, name)) is not never


def _silenced(place: Place, scope: str) -> str:
    match scope:
        case "module":
            return place.path
        case "class":
            return place.test_id.rpartition("::")[0]
        case _:
            return place.test_id


def _mute(pair: Pair, found: _Silencer) -> Mute:
    assert pair.new is not None  # noqa: S101 - asked by the caller
    existed = pair.old is not None
    certainty = Certainty.CLEAR if existed else Certainty.TOLD
    if existed and found.doubtful:
        certainty = Certainty.DOUBTFUL
    test = pair.new.test_id
    return Mute(
        family=MuteFamily.MARKER,
        detector=_DETECTOR,
        certainty=certainty,
        path=pair.new.path,
        line=found.node.lineno,
        was=f"{test} ran" if existed else "no such test",
        now=shown(found.node),
        remedy=_REMEDY.format(test=test) if existed else "Nothing: the test is new.",
        test=found.wide,
        freezable=is_test_name(pair.new.unit.name),
        before=shown(pair.old.unit.node, 200) if pair.old else "",
        after=shown(found.node),
    )
