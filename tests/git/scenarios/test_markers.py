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


# --- other skips on the test, which the freeze licensed as well

MARK = '@pytest.mark.skip(reason="freezegate: order_total.non_negative")\n'
OTHERS = {
    "plain": "@pytest.mark.skip\n",
    "reason": '@pytest.mark.skip(reason="slow")\n',
    "skipif": '@pytest.mark.skipif(True, reason="x")\n',
    "condition": '@pytest.mark.skipif(json.__name__ == "json", reason="x")\n',
    "xfail": "@pytest.mark.xfail(run=False)\n",
    "both": "@pytest.mark.skip\n" + MARK,
    "halves": MARK.replace("freezegate", 'freeze" "gate'),
}


def lifted(story: Story) -> Story:
    """Its freeze is lifted, in a patch that leaves the skip where it is."""
    story.run("ledger", "lift", "order_total.non_negative", "--reason", "mended")
    return story


def skipped(story: Story, old: str, new: str) -> Story:
    """Write something else where a marker stands, or above a test."""
    text = story.read(TEST).decode()
    assert old in text
    return story.write(TEST, text.replace(old, new))


@pytest.mark.parametrize("new", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("ago", [1, 30], ids=["grace", "past"])
def test_another_skip_in_the_place_of_the_marker_is_no_way_out(
    marked: Story, tmp_path: Path, new: str, ago: int
) -> None:
    story = ended(marked, tmp_path / "here", ago)
    same = new == OTHERS["halves"] and ago <= GRACE_DAYS  # for Python that is the marker itself
    assert stale(skipped(story, MARK, new)) == {"warning" if same else "error"}


def test_a_marker_of_the_module_is_no_way_out(marked: Story, tmp_path: Path) -> None:
    story = skipped(ended(marked, tmp_path / "here", 1), MARK, "")
    assert stale(skipped(story, "ORDER =", "pytestmark = pytest.mark.skip\nORDER =")) == {"error"}


@pytest.mark.parametrize("new", [*OTHERS.values()][:2], ids=[*OTHERS][:2])
def test_a_skip_that_an_active_freeze_licensed_does_not_outlive_it(
    tmp_path: Path, new: str
) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    land(story, "# elsewhere\n")
    skipped(story, "def test_total", f"{new}def test_total").commit("Skip what is frozen")
    assert story.check().verdict == "accepted"
    story.git("push", "-q", "origin", "HEAD:main")
    assert stale(lifted(story)) == {"warning"}
    story.git("push", "-q", "origin", "HEAD:main")
    assert stale(touch(story)) == {"error"}


def test_lifting_and_writing_another_skip_in_one_patch(marked: Story, tmp_path: Path) -> None:
    story = land(copy_of(marked, tmp_path / "here"), "# elsewhere\n")
    assert stale(skipped(lifted(story), MARK, "@pytest.mark.skip\n")) == {"error"}


def test_rows_that_were_skipped_before_the_freeze_stay_the_test_s_own(tmp_path: Path) -> None:
    rows = "@pytest.mark.parametrize('n', [pytest.param(1, marks=pytest.mark.skip)])\n"
    other = f"\n\n{rows}def test_rows(n):\n    assert n\n"
    story = flaky_shop(tmp_path / "here")
    story.git("checkout", "-q", "main")
    skipped(story, "import pytest\n", "import pytest\n").write(
        TEST, story.read(TEST) + other.encode()
    ).commit("Rows")
    story.git("push", "-q", "origin", "main")
    story.git("rebase", "-q", "main", "topic")
    assert asked(story).verdict == "accepted"
    land(story, "# elsewhere\n")
    assert stale(lifted(story)) == set()
    story.git("push", "-q", "origin", "HEAD:main")
    assert stale(touch(story)) == set()
