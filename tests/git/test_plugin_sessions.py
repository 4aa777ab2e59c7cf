"""Real pytest sessions with a freeze that holds, or does not: what is skipped, and what is said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from freezegate.formats.ledger import parse_ledger
from freezegate.model.ledger import LedgerEntry
from freezegate.pytest_plugin.guarded import distrusted
from tests.git.freezing import (
    CATALOG,
    FAILS,
    LEDGER,
    TEST,
    Session,
    day,
    frozen_shop,
    rewrite,
    session,
)
from tests.support import FIXTURE, ORACLE, PROPERTY, TEST_ID, Story, copy_of, git_environment
from tests.witness.support import observed

HOLDS = f"{PROPERTY}: owner ada, 7 days left, to "
MARK = f"@pytest.mark.property_id({PROPERTY!r})\n"
OWN_SKIP = f"@pytest.mark.skip(reason='freezegate: {PROPERTY}')\n"


@pytest.fixture(scope="module")
def _frozen(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return frozen_shop(tmp_path_factory.mktemp("frozen"))


@pytest.fixture
def frozen(_frozen: Story, tmp_path: Path) -> Story:
    """The shop with a freeze."""
    return copy_of(_frozen, tmp_path / "here")


def uncatalogued(story: Story, body: str, path: str = TEST) -> Story:
    """Let the catalogue name another test, so that markers alone claim; write a test module.

    The entry stays what it was for the recorded domain: only its file moves away.
    """
    if path == TEST:
        story.write(TEST, f"import pytest\n\n\n{body}")
    else:
        (story.root / TEST).unlink(missing_ok=True)
        story.write(path, f"import pytest\n\n\n{body}")
    return story


def marked(name: str = "test_it", *, async_: bool = False) -> str:
    """A failing test with the marker."""
    return f"{MARK}{'async ' * async_}def {name}():\n    assert False, 'it ran'\n"


def lifting(entry: LedgerEntry) -> dict[str, str]:
    """The line that lifts a freeze."""
    line = {"event": "lifted", "freeze": str(entry.freeze_id), "base_rev": "0" * 40}
    return line | {"fixture_sha256": "0" * 64, "reason": "mended", "owner": "ada"}


MARKED = "tests/test_marked.py"
NO_HISTORY = (
    f"warning: no whole git history here: {PROPERTY} goes by its date alone, not by commits"
)


def held(told: Session, *, skipped: int = 1) -> bool:
    """Whether the frozen test was skipped, alone, and the session said so."""
    (line,) = told.lines
    words = line.startswith("frozen  ") and HOLDS + day(7) in line
    return told.status == 0 and told.counts.get("skipped") == skipped and words


def ran(told: Session, why: str) -> bool:
    """Whether the frozen test ran, failed, and the session said why."""
    words = [line for line in told.lines if line.startswith("runs  ") and why in line]
    return told.status == 1 and told.counts.get("failed") == 1 and len(words) == 1


# --- it holds, wherever pytest is started


def test_the_entry_point_is_enough(frozen: Story) -> None:
    """As installed: no option, no configuration."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"],
        cwd=frozen.root,
        env=git_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    told = Session(done.returncode, done.stdout)
    assert held(told), told.out
    assert told.counts == {"passed": 1, "skipped": 1}
    assert f"SKIPPED [1] {TEST}: freezegate: frozen, {HOLDS}{day(7)}" in told.out


@pytest.mark.parametrize(
    ("arguments", "folder"),
    [
        pytest.param((), "tests", id="in a folder"),
        pytest.param(("..",), "tests/fixtures", id="in a deep folder"),
        pytest.param(("shop/tests",), "..", id="above"),
        pytest.param(("--rootdir", "tests"), ".", id="rootdir below"),
        pytest.param(("--rootdir", ".."), ".", id="rootdir above"),
        pytest.param(("--rootdir", "/", "tests/test_order.py"), ".", id="rootdir far above"),
        pytest.param(
            ("--rootdir", "src", "--import-mode=importlib", TEST), ".", id="rootdir beside"
        ),
        pytest.param(("-c", "/dev/null", "tests"), ".", id="another configuration"),
        pytest.param((TEST_ID,), ".", id="its node id"),
        pytest.param(
            (
                "-k",
                "total",
            ),
            ".",
            id="by a word",
        ),
        pytest.param(("-x", "--strict-markers"), ".", id="strict markers"),
        pytest.param(("-W", "error"), ".", id="warnings are errors"),
        pytest.param(("-q",), ".", id="quiet"),
        pytest.param(("-vv", "--color=yes", "--no-header"), ".", id="verbose"),
        pytest.param(("--durations=0", "--setup-show"), ".", id="with set-ups"),
    ],
)
def test_it_holds_from_anywhere(frozen: Story, arguments: tuple[str, ...], folder: str) -> None:
    told = session(frozen, *arguments, folder=folder)
    assert "it ran" not in told.out
    assert told.status == 0
    plain = told.out.replace("\x1b[0m", "")
    assert f"::test_total  {HOLDS}{day(7)}" in plain


@pytest.mark.parametrize("zone", ["Etc/GMT+12", "Pacific/Kiritimati", "UTC"])
def test_time_zones_mean_nothing(frozen: Story, zone: str) -> None:
    rewrite(frozen, expires_on=day(0))
    told = session(frozen, environ={"TZ": zone})
    assert f"last day, to {day(0)}" in told.out
    rewrite(frozen, expires_on=day(-1))
    assert ran(session(frozen, environ={"TZ": zone}), f"{PROPERTY}: expired yesterday")


CLOCK = """\
import datetime, sys, time


class Fake(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2000, 1, 1, tzinfo=tz)


def pytest_sessionstart():
    real = {id(time.time): lambda: 946684800.0, id(datetime.datetime): Fake}
    for module in [*sys.modules.values()]:
        if getattr(module, '__name__', '').startswith(('freezegate', 'datetime', 'time')):
            for name, value in [*vars(module).items()]:
                if id(value) in real:
                    setattr(module, name, real[id(value)])
"""


def test_a_clock_of_the_tests_prolongs_nothing(frozen: Story) -> None:
    """As a library does that replaces `datetime` and `time.time` wherever they were imported."""
    rewrite(frozen, expires_on=day(-1))
    frozen.write("clock.py", CLOCK)
    assert ran(session(frozen, plugins=("clock",)), f"{PROPERTY}: expired yesterday")


@pytest.mark.parametrize("options", [("-n", "2"), ("-n", "1"), ("-n", "2", "--dist", "loadfile")])
def test_under_xdist(frozen: Story, options: tuple[str, ...]) -> None:
    told = session(frozen, *options, plugins=("xdist.plugin",))
    assert held(told), told.out
    frozen.write(FIXTURE, "{}")
    told = session(frozen, *options, plugins=("xdist.plugin",))
    assert "fixture drifted" in told.out
    assert "it ran" in told.out


def test_a_worker_s_warning_is_heard_once(frozen: Story) -> None:
    frozen.append(b"{}\n")
    told = session(frozen, "-n", "2", plugins=("xdist.plugin",))
    assert "it ran" in told.out
    assert told.out.count(f"warning: {LEDGER} is damaged in line 2") == 1


REVERSE = "def pytest_collection_modifyitems(items):\n    items.reverse()\n"


def test_in_any_order(frozen: Story) -> None:
    frozen.write("reverse.py", REVERSE)
    told = session(frozen, plugins=("reverse",))
    assert told.status == 0
    assert HOLDS in told.out


def test_without_git(frozen: Story) -> None:
    told = session(frozen, environ={"PATH": "/nonexistent"})
    assert told.counts == {"passed": 1, "skipped": 1}
    assert told.lines[1:] == [NO_HISTORY]


def test_in_a_linked_worktree(frozen: Story, tmp_path: Path) -> None:
    frozen.git("worktree", "add", "-q", str(tmp_path / "linked"))
    told = session(Story(tmp_path / "linked"))
    assert held(told), told.out


def test_in_an_export_without_git_folder(frozen: Story) -> None:
    shutil.rmtree(frozen.root / ".git")
    told = session(frozen)
    assert told.counts == {"passed": 1, "skipped": 1}
    assert told.lines[1:] == [NO_HISTORY]


def test_another_repository_inside_is_not_governed(frozen: Story) -> None:
    inner = frozen.root / "vendored"
    (inner / ".git").mkdir(parents=True)
    frozen.write("vendored/test_inner.py", f"import pytest\n{marked()}{OWN_SKIP}def test_b(): 1\n")
    told = session(frozen, "vendored")
    assert (told.status, told.counts) == (1, {"failed": 1, "skipped": 1})
    assert told.lines == []
    assert f"SKIPPED [1] vendored/test_inner.py:5: freezegate: {PROPERTY}" in told.out


def test_without_git_the_innermost_freeze_folder_counts(frozen: Story) -> None:
    shutil.rmtree(frozen.root / ".git")
    (frozen.root.parent / ".freeze").mkdir()
    assert session(frozen).counts == {"passed": 1, "skipped": 1}


@pytest.mark.parametrize("path", [".freeze", LEDGER])
def test_what_everybody_may_write_skips_nothing(frozen: Story, path: str) -> None:
    place = frozen.root / path
    place.chmod(place.stat().st_mode | 0o002)
    told = session(frozen)
    assert "it ran" in told.out
    said = f"{path} can be written by everybody; no test is skipped by it; see: chmod o-w {path}"
    assert told.lines == [f"warning: {said}"]


def test_a_freeze_folder_of_another_user(frozen: Story) -> None:
    assert distrusted(frozen.root, [frozen.root / "tests"]) is None
    if os.getuid() == 0:
        os.chown(frozen.root / ".freeze", 1, 1)
    tests = frozen.root / "tests" if os.getuid() == 0 else Path("/")
    told = distrusted(frozen.root, [tests])
    assert told is not None
    assert told.startswith(".freeze belongs to another user than its tests; no test is skipped")


def test_without_skip_markers_it_is_skipped_all_the_same(frozen: Story) -> None:
    told = session(frozen, "-p", "no:skipping")
    assert held(told), told.out


@pytest.mark.parametrize("arguments", [(), ("shop/tests",)])
def test_where_the_markers_are_known(frozen: Story, arguments: tuple[str, ...]) -> None:
    """Elsewhere `fixture` is what people write who mean `pytest.fixture`."""
    frozen.write(TEST, "import pytest\n\n\n@pytest.mark.fixture('a')\ndef test_a():\n    pass\n")
    options = ("--strict-markers", "--rootdir", "..")
    assert session(frozen, *options, *arguments, folder=".." if arguments else ".").status == 0
    shutil.rmtree(frozen.root / ".freeze")
    told = session(frozen, *options, *arguments, folder=".." if arguments else ".")
    assert told.status == 2
    assert "'fixture' not found in `markers`" in told.out


@pytest.mark.parametrize("mark", ["", OWN_SKIP])
def test_a_freeze_that_a_person_ended_is_told_while_its_marker_stands(
    frozen: Story, mark: str
) -> None:
    (entry,) = parse_ledger(frozen.read(LEDGER))
    assert isinstance(entry, LedgerEntry)
    frozen.append(lifting(entry))
    frozen.write(TEST, f"import pytest\n\n\n{mark}{FAILS}")
    told = session(frozen)
    assert told.status == 1
    assert [line.rpartition("  ")[2] for line in told.lines] == (
        [f"{PROPERTY}: lifted: mended"] if mark else []
    )


def test_what_cannot_be_judged_runs(frozen: Story) -> None:
    """An oracle beyond what is read: no session ends by it."""
    (frozen.root / ORACLE).unlink()
    with (frozen.root / ORACLE).open("wb") as file:
        file.truncate(10**11)  # of no blocks
    assert ran(session(frozen, TEST), "is larger than 67108864 bytes")


LITTLE_MEMORY = """\
import pathlib, resource


def pytest_collection_finish():
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + 40 * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only there a limit of memory is kept")
def test_without_memory_it_runs(frozen: Story) -> None:
    frozen.write("little.py", LITTLE_MEMORY)
    with (frozen.root / ORACLE).open("ab") as file:
        file.truncate(60 * 1024 * 1024)
    told = session(frozen, TEST, plugins=("little",))
    assert ran(told, "its freeze could not be read: MemoryError"), told.out


def test_a_freeze_folder_further_down_counts_for_nothing(frozen: Story) -> None:
    """The gate judges the one at the top alone."""
    shutil.copytree(frozen.root, frozen.root / "sub" / "shop", ignore=lambda *_: [".git"])
    shutil.rmtree(frozen.root / ".freeze")
    told = session(frozen, "sub/shop")
    assert told.status == 1
    assert told.lines == []


# --- nothing of ours to do


def test_without_a_freeze_folder_nothing_is_touched(frozen: Story) -> None:
    shutil.rmtree(frozen.root / ".freeze")
    frozen.write(TEST, f"import pytest\n{MARK}{OWN_SKIP}def test_total():\n    assert False\n")
    told = session(frozen)
    assert told.counts == {"passed": 1, "skipped": 1}
    assert told.lines == []
    assert f"freezegate: {PROPERTY}" in told.out


@pytest.mark.parametrize(
    "given",
    ["3", "None", "('a',)", "('a', 'b', 'c')", "([], 1)", "{1: 2}", "('freezegate.runs', 1)"],
)
def test_user_properties_of_any_shape(frozen: Story, given: str) -> None:
    shutil.rmtree(frozen.root / ".freeze")
    frozen.write(TEST, f"def test_a(request):\n    request.node.user_properties.append({given})\n")
    told = session(frozen)
    assert (told.status, told.lines) == (0, []), told.out


def test_without_a_freeze_folder_nothing_of_ours_is_loaded(frozen: Story) -> None:
    shutil.rmtree(frozen.root / ".freeze")
    frozen.write(
        TEST, _LOADED.format(most="{'guarded', 'summary'} | {'errors', 'ledger', 'regular_file'}")
    )
    assert session(frozen).status == 0


_LOADED = """\
import sys

def test_total():
    rooms = {{name for name in sys.modules if name.startswith('freezegate.')}}
    loaded = {{name.rpartition('.')[2] for name in rooms}} - {{'pytest_plugin'}}
    assert loaded <= {most}, loaded
    assert not {{'blake3', 'pygit2', 'rfc8785', 'yaml', 'rich'}} & set(sys.modules)
"""


def test_a_module_that_is_not_catalogued_costs_no_decoding(frozen: Story) -> None:
    (frozen.root / TEST).unlink()
    frozen.write(
        "tests/test_else.py",
        _LOADED.format(
            most="{'session', 'claims', 'guarded', 'summary', 'whole'}"
            " | {'errors', 'ledger', 'regular_file'}"
        ),
    )
    told = session(frozen, "-c", "/dev/null", "tests/test_else.py")
    assert told.status == 0, told.out


def test_a_skip_needs_no_pygit2(frozen: Story) -> None:
    frozen.write(
        "tests/test_z.py",
        "import sys\n\ndef test_z():\n    assert not "
        "{'pygit2', 'freezegate.git', 'freezegate.cli'} & set(sys.modules)\n",
    )
    told = session(frozen)
    assert held(told), told.out


@pytest.mark.parametrize("plugins", [None, ()], ids=["all that are installed", "none"])
def test_it_is_off_in_witness_runs(frozen: Story, plugins: tuple[str, ...] | None) -> None:
    """A renewal needs runs: a freeze that stands must not make them skips."""
    assert held(session(frozen))
    assert not observed(frozen.root, TEST_ID, plugins=plugins).passed


def test_it_is_off_in_witness_runs_that_a_conftest_loads_it_into(frozen: Story) -> None:
    frozen.write("conftest.py", "pytest_plugins = ['freezegate.pytest_plugin']\n")
    assert not observed(frozen.root, TEST_ID, plugins=()).passed


# --- who claims


@pytest.mark.parametrize(
    ("body", "plugins"),
    [
        pytest.param(marked(), (), id="function"),
        pytest.param(
            f"class TestIt:\n    {MARK}    def test_it(self):\n        assert False, 'it ran'\n",
            (),
            id="method",
        ),
        pytest.param(
            f"{MARK}class TestIt:\n    def test_it(self):\n        assert False, 'it ran'\n",
            (),
            id="class",
        ),
        pytest.param(
            f"pytestmark = pytest.mark.property_id({PROPERTY!r})\n"
            "def test_it():\n    assert False, 'it ran'\n",
            (),
            id="module",
        ),
        pytest.param(
            f"import unittest\n\nclass TestIt(unittest.TestCase):\n    {MARK}"
            "    def test_it(self):\n        self.fail('it ran')\n",
            (),
            id="unittest",
        ),
        pytest.param(
            f"import unittest\n\nclass TestIt(unittest.IsolatedAsyncioTestCase):\n    {MARK}"
            "    async def test_it(self):\n        self.fail('it ran')\n",
            (),
            id="unittest async",
        ),
        pytest.param(marked(async_=True), ("run_async",), id="async"),
        pytest.param(
            f"{MARK}def test_it(subtests):\n    with subtests.test('it ran'):\n        1 / 0\n",
            (),
            id="subtests",
            marks=pytest.mark.skipif(pytest.version_tuple < (9,), reason="subtests came with 9"),
        ),
    ],
)
def test_a_marker_claims(frozen: Story, body: str, plugins: tuple[str, ...]) -> None:
    uncatalogued(frozen, body, MARKED)
    frozen.write("run_async.py", RUN_ASYNC)
    frozen.write("setup_fails.py", "")
    told = session(frozen, plugins=plugins)
    assert held(told), told.out
    assert MARKED in told.lines[0]
    frozen.write(FIXTURE, "{}")
    told = session(frozen, plugins=plugins)
    assert told.status == 1
    assert "fixture drifted" in told.out


RUN_ASYNC = """\
import asyncio, inspect

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if inspect.iscoroutinefunction(pyfuncitem.obj):
        asyncio.run(pyfuncitem.obj())
        return True
"""


def test_a_marker_and_the_catalogue_make_two(frozen: Story) -> None:
    uncatalogued(frozen, marked() + "\n\n" + FAILS, TEST)
    told = session(frozen)
    assert told.status == 1
    assert told.counts == {"failed": 2, "passed": 1}
    other, frozen_one = told.lines
    assert other.endswith("is what was frozen, and it still stands")
    assert frozen_one.endswith("two tests claim this property")


def test_a_whole_family_claims_and_runs(frozen: Story) -> None:
    family = "@pytest.mark.parametrize('n', [1, 2, 3])\ndef test_it(n):\n    assert n < 3\n"
    uncatalogued(frozen, MARK + family, MARKED)
    told = session(frozen)
    assert (told.status, told.counts) == (1, {"failed": 1, "passed": 3})
    assert len([line for line in told.lines if "is what was frozen" in line]) == 3


@pytest.mark.parametrize("alone", ["[3]", ""])
def test_one_of_a_family_was_not_what_was_frozen(frozen: Story, alone: str) -> None:
    body = "@pytest.mark.parametrize('n', [1, 3])\ndef test_it(n):\n    assert n < 3\n"
    uncatalogued(frozen, MARK + body if alone else marked(), MARKED)
    if not alone:
        frozen.write(TEST, FAILS)
    told = session(frozen, f"{MARKED}::test_it{alone}")
    assert ran(told, f"{TEST_ID} is what was frozen, and it still stands"), told.out


def test_a_deselected_claimant_counts(frozen: Story) -> None:
    uncatalogued(frozen, marked("test_one") + "\n\n" + marked("test_two"), MARKED)
    told = session(frozen, "-k", "one or negative")
    assert ran(told, "two tests claim this property")


@pytest.mark.parametrize("options", [("-k", "negative"), ("-m", "not property_id")])
def test_what_is_deselected_is_not_told(frozen: Story, options: tuple[str, ...]) -> None:
    uncatalogued(frozen, marked(), MARKED)
    told = session(frozen, *options)
    assert (told.status, told.counts) == (0, {"passed": 1, "deselected": 1})
    assert told.lines == []


def test_a_marker_with_fixtures_of_its_own(frozen: Story) -> None:
    mark = f"@pytest.mark.fixture({FIXTURE!r})\n"
    uncatalogued(frozen, mark + marked(), MARKED)
    assert held(session(frozen))
    uncatalogued(frozen, mark.replace(FIXTURE, "README.md") + marked(), MARKED)
    told = session(frozen)
    assert ran(told, "is not among its fixtures any more"), told.out


@pytest.mark.parametrize(
    "mark",
    [
        "@pytest.mark.property_id()\n",
        "@pytest.mark.property_id(3)\n",
        "@pytest.mark.property_id(None)\n",
        "@pytest.mark.property_id('no such')\n",
        "@pytest.mark.property_id('no.such')\n",
        "@pytest.mark.property_id(['a'])\n",
        "@pytest.mark.property_id\n",
        "@pytest.mark.fixture('a\\0b')\n",
    ],
)
def test_a_marker_that_means_nothing(frozen: Story, mark: str) -> None:
    uncatalogued(frozen, mark + "def test_it():\n    pass\n", MARKED)
    told = session(frozen, "tests")
    assert (told.status, told.counts, told.lines) == (0, {"passed": 2}, [])


def test_a_second_property_that_does_not_hold(frozen: Story) -> None:
    """Of two frozen properties of one test both must hold."""
    line = json.loads(frozen.read(LEDGER))
    frozen.append(line | {"property_id": "another.one", "expires_on": day(-1)})
    uncatalogued(frozen, "@pytest.mark.property_id('another.one')\n" + marked(), MARKED)
    assert ran(session(frozen), "another.one: ")


def test_a_second_property_that_a_person_ended(frozen: Story) -> None:
    line = json.loads(frozen.read(LEDGER)) | {"property_id": "another.one"}
    frozen.append(line)
    entry = parse_ledger(frozen.read(LEDGER))[-1]
    assert isinstance(entry, LedgerEntry)
    frozen.append(lifting(entry))
    frozen.write(TEST, f"import pytest\n\n\n@pytest.mark.property_id('another.one')\n{FAILS}")
    told = session(frozen)
    assert (told.status, told.counts) == (1, {"failed": 1, "passed": 1})


# --- markers of `witness --mark`


def test_its_own_marker_beside_a_freeze_that_holds(frozen: Story) -> None:
    frozen.write(TEST, f"import pytest\n\n\n{OWN_SKIP}{FAILS}")
    assert held(session(frozen))


@pytest.mark.parametrize(
    ("mark", "body"),
    [
        pytest.param(OWN_SKIP, FAILS, id="function"),
        pytest.param(OWN_SKIP.replace("reason=", ""), FAILS, id="positional"),
        pytest.param(f"pytestmark = pytest.mark.{OWN_SKIP[13:]}\n\n", FAILS, id="module"),
    ],
)
def test_its_own_marker_goes_with_the_freeze(frozen: Story, mark: str, body: str) -> None:
    frozen.write(TEST, f"import pytest\n\n\n{mark}{body}").write(FIXTURE, '{"lines": [1]}')
    assert ran(session(frozen), "fixture drifted")


def test_a_marker_of_what_was_never_frozen(frozen: Story) -> None:
    frozen.write(TEST, f"import pytest\n\n\n{OWN_SKIP.replace(PROPERTY, 'no.such')}{FAILS}")
    (frozen.root / LEDGER).unlink()
    assert ran(session(frozen), "no.such: its skip marker stands without a freeze")


def test_a_marker_where_the_ledger_is_damaged(frozen: Story) -> None:
    frozen.write(TEST, f"import pytest\n\n\n{OWN_SKIP}{FAILS}").write(LEDGER, "<<<<<<< HEAD\n")
    told = session(frozen)
    assert told.status == 1
    damage = f"warning: {LEDGER} is damaged in line 1; no test is skipped by it"
    assert told.lines[-1] == f"{damage}; see: freezegate ledger verify"


def test_other_skips_stay(frozen: Story) -> None:
    frozen.write(FIXTURE, '{"lines": [1]}')
    frozen.write(TEST, f"import pytest\n\n\n@pytest.mark.skip(reason='not now')\n{OWN_SKIP}{FAILS}")
    told = session(frozen)
    assert (told.status, told.counts.get("skipped")) == (0, 1)
    assert "SKIPPED [1] tests/test_order.py:4: not now" in told.out


# --- damage never skips


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("path", "edit"),
    [
        pytest.param(LEDGER, lambda path: path.write_bytes(b"{}\n"), id="an empty object"),
        pytest.param(LEDGER, lambda path: path.write_bytes(b"[" * 200_000), id="too deep"),
        pytest.param(LEDGER, lambda path: path.write_bytes(b"9" * 9999 + b"\n"), id="a number"),
        pytest.param(LEDGER, lambda path: os.truncate(path, 10**11), id="huge"),
        pytest.param(LEDGER, lambda path: (path.unlink(), path.mkdir()), id="a folder"),
        pytest.param(
            LEDGER,
            lambda path: path.write_bytes(b'{"event":"frozen","property_id":[1]}\n'),
            id="a list for a property",
        ),
        pytest.param(LEDGER, _pipe, id="a pipe"),
        pytest.param(LEDGER, lambda path: path.write_bytes(b"\xff\n"), id="no UTF-8"),
        pytest.param(CATALOG, lambda path: path.write_bytes(b"[property"), id="catalogue"),
        pytest.param(CATALOG, lambda path: (path.unlink(), path.mkdir()), id="catalogue folder"),
        pytest.param(CATALOG, lambda path: os.truncate(path, 10**11), id="huge catalogue"),
    ],
)
def test_damage_never_skips(frozen: Story, path: str, edit: Callable[[Path], object]) -> None:
    frozen.write(TEST, f"import pytest\n\n\n{MARK}{FAILS}")
    edit(frozen.root / path)
    told = session(frozen, "-W", "error")
    assert (told.status, told.counts) == (1, {"failed": 1, "passed": 1}), told.out
    assert told.lines, told.out


@pytest.mark.parametrize("folder", ["a file", "a link"])
def test_a_freeze_folder_that_is_none(frozen: Story, folder: str) -> None:
    place = frozen.root / ".freeze"
    place.rename(frozen.root / "elsewhere")
    if folder == "a link":
        place.symlink_to("elsewhere")
    else:
        place.write_text("")
    told = session(frozen)
    assert (told.status, told.lines) == (1, [])


def test_an_earlier_test_rewrites_the_fixture(frozen: Story) -> None:
    first = (
        f"import pathlib\n\ndef test_first():\n    pathlib.Path({FIXTURE!r}).write_text('{{}}')\n"
    )
    frozen.write("tests/test_a.py", first)
    assert ran(session(frozen), "fixture drifted")


def test_names_that_would_turn_the_line_around_are_shown_plainly(frozen: Story) -> None:
    uncatalogued(frozen, marked(), "tests/test_\u202e.py")
    assert session(frozen).lines[0].startswith("frozen  tests/test_\\u202e.py::test_it  ")


# --- what else reads a session


@pytest.mark.parametrize("family", ["xunit1", "xunit2"])
def test_junit_xml(frozen: Story, family: str) -> None:
    told = session(frozen, "--junitxml=out.xml", "-o", f"junit_family={family}")
    assert told.status == 0
    suite = ET.parse(frozen.root / "out.xml").getroot()[0]  # noqa: S314 - of our own making
    assert (suite.get("tests"), suite.get("skipped"), suite.get("failures")) == ("2", "1", "0")
    (case,) = suite.findall("testcase[@name='test_total']")
    (prop,) = case.findall("properties/property")
    assert prop.attrib == {"name": "freezegate.frozen", "value": HOLDS + day(7)}
    frozen.write(FIXTURE, "{}")
    session(frozen, "--junitxml=out.xml", "-o", f"junit_family={family}")
    (prop,) = ET.parse(frozen.root / "out.xml").getroot().iter("property")  # noqa: S314
    assert prop.get("name") == "freezegate.runs"
    assert str(prop.get("value")).startswith(f"{PROPERTY}: fixture drifted")


def test_without_a_terminal(frozen: Story) -> None:
    options = ("-p", "no:terminal", "-o", "addopts=")
    assert session(frozen, *options).status == 0
    frozen.write(FIXTURE, "{}")
    assert session(frozen, *options).status == 1


def test_collecting_alone_says_nothing(frozen: Story) -> None:
    told = session(frozen, "--collect-only", "-q")
    assert (told.status, told.lines) == (0, [])
    assert TEST_ID in told.out


def test_nothing_collected(frozen: Story) -> None:
    assert session(frozen, "tests/fixtures").status == 5


def test_a_module_that_does_not_import(frozen: Story) -> None:
    frozen.write("tests/test_broken.py", "import no_such\n")
    told = session(frozen)
    assert told.status == 2
    told = session(frozen, "--continue-on-collection-errors")
    assert told.counts == {"passed": 1, "skipped": 1, "error": 1}


def test_usage(frozen: Story) -> None:
    told = session(frozen, "--freezegate-frozen-runs", "0")
    assert told.status == 4
    assert "--freezegate-frozen-runs must be 1 or more" in told.out


def test_markers_are_listed(frozen: Story) -> None:
    told = session(frozen, "--markers")
    assert "@pytest.mark.property_id(id): " in told.out
    assert "@pytest.mark.fixture(path, ...): " in told.out


def test_a_runner_in_the_same_process_twice(frozen: Story) -> None:
    program = "import pytest\nassert [pytest.main(['-q']) for _ in 'ab'] == [0, 0]\n"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=frozen.root,
        env=git_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(HOLDS) == 4


def test_the_frozen_test_is_found_wherever_it_comes_from(frozen: Story) -> None:
    """Collected under the id that was frozen, by a hook that no source shows."""
    frozen.write(
        "tests/conftest.py",
        "def pytest_pycollect_makemodule(module_path, parent):\n"
        "    import pytest\n"
        "    module = pytest.Module.from_parent(parent, path=module_path)\n"
        f"    if module_path.name == {Path(TEST).name!r}:\n"
        "        setattr(module.obj, 'test_' + 'total', lambda: None)\n"
        "    return module\n",
    )
    uncatalogued(frozen, "")
    frozen.write(MARKED, f"import pytest\n\n\n{marked()}")
    catalog = frozen.read(CATALOG).decode().replace(TEST_ID, "tests/test_none.py::test_none")
    frozen.write(CATALOG, catalog)
    assert ran(session(frozen), f"{TEST_ID} is what was frozen, and it still stands")


UNCLAIMED = f"warning: {PROPERTY} is frozen for {TEST_ID}, and no collected test claims it"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param((), True, id="whole"),
        pytest.param(("tests",), False, id="a_part"),
        pytest.param(("-k", "never"), False, id="selected"),
        pytest.param(("--deselect", f"{TEST}::test_renamed"), False, id="deselected"),
        pytest.param(("--ignore", TEST), False, id="ignored"),
    ],
)
def test_a_frozen_test_that_was_renamed_is_missed(
    frozen: Story, arguments: tuple[str, ...], told: bool
) -> None:
    frozen.write(TEST, FAILS.replace("test_total", "test_renamed"))
    lines = session(frozen, *arguments).lines
    assert [line.partition(": renamed?")[0] for line in lines] == [UNCLAIMED] * told


def test_who_collects_elsewhere_misses_nothing(frozen: Story) -> None:
    frozen.write(TEST, FAILS.replace("test_total", "test_renamed"))
    assert session(frozen, folder="tests/properties").lines == []
    frozen.write("pyproject.toml", '[tool.pytest.ini_options]\ntestpaths = ["tests/properties"]\n')
    assert session(frozen).lines == []
    frozen.write("pyproject.toml", '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n')
    assert [line.partition(": renamed?")[0] for line in session(frozen).lines] == [UNCLAIMED]


@pytest.mark.parametrize("days", [-1, 0])
def test_a_freeze_that_is_over_misses_no_test(frozen: Story, days: int) -> None:
    rewrite(frozen, expires_on=day(days))
    frozen.write(TEST, FAILS.replace("test_total", "test_renamed"))
    assert bool(session(frozen).lines) is (days == 0)


def test_a_module_that_cannot_be_collected_is_error_enough(frozen: Story) -> None:
    frozen.write(TEST, "def test_total(:\n")
    assert session(frozen, "--continue-on-collection-errors").lines == []


def test_a_number_of_runs_that_nobody_makes_is_a_usage_error(frozen: Story) -> None:
    told = session(frozen, "--freezegate-frozen-runs=3")
    assert told.status == pytest.ExitCode.USAGE_ERROR
    assert "--freezegate-frozen-runs says how often --freezegate-run-frozen runs" in told.out
    frozen.write("pytest.ini", "[pytest]\naddopts = --freezegate-frozen-runs=3\n")
    assert session(frozen).status != pytest.ExitCode.USAGE_ERROR
