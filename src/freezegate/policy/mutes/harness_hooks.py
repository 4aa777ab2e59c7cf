"""Hooks of conftest files and plugins that rewrite outcomes, take items away or set options."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from freezegate.policy.domain.config import resolve_config
from freezegate.policy.mutes.constants import fold
from freezegate.policy.mutes.given import Hook
from freezegate.policy.mutes.hook_effects import Effect, HookEffects
from freezegate.policy.mutes.hook_words import HOOKS
from freezegate.policy.mutes.marks import Marks
from freezegate.policy.mutes.modules import Function, Unit
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import FilePair, is_test_file, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module, Side
    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "harness"
_REMEDY = "Leave outcomes and items to pytest."
_OBJECTS = frozenset({"request", "pytestconfig", "config", "session", "item", "metafunc"})


def find_hooks(step: MuteStep) -> Iterator[Mute]:
    """Yield what hooks do on the new side, and no hook did before."""
    before: Counter[str] = Counter()
    pairs = tuple(harness_files(step))
    old = HookEffects(step.old, step.old_names)
    for pair in pairs:
        if pair.old:
            for hook in _hooks(step, step.old_names, pair.path, pair.old):
                before.update(effect.key for effect in old.of(hook))
    new = HookEffects(step.new, step.new_names)
    loaded = _loaded(step)
    for pair in pairs:
        certain = step.is_test_code(pair.path) or pair.path in loaded
        for hook in _hooks(step, step.new_names, pair.path, pair.new) if pair.new else ():
            for effect in new.of(hook):
                if before[effect.key]:
                    before[effect.key] -= 1
                else:
                    yield _mute(step, pair, hook, effect, certain=certain)


def harness_files(step: MuteStep) -> Iterator[FilePair]:
    """The changed files that may hold hooks, and plugins that are named only now."""
    seen = set[str]()
    for pair in (*step.test_files, *step.subject_files):
        seen.add(pair.path)
        yield pair
    before = _named(step, step.old, step.old_names)
    for name, by in sorted(_named(step, step.new, step.new_names) - before):
        file = step.new_names.file_of(by, name)
        if file and file not in seen:
            seen.add(file)
            yield FilePair(file, None, step.new.module(file))


def _named(step: MuteStep, side: Side, names: Names) -> set[tuple[str, str]]:
    """The plugins that changed files and pytest's configuration name, with the file that does."""
    found = {
        (name, pair.path)
        for pair in step.test_files
        for name in _plugins(names, pair.path, side.module(pair.path))
    }
    if any(path.endswith((".toml", ".ini", ".cfg")) for path in step.changed):
        found |= {(name, "") for name in resolve_config(side.tree, "").plugins}
    return found


def _plugins(names: Names, path: str, module: Module | None) -> Iterator[str]:
    for binding in module.bindings.get("pytest_plugins", ()) if module else ():
        value = binding.value
        texts = fold(value, lambda name: names.constant(path, name)) if value else ()
        for each in (texts,) if isinstance(texts, str) else texts:
            if isinstance(each, str):
                yield each


def _loaded(step: MuteStep) -> frozenset[str | None]:
    """The files that pytest surely loads, test code or not: by `-p` or `pytest_plugins`."""
    every = {name for name, _ in _named(step, step.new, step.new_names)}
    every |= set(resolve_config(step.new.tree, "").plugins)
    every |= set(_plugins(step.new_names, "conftest.py", step.new.module("conftest.py")))
    return frozenset(step.new_names.file_of("conftest.py", name) for name in every)


def _hooks(step: MuteStep, names: Names, path: str, module: Module | None) -> Iterator[Hook]:
    """Yield the hooks of a module however they are bound, and functions that get pytest's objects.

    In test modules pytest calls `pytest_generate_tests` alone, unless they register a plugin.
    """
    if module is None:
        return
    inner = not is_test_file(path) or b"pluginmanager" in module.source
    units = {id(unit.node): unit for unit in module.units.values()}
    for node in step.differing(module):
        if not isinstance(node, Function):
            continue
        unit = units.get(id(node), Unit(node.name, node))
        name = _spec(node)
        if name and (inner or name == "pytest_generate_tests"):
            yield Hook(name, path, unit, _given(node))
        elif not name and id(node) in units:
            given = _given(node) & _OBJECTS
            if given and is_own(given, node):
                yield Hook("fixture", path, unit, given)
    if inner:
        yield from _bound(names, path, module)


def is_own(given: frozenset[str], node: Function) -> bool:
    """Whether the objects are pytest's own: `request` of tests and fixtures."""
    return bool(given & {"request", "pytestconfig"}) or node.name.startswith("pytest_")


def _spec(node: Function) -> str | None:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call):
            for keyword in decorator.keywords:
                if keyword.arg == "specname" and isinstance(fold(keyword.value), str):
                    return str(fold(keyword.value))
    return node.name if node.name in HOOKS else None


def _bound(names: Names, path: str, module: Module) -> Iterator[Hook]:
    """Hooks that are assigned or imported: `pytest_ignore_collect = lambda path: True`."""
    for name, bindings in module.bindings.items():
        for binding in bindings if name in HOOKS else ():
            if isinstance(binding.value, ast.Lambda):
                node = _from_lambda(name, binding.value)
                yield Hook(name, path, Unit(name, node), _given(node))
            elif not isinstance(binding.node, Function):
                for origin in sorted(names.names(path, ast.Name(name, ast.Load()))):
                    found = names.unit(origin)
                    if found:
                        yield Hook(name, *found, _given(found[1].node))


def _from_lambda(name: str, node: ast.Lambda) -> ast.FunctionDef:
    body: list[ast.stmt] = [ast.copy_location(ast.Return(value=node.body), node)]
    made = ast.FunctionDef(name=name, args=node.args, body=body, decorator_list=[])
    return ast.copy_location(made, node)


def _given(node: Function) -> frozenset[str]:
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    return frozenset(each.arg for each in arguments) - {"self", "cls", "parser"}


def _mute(step: MuteStep, pair: FilePair, hook: Hook, effect: Effect, *, certain: bool) -> Mute:
    certainty = effect.certainty
    if certainty is Certainty.DOUBTFUL and _is_marked_now(step, effect):
        certainty = Certainty.CLEAR
    if not certain:
        certainty = min(certainty, Certainty.DOUBTFUL)
    place = hook.unit.node.name if hook.name in ("fixture", "test") else hook.name
    text = shown(_header(effect.node))
    return Mute(
        family=MuteFamily.HARNESS,
        detector=_DETECTOR,
        certainty=certainty,
        path=pair.path,
        line=getattr(effect.node, "lineno", None),
        was=f"no `{text}` under these conditions in any hook",
        now=f"{place}: {text}",
        remedy=_REMEDY,
        offer="TEST",
        after=text,
    )


def _header(node: ast.AST) -> ast.AST:
    """The handler of a `try`, which is what swallows."""
    return node.handlers[0] if isinstance(node, ast.Try | ast.TryStar) else node


def _is_marked_now(step: MuteStep, effect: Effect) -> bool:
    """Whether the step itself gives a test that was there the marker that the hook asks for."""
    old, new = Marks(step.old, step.old_names), Marks(step.new, step.new_names)
    for pair in step.pairs:
        if not (pair.old and pair.new and pair.new.unit.node.name.startswith("test")):
            continue
        before = {n for mark in old.of(*pair.old) for n in mark.origins}
        after = {n for mark in new.of(*pair.new) for n in mark.origins} - before
        named = {n.removeprefix("pytest.mark.") for n in after if n.startswith("pytest.mark.")}
        if any(f"value='{name}'" in effect.key for name in named):
            return True
    return False
