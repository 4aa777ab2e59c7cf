"""Files of expected results that a run writes itself, and then finds as it wrote them."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.policy.mutes.constants import UNKNOWN, fold
from freezegate.policy.mutes.guarded import guarded
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.step import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Function, Module
    from freezegate.policy.mutes.pairing import Place
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "golden_file"
_CLEAR = Certainty.CLEAR
_REMEDY = "Write expected results only when a person asks for it, and commit the new file."
_UPDATING = re.compile(
    r"(^|[-_])(update|regen|regenerate|overwrite|rewrite|record|accept|bless|approve)",
    re.IGNORECASE,
)
_WRITING = frozenset({"write_text", "write_bytes", "write", "writelines", "dump", "save", "copy"})
_FLAG = re.compile(
    r"updat|regen|overwrit|rewrit|golden|snapshot|bless|approve|baseline", re.IGNORECASE
)
_OPTION = (b"addoption", b"add_option", b"addini")


class Write(NamedTuple):
    """A call that writes what is compared afterwards, and the conditions around it."""

    node: ast.Call
    tests: tuple[ast.expr, ...]


def find_golden(step: MuteStep) -> Iterator[Mute]:
    """Yield options that update expected results unasked, and writes with fewer conditions."""
    for pair in step.test_files:
        if pair.new and pair.old and any(word in pair.new.source for word in _OPTION):
            yield from _options(pair.path, pair.old, pair.new)
        if pair.new and pair.old:
            yield from _flags(pair.path, pair.old, pair.new)
    for changed in step.changed_pairs:
        if changed.old and changed.new:
            yield from _writes(changed.old, changed.new)


def _options(path: str, old: Module, new: Module) -> Iterator[Mute]:
    before = dict(_declared(old))
    for name, call in _declared(new):
        was = before.get(name)
        if was is not None and _is_on(call) and not _is_on(was):
            told = "it is on unless a person says no"
            yield _mute(path, call, shown(was), f"{shown(call)}: {told}", _CLEAR)


def _flags(path: str, old: Module, new: Module) -> Iterator[Mute]:
    """`UPDATE_GOLDEN = ...` at the top of a module, with another value."""
    for name in filter(_FLAG.search, new.bindings.keys() & old.bindings.keys()):
        before, after = ([b.value for b in m.bindings[name] if b.value] for m in (old, new))
        if len(before) != 1 or len(after) != 1 or ast.dump(before[0]) == ast.dump(after[0]):
            continue
        value = fold(after[0])
        write = Write(ast.Call(before[0], [], []), (after[0],))
        if value is True or (value is UNKNOWN and _is_looser([(before[0],)], write)):
            yield _mute(path, after[0], shown(before[0]), f"{name} = {shown(after[0])}", _CLEAR)
        elif value is UNKNOWN and isinstance(after[0], ast.Call | ast.Compare | ast.BoolOp):
            now = f"{name} = {shown(after[0])}"
            yield _mute(path, after[0], shown(before[0]), now, Certainty.DOUBTFUL)


def _declared(module: Module) -> Iterator[tuple[str, ast.Call]]:
    """The options that write expected results, by their names."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            words = [fold(each) for each in node.args]
            name = next((w for w in words if isinstance(w, str) and _UPDATING.search(w)), None)
            if name and node.func.attr in ("addoption", "add_option", "addini", "add_argument"):
                yield name, node


def _is_on(call: ast.Call) -> bool:
    """Whether an option holds for who does not name it; what is computed may be on."""
    given = {k.arg: fold(k.value) for k in call.keywords if k.arg}
    action: Any = given.get("action")
    if action == "store_false":
        return "default" not in given or bool(given["default"])
    default = given.get("default")
    return default is UNKNOWN or default not in (None, False, 0, "", "no", "never", "none", "off")


def _writes(old: Place, new: Place) -> Iterator[Mute]:
    before = [each.tests for each in _golden(old.unit.node)]
    if () in before:
        return  # a test that writes its own file always wrote it
    read = _reads(old.unit.node)
    for each in _golden(new.unit.node):
        if any(_is_no_weaker(tests, each.tests) for tests in before):
            continue
        if before or (read and not each.tests):
            was = " and ".join(shown(test) for tests in before for test in tests)
            certainty = _CLEAR if before and _is_looser(before, each) else Certainty.DOUBTFUL
            told = f"{shown(each.node)} {'if ' + shown(each.tests[-1]) if each.tests else 'always'}"
            yield _mute(new.path, each.node, was or "it was read alone", told, certainty)


def _is_looser(before: list[tuple[ast.expr, ...]], now: Write) -> bool:
    """Whether it is written always, or where it was and elsewhere, or where it was not."""
    known = {ast.dump(test) for tests in before for test in tests}
    if not now.tests:
        return True
    for test in now.tests:
        turned = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        added = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or)
        if (turned or added) and any(ast.dump(part) in known for part in ast.walk(test)):
            return True
    return False


def _is_no_weaker(old: tuple[ast.expr, ...], new: tuple[ast.expr, ...]) -> bool:
    asked = {ast.dump(part) for test in new for part in _conjuncts(test)}
    return bool(asked) and {ast.dump(p) for test in old for p in _conjuncts(test)} <= asked


def _conjuncts(test: ast.expr) -> list[ast.expr]:
    both = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    return test.values if both else [test]  # type: ignore[attr-defined]  # a BoolOp has values


def _golden(function: Function) -> Iterator[Write]:
    """Calls that write the place from which what is compared is read."""
    places = _reads(function)
    for statement in guarded(function.body) if places else ():
        around = (each.test for each in statement.around if isinstance(each, ast.If))
        tests = tuple(_meant(function, test) for test in around)
        asked = any(_FLAG.search(ast.dump(test)) for test in tests)
        for part in statement.parts():
            if not (isinstance(part, ast.Call) and _is_write(part) and _named(part) & places):
                continue
            if asked or _is_compared(function, part):
                yield Write(part, tests)


def _meant(function: Function, test: ast.expr) -> ast.expr:
    """A condition that has a name of its own in the function."""
    name = test.id if isinstance(test, ast.Name) else ""
    found = [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and unparsed(node.targets[0]) == name
    ]
    return found[0] if len(found) == 1 else test


def _is_compared(function: Function, write: ast.Call) -> bool:
    """Whether the same expression is written and expected: a literal one is a test's own input."""
    given = {ast.dump(each) for each in write.args if not isinstance(each, ast.Constant)}
    sides = (
        part
        for n in ast.walk(function)
        if isinstance(n, ast.Compare)
        for part in (n.left, *n.comparators)
    )
    return any(ast.dump(side) in given for side in sides)


def _is_write(call: ast.Call) -> bool:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name == "open":
        words = [fold(a) for a in (*call.args, *(k.value for k in call.keywords))]
        return any(isinstance(w, str) and re.fullmatch("[bt]*[wax][bt+]*", w) for w in words)
    return name in _WRITING


def _reads(function: Function) -> set[str]:
    """The names of what is read in a comparison, and of what stands for it."""
    found = set[str]()
    for node in ast.walk(function):
        if isinstance(node, ast.Compare):
            calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
            for each in calls:
                if getattr(each.func, "attr", "").startswith("read") or "load" in ast.dump(
                    each.func
                ):
                    found |= _named(each)
    return found


def _named(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _mute(path: str, node: ast.expr, was: str, now: str, certainty: Certainty) -> Mute:
    return Mute(
        family=MuteFamily.ASSERTION,
        detector=_DETECTOR,
        certainty=certainty,
        path=path,
        line=node.lineno,
        was=was,
        now=now,
        remedy=_REMEDY,
        before=was,
        after=shown(node, 200),
    )
