"""What `freezegate witness` answers to words as people type them: each remedy is a command."""

from __future__ import annotations

import shlex
from datetime import date
from pathlib import Path

import pytest

from freezegate.cli.witness_options import meant_day
from freezegate.cli.witness_typed import respelled
from tests.git.witnessing import asked, flaky_shop, last_day, terms, witness
from tests.support import FIXTURE, PROPERTY, TEST_ID, lock_line

P = ("--property", PROPERTY)
OTHER = "tests/fixtures/other.json"


@pytest.mark.parametrize(
    ("text", "folder", "meant"),
    [
        pytest.param("./tests/t.py::a", "/r", "tests/t.py::a", id="dot"),
        pytest.param("./t.py::a", "/r/tests", "tests/t.py::a", id="dot_in_a_folder"),
        pytest.param("../tests/t.py::a", "/r/src", "tests/t.py::a", id="up"),
        pytest.param("tests/t.py::a", "/r/src", "tests/t.py::a", id="from_the_top"),
        pytest.param("/r/tests/t.py::a", "/", "tests/t.py::a", id="absolute"),
        pytest.param("tests//t.py::A::a", "/r", "tests/t.py::A::a", id="double"),
        pytest.param("tests/t.py:a", "/r", "tests/t.py::a", id="one_colon"),
        pytest.param("tests/t.py", "/r", "tests/t.py", id="file"),
    ],
)
def test_spellings(text: str, folder: str, meant: str) -> None:
    assert respelled(text, top="/r", folder=folder) == meant


@pytest.mark.parametrize(
    "text",
    [
        f"./{TEST_ID}",
        TEST_ID.replace("::", ":"),
        TEST_ID.partition("::")[0],
        "test_total",
        PROPERTY,
    ],
)
def test_the_remedy_for_a_mistyped_id_is_a_command_that_works(tmp_path: Path, text: str) -> None:
    story = flaky_shop(tmp_path / "here")
    said = witness(story, text, *terms())
    assert (said.status, said.runs) == (1, 0)
    assert said.codes <= {"test.bad_id", "test.not_single"}
    command = said.finding["remedy"].partition("freezegate witness ")[2]
    assert witness(story, *shlex.split(command)).verdict == "accepted"


def test_a_test_in_the_place_of_a_property(tmp_path: Path) -> None:
    said = witness(flaky_shop(tmp_path / "here"), "--property", TEST_ID)
    assert (said.status, said.undecided) == (2, "usage.error")
    assert f"freezegate witness {TEST_ID}" in said.err


def test_of_a_class_its_own_tests_are_offered(tmp_path: Path) -> None:
    body = (
        "class TestA:\n    def test_a(self): pass\n\n\nclass TestB:\n    def test_b(self): pass\n"
    )
    story = flaky_shop(tmp_path / "here", files={"tests/test_n.py": body})
    said = witness(story, "tests/test_n.py::TestB")
    assert said.codes == {"test.not_single"}
    assert "tests/test_n.py::TestB::test_b" in said.finding["remedy"]
    assert "TestA" not in said.finding["remedy"]


def test_replay_answers_with_its_own_verb(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story = flaky_shop(tmp_path / "here")
    assert story.run("replay", "tests/test_order.py::test_totl")[0] == 2
    assert f"freezegate replay --property {PROPERTY}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("10.12.2026", "2026-12-10"),
        ("1. 2. 2027", "2027-02-01"),
        ("2026/12/10", "2026-12-10"),
        ("20261210", "2026-12-10"),
        ("2026-1-5", "2026-01-05"),
        ("10/12/2026", None),
        ("2026-13-01", None),
        ("tomorrow", None),
    ],
)
def test_days(text: str, day: str | None) -> None:
    assert meant_day(text) == day


def test_another_form_of_a_date_is_offered_in_the_right_one(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    day = date.fromisoformat(last_day())
    said = witness(story, *P, "--owner", "ada", "--expires-on", f"{day:%d.%m.%Y}")
    assert (said.status, said.runs) == (2, 0)
    assert f"that day is {day}" in said.err
    assert f"--expires-on {day}" in said.err


def test_no_number_of_commits(tmp_path: Path) -> None:
    said = asked(flaky_shop(tmp_path / "here"), "--expires-after-commits", "0")
    assert said.finding["about"] == "--expires-after-commits"
    assert "1 is the least and 200 the most" in said.finding["remedy"]


@pytest.mark.parametrize("path", [OTHER, "tests/fixtures/nothing.json"])
def test_the_catalogue_knows_the_right_fixture(tmp_path: Path, path: str) -> None:
    data = '{"lines": [1, 2, 3]}\n'
    lock = lock_line(FIXTURE, data) + lock_line(OTHER, "{}\n")
    story = flaky_shop(tmp_path / "here", files={OTHER: "{}\n", ".freeze/fixtures.sha256": lock})
    said = asked(story, "--fixture", path)
    assert (said.status, said.runs) == (1, 0)
    assert f"--fixture {FIXTURE}" in said.finding["remedy"]


def test_a_branch_without_commits(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    story.git("checkout", "-q", "--orphan", "new")
    said = asked(story)
    assert (said.status, said.verdict) == (2, "undecided")
    assert said.finding["got"] == "a branch without commits"
    assert "git commit" in said.finding["remedy"]


def test_a_test_without_a_property_is_told_what_can_be_frozen(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here", files={"tests/test_n.py": "def test_n(): pass\n"})
    said = witness(story, "tests/test_n.py::test_n")
    assert (said.codes, said.runs) == ({"budget.id_not_catalogued"}, 0)
    assert "under the preset standard" in said.finding["expected"]
    assert "freezegate catalog add" in said.finding["remedy"]


def test_a_fault_of_the_command_line_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        flaky_shop(tmp_path / "here").run("witness", "--runs", "many")
    (line,) = [each for each in capsys.readouterr().err.splitlines() if "cloned" not in each]
    assert line.startswith("freezegate witness: argument --runs: invalid int value: 'many'; see ")
    assert line.endswith("; see freezegate witness --help")


def test_the_command_of_a_fault_is_its_remedy(tmp_path: Path) -> None:
    said = witness(flaky_shop(tmp_path / "here"), "--changed")
    (finding,) = said.document["transitions"][0]["findings"]
    assert finding["got"] == "--changed goes with --all"
    assert finding["remedy"] == "freezegate witness --all --changed"


def test_a_policy_without_fixtures_is_said_so(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    text = story.on("main").read(".freeze/policy.toml").decode()
    story.write(".freeze/policy.toml", text.replace('["tests/fixtures/**"]', "[]")).commit("none")
    story.git("push", "-q", "origin", "main")
    story.on("topic").git("rebase", "-q", "main")
    said = asked(story)
    assert "fixture.not_guarded" in said.codes
    assert "at the trusted base there are none" in said.out


def test_of_several_ids_the_known_ones_have_a_command(tmp_path: Path) -> None:
    said = witness(flaky_shop(tmp_path / "here"), TEST_ID, "tests/nowhere.py::test_a", *terms())
    assert (said.codes, said.runs) == ({"test.not_found_at_base"}, 0)
    (hint,) = said.document["hints"]
    assert hint.startswith(
        "nothing was run because of tests/nowhere.py::test_a; without: freezegate"
    )
    assert f"freezegate witness {TEST_ID} --owner ada" in hint
