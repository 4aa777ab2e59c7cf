"""Markers of freezes that are over: some days of grace, then in the way of who touches them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from freezegate.model.digests import Blake3
from tests.git.scenarios.test_renewals import edit_last, land, lines
from tests.git.witnessing import asked, flaky_shop
from tests.support import Story, copy_of

if TYPE_CHECKING:
    from pathlib import Path

TEST = "tests/test_order.py"
GRACE_DAYS = 3


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A freeze with a marker, not yet landed."""
    story = flaky_shop(tmp_path_factory.mktemp("markers") / "here")
    assert asked(story, "--mark").verdict == "accepted"
    assert b"freezegate: " in story.read(TEST)
    return story


def day(ago: int) -> str:
    """A date so many days ago, in UTC."""
    return (datetime.now(UTC) - timedelta(days=ago)).date().isoformat()


def ended(marked: Story, folder: Path, ago: int) -> Story:
    """The freeze as if it had landed and ended so many days ago."""
    story = copy_of(marked, folder)
    edit_last(story, lambda line: line.update(expires_on=day(ago)))
    return land(story, "# elsewhere\n").write("README.md", "# another shop\n")


def stale(story: Story) -> set[str]:
    """The severities of the findings on stale markers."""
    story.commit("Go on")
    found = story.check().document["transitions"][0]["findings"]
    return {each["severity"] for each in found if each["code"] == "freeze.stale_marker"}


def touch(story: Story) -> Story:
    """Add a test to the module of the frozen one."""
    return story.write(TEST, story.read(TEST) + b"\n\ndef test_more():\n    assert True\n")


def test_a_marker_of_an_active_freeze_is_no_finding(marked: Story, tmp_path: Path) -> None:
    story = ended(marked, tmp_path / "here", 0)  # the last day counts whole
    assert stale(touch(story)) == set()


@pytest.mark.parametrize(
    ("ago", "touches", "expected"),
    [
        pytest.param(1, False, {"warning"}, id="grace_elsewhere"),
        pytest.param(1, True, {"warning"}, id="grace_touched"),
        pytest.param(GRACE_DAYS, True, {"warning"}, id="last_day_of_grace"),
        pytest.param(GRACE_DAYS + 1, True, {"error"}, id="past_grace_touched"),
        pytest.param(GRACE_DAYS + 1, False, {"warning"}, id="past_grace_elsewhere"),
    ],
)
def test_a_marker_past_the_end(
    marked: Story, tmp_path: Path, ago: int, touches: bool, expected: set[str]
) -> None:
    story = ended(marked, tmp_path / "here", ago)
    assert stale(touch(story) if touches else story) == expected


def test_a_patch_that_takes_the_marker_out_is_no_finding(marked: Story, tmp_path: Path) -> None:
    story = ended(marked, tmp_path / "here", 30)
    text = story.read(TEST).split(b"\n")
    story.write(TEST, b"\n".join(line for line in text if b"freezegate: " not in line))
    assert stale(story) == set()


@pytest.mark.parametrize("touches", [True, False], ids=["touched", "elsewhere"])
def test_a_marker_whose_freeze_was_lifted(marked: Story, tmp_path: Path, touches: bool) -> None:
    story = ended(marked, tmp_path / "here", -5)
    value = json.loads(lines(story)[0])
    story.append(
        {
            "event": "lifted",
            "freeze": Blake3.of(lines(story)[0]),
            "base_rev": value["base_rev"],
            "fixture_sha256": value["fixture_sha256"],
            "reason": "mended",
            "owner": "ada",
        }
    )
    assert stale(touch(story) if touches else story) == {"error" if touches else "warning"}


def test_a_renewal_covers_the_marker_again(marked: Story, tmp_path: Path) -> None:
    story = ended(marked, tmp_path / "here", 30)
    story.commit("Elsewhere")
    assert asked(story).verdict == "accepted"
    assert stale(story) == set()
