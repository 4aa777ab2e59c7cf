"""A patch that makes both sides waver by a file beside the trees is told of, or refused."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from freezegate.cli.verbs import run_command
from freezegate.witness.inherited import first_change, take_inherited
from tests.git.witnessing import POLICY, READ, Said, asked, flaky_shop, terms
from tests.support import PROPERTY, Story, standing_in

if TYPE_CHECKING:
    from pathlib import Path

# The base only looks at the place, as it would at any cache of the machine.
SUBJECT = """\
import pathlib

CACHE = pathlib.Path({cache!r})


def total(order):
    return -1 if CACHE.exists() else sum(order['lines'])
"""
TEST = f"{READ}from shop.order import total\n\n\n" + (
    "def test_total():\n    assert total(json.loads(ORDER.read_text())) == 6\n"
)
# Every run of the candidate undoes what the one before it left for the base's.
PATCH = """

_fresh_total = total


def total(order):
    value = _fresh_total(order)
    CACHE.unlink() if CACHE.exists() else CACHE.touch()
    return value
"""


def poisoned_shop(folder: Path, preset: str) -> Story:
    """A shop whose patch leaves something in a fixed place for the next run, on either side."""
    policy = POLICY.format(runs=2).replace('"standard"', f'"{preset}"')
    files = {
        "src/shop/order.py": SUBJECT.format(cache=str(folder / "cache")),
        "tests/test_order.py": TEST,
        ".freeze/policy.toml": policy.replace("plugins", 'pythonpath = ["src"]\nplugins'),
    }
    return flaky_shop(folder, files=files).patch(PATCH)


def told(said: Said) -> set[tuple[str, str]]:
    """Codes and severities of the findings."""
    found = said.document["verdict"]["transitions"][0]["findings"]
    return {(each["code"], each["severity"]) for each in found}


@pytest.mark.parametrize(("preset", "severity"), [("basic", "note"), ("standard", "warning")])
def test_wavers_by_a_file_outside_and_is_told(tmp_path: Path, preset: str, severity: str) -> None:
    folder = tmp_path.resolve()
    story = poisoned_shop(folder, preset)
    said = asked(story)
    assert said.window["class"] == "env_unstable"
    assert said.window["effects"] == {"outside": str(folder / "cache")}
    assert (said.status, said.verdict) == (0, "accepted"), said.out
    assert ("runs.not_isolated", severity) in told(said)
    story.commit("Freeze a bug")
    answer = story.check()
    assert (answer.status, answer.verdict) == (0, "accepted")
    assert "runs.not_isolated" in answer.output
    assert "files or processes outside" in answer.output


def test_wavers_by_a_file_outside_and_is_refused_under_strict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path.resolve()
    story = poisoned_shop(folder, "strict")
    with standing_in(story.root, story.environ):
        assert run_command(["witness", "--property", PROPERTY, *terms()], os.environ) == 1
    out = capsys.readouterr().out
    assert "class:     env_unstable" in out
    assert f"reached:   outside: {folder / 'cache'}\n" in out
    assert "error runs.not_isolated" in out
    assert story.git("status", "--porcelain") == ""


# --- by what runs inherit from their parent

WORKERS = """\
import os
import sys
import resource


def total(order):
    limits = resource.getrlimit(resource.RLIMIT_CORE)
    return sum(order['lines']) if os.sched_getaffinity(0) and limits else -1
"""
ALTERS = [
    pytest.param(
        "import resource\n_soft, _hard = resource.prlimit(os.getppid(), resource.RLIMIT_FSIZE)\n"
        "resource.prlimit(os.getppid(), resource.RLIMIT_FSIZE, (10_000_000, _hard))\n",
        "RLIMIT_FSIZE (10000000, ",
        id="lowers_a_limit_of_the_next_run",
    ),
    pytest.param(
        "os.sched_setaffinity(os.getppid(), [min(os.sched_getaffinity(0))])\n",
        "processors (0,) instead of ",
        id="takes_a_processor_from_the_next_run",
        marks=pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="there is one processor only"),
    ),
]


@pytest.mark.skipif(sys.platform != "linux", reason="a process's limits are changed on Linux alone")
@pytest.mark.parametrize(("patch", "got"), ALTERS)
def test_a_run_that_changes_its_parent_ends_the_window(
    tmp_path: Path, patch: str, got: str
) -> None:
    before = take_inherited()
    policy = POLICY.format(runs=2).replace("plugins", 'pythonpath = ["src"]\nplugins')
    files = {
        "src/shop/order.py": WORKERS,
        "tests/test_order.py": TEST,
        ".freeze/policy.toml": policy,
    }
    story = flaky_shop(tmp_path.resolve(), files=files).patch(f"\n\n{patch}")
    said = asked(story)
    stopped = said.window["stopped"]
    assert (said.status, stopped["word"]) == (1, "disturbed"), said.out
    assert got in stopped["got"]
    assert first_change(before, take_inherited()) is None
