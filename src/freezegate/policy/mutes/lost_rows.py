"""Rows of parametrized tests and fixtures that are gone: fewer cases run than before."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from freezegate.policy.mutes.before import Before
from freezegate.policy.mutes.marks import Marks
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.removal import Removals
from freezegate.policy.mutes.rewriting import rewritings_of
from freezegate.policy.mutes.rows import Rows
from freezegate.policy.mutes.step import is_test_name, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.pairing import Place
    from freezegate.policy.mutes.rows import Table
    from freezegate.policy.mutes.step import MuteStep

_REMEDY = "Keep the rows; a row that cannot pass may be frozen alone."


def find_lost_rows(step: MuteStep) -> Iterator[Mute]:
    """Yield the tables of tests and fixtures that have fewer rows, or none that can be known."""
    tables = _Tables(step)
    for pair in (*step.changed_pairs, *step.reached_pairs):
        if pair.old is not None and pair.new is not None:
            yield from tables.of_pair(pair.old, pair.new)


class _Tables:
    """The tables of both sides."""

    def __init__(self, step: MuteStep) -> None:
        self._step = step
        self._old, self._new = Rows(step.old, step.old_names), Rows(step.new, step.new_names)
        self._old_marks = Marks(step.old, step.old_names)
        self._new_marks = Marks(step.new, step.new_names)
        self._removals = Removals(step)

    def of_pair(self, old: Place, new: Place) -> Iterator[Mute]:
        """Compare the tables of one function; those that are new only add cases."""
        if not (is_test_name(old.unit.name) or self._is_fixture(old)):
            return
        before = _tables(self._old, self._old_marks, old)
        after = _tables(self._new, self._new_marks, new)
        for number, (key, table) in enumerate(before.items()):
            now = after.get(key)
            if now is None and len(before) == len(after):
                now = list(after.values())[number]
            found = self._compared(old, new, table, now)
            if found:
                yield _mute(old, new, table, now, found)
        for key, table in after.items():
            if key not in before and len(before) < len(after) and table.rows == ():
                yield _mute(old, new, table, table, Certainty.CLEAR)

    def _is_fixture(self, place: Place) -> bool:
        before = Before(self._step.old, self._step.old_names, self._old_marks)
        return before.fixture(place.path, place.unit) is not None

    def _compared(self, old: Place, new: Place, was: Table, now: Table | None) -> Certainty | None:
        if now is None:
            return self._without_table(old, new, was)
        if was.rows is None or now.rows is None:
            return _unknown(was, now)
        missing = Counter(was.rows) - Counter(now.rows)
        if not missing:
            return None
        if len(set(now.rows)) >= len(set(was.rows)):
            return Certainty.DOUBTFUL if len(now.rows) <= len(was.rows) else None
        if not now.rows:
            return Certainty.CLEAR
        if all(row in self._elsewhere for row in missing):
            return None
        gone = self._removals.subject_gone(old.path, old.unit)
        moved = all(map(self._is_asked_elsewhere, missing))
        doubt = gone or moved or self._stand_again(old, missing)
        return Certainty.DOUBTFUL if doubt else Certainty.CLEAR

    def _is_asked_elsewhere(self, row: str) -> bool:
        """Whether another test is given now what a row began with: another answer is expected."""
        return any(row.startswith((f"{each}, ", each)) for each in self._elsewhere if each)

    def _stand_again(self, old: Place, missing: Counter[str]) -> bool:
        """Whether new tests check the same, as many as rows are gone."""
        again = rewritings_of(self._step)
        return all(again.stands_again(old.path, old.unit) for _ in missing.elements())

    def _without_table(self, old: Place, new: Place, was: Table) -> Certainty | None:
        """A table that went: the cases may stand in a fixture, a loop or other tests now."""
        if was.rows is not None and len(was.rows) < 2:
            return None
        if was.rows is not None and all(row in self._elsewhere for row in was.rows):
            return None
        looped = any(isinstance(n, ast.For | ast.AsyncFor) for n in ast.walk(new.unit.node))
        asked = set(_arguments(old)) & set(_arguments(new)) & set(_argnames(was))
        return Certainty.DOUBTFUL if looped or asked or was.rows is None else Certainty.CLEAR

    @cached_property
    def _elsewhere(self) -> frozenset[str]:
        """Rows that tests of the step have now and did not have before."""
        found: set[str] = set()
        for pair in self._step.pairs:
            before = _all_rows(self._old, self._old_marks, pair.old)
            found |= _all_rows(self._new, self._new_marks, pair.new) - before
        return frozenset(found)


def _all_rows(rows: Rows, marks: Marks, place: Place | None) -> frozenset[str]:
    tables = _tables(rows, marks, place).values() if place else ()
    return frozenset(row for table in tables for row in table.rows or ())


def _tables(rows: Rows, marks: Marks, place: Place) -> dict[str, Table]:
    """The tables that count for a function by their argument names."""
    if is_test_name(place.unit.name):
        nodes = [(mark.path, mark.node) for mark in marks.of(place.path, place.unit)]
    else:
        nodes = [(place.path, each) for each in place.unit.node.decorator_list]
    found: dict[str, Table] = {}
    for path, node in nodes:
        for table in rows.of_decorators(path, [node]):
            found[",".join(_argnames(table))] = table
    return found


def _argnames(table: Table) -> list[str]:
    call = table.call
    first = call.args[0] if len(call.args) > 1 else None
    first = first or next((k.value for k in call.keywords if k.arg == "argnames"), None)
    if isinstance(first, ast.Constant):
        return [each.strip() for each in str(first.value).split(",")]
    if isinstance(first, ast.List | ast.Tuple):
        return [str(each.value) for each in first.elts if isinstance(each, ast.Constant)]
    return []


def _arguments(place: Place) -> list[str]:
    """The arguments that a test must be given."""
    arguments = place.unit.node.args
    return [each.arg for each in arguments.args][: len(arguments.args) - len(arguments.defaults)]


def _unknown(was: Table, now: Table) -> Certainty | None:
    """Rows that are computed: told where they were written, or the way of computing is cut."""
    if was.rows is not None:
        return Certainty.DOUBTFUL
    before, after = ast.dump(was.values), ast.dump(now.values)
    cut = any(isinstance(n, ast.Slice | ast.comprehension) for n in ast.walk(now.values))
    return Certainty.DOUBTFUL if before != after and (before in after or cut) else None


def _mute(old: Place, new: Place, was: Table, now: Table | None, certainty: Certainty) -> Mute:
    missing = list((Counter(was.rows or ()) - Counter((now and now.rows) or ())).elements())
    left = "no table" if now is None else _counted(now)
    added = was is now
    return Mute(
        family=MuteFamily.COLLECTION,
        detector="lost_rows",
        certainty=certainty,
        path=new.path,
        line=now.node.lineno if now and hasattr(now.node, "lineno") else new.unit.node.lineno,
        was=f"{old.test_id} {'without a table' if added else f'with {_counted(was)}'}",
        now=f"{left}; {len(missing)} of the rows are gone" if missing else left,
        remedy=_REMEDY,
        offer=f"{new.test_id}[ID]",
        test=new.test_id,
        before=shown(was.values, 200),
        after=shown(now.values, 200) if now else shown(new.unit.node, 200),
    )


def _counted(table: Table) -> str:
    if table.rows is None:
        return f"rows that are computed: {shown(table.values, 60)}"
    return f"{len(table.rows)} row{'s' if len(table.rows) != 1 else ''}"
