"""Helpers whose answer tests assert, and that say yes to more than before."""

from __future__ import annotations

import ast
import builtins
import re
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.change import Became
from freezegate.policy.mutes.checks.comparing import change_of
from freezegate.policy.mutes.checks.matching import match_checks
from freezegate.policy.mutes.checks.predicate import checks_in
from freezegate.policy.mutes.checks.scale import Kind
from freezegate.policy.mutes.checks.terms import Terms
from freezegate.policy.mutes.modules import statements_of
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.scale import Check
    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.pairing import Pair, Place
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "helper_answer"
_REMEDY = "Let the helper compare as strictly as before; what differs is for the test to say."
_ASSERTED = rb"\b(assert|assert_|assertTrue\(|assertFalse\(|not|and)\s*(\w+\.)*%s\("


def find_helper_answers(step: MuteStep) -> Iterator[Mute]:
    """Yield helpers that return a weaker comparison than the one they returned."""
    for pair in step.changed_pairs:
        if pair.old is None or pair.new is None or is_test_name(pair.new.unit.name):
            continue
        answers = _answer(pair.old), _answer(pair.new)
        if answers[0] is None or answers[1] is None or not _compares(answers[0]):
            continue
        if ast.dump(answers[0]) != ast.dump(answers[1]):
            yield from _of_answers(step, pair, answers[0], answers[1])


def _answer(place: Place) -> ast.expr | None:
    """What a function returns in its one `return`."""
    found = [s.value for s in statements_of(place.unit.node.body) if isinstance(s, ast.Return)]
    return found[0] if len(found) == 1 else None


def _compares(node: ast.expr) -> bool:
    """Whether it is a yes or no by what is written."""
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=values):
            return all(map(_compares, values))
        case ast.Call(func=ast.Name(id="all" | "any" | "isinstance" | "bool")):
            return True
        case _:
            return False


def _of_answers(step: MuteStep, pair: Pair, old: ast.expr, new: ast.expr) -> Iterator[Mute]:
    assert pair.old is not None  # noqa: S101 - asked by the caller
    assert pair.new is not None  # noqa: S101 - asked by the caller
    before = list(checks_in(_terms(step.old_names, pair.old), old))
    terms = _terms(step.new_names, pair.new)
    after = list(checks_in(terms, new))
    matched = match_checks(before, after)
    pairs = (*matched.same, *matched.alike)
    changes = [change_of(terms, *each) for each in pairs]
    weaker = [each.why for each in changes if each.became is Became.WEAKER]
    weaker += [_why(after) for _ in matched.lost]
    if weaker:
        why = weaker[0]
        sure = not any(map(_asks_another, after)) and _is_asserted(step, pair.new.unit.node.name)
        certainty = Certainty.CLEAR if sure else Certainty.DOUBTFUL
        yield _mute(pair.new, old, new, why, certainty)
        return
    for each in changes:
        if each.became is Became.CHANGED:
            yield _mute(pair.new, old, new, each.why, Certainty.DOUBTFUL)
            return


def _why(after: list[Check]) -> str:
    return next((each.dead for each in after if each.dead), "a comparison is gone")


def _asks_another(check: Check) -> bool:
    """Whether another function says yes or no: it may compare as much."""
    if check.kind is not Kind.TRUTHY or not isinstance(check.actual, ast.Call):
        return False
    func = check.actual.func
    return not (isinstance(func, ast.Name) and hasattr(builtins, func.id))


def _terms(names: Names, place: Place) -> Terms:
    """What the names of a function stand for at its end."""
    terms = Terms(names, *place)
    for statement in place.unit.node.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                terms.bind(target, terms.normal(statement.value))
    return terms


def _is_asserted(step: MuteStep, name: str) -> bool:
    """Whether a test asserts what a helper of this name says."""
    pattern = re.compile(_ASSERTED % re.escape(name.encode()))
    tests = (e for p, e in step.new.tree.files("") if e.is_regular and step.is_test_code(p))
    return any(pattern.search(step.new.tree.source(entry)) for entry in tests)


def _mute(place: Place, old: ast.expr, new: ast.expr, why: str, certainty: Certainty) -> Mute:
    return Mute(
        family=MuteFamily.ASSERTION,
        detector=_DETECTOR,
        certainty=certainty,
        path=place.path,
        line=new.lineno,
        was=shown(old),
        now=f"{why}: {shown(new)}",
        remedy=_REMEDY,
        test=place.path,
        before=shown(old, 200),
        after=shown(new, 200),
    )
