"""What `freezegate witness` does where it was asked before: markers, refreshes, what is dirty."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.git.test_witness_more import SECOND, two_tests
from tests.git.witnessing import asked, flaky_shop, last_day, terms, witness
from tests.support import PROPERTY, TEST_ID, Story, git_environment

P = ("--property", PROPERTY)
LEDGER = ".freeze/ledger.jsonl"
SOURCE = "tests/test_order.py"


def lines(story: Story) -> list[dict[str, object]]:
    """The ledger in the work tree."""
    return [json.loads(line) for line in story.read(LEDGER).splitlines()]


def shell(story: Story, command: str) -> None:
    """Do what a remedy says."""
    subprocess.run(["sh", "-e", "-c", command], cwd=story.root, env=git_environment(), check=True)


# --- markers


@pytest.mark.parametrize("refresh", [(), ("--refresh",)], ids=["first", "refresh"])
def test_a_marker_is_written_for_a_freeze_alone(tmp_path: Path, refresh: tuple[str, ...]) -> None:
    story = flaky_shop(tmp_path / "here")
    said = witness(story, *P, "--mark", *refresh)
    assert (said.status, said.undecided, said.runs) == (2, "usage.error", 0)
    assert "--mark goes with --owner and --expires-on" in said.err
    assert "--owner NAME --expires-on DATE" in said.err
    assert story.git("status", "--porcelain") == ""


@pytest.mark.parametrize("mark", [(), ("--mark",)], ids=["plain", "mark"])
@pytest.mark.parametrize("add", [False, True], ids=["unstaged", "staged"])
def test_a_refresh_takes_its_own_marker_for_its_own(
    tmp_path: Path, mark: tuple[str, ...], *, add: bool
) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story, "--mark").verdict == "accepted"
    if add:
        story.git("add", "-A")
    before = (story.root / SOURCE).stat().st_mtime_ns
    said = witness(story, "--refresh", *mark)
    assert said.verdict == "accepted", said.out
    assert SOURCE not in said.document["written"]
    assert (story.root / SOURCE).stat().st_mtime_ns == before
    story.commit("Freeze it")
    answer = story.check()
    assert answer.verdict == "accepted", answer.output


def test_a_refresh_tells_to_add_the_marker_that_stands(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story, "--mark").verdict == "accepted"
    assert (
        f"next: git add ':/.freeze' ':/{SOURCE}' && git commit"
        in story.run("witness", "--refresh")[1]
    )


def test_a_marker_with_another_edit_is_an_edit(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story, "--mark").verdict == "accepted"
    story.write(SOURCE, story.read(SOURCE) + b"# mine\n")
    said = witness(story, "--refresh")
    assert (said.codes, said.finding["path"], said.runs) == ({"repository.dirty"}, SOURCE, 0)


# --- several requests


def test_a_refresh_without_names_takes_all_of_them(tmp_path: Path) -> None:
    story = two_tests(tmp_path / "here")
    first, second = last_day(3), last_day(5)
    assert witness(story, *P, "--owner", "ada", "--expires-on", first).verdict == "accepted"
    story.commit("Freeze one")
    one = witness(
        story, "--refresh", TEST_ID, SECOND, "--owner", "bob", "--expires-on", second, "--runs", "3"
    )
    assert one.verdict == "accepted", one.out
    story.commit("Freeze both")
    text = story.read(LEDGER).replace(b'"owner":"bob"', b'"owner":"eve"', 1)
    story.write(LEDGER, text.replace(second.encode(), first.encode(), 1)).commit("Terms differ")
    story.patch("# more\n")
    said = witness(story, "--refresh")
    assert said.verdict == "accepted", said.out
    assert [(li["test_id"], li["owner"], li["expires_on"]) for li in lines(story)] == [
        (TEST_ID, "eve", first),
        (SECOND, "bob", second),
    ]
    assert [page["runs_per_side"] for page in said.document["windows"]] == [3, 3]
    story.commit("Fresh evidence")
    assert story.check().verdict == "accepted"


def test_a_fixture_for_several_requests_is_ambiguous(tmp_path: Path) -> None:
    story = two_tests(tmp_path / "here")
    assert witness(story, TEST_ID, SECOND, *terms()).verdict == "accepted"
    said = witness(story, "--refresh", "--fixture", "x.json")
    assert (said.status, said.undecided) == (2, "usage.error")
    assert "--fixture goes with one test" in said.err


def test_several_properties_are_several_tests(tmp_path: Path) -> None:
    story = two_tests(tmp_path / "here")
    said = witness(story, *P, "--property", "stock.total", *terms())
    assert said.verdict == "accepted", said.out
    assert [li["property_id"] for li in lines(story)] == [PROPERTY, "stock.total"]


def test_several_properties_and_a_test_do_not_go_together(tmp_path: Path) -> None:
    said = witness(two_tests(tmp_path / "here"), TEST_ID, *P, "--property", "stock.total")
    assert (said.status, said.runs) == (2, 0)
    assert f"freezegate witness --property {PROPERTY} --property stock.total" in said.err


def test_a_refresh_where_nothing_was_asked(tmp_path: Path) -> None:
    said = witness(flaky_shop(tmp_path / "here"), "--refresh")
    assert (said.status, said.runs) == (2, 0)
    assert "this branch asks for nothing" in said.err


# --- what is in no commit


def test_an_uncommitted_request_is_one_finding_with_three_ways_on(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story, "--mark").verdict == "accepted"
    said = asked(story)
    (only,) = said.document["verdict"]["transitions"][0]["findings"]
    assert (only["code"], only["path"]) == ("repository.dirty", ".freeze")
    assert "5 files of an earlier request" in only["got"]
    assert SOURCE in only["got"]
    add, again, drop = only["remedy"].split("; or to ")
    assert add == f"git add ':/.freeze' ':/{SOURCE}' && git commit"
    assert again == "replace it: freezegate witness --refresh"
    shell(story, drop.removeprefix("drop it: "))
    assert story.git("status", "--porcelain") == ""


def test_wrong_words_are_told_before_files_that_are_in_no_commit(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    said = witness(story, "tests/test_order.py::test_totl")
    assert said.codes == {"test.not_found_at_base"}


# --- one of several


def test_the_others_of_a_refused_one_have_a_command_of_their_own(tmp_path: Path) -> None:
    story = two_tests(tmp_path / "here", "pppp")
    said = witness(story, TEST_ID, SECOND, *terms())
    assert (said.status, story.git("status", "--porcelain")) == (1, "")
    (hint,) = said.document["hints"]
    assert hint.startswith(
        f"nothing is written because of {SECOND}; without it: freezegate witness"
    )
    assert [each["test_id"] for each in said.document["kept"]] == [TEST_ID, SECOND]
    assert witness(story, *shlex.split(hint.split("freezegate witness ")[1])).verdict == "accepted"


def test_a_refresh_tells_of_evidence_that_goes(tmp_path: Path) -> None:
    story = two_tests(tmp_path / "here")
    assert witness(story, TEST_ID, SECOND).verdict == "accepted"
    said = witness(story, "--refresh", TEST_ID)
    (hint,) = said.document["hints"]
    assert hint.startswith("dropped the classified line of stock.total")


def test_the_row_of_a_recorded_property_has_a_command_that_works(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    _, text = story.run("witness", "--all", "--record")
    row = text.splitlines()[0]
    command = row[row.index("freezegate freeze") :]
    words = command.replace("NAME", "ada").replace("DATE", last_day()).split()
    assert story.run(*words[1:])[0] == 0


def test_a_request_that_stands_already_is_no_second_freeze(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    story.commit("Ask")
    said = asked(story)
    assert (said.codes, said.runs) == ({"budget.refreeze_without_new_evidence"}, 0)
    assert said.finding["remedy"] == "freezegate witness --refresh"
    story.patch("# more\n")
    assert asked(story).codes == {"budget.refreeze_without_new_evidence", "evidence.stale_patch"}
