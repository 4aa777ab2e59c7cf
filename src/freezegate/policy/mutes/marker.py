"""Skip and xfail markers, and calls that skip, on tests that ran before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from freezegate.policy.mutes.before import CLASS_SETUPS, MODULE_SETUPS, Before
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.rows import Rows
from freezegate.policy.mutes.silencers import Silencers
from freezegate.policy.mutes.step import is_test_name, shown
from freezegate.policy.mutes.widening import widening

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Unit
    from freezegate.policy.mutes.pairing import Pair, Place
    from freezegate.policy.mutes.silencers import Silencer
    from freezegate.policy.mutes.step import FilePair, MuteStep

_DETECTOR = "marker"
_REMEDY = "Take it out and make the test pass."


def find_markers(step: MuteStep) -> Iterator[Mute]:
    """Yield what skips a test that was there before, on the new side alone."""
    sides = _Sides(step)
    for pair in (*step.changed_pairs, *step.reached_pairs):
        yield from sides.of_pair(pair)
    for files in step.test_files:
        yield from sides.of_module(files)
        yield from sides.of_names(files)


class _Sides:
    """Both sides' silencers, and what runs before a test there."""

    def __init__(self, step: MuteStep) -> None:
        self._step = step
        self._old = Silencers(step.old, step.old_names)
        self._new = Silencers(step.new, step.new_names)
        self._before = Before(step.old, step.old_names, self._old.marks)
        self._after = Before(step.new, step.new_names, self._new.marks)
        self._changed = {files.path for files in step.test_files}
        self._homes = {(p.new.path, p.new.unit.name) for p in step.pairs if p.old and p.new}

    def of_pair(self, pair: Pair) -> Iterator[Mute]:
        """Yield what silences a function more than its other side."""
        if pair.new is None:
            return
        around = pair.old is not None and is_test_name(pair.new.unit.name)
        after = list(_own(self._new, pair.new))
        if around:
            after += [s for s in _around(self._new, self._after, pair.new) if not self._home(s)]
        if not after:
            return
        before = list(_own(self._old, pair.old)) if pair.old else []
        if around and pair.old:
            before += _around(self._old, self._before, pair.old)
        reaches = pair.old is not None or self._reaches_old_tests(pair.new)
        switched = pair.old is not None and self._switched_on(pair.old, pair.new)
        for each in after:
            found = widening([] if switched else before, after, each)
            if found is not None and each.row:
                found = self._of_row(pair, each.row, found)
            if found is not None:
                yield _mute(pair, each, found if reaches else Certainty.TOLD)

    def _of_row(self, pair: Pair, row: str, found: Certainty) -> Certainty:
        """A row that is new is a new test; one that was changed may be an old one."""
        before, after = self._rows_of(pair)
        if not before or before[0] is None or row in before:
            return found
        return Certainty.TOLD if len(after) > len(before) else min(found, Certainty.DOUBTFUL)

    def _rows_of(self, pair: Pair) -> tuple[list[str | None], list[str | None]]:
        sides = (pair.old, self._old), (pair.new, self._new)
        tables = [
            Rows(side.side, side.names).of_decorators(place.path, place.unit.node.decorator_list)
            if place
            else []
            for place, side in sides
        ]
        before, after = ([r for t in each for r in t.rows or (None,)] for each in tables)
        return before, after

    def _home(self, silencer: Silencer) -> bool:
        """Whether what silences is told of where it stands: it changed there, in this step."""
        place = tuple(silencer.through.split("::", 1))
        return bool(silencer.through) and (place in self._homes or self._told_new(silencer))

    def _told_new(self, silencer: Silencer) -> bool:
        path, _, name = silencer.through.partition("::")
        module = self._step.new.module(path)
        unit = module.units.get(name) if module and path in self._changed else None
        return unit is not None and self._reaches_old(path, unit)

    def _reaches_old_tests(self, place: Place) -> bool:
        return self._reaches_old(place.path, place.unit)

    def _reaches_old(self, path: str, unit: Unit) -> bool:
        """Whether a new function runs before tests that were there: unasked, or instead of one."""
        owner, _, name = unit.name.rpartition(".")
        module = self._step.old.module(path)
        if not owner and name in MODULE_SETUPS:
            return module is not None
        if owner and name in CLASS_SETUPS | {"__init_subclass__"}:
            return module is not None and owner in module.classes
        fixture = self._after.fixture(path, unit)
        if fixture is None:
            return False
        if owner and not (module and owner in module.classes):
            return False
        fresh = module is None and not path.endswith("conftest.py")
        return not fresh and (fixture.autouse or self._before.overridden(fixture))

    def _switched_on(self, old: Place, new: Place) -> bool:
        """Whether a fixture that tests had to ask for is now used by all of them."""
        after = self._after.fixture(new.path, new.unit)
        if after is None or not after.autouse:
            return False
        before = self._before.fixture(old.path, old.unit)
        return before is None or not before.autouse

    def of_module(self, files: FilePair) -> Iterator[Mute]:
        """Yield what skips a whole module while it is imported."""
        path, old, new = files
        if old is None or new is None:
            return
        after = list(self._new.of_import(path)) + self._of_imports(self._new, files, "new")
        if not after:
            return
        before = list(self._old.of_import(path)) + self._of_imports(self._old, files, "old")
        for each in after:
            found = widening(before, after, each)
            if found is not None:
                yield _of_file(path, each, found)

    def _of_imports(self, silencers: Silencers, files: FilePair, side: str) -> list[Silencer]:
        """What skips inside of the test code that a module imports."""
        module = files.old if side == "old" else files.new
        found: list[Silencer] = []
        for statement in module.tree.body if module else ():
            if isinstance(statement, ast.Import | ast.ImportFrom):
                for file in _imported_files(silencers, files.path, statement):
                    if self._step.is_test_code(file) and file != files.path:
                        found += silencers.of_import(file)
        return found

    def of_names(self, files: FilePair) -> Iterator[Mute]:
        """Yield names of a changed module that meant something else before they skipped."""
        path, old, new = files
        if old is None or new is None:
            return
        renamed = self._step.renamed(path)
        for name in new.bindings:
            if name == "pytestmark" or name not in old.bindings or name in new.units:
                continue
            if name.encode() not in renamed:
                continue
            before, after = (
                [*s.of_name(path, name), *s.of_class(path, name)] for s in (self._old, self._new)
            )
            for each in after:
                at = new.bindings[name][-1].node
                found = widening(before, after, each)
                if found is not None:
                    yield _of_file(path, each._replace(node=_placed(at, each.node)), found)


def _own(silencers: Silencers, place: Place | None) -> Iterator[Silencer]:
    if place is not None:
        yield from silencers.of_markers(place.path, place.unit)
        yield from silencers.of_body(place.path, place.unit)


def _around(silencers: Silencers, before: Before, place: Place) -> Iterator[Silencer]:
    for path, unit in before.of(place.path, place.unit):
        for each in (*silencers.of_markers(path, unit), *silencers.of_body(path, unit)):
            yield each._replace(through=f"{path}::{unit.name}", after=0)


def _imported_files(
    silencers: Silencers, path: str, statement: ast.Import | ast.ImportFrom
) -> Iterator[str]:
    names = silencers.names
    if isinstance(statement, ast.Import):
        found = [names.file_of(path, alias.name) for alias in statement.names]
    else:
        module = statement.module or ""
        found = [names.file_of(path, module, statement.level)]
        inner = (f"{module}.{a.name}" if module else a.name for a in statement.names)
        found += [names.file_of(path, each, statement.level) for each in inner]
    yield from dict.fromkeys(each for each in found if each)


def _placed(at: ast.AST, node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Name(getattr(node, "id", "?"), ast.Load()), at)


def _silenced(place: Place, scope: str) -> str:
    match scope:
        case "module":
            return place.path
        case "class":
            return place.test_id.rpartition("::")[0]
        case _:
            return place.test_id


def _mute(pair: Pair, found: Silencer, certainty: Certainty) -> Mute:
    assert pair.new is not None  # noqa: S101 - asked by the caller
    test = pair.new.test_id
    told = certainty is Certainty.TOLD
    through = f" (in {found.through}, which runs before it)" if found.through else ""
    return Mute(
        family=MuteFamily.MARKER,
        detector=_DETECTOR,
        certainty=certainty,
        path=pair.new.path,
        line=pair.new.unit.node.lineno if found.through else found.node.lineno,
        was=f"{pair.old.test_id} ran" if pair.old else "no such function",
        now=shown(found.node) + through,
        remedy="Nothing: no test is skipped that was there." if told else _REMEDY,
        offer="" if told else test,
        test=_silenced(pair.new, found.scope),
        freezable=is_test_name(pair.new.unit.name),
        before=shown(pair.old.unit.node, 200) if pair.old else "",
        after=shown(found.node),
    )


def _of_file(path: str, found: Silencer, certainty: Certainty) -> Mute:
    return Mute(
        family=MuteFamily.MARKER,
        detector=_DETECTOR,
        certainty=certainty,
        path=path,
        line=found.node.lineno,
        was=f"nothing there skipped the tests of {path}",
        now=shown(found.node),
        remedy=_REMEDY,
        offer=path,
        test=path,
        after=shown(found.node),
    )
