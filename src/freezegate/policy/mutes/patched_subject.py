"""Tests that replace what they test: a patch, or an assignment, over the tested code."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.checks.losses import compared
from freezegate.policy.mutes.fixtures import Fixtures
from freezegate.policy.mutes.modules import Function, bindings_of
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.pairing import Place
from freezegate.policy.mutes.patch_targets import may_be_subject, replaced_by, replacing
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Set

    from freezegate.policy.mutes.checks.losses import Compared
    from freezegate.policy.mutes.checks.scale import Check
    from freezegate.policy.mutes.modules import Binding, Side, Unit
    from freezegate.policy.mutes.names import Names, Origins
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "patched_subject"
_REMEDY = "Test the code itself: patch what it talks to, never the function that the test calls."
_FRAMEWORKS = ("pytest", "unittest", "mock", "builtins", "hypothesis")
_MOCKS = ("unittest.mock.", "mock.", "param:mocker.", "pytest_mock.", "types.SimpleNamespace")

Fake = tuple[str, ast.AST]  # what stands for the tested code, and the file in which it does


class Patch(NamedTuple):
    """One replacement: where it stands, and the names of what it replaces."""

    node: ast.AST
    targets: Origins
    unit: Unit | None = None  # the fixture or set-up in whose body it is


def find_patched_subjects(step: MuteStep) -> Iterator[Mute]:
    """Yield new patches of functions that the checks of the same test, or module, call."""
    for function in compared(step):
        called = called_in(step.new_names, function.new, function.before)
        called |= called_in(step.new_names, function.new, function.after)
        before = frozenset[str]().union(
            *(p.targets for p in _of_place(step.old_names, function.old))
        )
        for each in _of_place(step.new_names, function.new):
            if each.targets <= before:  # nothing, or what was replaced already
                continue
            if hits(each.targets, called) or methods_of(step, each) & asked_of(function.after):
                yield _mute(function.new, each)
            elif is_test_name(function.new.unit.name) and is_ours(
                step, each
            ):  # what the tested function calls in its turn
                yield _mute(function.new, each)._replace(certainty=Certainty.DOUBTFUL)
        yield from _shadowed(step, function)
        yield from _mocked(step, function)


def hits(targets: Origins, called: Set[str]) -> bool:
    """Say whether something that is called is replaced, be it with its whole module."""
    modules = tuple(each for each in targets if each.endswith("::"))
    return bool(targets & called) or any(each.startswith(modules) for each in called)


def methods_of(step: MuteStep, patch: Patch) -> set[str]:
    """Return the names of the tested code's methods that a patch replaces."""
    found = {each.partition("::")[2] for each in patch.targets if _is_tested(step, each)}
    return {name.rpartition(".")[2] for name in found if "." in name}


def is_ours(step: MuteStep, patch: Patch) -> bool:
    """Say whether a patch replaces a function or method of this repository's tested code."""
    return any(_is_code(step, t) for t in patch.targets if "::" in t and _is_tested(step, t))


def _is_code(step: MuteStep, target: str) -> bool:
    """Whether something stood there: a new attribute of an object replaces nothing."""
    path, _, name = target.partition("::")
    owner = step.new_names.class_at(path, name.rpartition(".")[0]) if "." in name else None
    if owner is None or owner.bases:  # a base class may have it
        return True
    return step.new_names.unit(target) is not None or name.rpartition(".")[2] in bindings_of(
        owner.body
    )


def asked_of(checks: Iterable[Check]) -> set[str]:
    """Return the methods that checks call on whatever it is."""
    calls = (
        node.func
        for check in checks
        for node in ast.walk(check.actual)
        if isinstance(node, ast.Call)
    )
    return {call.attr for call in calls if isinstance(call, ast.Attribute)}


def _mocked(step: MuteStep, function: Compared) -> Iterator[Mute]:
    """Fewer checks ask the tested code than before, and more ask a mock."""
    old = [_mock_in(step.old_names, step.old, function.old, check) for check in function.before]
    new = [_mock_in(step.new_names, step.new, function.new, check) for check in function.after]
    mocks = [each for each in new if each is not None]
    if len(mocks) > len(old) - old.count(None) and new.count(None) < old.count(None):
        yield _mute(function.new, Patch(mocks[0], frozenset({"the tested code"})))


def _mock_in(names: Names, side: Side, place: Place, check: Check) -> ast.AST | None:
    """Return the mock, or the object of a class of the test module, that a check looks at."""
    module = side.module(place.path)
    own = {f"{place.path}::{name}" for name in module.classes} if module else set()
    node: ast.expr | None = check.actual
    while node is not None:
        origins = _origins_of_call(names, place, node)
        if origins & own or any(each.startswith(_MOCKS) for each in origins):
            return node
        node = _receiver(node, is_builtin=any(each.startswith("builtins.") for each in origins))
    return None


def _origins_of_call(names: Names, place: Place, node: ast.expr) -> Origins:
    if not isinstance(node, ast.Call):
        return frozenset()
    return names.names(place.path, node.func, place.unit)


def _receiver(node: ast.expr, *, is_builtin: bool) -> ast.expr | None:
    """Return what a part of an expression asks: arguments are handed to what is tested."""
    match node:
        case ast.Call(args=[first, *_]) if is_builtin:
            return first
        case ast.Call():
            return node.func
        case ast.Attribute() | ast.Subscript() | ast.Await():
            return node.value
        case _:
            return None


def _shadowed(step: MuteStep, function: Compared) -> Iterator[Mute]:
    """A name that the checks call and that was the tested code's is the tests' own now."""
    old, new = function.old, function.new
    for name in sorted(_called_names(function.before) & _called_names(function.after)):
        read = ast.Name(name, ast.Load())
        before = step.old_names.names(old.path, read, old.unit)
        after = step.new_names.names(new.path, read, new.unit)
        if not before or not all(_is_tested(step, each) for each in before):
            continue
        fake = _fake(step, new, name, after - before)
        if fake is not None:
            path, node = fake
            yield _mute(new, Patch(node, before))._replace(path=path)
        elif _left(before, after):
            found = _mute(new, Patch(read, before))
            now = f"{name} stands for {', '.join(sorted(after))}"
            yield found._replace(certainty=Certainty.DOUBTFUL, now=now)


def _left(before: Origins, after: Origins) -> bool:
    """Whether a name of this repository's tested code stands for a library's since the patch."""
    added = after - before
    return all("::" in each for each in before) and any("::" not in each for each in added)


def _called_names(checks: tuple[Check, ...]) -> set[str]:
    """The plain names that checks call, as they are written and as they are understood."""
    parts = (part for check in checks for part in (check.node, check.actual))
    nodes = (n for part in parts for n in ast.walk(part) if isinstance(n, ast.Call))
    return {node.func.id for node in nodes if isinstance(node.func, ast.Name)}


def _is_tested(step: MuteStep, origin: str) -> bool:
    path, separator, _ = origin.partition("::")
    if separator:
        return not step.is_test_code(path)
    return origin.split(".")[0] not in _FRAMEWORKS and not origin.startswith("param:")


def _fake(step: MuteStep, place: Place, name: str, origins: Origins) -> Fake | None:
    """Return what of the tests' own a name stands for: a function, a lambda, a mock, a fixture."""
    for origin in sorted(origins):
        path, separator, _ = origin.partition("::")
        found = step.new_names.unit(origin)
        if separator and found and step.is_test_code(path):
            return path, found[1].node
        if origin.startswith(("unittest.mock.", "mock.")):
            return place.path, place.unit.node
        if origin == f"param:{name}":
            fixture = Fixtures(step.new, step.new_names).find(place.path, name)
            hidden = fixture is None or _uses(fixture.unit.node, name)
            return None if hidden or fixture is None else (fixture.path, fixture.unit.node)
    module = step.new.module(place.path)
    bound = list(module.bindings.get(name, [])) if module else []
    bound += bindings_of(place.unit.node.body).get(name, [])
    return next(((place.path, b.node) for b in bound if _is_own_code(b)), None)


def _is_own_code(binding: Binding) -> bool:
    return isinstance(binding.value, ast.Lambda) or isinstance(binding.node, Function)


def _uses(node: ast.AST, name: str) -> bool:
    """Whether a fixture hands on the tested code of its own name."""
    inside = list(ast.walk(node))
    named = any(isinstance(n, ast.Attribute) and n.attr == name for n in inside)
    return named or any(isinstance(n, ast.ImportFrom) for n in inside)


def _of_place(names: Names, place: Place) -> Iterator[Patch]:
    around = [d for k in place.unit.classes for d in k.decorator_list]
    for part in (*place.unit.node.decorator_list, *around, *place.unit.node.body):
        for node in replacing(part):
            yield Patch(node, replaced_by(names, place.path, node, place.unit))


def called_in(names: Names, place: Place, checks: tuple[Check, ...]) -> set[str]:
    """Return what the checks of a function call, as the names stand for it."""
    found: set[str] = set()
    for check in checks:
        for part in (check.actual, check.expected):
            for node in ast.walk(part) if part is not None else ():
                if isinstance(node, ast.Call):
                    found |= names.names(place.path, node.func, place.unit)
    return {each for each in found if may_be_subject(each)}


def _mute(place: Place, patch: Patch) -> Mute:
    found = patch_told(place.path, place.about, patch)
    return found._replace(freezable=is_test_name(place.unit.name))


def patch_told(path: str, test: str, patch: Patch) -> Mute:
    """Return the finding about a patch, in a test or for those of a file."""
    return Mute(
        family=MuteFamily.ASSERTION,
        detector=_DETECTOR,
        certainty=Certainty.CLEAR,
        path=path,
        line=getattr(patch.node, "lineno", None),
        was=f"{test} called {', '.join(sorted(patch.targets))[:80]} itself",
        now=f"it is replaced: {shown(patch.node)}",
        remedy=_REMEDY,
        test=test,
        after=shown(patch.node, 200),
    )
