"""`--freezegate-run-frozen`: frozen tests run, and fail the session only if every run fails."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from freezegate.model.ids import TestId
from tests.git.freezing import TEST, Session, day, frozen_shop, rewrite, session
from tests.support import FIXTURE, PROPERTY, Story, copy_of

TERMS = f"{PROPERTY}: owner ada, 7 days left, to "
HEAD = f"""\
import os
import pathlib
import unittest

import pytest

COUNTER = pathlib.Path("counter")
FIXTURE = pathlib.Path({FIXTURE!r})


def fails_until(run):
    number = len(COUNTER.read_text()) + 1 if COUNTER.exists() else 1
    COUNTER.write_text("x" * number)
    assert number >= run, f"run {{number}}"


"""
SUBTESTS = pytest.mark.skipif(pytest.version_tuple < (9,), reason="subtests came with pytest 9")


@pytest.fixture(scope="module")
def _frozen(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return frozen_shop(tmp_path_factory.mktemp("frozen"))


@pytest.fixture
def frozen(_frozen: Story, tmp_path: Path) -> Story:
    """The shop with a freeze, whose test is named by a marker as well."""
    return copy_of(_frozen, tmp_path / "here")


def tried(story: Story, body: str, *options: str, runs: int = 3, xdist: bool = False) -> Session:
    """Run the frozen test under this body, with a test before and one behind it."""
    if "TestIt" in body:
        rewrite(story, test_id=TestId(f"{TEST}::TestIt::test_it"))
    around = "def test_{}():\n    pass\n\n\n"
    story.write(TEST, HEAD + around.format("before") + body + "\n\n\n" + around.format("behind"))
    plugins = ("xdist.plugin",) if xdist else ()
    asked = ("--freezegate-run-frozen", "--freezegate-frozen-runs", str(runs))
    return session(story, *asked, *options, plugins=plugins)


def runs_of(story: Story) -> int:
    """How often the frozen test ran."""
    return len(story.read("counter"))


def body(run: int) -> str:
    """A test that fails before its n-th run."""
    return f"def test_total():\n    fails_until({run})\n"


# A set-up that fails at first, in each way in which a fixture outlives its test.
FIXTURES = {
    scope: f"@pytest.fixture(scope='{scope}')\ndef it():\n    fails_until({{run}})\n\n\n"
    "def test_total(it):\n    pass\n"
    for scope in ("function", "module", "session")
}
VALUE = (
    "@pytest.fixture(scope='module')\ndef number():\n    return len(COUNTER.read_text()) + 1 if"
    " COUNTER.exists() else 1\n\n\n"
    "def test_total(number):\n    COUNTER.write_text('x' * number)\n    assert number >= {run}\n"
)
TEARDOWN = (
    "@pytest.fixture\ndef it():\n    yield\n    fails_until({run})\n\n\n"
    "def test_total(it):\n    pass\n"
)
MODULE_TEARDOWN = TEARDOWN.replace("fixture\n", "fixture(scope='module')\n")
METHOD = (
    f"class TestIt:\n    @pytest.mark.property_id({PROPERTY!r})\n"
    "    def test_it(self):\n        fails_until({run})\n"
)
CASE = (
    f"class TestIt(unittest.TestCase):\n    @pytest.mark.property_id({PROPERTY!r})\n"
    "    def test_it(self):\n        fails_until({run})\n"
)
CASE_SET_UP = (
    "class TestIt(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n"
    f"        fails_until({{run}})\n\n    @pytest.mark.property_id({PROPERTY!r})\n"
    "    def test_it(self):\n        pass\n"
)
SUBTEST = (
    "def test_total(subtests):\n    with subtests.test('good'):\n        pass\n"
    "    with subtests.test('bad'):\n        fails_until({run})\n"
)
CASE_SUBTEST = (
    f"class TestIt(unittest.TestCase):\n    @pytest.mark.property_id({PROPERTY!r})\n"
    "    def test_it(self):\n        with self.subTest('good'):\n            pass\n"
    "        with self.subTest('bad'):\n            fails_until({run})\n"
)
KINDS = [
    pytest.param("def test_total():\n    fails_until({run})\n", id="function"),
    *(pytest.param(text, id=f"{scope} set-up") for scope, text in FIXTURES.items()),
    pytest.param(VALUE, id="a module's value"),
    pytest.param(TEARDOWN, id="teardown"),
    pytest.param(METHOD, id="method"),
    pytest.param(CASE, id="unittest"),
    pytest.param(CASE_SET_UP, id="unittest's class"),
    pytest.param(SUBTEST, id="subtests", marks=SUBTESTS),
    pytest.param(CASE_SUBTEST, id="unittest's subtests", marks=SUBTESTS),
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_passes_is_enough(frozen: Story, kind: str) -> None:
    told = tried(frozen, kind.format(run=3))
    assert told.status == 0, told.out
    assert runs_of(frozen) == 3
    (line,) = told.lines
    assert line.startswith("frozen  tests/test_order.py::")
    assert line.endswith(f"{TERMS}{day(7)}; 2 of 3 runs failed")
    assert {word: told.counts.get(word, 0) for word in ("passed", "failed", "error")} == {
        "passed": 3,
        "failed": 0,
        "error": 0,
    }
    assert told.counts["skipped"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_freeze_whose_every_run_fails_is_dead(frozen: Story, kind: str) -> None:
    told = tried(frozen, kind.format(run=9))
    assert told.status == 1, told.out
    assert runs_of(frozen) == 3
    (line,) = told.lines
    assert line.startswith("dead  tests/test_order.py::")
    assert line.endswith(f"{TERMS}{day(7)}; 3 of 3 runs failed: the freeze is dead")
    assert told.counts.get("failed", 0) + told.counts.get("error", 0) == 1, told.out
    assert told.counts.get("skipped", 0) == 0
    assert "run 3" in told.out or "assert 3 >= 9" in told.out
    assert "run 2" not in told.out


def test_the_first_run_that_passes_ends_it(frozen: Story) -> None:
    told = tried(frozen, body(1))
    assert (told.status, runs_of(frozen)) == (0, 1)
    assert told.lines[0].endswith("; 0 of 1 runs failed")
    assert told.counts == {"passed": 3, "skipped": 1}


def test_seven_runs_unless_said_otherwise(frozen: Story) -> None:
    frozen.write(TEST, HEAD + body(99))
    told = session(frozen, "--freezegate-run-frozen")
    assert (told.status, runs_of(frozen)) == (1, 7)


def test_one_run_is_a_number_too(frozen: Story) -> None:
    assert (
        tried(frozen, body(9), runs=1).lines[0].endswith("1 of 1 runs failed: the freeze is dead")
    )


SKIPS = "    pytest.skip('not here')\n"


@pytest.mark.parametrize(
    ("kind", "status", "told"),
    [
        pytest.param(f"def test_total():\n{SKIPS}", 0, "0 of 3 runs failed, 3 skipped", id="all"),
        pytest.param(
            "def test_total():\n    try:\n        fails_until(3)\n    except AssertionError:\n"
            f"        raise\n{SKIPS}",
            1,
            "2 of 3 runs failed, 1 skipped themselves: the freeze is dead",
            id="the_last",
        ),
        pytest.param(
            f"@pytest.fixture\ndef it():\n    fails_until(2)\n{SKIPS}\n\n"
            "def test_total(it):\n    pass\n",
            1,
            "1 of 3 runs failed, 2 skipped themselves: the freeze is dead",
            id="in_a_fixture",
        ),
    ],
)
def test_a_run_that_skips_itself_neither_passed_nor_failed(
    frozen: Story, kind: str, status: int, told: str
) -> None:
    said = tried(frozen, kind)
    assert (said.status, said.counts["passed"]) == (status, 3), said.out
    assert told in said.lines[0]


@pytest.mark.parametrize(("strict", "status"), [(False, 0), (True, 1)])
def test_expected_failures_are_failures(frozen: Story, strict: bool, status: int) -> None:
    mark = f"@pytest.mark.xfail(strict={strict})\n"
    dead = tried(frozen, mark + body(9))
    assert (dead.status, dead.counts) == (1, {"passed": 3, "failed": 1}), dead.out
    assert "3 of 3 runs failed: the freeze is dead" in dead.lines[0]
    told = tried(frozen, mark + "def test_total():\n    pass\n")
    assert (told.status, told.counts["passed"]) == (status, 3)


def test_its_own_skip_marker_is_dropped(frozen: Story) -> None:
    mark = f"@pytest.mark.skip(reason='freezegate: {PROPERTY}')\n"
    assert tried(frozen, mark + body(9)).status == 1
    assert runs_of(frozen) == 3


def test_only_frozen_tests_are_tried(frozen: Story) -> None:
    frozen.write(FIXTURE, '{"lines": [1]}')
    told = tried(frozen, body(9))
    assert (told.status, runs_of(frozen)) == (1, 1)
    assert told.lines[0].startswith("runs  ")


def test_a_run_that_changes_its_fixture_counts(frozen: Story) -> None:
    """The later runs would be on other bytes than the freeze's."""
    text = "def test_total():\n    FIXTURE.write_text('{}')\n    fails_until(2)\n"
    told = tried(frozen, text)
    assert (told.status, runs_of(frozen)) == (1, 1)
    assert "1 of 1 runs failed, then fixture drifted: " in told.lines[0]


def test_it_stops_at_a_dead_freeze_if_asked(frozen: Story) -> None:
    told = tried(frozen, body(9), "-x")
    assert (told.status, runs_of(frozen)) == (1, 3)
    assert told.counts == {"passed": 2, "failed": 1}
    (frozen.root / "counter").unlink()
    assert tried(frozen, body(3), "-x").counts == {"passed": 3, "skipped": 1}


@pytest.mark.parametrize(("run", "status", "word"), [(3, 0, "frozen"), (9, 1, "dead")])
def test_under_xdist(frozen: Story, run: int, status: int, word: str) -> None:
    told = tried(frozen, body(run), "-n", "2", xdist=True)
    assert (told.status, runs_of(frozen)) == (status, 3)
    assert told.lines[0].startswith(f"{word}  ")


def test_other_tests_keep_their_fixtures(frozen: Story) -> None:
    """What a module set up is taken down after a failed run alone, and set up again."""
    text = (
        "@pytest.fixture(scope='module')\ndef log():\n    with open('log', 'a') as file:\n"
        "        file.write('up ')\n        yield\n        file.write('down ')\n\n\n"
        "def test_first(log):\n    pass\n\n\n"
        "def test_total(log):\n    fails_until({run})\n\n\ndef test_last(log):\n    pass\n"
    )
    assert tried(frozen, text.format(run=1)).status == 0
    assert frozen.read("log") == b"up down "
    (frozen.root / "log").unlink()
    (frozen.root / "counter").unlink()
    assert tried(frozen, text.format(run=3)).status == 0
    assert frozen.read("log") == b"up down " * 3


def test_a_teardown_that_outlives_the_test_is_judged_where_it_falls(frozen: Story) -> None:
    """The last test of the module pays for it, as in every session: it is not the frozen one."""
    told = tried(frozen, MODULE_TEARDOWN.format(run=9))
    assert (told.status, told.counts["error"]) == (1, 1)
    assert told.lines[0].endswith("0 of 1 runs failed")


@pytest.mark.parametrize("run", [1, 3, 9])
@pytest.mark.parametrize("scope", ["module", "session"])
def test_an_error_of_what_outlives_it_is_always_told(frozen: Story, scope: str, run: int) -> None:
    """A freeze is for the test: what a fixture of others finds at its end is never lost."""
    text = (
        f"@pytest.fixture(scope={scope!r})\ndef it():\n    yield\n    assert 0, 'left open'\n\n\n"
        f"def test_total(it):\n    fails_until({run})\n"
    )
    frozen.write(TEST, HEAD + text)
    frozen.write("tests/test_z.py", "def test_z():\n    pass\n")
    asked = ("--freezegate-run-frozen", "--freezegate-frozen-runs", "3", "--junitxml=out.xml")
    told = session(frozen, *asked)
    assert told.status == 1, told.out
    assert "left open" in told.out
    assert told.counts.keys() & {"error", "errors"}
    assert told.counts.get("skipped", 0) == (run < 9)
    suite = ET.parse(frozen.root / "out.xml").getroot()[0]  # noqa: S314 - of our own making
    assert int(suite.get("errors", "0")) >= 1


def test_what_is_printed_is_captured(frozen: Story) -> None:
    told = tried(
        frozen, "def test_total(capsys, caplog, tmp_path):\n    print('loud')\n    assert 0\n"
    )
    assert told.status == 1
    assert told.out.count("loud\n") == 3  # each run's


@pytest.mark.parametrize(("run", "counts"), [(3, ("0", "0", "1")), (9, ("1", "0", "0"))])
def test_junit_xml(frozen: Story, run: int, counts: tuple[str, ...]) -> None:
    tried(frozen, body(run), "--junitxml=out.xml")
    suite = ET.parse(frozen.root / "out.xml").getroot()[0]  # noqa: S314 - of our own making
    assert tuple(str(suite.get(key)) for key in ("failures", "errors", "skipped")) == counts
    (prop,) = suite.iter("property")
    assert prop.get("name") == ("freezegate.dead" if run == 9 else "freezegate.frozen")


def test_an_interrupt_ends_the_session(frozen: Story) -> None:
    assert tried(frozen, "def test_total():\n    raise KeyboardInterrupt\n").status == 2
    assert tried(frozen, "def test_total():\n    pytest.exit('enough', 5)\n").status == 5
