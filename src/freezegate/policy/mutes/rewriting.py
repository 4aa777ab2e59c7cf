"""A test that is gone, and new tests of the same patch that check the same things as strongly."""

from __future__ import annotations

import ast
import builtins
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from freezegate.policy.mutes.checks.reading import read_checks
from freezegate.policy.mutes.checks.scale import Kind, text_of
from freezegate.policy.mutes.checks.subject import looks_at_the_same
from freezegate.policy.mutes.normal import unparsed
from freezegate.policy.mutes.rows import Rows
from freezegate.policy.mutes.step import is_test_name

if TYPE_CHECKING:
    from freezegate.policy.mutes.checks.scale import Check
    from freezegate.policy.mutes.modules import Unit
    from freezegate.policy.mutes.pairing import Place
    from freezegate.policy.mutes.step import MuteStep


class _Table(NamedTuple):
    """A test that got rows: the names it calls, what it checks, how many rows it has."""

    calls: frozenset[str]
    checks: tuple[Check, ...]
    rows: int


class Rewritings:
    """The checks that a step brings, each of which stands for one that is gone, and no more."""

    def __init__(self, step: MuteStep) -> None:
        """Look at the tests that are new, or changed, on the new side."""
        self._step = step

    def stands_again(self, path: str, unit: Unit) -> bool:
        """Say whether new checks look at all that a lost test's looked at; they are used up then.

        What they expect may be something else: that is for a person to see.
        """
        lost = [each for each in read_checks(self._step.old_names, path, unit) if not each.dead]
        if self._in_a_table(unit, lost):
            return True
        taken: list[Check] = []
        for check in lost:
            found = next((n for n in self._left if n not in taken and _replaces(check, n)), None)
            if found is None:
                return False
            taken.append(found)
        for each in taken:
            self._left.remove(each)
        return bool(lost)

    def _in_a_table(self, unit: Unit, lost: list[Check]) -> bool:
        """Say whether a test that got rows calls all that a lost one called, and checks the same.

        Each row that it got stands for one lost test.
        """
        called = _called(*unit.node.body)
        for table in self._tables:
            fits = called <= table.calls and all(
                any(_replaces(old, new) for new in table.checks) for old in lost
            )
            if lost and fits and table.rows > 1:
                self._tables.remove(table)
                self._tables.append(table._replace(rows=table.rows - 1))
                return True
        return False

    @cached_property
    def _tables(self) -> list[_Table]:
        """The tests that have rows now and had none, with how many they have."""
        rows = Rows(self._step.new, self._step.new_names)
        found: list[_Table] = []
        for pair in self._step.changed_pairs:
            if pair.new is None or not is_test_name(pair.new.unit.name):
                continue
            marks = [place.unit.node.decorator_list for place in (pair.old, pair.new) if place]
            tables = rows.of_decorators(pair.new.path, marks[-1])
            if tables and not (pair.old and rows.of_decorators(pair.old.path, marks[0])):
                count = max(len(set(each.rows or ())) for each in tables)
                checks = [c for c in read_checks(self._step.new_names, *pair.new) if not c.dead]
                found.append(_Table(self._calls(pair.new), tuple(checks), count))
        return found

    def _calls(self, place: Place) -> frozenset[str]:
        """What a test and its rows call, and the functions that stand in the rows."""
        module = self._step.new.module(place.path)
        rows = [n for d in place.unit.node.decorator_list for n in ast.walk(d)]
        named = {n.id for n in rows if isinstance(n, ast.Name)}
        units = [module.units[n] for n in named & module.units.keys()] if module else []
        return _called(place.unit.node, *(each.node for each in units))

    def only_deprecation(self, path: str, unit: Unit) -> bool:
        """Say whether a test asked for a warning of deprecation alone: it may be gone."""
        found = read_checks(self._step.old_names, path, unit)
        return bool(found) and all(
            each.kind is Kind.WARNS and "Deprecat" in text_of(each.expected) for each in found
        )

    @cached_property
    def _left(self) -> list[Check]:
        found: list[Check] = []
        for pair in self._step.changed_pairs:
            if pair.new is None or not is_test_name(pair.new.unit.name) or pair.moved:
                continue
            after = [c for c in read_checks(self._step.new_names, *pair.new) if not c.dead]
            before = read_checks(self._step.old_names, *pair.old) if pair.old else []
            found += after[len(before) :] if pair.old else after
        return found


def _called(*parts: ast.AST) -> frozenset[str]:
    """The names that are called, Python's own and unittest's checks left out."""
    nodes = (
        n
        for part in parts
        for n in ast.walk(part)
        if isinstance(n, ast.Call) and not _is_assertion(n.func)
    )
    names = {unparsed(each.func).rpartition(".")[2] for each in nodes}
    return frozenset(names - set(dir(builtins)))


def _is_assertion(func: ast.expr) -> bool:
    """`self.assertEqual`, which another style of tests writes as `assert`."""
    match func:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name.startswith("assert")
        case _:
            return False


@lru_cache(maxsize=1)
def rewritings_of(step: MuteStep) -> Rewritings:
    """Return those of a step: what stands for one thing that is gone stands for no other."""
    return Rewritings(step)


def _replaces(old: Check, new: Check) -> bool:
    return new.kind.rank >= old.kind.rank and looks_at_the_same(old, new)
