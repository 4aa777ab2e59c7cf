"""A pytest session of one trivial test, with the plugin and without, beside a hundred freezes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tests.git.freezing import CATALOG, TEST, day, frozen_line, frozen_shop
from tests.support import ORACLE, Story

from benchmarks.pairs import Command
from benchmarks.repositories import plain_environment
from freezegate.formats.ledger import dump_line
from freezegate.model.ids import PropertyId
from freezegate.model.paths import RepoPath

FREEZES = 100  # lines of the ledger; one is active
_ENTRY = """
[property."order.number_{0}"]
statement = "The total of an order is never negative."
oracle = "{1}"
property_test = "{1}::test_total_is_never_negative"
test = "{2}::test_{0}"
fixtures = ["tests/fixtures/{0}.json"]
"""
_TRIVIAL = "def test_{}():\n    pass\n"


def plugin_commands(folder: Path) -> Iterator[tuple[str, Command, Command]]:
    """Yield a name, the session with the plugin and the one without it."""
    root = _shop(folder / "plugin").root
    without = _session(root, "-p", "no:freezegate", "tests/test_else.py")
    for name, path in (
        ("not catalogued", "tests/test_else.py"),
        ("catalogued, never frozen", "tests/test_new.py"),
        ("frozen once", "tests/test_old.py::test_1"),
        ("frozen now", TEST),
    ):
        yield name, _session(root, path), without


def _shop(folder: Path) -> Story:
    story = frozen_shop(folder)
    frozen, catalog = frozen_line(story), story.read(CATALOG).decode()
    for number in range(1, FREEZES):
        path = f"tests/fixtures/{number}.json"
        name = PropertyId(f"order.number_{number}")
        line = replace(
            frozen, property_id=name, fixture_path=RepoPath(path), expires_on=day(-number)
        )
        story.append(dump_line(line) + b"\n").write(path, '{"lines": [1]}\n')
        catalog += _ENTRY.format(number, ORACLE, "tests/test_old.py")
    story.write(CATALOG, catalog + _ENTRY.format(FREEZES, ORACLE, "tests/test_new.py"))
    story.write("tests/test_else.py", _TRIVIAL.format("it"))
    story.write("tests/test_new.py", _TRIVIAL.format(FREEZES))
    return story.write("tests/test_old.py", _TRIVIAL.format(1))


def _session(root: Path, *arguments: str) -> Command:
    command = [sys.executable, "-m", "pytest", "-q", *arguments]
    return Command(arguments=command, folder=root, environ=plain_environment())
