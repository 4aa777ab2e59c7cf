"""What is wrong with an entry of the catalogue, by the work tree and its policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from freezegate.model.paths import AT_TOP
from freezegate.policy.globs import matches
from freezegate.policy.module_source import Named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.cli.tests_here import FilesHere
    from freezegate.model.catalog import Catalog, Property
    from freezegate.model.globs import Glob
    from freezegate.model.ids import TestId
    from freezegate.policy.settings import Policy

_GUARD = "correct the path, or add it in .freeze/policy.toml, in a patch of its own"


class Remark(NamedTuple):
    """One thing about an entry: its id, the key it is about; a note is no problem."""

    property_id: str
    key: str
    got: str
    expected: str
    remedy: str
    is_note: bool = False


def entry_remarks(entry: Property, policy: Policy, files: FilesHere) -> Iterator[Remark]:
    """Yield what is wrong with an entry's paths and tests."""
    name = entry.property_id
    yield from _path(name, "oracle", entry.oracle, policy.oracle_paths, files)
    for fixture in entry.fixtures:
        yield from _path(name, "fixtures", fixture, policy.fixture_paths, files)
    yield from _test(name, "test", entry.test, files)
    if files.is_file(entry.oracle):
        yield from _test(name, "property_test", entry.property_test, files)


def unlocked(entry: Property, locked: Mapping[str, str], files: FilesHere) -> Iterator[Remark]:
    """Yield the fixtures of an entry that are there and have no line in the lock."""
    for fixture in entry.fixtures:
        if fixture not in locked and files.is_file(fixture):
            yield Remark(
                entry.property_id,
                "fixtures",
                f"{fixture} has no line in .freeze/fixtures.sha256",
                "a locked fixture: no freeze can stand on another",
                f"freezegate lock {fixture}",
            )


def shared_tests(catalog: Catalog) -> Iterator[Remark]:
    """Yield a note for each test that several properties name: `--property` is needed then."""
    tests: dict[str, list[str]] = {}
    for entry in catalog.properties.values():
        tests.setdefault(entry.test, []).append(entry.property_id)
    for test, names in tests.items():
        if len(names) > 1:
            yield Remark(
                names[0],
                "test",
                f"{test} is the test of {', '.join(names)}",
                "that to be meant",
                f"name one when it is witnessed: freezegate witness --property {names[0]}",
                is_note=True,
            )


def renamed(catalog: Catalog, before: Catalog | None, where: str) -> Iterator[Remark]:
    """Yield a note for each id that stands in the place of another one of `before`."""
    gone = {
        (entry.oracle, entry.test): name
        for name, entry in (before.properties.items() if before else ())
        if name not in catalog.properties
    }
    for name, entry in catalog.properties.items():
        old = gone.get((entry.oracle, entry.test))
        if old is not None and before is not None and name not in before.properties:
            yield Remark(
                name,
                "id",
                f"{old} at {where} has its oracle and test, and is gone",
                "an id that stays: this is a new property without evidence, and what was frozen "
                f"or classified under {old} does not count for it",
                f"call it {old} again, or take its evidence anew",
                is_note=True,
            )


def _path(
    name: str, key: str, path: str, globs: tuple[Glob, ...], files: FilesHere
) -> Iterator[Remark]:
    if not files.is_file(path):
        near = _hint(files.near(path))
        yield Remark(name, key, f"no file at {path}", "a regular file of the work tree", near)
    elif not matches(globs, path.encode()):
        table = "fixtures" if key == "fixtures" else key
        shown = ", ".join(globs) or f"globs: paths = [...] under [{table}] in .freeze/policy.toml"
        yield Remark(name, key, f"no [{table}] paths of the policy match {path}", shown, _GUARD)


def _test(name: str, key: str, test: TestId, files: FilesHere) -> Iterator[Remark]:
    named = files.named(test)
    if named is Named.ONE_TEST:
        return
    got = f"no file at {test.path}" if named is None else f"{named.value} under {test}"
    remedy = _hint(files.near_tests(test))
    if named is Named.FAMILY:
        remedy = f"name one of its cases, {test}[CASE]: {AT_TOP}pytest --collect-only -q {test}"
    elif remedy:
        remedy += f"; the id {name} stays, whatever its test is called"
    yield Remark(name, key, got, "one test", remedy or "name another test")


def _hint(near: tuple[str, ...]) -> str:
    return f"did you mean {' or '.join(near)}?" if near else ""
