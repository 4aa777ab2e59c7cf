"""Tests that replace what they test: a patch, or an assignment, over the tested code."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.checks.losses import compared
from freezegate.policy.mutes.checks.reading import read_checks
from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.modules import bindings_of
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.pairing import Place
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.losses import Compared
    from freezegate.policy.mutes.checks.scale import Check
    from freezegate.policy.mutes.modules import Module, Side, Unit
    from freezegate.policy.mutes.names import Names, Origins
    from freezegate.policy.mutes.step import FilePair, MuteStep

_DETECTOR = "patched_subject"
_REMEDY = "Test the code itself: patch what it talks to, never the function that the test calls."
_HERE = "<this module>"  # the value of `__name__`
_FRAMEWORKS = ("pytest", "unittest", "mock", "builtins", "hypothesis")
_MOCKS = ("unittest.mock.", "mock.", "param:mocker.", "pytest_mock.", "types.SimpleNamespace")
_FIXTURES = ("param:monkeypatch.", "param:mocker.", "param:request.", "param:caplog.")
_PATCHING = ("patch", "setattr", "object", "setitem", "multiple")


class Patch(NamedTuple):
    """One replacement: where it stands, and the names of what it replaces."""

    node: ast.AST
    targets: Origins


def find_patched_subjects(step: MuteStep) -> Iterator[Mute]:
    """Yield new patches of functions that the checks of the same test, or module, call."""
    for function in compared(step):
        called = _called(step.new_names, function.new, function.before)
        called |= _called(step.new_names, function.new, function.after)
        before = {ast.dump(p.node) for p in _of_place(step.old_names, function.old)}
        for each in _of_place(step.new_names, function.new):
            known = ast.dump(each.node) in before
            if not known and (each.targets & called or _methods(step, each) & _asked(function)):
                yield _mute(function.new, each)
        yield from _shadowed(step, function)
        yield from _mocked(step, function)
    for pair in step.test_files:
        yield from _of_module(step, pair)


def _methods(step: MuteStep, patch: Patch) -> set[str]:
    """The names of the tested code's methods that a patch replaces."""
    found = {each.partition("::")[2] for each in patch.targets if _is_tested(step, each)}
    return {name.rpartition(".")[2] for name in found if "." in name}


def _asked(function: Compared) -> set[str]:
    """The methods that the checks call on whatever it is."""
    calls = (
        node.func
        for check in function.after
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
            yield _mute(new, Patch(fake, before))
        elif _left(before, after):
            found = _mute(new, Patch(read, before))
            now = f"{name} stands for {', '.join(sorted(after))}"
            yield found._replace(certainty=Certainty.DOUBTFUL, now=now)


def _left(before: Origins, after: Origins) -> bool:
    """Whether a name of this repository's tested code stands for a library's since the patch."""
    added = after - before
    return all("::" in each for each in before) and any("::" not in each for each in added)


def _called_names(checks: tuple[Check, ...]) -> set[str]:
    nodes = (n for check in checks for n in ast.walk(check.actual) if isinstance(n, ast.Call))
    return {node.func.id for node in nodes if isinstance(node.func, ast.Name)}


def _is_tested(step: MuteStep, origin: str) -> bool:
    path, separator, _ = origin.partition("::")
    if separator:
        return not step.is_test_code(path)
    return origin.split(".")[0] not in _FRAMEWORKS and not origin.startswith("param:")


def _fake(step: MuteStep, place: Place, name: str, origins: Origins) -> ast.AST | None:
    """Return what of the tests' own a name stands for: a function, a lambda, a mock, a fixture."""
    for origin in sorted(origins):
        path, separator, _ = origin.partition("::")
        found = step.new_names.unit(origin)
        if separator and found and step.is_test_code(path):
            return found[1].node
        if origin.startswith(("unittest.mock.", "mock.")):
            return place.unit.node
        if origin == f"param:{name}":
            fixture = step.new_names.unit(f"{place.path}::{name}")
            return fixture[1].node if fixture and not _uses(fixture[1].node, name) else None
    module = step.new.module(place.path)
    bound = list(module.bindings.get(name, [])) if module else []
    bound += bindings_of(place.unit.node.body).get(name, [])
    return next((b.node for b in bound if isinstance(b.value, ast.Lambda)), None)


def _uses(node: ast.AST, name: str) -> bool:
    """Whether a fixture hands on the tested code of its own name."""
    inside = list(ast.walk(node))
    named = any(isinstance(n, ast.Attribute) and n.attr == name for n in inside)
    return named or any(isinstance(n, ast.ImportFrom) for n in inside)


def _of_module(step: MuteStep, pair: FilePair) -> Iterator[Mute]:
    """Patches at the top of a module, in its fixtures and set-ups, new ones included."""
    if pair.new is None or pair.old is None:
        return
    fresh = list(_new_patches(step, pair))
    if not fresh:
        return
    called: set[str] = set()
    for unit in pair.new.units.values():
        if is_test_name(unit.name):
            place = Place(pair.path, unit)
            called |= _called(step.new_names, place, tuple(read_checks(step.new_names, *place)))
    for each in fresh:
        ours = any("::" in target and _is_tested(step, target) for target in each.targets)
        if not called and ours:  # a conftest file: which tests call it is not asked
            yield _told(pair.path, pair.path, each)._replace(certainty=Certainty.DOUBTFUL)
        elif each.targets & called:
            yield _told(pair.path, pair.path, each)


def _new_patches(step: MuteStep, pair: FilePair) -> Iterator[Patch]:
    assert pair.old is not None  # noqa: S101 - asked by the caller
    assert pair.new is not None  # noqa: S101 - asked by the caller
    before = {ast.dump(node) for node, _ in _outside_of_tests(pair.old)}
    for node, unit in _outside_of_tests(pair.new):
        if ast.dump(node) not in before:
            yield Patch(node, _replaced_by(step.new_names, pair.path, node, unit))


def _outside_of_tests(module: Module) -> Iterator[tuple[ast.AST, Unit | None]]:
    """What replaces something at the top of a module, in its fixtures and set-ups."""
    for statement in module.tree.body:
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from ((node, None) for node in _replacing(statement))
    for unit in module.units.values():
        if not is_test_name(unit.name):
            for statement in unit.node.body:
                yield from ((node, unit) for node in _replacing(statement))


def _of_place(names: Names, place: Place) -> Iterator[Patch]:
    around = [d for k in place.unit.classes for d in k.decorator_list]
    for part in (*place.unit.node.decorator_list, *around, *place.unit.node.body):
        for node in _replacing(part):
            yield Patch(node, _replaced_by(names, place.path, node, place.unit))


def _replacing(part: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(part):
        match node:
            case ast.Call() if _patches_something(node):
                yield node
            case ast.Assign(targets=[ast.Attribute()]):
                yield node
            case _:
                pass


def _replaced_by(names: Names, path: str, node: ast.AST, unit: Unit | None) -> Origins:
    match node:
        case ast.Call():
            return _targets(names, path, node, unit)
        case ast.Assign(targets=[ast.Attribute() as target]):
            return _stored(names, path, target, unit)
        case _:
            return frozenset()


def _patches_something(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    name = call.func.id if isinstance(call.func, ast.Name) else name
    return name in _PATCHING or name.endswith("patch") or _is_patch_dict(call)


def _is_patch_dict(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(attr="dict", value=holder):
            return unparsed(holder).endswith("patch")
        case _:
            return False


def _targets(names: Names, path: str, call: ast.Call, unit: Unit | None) -> Origins:
    """What `patch("a.b")`, `patch.object(a, "b")` and `setattr(a, "b", ...)` replace."""
    if not call.args:
        return frozenset()
    if isinstance(call.func, ast.Attribute) and call.func.attr == "dict":
        return _own_names(names, path, call)
    first = fold(call.args[0], lambda name: _constant(names, path, name, unit))
    if isinstance(first, str) and first.startswith(_HERE):
        return names.names(path, ast.Name(first.rpartition(".")[2], ast.Load()))
    if isinstance(first, str):
        return _dotted(names, path, first)
    second = call.args[1] if len(call.args) > 1 else None
    word = fold(second, lambda name: names.constant(path, name, unit)) if second else None
    if not isinstance(word, str) or not word.isidentifier():
        return frozenset()
    return _stored(names, path, ast.Attribute(call.args[0], word, ast.Load()), unit)


def _constant(names: Names, path: str, name: str, unit: Unit | None) -> ast.expr | None:
    return ast.Constant(_HERE) if name == "__name__" else names.constant(path, name, unit)


def _own_names(names: Names, path: str, call: ast.Call) -> Origins:
    """`patch.dict(globals(), total=...)` replaces names of the test module itself."""
    if "builtins.globals" not in names.names(path, call.args[0]):
        return frozenset()
    words = [k.arg for k in call.keywords if k.arg]
    for each in call.args[1:]:
        words += [fold(k) for k in getattr(each, "keys", ()) if k is not None]
    found = (names.names(path, ast.Name(str(word), ast.Load())) for word in words)
    return frozenset[str]().union(*found)


def _stored(names: Names, path: str, node: ast.Attribute, unit: Unit | None) -> Origins:
    read = ast.Attribute(node.value, node.attr, ast.Load())
    return frozenset(each for each in names.names(path, read, unit) if _may_be_subject(each))


def _dotted(names: Names, path: str, text: str) -> Origins:
    module, _, name = text.rpartition(".")
    file = names.file_of(path, module) if module else None
    found = {text}
    if file:
        found |= names.names(file, ast.Name(name, ast.Load()))
    owner, _, klass = module.rpartition(".")
    outer = names.file_of(path, owner) if owner else None
    if outer:
        found |= {f"{each}.{name}" for each in names.names(outer, ast.Name(klass, ast.Load()))}
    return frozenset(each for each in found if _may_be_subject(each))


def _may_be_subject(origin: str) -> bool:
    """Whether it is no builtin and no bare argument; a fixture's method may be tested code."""
    if origin.startswith("param:"):
        return "." in origin and not origin.startswith(_FIXTURES)
    return not origin.startswith("builtins.")


def _called(names: Names, place: Place, checks: tuple[Check, ...]) -> set[str]:
    """What the checks of a function call, as the names stand for it."""
    found: set[str] = set()
    for check in checks:
        for part in (check.actual, check.expected):
            for node in ast.walk(part) if part is not None else ():
                if isinstance(node, ast.Call):
                    found |= names.names(place.path, node.func, place.unit)
    return {each for each in found if _may_be_subject(each)}


def _mute(place: Place, patch: Patch) -> Mute:
    found = _told(place.path, place.test_id, patch)
    return found._replace(freezable=is_test_name(place.unit.name))


def _told(path: str, test: str, patch: Patch) -> Mute:
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
