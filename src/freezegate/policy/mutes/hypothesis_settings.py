"""Settings and profiles of Hypothesis under which less is tried than before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from freezegate.policy.mutes.constants import UNKNOWN, fold
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.strategies.changed import (
    changed_drawings,
    module_drawings,
    told_drawing,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.policy.mutes.modules import Module
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.step import MuteStep
    from freezegate.policy.mutes.strategies.changed import Changed
    from freezegate.policy.mutes.strategies.reading import Drawing

_DETECTOR = "hypothesis_settings"
_REMEDY = "Leave the settings as they were; a slow test gets a longer deadline, not fewer examples."
_DEFAULTS = {"max_examples": 100, "stateful_step_count": 50}
_EVERY_PHASE = frozenset(("explicit", "reuse", "generate", "target", "shrink", "explain"))
_WORDS_OF_PROFILES = ("register_profile", "load_profile")


def find_settings(step: MuteStep) -> Iterator[Mute]:
    """Yield settings of tests, classes, machines and profiles that let less be tried."""
    for changed in changed_drawings(step):
        before = _settings_of(changed.old, changed.old.decorators("settings"))
        after = _settings_of(changed.new, changed.new.decorators("settings"))
        yield from _compared(changed, before, after)
    for changed, old, new in module_drawings(step):
        before_calls, after_calls = _calls(changed.old, old), _calls(changed.new, new)
        for name, call in after_calls.items():
            if ast.dump(call) == ast.dump(before_calls.get(name, ast.Constant(None))):
                continue
            if name == "load_profile":
                yield from _loaded(changed, before_calls, after_calls)
            else:
                earlier = before_calls.get(name)
                if earlier is None and name.startswith("register_profile"):
                    continue  # nothing runs under a profile before it is loaded
                before = _arguments(changed.old, [earlier] if earlier else [])
                yield from _compared(changed, before, _arguments(changed.new, [call]))


def _settings_of(drawing: Drawing, decorators: list[ast.expr]) -> dict[str, ast.expr]:
    return _arguments(drawing, [each for each in decorators if isinstance(each, ast.Call)])


def _arguments(drawing: Drawing, calls: list[ast.Call]) -> dict[str, ast.expr]:
    """What several calls of `settings` say together, what they build on included."""
    found: dict[str, ast.expr] = {}
    for call in calls:
        for base in call.args:
            inner = drawing.expanded(base)
            if isinstance(inner, ast.Call):
                found |= _arguments(drawing, [inner])
        found |= {k.arg: drawing.expanded(k.value) for k in call.keywords if k.arg}
        for keyword in call.keywords:
            if keyword.arg is None and isinstance(keyword.value, ast.Dict):
                found |= _of_dict(keyword.value)
    return found


def _of_dict(node: ast.Dict) -> dict[str, ast.expr]:
    pairs = zip(node.keys, node.values, strict=True)
    return {str(fold(key)): value for key, value in pairs if key is not None}


def _compared(
    changed: Changed, old: Mapping[str, ast.expr], new: Mapping[str, ast.expr]
) -> Iterator[Mute]:
    for word in {**old, **new}:
        before, after = old.get(word), new.get(word)
        if ast.dump(before or ast.Constant(None)) == ast.dump(after or ast.Constant(None)):
            continue
        certainty = _certainty(word, before, after)
        if certainty is not None:
            value = "the default" if after is None else unparsed(after)
            why = f"{word} is {value} now"
            yield told_drawing(_DETECTOR, changed.new.place, certainty, why, before, after, _REMEDY)


def _certainty(word: str, old: ast.expr | None, new: ast.expr | None) -> Certainty | None:
    if word in _DEFAULTS:
        return _fewer(_DEFAULTS[word], old, new)
    match word:
        case "phases":
            return _phases(old, new)
        case "suppress_health_check":
            return Certainty.DOUBTFUL if _members(new) - _members(old) else None
        case "derandomize":
            return Certainty.DOUBTFUL if new is not None and fold(new) is not False else None
        case "database":
            return Certainty.TOLD
        case _:
            return None


def _fewer(default: int, old: ast.expr | None, new: ast.expr | None) -> Certainty | None:
    before: Any = default if old is None else fold(old)
    after: Any = default if new is None else fold(new)
    if before is UNKNOWN or after is UNKNOWN:
        return Certainty.DOUBTFUL
    if not isinstance(before, int | float) or not isinstance(after, int | float):
        return Certainty.DOUBTFUL
    return Certainty.CLEAR if after < before else None


def _phases(old: ast.expr | None, new: ast.expr | None) -> Certainty | None:
    before = _EVERY_PHASE if old is None else _members(old)
    after = _EVERY_PHASE if new is None else _members(new)
    lost = before - after
    if lost & {"generate", "explicit"} or not after:
        return Certainty.CLEAR
    return Certainty.DOUBTFUL if lost else None


def _members(node: ast.expr | None) -> frozenset[str]:
    """The names in a list of phases or health checks; a computed list counts by its text."""
    if node is None:
        return frozenset()
    elements = getattr(node, "elts", None)
    if elements is None and unparsed(node).endswith(("Phase", "(Phase)")):
        return _EVERY_PHASE
    if elements is None:
        return frozenset({unparsed(node)})
    return frozenset(unparsed(each).rpartition(".")[2] for each in elements)


def _calls(drawing: Drawing, module: Module) -> dict[str, ast.Call]:
    """Calls about settings outside of decorators, by what they are for."""
    found: dict[str, ast.Call] = {}
    inside = {id(d) for u in module.units.values() for d in u.node.decorator_list}
    inside |= {id(d) for k in module.classes.values() for d in k.decorator_list}
    for node in ast.walk(module.tree):
        match node:
            case ast.Assign(targets=[target], value=ast.Call() as call) if (
                drawing.called(call.func) == "settings"
            ):
                found[unparsed(target)] = call
            case ast.Call() if id(node) not in inside:
                word = drawing.called(node.func)
                if word in _WORDS_OF_PROFILES:
                    name = fold(node.args[0]) if node.args else UNKNOWN
                    key = word if word == "load_profile" else f"{word} {name}"
                    found[key] = ast.Call(node.func, node.args[1:], node.keywords)
                    found[key] = node if word == "load_profile" else found[key]
                    ast.copy_location(found[key], node)
            case _:
                pass
    return found


def _loaded(
    changed: Changed, old: Mapping[str, ast.Call], new: Mapping[str, ast.Call]
) -> Iterator[Mute]:
    """What the profile that is loaded says, beside what was in force before."""
    sides = []
    for drawing, calls in ((changed.old, old), (changed.new, new)):
        load = calls.get("load_profile")
        name = fold(load.args[0]) if load and load.args else UNKNOWN
        profile = calls.get(f"register_profile {name}")
        if load is not None and profile is None:
            why = "another profile is loaded"
            place = changed.new.place
            doubt = Certainty.DOUBTFUL
            yield told_drawing(_DETECTOR, place, doubt, why, old.get("load_profile"), load, _REMEDY)
            return
        sides.append(_arguments(drawing, [profile] if profile else []))
    yield from _compared(changed, *sides)
