"""Names that tests check with and that stand for something else now: methods, imports, builtins."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.marks import Marks
from freezegate.policy.mutes.modules import Function
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.normal import normal_body
from freezegate.policy.mutes.patch_words import FRAMEWORKS
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module
    from freezegate.policy.mutes.names import Names, Origins
    from freezegate.policy.mutes.step import FilePair, MuteStep

_DETECTOR = "harness"
_REMEDY = "Give a new name to what is new, and let tests check with what they checked with before."
# Of unittest's TestCase, beside all that begins with `assert`.
_RUNS = frozenset(
    {"run", "__call__", "debug", "fail", "_callTestMethod", "_callSetUp", "failureException"}
)
_ALWAYS = frozenset({"_callTestMethod", "_callSetUp", "failureException"})
_PROPERTY_MARKS = frozenset({"pytest.mark.property_id", "pytest.mark.fixture"})
_CATALOG = ".freeze/catalog.toml"


def find_overrides(step: MuteStep) -> Iterator[Mute]:
    """Yield methods, names and markers of test code that mean something else on the new side."""
    for pair in step.test_files:
        if pair.new:
            yield from _methods(step, pair, pair.new)
            yield from _stored(step, pair, pair.new)
        if pair.old and pair.new:
            yield from _frameworks(step, pair, pair.old, pair.new)
            yield from _builtins(pair, pair.old, pair.new)
    yield from _moved_marks(step)


def _methods(step: MuteStep, pair: FilePair, new: Module) -> Iterator[Mute]:
    """`assertEqual`, `run` and their like, defined in a class of the tests."""
    before = pair.old.units if pair.old else {}
    moved = {normal_body(p.old.unit.node) for p in step.changed_pairs if p.old}
    for name, unit in new.units.items():
        method = unit.node.name
        if not unit.classes or not _is_checking(
            step.new_names, pair.path, unit.classes[-1], method
        ):
            continue
        same = name in before and normal_body(before[name].node) == normal_body(unit.node)
        if same or normal_body(unit.node) in moved:
            continue
        certainty = Certainty.DOUBTFUL if _asks_above(unit.node, method) else Certainty.CLEAR
        yield _mute(pair, unit.node, certainty, f"{method} of unittest", f"def {name}: ...")


def _is_checking(names: Names, path: str, klass: ast.ClassDef, method: str) -> bool:
    if _is_assertion(method) or method in _ALWAYS:
        return True
    bases = frozenset[str]().union(*(names.names(path, base) for base in klass.bases))
    return method in _RUNS and any(each.endswith("TestCase") for each in bases)


def _is_assertion(name: str) -> bool:
    """Whether unittest itself has an assertion of that name."""
    if not name.startswith(("assert", "fail")):
        return False
    from unittest import TestCase

    return hasattr(TestCase, name)


def _asks_above(node: Function, method: str) -> bool:
    """Whether a method hands on to the one that it stands for."""
    return any(isinstance(n, ast.Attribute) and n.attr == method for n in ast.walk(node))


def _stored(step: MuteStep, pair: FilePair, new: Module) -> Iterator[Mute]:
    """`self.assertEqual = ...`, and `failureException = ...` in a class body."""
    before = {ast.dump(node) for node in _assigned(step, pair.old)} if pair.old else set()
    for node in _assigned(step, new):
        if ast.dump(node) not in before:
            yield _mute(pair, node, Certainty.CLEAR, "the methods of unittest", shown(node))


def _assigned(step: MuteStep, module: Module) -> Iterator[ast.Assign]:
    for node in step.differing(module):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                name = target.attr if isinstance(target, ast.Attribute) else ""
                mine = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
                if mine and _is_assertion(name):
                    yield node
    for klass in module.classes.values():
        for node in klass.body:
            if isinstance(node, ast.Assign):
                names = [t.id for t in node.targets if isinstance(t, ast.Name)]
                if any(n in _ALWAYS or _is_assertion(n) for n in names):
                    yield node


def _frameworks(step: MuteStep, pair: FilePair, old: Module, new: Module) -> Iterator[Mute]:
    """A name that was the framework's and is the repository's own, or nobody's, now."""
    for name in old.bindings:
        if name not in new.bindings or not _is_imported(old, name):
            continue
        expression = ast.Name(name, ast.Load())
        before = step.old_names.names(pair.path, expression)
        if not _of_framework(before):
            continue
        after = step.new_names.names(pair.path, expression)
        ours = {e for e in after - before if "::" in e or e.startswith("module:")}
        if _of_framework(after) and not ours and not _is_rebound(new, name):
            continue
        if ours or not after or _is_rebound(new, name):
            node = new.bindings[name][-1].node
            now = f"{name} is {', '.join(sorted(after)) or shown(node)}"
            yield _mute(pair, node, Certainty.CLEAR, f"{name} was {min(before)}", now)


def _is_imported(module: Module, name: str) -> bool:
    return all(isinstance(b.node, ast.Import | ast.ImportFrom) for b in module.bindings[name])


def _is_rebound(module: Module, name: str) -> bool:
    """Whether a name is given to something that is computed, beside or after its import."""
    return any(
        not isinstance(b.node, ast.Import | ast.ImportFrom)
        and not (b.value is not None and fold(b.value) is None)
        and not isinstance(b.value, ast.Attribute | ast.Name)
        for b in module.bindings[name]
    )


def _of_framework(origins: Origins) -> bool:
    return any(
        each.partition(".")[0] in FRAMEWORKS and not each.startswith("unittest.mock")
        for each in origins
    )


def _builtins(pair: FilePair, old: Module, new: Module) -> Iterator[Mute]:
    """`def len(x): ...` in a module whose tests call the builtin one."""
    for name in new.bindings:
        if name in old.bindings or not hasattr(builtins, name) or name.startswith("_"):
            continue
        node = new.bindings[name][-1].node
        if isinstance(node, ast.Import) or not _uses(old, name):
            continue
        certain = isinstance(node, Function | ast.ClassDef | ast.Assign | ast.AnnAssign)
        certainty = Certainty.CLEAR if certain else Certainty.DOUBTFUL
        yield _mute(
            pair, node, certainty, f"{name} was Python's own", f"{name} is the module's own"
        )


def _uses(module: Module, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name
        for unit in module.units.values()
        for node in ast.walk(unit.node)
    )


def _moved_marks(step: MuteStep) -> Iterator[Mute]:
    """`property_id` and `fixture`: a freeze goes where they stand."""
    old, new = Marks(step.old, step.old_names), Marks(step.new, step.new_names)
    lost: dict[str, str] = {}
    gained: list[tuple[str, FilePair, ast.expr, str]] = []
    files = {pair.path: pair for pair in step.test_files}
    for pair in step.changed_pairs:
        if not (pair.old and is_test_name(pair.old.unit.name)):
            continue
        before = {
            ast.dump(m.node): m.node for m in old.of(*pair.old) if m.origins & _PROPERTY_MARKS
        }
        after = {
            ast.dump(m.node): m.node
            for m in (new.of(*pair.new) if pair.new else ())
            if m.origins & _PROPERTY_MARKS
        }
        lost |= dict.fromkeys(before.keys() - after.keys(), pair.old.test_id)
        if pair.new:
            file, test = files[pair.new.path], pair.new.test_id
            gained += [(key, file, after[key], test) for key in after.keys() - before.keys()]
    for key, file, node, test in gained:
        other = lost.pop(key, None) or _catalogued(step, node)
        if other and other != test:
            now = f"{shown(node)} on {test}"
            yield _mute(file, node, Certainty.CLEAR, f"{shown(node)} on {other}", now)


def _catalogued(step: MuteStep, mark: ast.expr) -> str | None:
    """The test that the catalogue names for a marker's property."""
    argument = mark.args[0] if isinstance(mark, ast.Call) and mark.args else None
    name = fold(argument) if argument else None
    entry = step.old.entry(_CATALOG)
    tables = step.old.tree.toml(entry) if entry else None
    found = tables.get("property", {}) if tables else {}
    row = found.get(name) if isinstance(found, dict) and isinstance(name, str) else None
    test = row.get("test") if isinstance(row, dict) else None
    return test if isinstance(test, str) else None


def _mute(pair: FilePair, node: ast.AST, certainty: Certainty, was: str, now: str) -> Mute:
    return Mute(
        family=MuteFamily.HARNESS,
        detector=_DETECTOR,
        certainty=certainty,
        path=pair.path,
        line=getattr(node, "lineno", None),
        was=was,
        now=now,
        remedy=_REMEDY,
        before=was,
        after=shown(node, 200),
    )
