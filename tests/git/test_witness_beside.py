"""A request beside another one of the same branch, beside an end, and beside a used-up budget."""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import TYPE_CHECKING

from tests.git.test_witness_more import SECOND, two_tests
from tests.git.witnessing import asked, flaky_shop, last_day, terms, witness
from tests.support import PROPERTY, TEST_ID, Story, git_environment

if TYPE_CHECKING:
    from pathlib import Path

LEDGER = ".freeze/ledger.jsonl"


def typed(remedy: str) -> list[str]:
    """The arguments of the freezegate command in which a remedy ends."""
    return shlex.split(remedy.rpartition("freezegate witness ")[2])


def lines(story: Story) -> list[dict[str, object]]:
    """The ledger in the work tree."""
    return [json.loads(line) for line in story.read(LEDGER).splitlines()]


def land(story: Story) -> None:
    """Let the branch land on the target, and go on from there with another patch."""
    story.commit("Ask")
    story.git("push", "-q", "origin", "HEAD:main")
    story.patch("# once more\n")


def test_a_second_freeze_with_a_marker_is_told_to_take_both(tmp_path: Path) -> None:
    story = two_tests(tmp_path / "here")
    assert asked(story, "--mark").verdict == "accepted"
    story.commit("Freeze one")
    refused = witness(story, SECOND, *terms(), "--mark")
    assert (refused.codes, refused.runs) == ({"evidence.stale_patch"}, 0)
    both = witness(story, *typed(refused.finding["remedy"]))
    assert both.verdict == "accepted", both.out
    assert [line["test_id"] for line in lines(story)] == [TEST_ID, SECOND]
    story.commit("Freeze both")
    assert story.check().verdict == "accepted"


def test_what_a_refresh_would_drop_is_named_with_the_options_that_were_typed(
    tmp_path: Path,
) -> None:
    story = two_tests(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    story.commit("Freeze one")
    refused = witness(story, "--refresh", SECOND, *terms(9), "--mark")
    assert (refused.status, refused.undecided) == (2, "usage.error")
    both = witness(story, *typed(refused.err.strip()))
    assert both.verdict == "accepted", both.out
    assert [line["expires_on"] for line in lines(story)] == [last_day(9)] * 2


def test_a_test_that_was_never_asked_for_takes_no_neighbour_s_end(tmp_path: Path) -> None:
    story = two_tests(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    story.commit("Freeze one")
    assert witness(story, "--refresh", TEST_ID, SECOND).verdict == "accepted"
    assert [line["event"] for line in lines(story)] == ["frozen", "classified"]


def test_a_freeze_that_this_patch_ends_is_asked_for_anew_after_it_landed(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    land(story)
    assert story.run("ledger", "lift", PROPERTY)[0] == 0
    story.commit("Lift")
    said = asked(story)
    assert (said.codes, said.runs) == ({"ledger.bad_row"}, 0)
    assert "which this patch itself ends" in said.finding["got"]
    assert said.finding["remedy"].startswith("land the line that ends it first (git push")
    story.git("push", "-q", "origin", "HEAD:main")
    story.patch("# and more\n")
    assert asked(story).verdict == "accepted"


def test_a_used_up_budget_is_said_before_the_runs_where_nobody_is_named(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here", policy="\n[freeze]\nmax_renewals = 0\n")
    assert asked(story).verdict == "accepted"
    land(story)
    said = witness(story, "--property", PROPERTY)
    assert said.verdict == "accepted", said.out
    before_runs = said.err.partition("freezegate: run ")[0]
    assert "no freeze could follow now: budget.exceeded: renewal 1" in before_runs
    assert "freezegate ledger lift blake3:" in before_runs


def test_deleted_files_of_a_request_are_brought_back(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    story.commit("Ask")
    (kept,) = (story.root / ".freeze/evidence").iterdir()
    kept.unlink()
    said = asked(story)
    assert (said.codes, said.runs) == ({"repository.dirty"}, 0)
    assert "in HEAD, and gone from the work tree" in said.finding["got"]
    command = said.finding["remedy"].partition(";")[0]
    subprocess.run(["sh", "-ec", command], cwd=story.root, env=git_environment(), check=True)
    assert kept.is_file()


def test_a_freeze_whose_commits_this_branch_uses_up_is_told(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    for number in range(3):
        story.patch(f"# {number}\n")
    said = asked(story, "--expires-after-commits", "3")
    assert said.verdict == "accepted", said.out
    (hint,) = (each for each in said.document["hints"] if "lands more than 3" in each)
    assert "it would be over at once; squash the branch" in hint
    story.git("checkout", "-q", "--", ".")
    story.git("clean", "-q", "-f", "-d")
    assert asked(story, "--expires-after-commits", "9").document["hints"] == []


def test_a_day_that_lies_too_far_is_not_proposed(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    said = witness(story, "--property", PROPERTY, "--owner", "ada", "--expires-on", "2099/12/31")
    assert (said.status, said.runs) == (2, 0)
    assert "that day is 2099-12-31, and " in said.err
    assert said.err.rstrip().endswith(f"--expires-on {last_day(14)}")
