"""What each changed function of the tests checks on both sides, compared once for all detectors."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.checks.matching import Matched, match_checks
from freezegate.policy.mutes.checks.reading import read_checks
from freezegate.policy.mutes.checks.terms import Terms
from freezegate.policy.mutes.modules import Function, bindings_of
from freezegate.policy.mutes.normal import normal_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.checks.scale import Check
    from freezegate.policy.mutes.modules import Module
    from freezegate.policy.mutes.pairing import Pair, Place
    from freezegate.policy.mutes.step import FilePair, MuteStep


class Compared(NamedTuple):
    """A function that stands on both sides, and whose checks may have changed."""

    pair: Pair
    old: Place
    new: Place
    before: tuple[Check, ...]
    after: tuple[Check, ...]
    matched: Matched
    terms: Terms  # of the new side


@lru_cache(maxsize=1)
def compared(step: MuteStep) -> tuple[Compared, ...]:
    """Return the functions that changed, or that use a name which means something else now."""
    return tuple(_compared(step))


@lru_cache(maxsize=1)
def fresh_elsewhere(step: MuteStep) -> tuple[Check, ...]:
    """Return the live checks of functions that are new."""
    found: list[Check] = []
    for pair in step.pairs:
        if pair.old is None and pair.new is not None:
            found += [c for c in read_checks(step.new_names, *pair.new) if not c.dead]
    for each in compared(step):
        found += each.matched.fresh
    return tuple(found)


def _compared(step: MuteStep) -> Iterator[Compared]:
    meaning = {f.path: _meaning(step, f) for f in step.test_files}
    for pair in step.pairs:
        if pair.old is None or pair.new is None or pair.same:
            continue
        if not _may_differ(step, pair.old, pair.new, meaning.get(pair.new.path, frozenset())):
            continue
        before = tuple(read_checks(step.old_names, *pair.old))
        after = tuple(read_checks(step.new_names, *pair.new))
        terms = Terms(step.new_names, *pair.new)
        matched = match_checks(before, after)
        yield Compared(pair, pair.old, pair.new, before, after, matched, terms)


def _may_differ(step: MuteStep, old: Place, new: Place, meaning: frozenset[str]) -> bool:
    written = _written(step.old.module(old.path), old), _written(step.new.module(new.path), new)
    if written[0] != written[1] and normal_whole(old.unit.node) != normal_whole(new.unit.node):
        return True
    if not meaning:
        return False
    names = {n.id for n in ast.walk(new.unit.node) if isinstance(n, ast.Name)}
    names |= {n.attr for n in ast.walk(new.unit.node) if isinstance(n, ast.Attribute)}
    return bool(names & meaning)


def _meaning(step: MuteStep, files: FilePair) -> frozenset[str]:
    """The names that mean something else, be it only by what they are made of."""
    renamed = frozenset(name.decode("utf-8", "replace") for name in step.renamed(files.path))
    return renamed | _changed_names(files.old, files.new)


def _written(module: Module | None, place: Place) -> list[bytes]:
    """A function's lines: equal ones need no closer look."""
    node = place.unit.node
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return module.lines[first - 1 : node.end_lineno] if module else []


def _changed_names(old: Module | None, new: Module | None) -> frozenset[str]:
    """Return the names of a module that mean something else on the new side."""
    if old is None or new is None:
        return frozenset()
    before, after = _texts(old), _texts(new)
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    return frozenset(changed) | _appeared(old, new)


def _texts(module: Module) -> dict[str, list[str]]:
    """What each name of a module or class is bound to; functions are compared by themselves."""
    found = {n: [_text(n, b.node) for b in every] for n, every in module.bindings.items()}
    for klass in module.classes.values():
        for name, every in bindings_of(klass.body).items():
            found.setdefault(name, []).extend(_text(name, b.node) for b in every)
    return found


def _text(name: str, node: ast.AST) -> str:
    if isinstance(node, ast.Import | ast.ImportFrom):
        module = f"{node.level}{node.module}" if isinstance(node, ast.ImportFrom) else ""
        own = [a.name for a in node.names if name in (a.asname, a.name, a.name.split(".")[0])]
        return f"{module} {own}"
    return type(node).__name__ if isinstance(node, Function | ast.ClassDef) else ast.dump(node)


def _appeared(old: Module, new: Module) -> frozenset[str]:
    """Methods that stand on one side alone may hide others of the same name."""
    return frozenset(name.rpartition(".")[2] for name in {*old.units} ^ {*new.units})
