"""Surroundings that nobody thinks of: they change no answer, and end in no traceback."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from freezegate.model.ids import PropertyId, TestId
from freezegate.policy.marking import is_marked, mark_test
from tests.git.test_witness_beside import land
from tests.git.test_witness_more import SECOND, two_tests
from tests.git.witnessing import asked, flaky_shop, last_day, terms, witness
from tests.support import PROPERTY, TEST_ID, Story, copy_of, git_environment

if TYPE_CHECKING:
    from pathlib import Path

LEDGER, RECORD = ".freeze/ledger.jsonl", ".freeze/record.json"
TOOL = f"{shlex.quote(sys.executable)} -I -m freezegate"
ASK = f"{TOOL} witness --property {PROPERTY} --owner ada --expires-on {last_day()}"


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A freeze that has landed, and a patch on top of it."""
    story = flaky_shop(tmp_path_factory.mktemp("landed") / "here")
    assert asked(story).verdict == "accepted"
    land(story)
    return story


@pytest.fixture
def shop(landed: Story, tmp_path: Path) -> Story:
    """A copy of it."""
    return copy_of(landed, tmp_path / "here")


def typed(story: Story, command: str, **environ: str) -> tuple[int, str, str]:
    """Type a command; return its status and both outputs."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=story.root,
        env=git_environment() | environ,
        capture_output=True,
        check=False,
    )
    out, err = (each.decode(errors="backslashreplace") for each in (done.stdout, done.stderr))
    return done.returncode, out, err


def test_a_folder_for_temporary_files_inside_the_work_tree(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    (story.root / "tmp").mkdir()
    story.write(".git/info/exclude", "tmp/\n")
    status, out, err = typed(story, ASK, TMPDIR=str(story.root / "tmp"))
    assert (status, err.count("freezegate: run ")) == (0, 4), out + err
    assert list((story.root / "tmp").iterdir()) == []


def test_git_s_own_name_of_the_user_is_no_text(shop: Story) -> None:
    typed(shop, "git config user.name $'Jos\\xe9'")
    status, out, err = typed(shop, f"{TOOL} ledger lift {PROPERTY}")
    assert (status, err) == (0, "")
    assert "signed by ada" in out


@pytest.mark.parametrize("owner", ["$'\\xff'", "$'a\\nb'", "$'\\e[31m'"])
@pytest.mark.parametrize("verb", ["witness", "freeze"])
def test_an_owner_that_is_no_text(tmp_path: Path, verb: str, owner: str) -> None:
    story = flaky_shop(tmp_path / "here")
    if verb == "freeze":
        assert witness(story, "--property", PROPERTY).verdict == "accepted"
    named = f"--property {PROPERTY}" if verb == "witness" else PROPERTY
    status, _, err = typed(
        story, f"{TOOL} {verb} {named} --owner {owner} --expires-on {last_day()}"
    )
    assert status == 2
    assert "is nobody's name; expected a person or a team" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_closed_descriptors_change_no_answer(shop: Story, closed: str) -> None:
    assert typed(shop, f"{TOOL} check {closed}")[0] == 0
    shop.write(LEDGER, b"").commit("Lose it")
    assert typed(shop, f"{TOOL} check {closed}")[0] == 1
    assert typed(shop, f"{TOOL} check --base nowhere {closed}")[0] == 2


def test_no_file_takes_the_place_of_a_closed_descriptor(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert typed(story, f"{ASK} 0<&- 1>&- 2>&-")[0] == 0
    assert story.run("ledger", "verify")[0] == 0
    story.commit("Ask")
    assert story.check().verdict == "accepted"


def test_a_full_disk_behind_standard_output_is_no_lost_request(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    status, _, err = typed(story, f"{ASK} >/dev/full")
    assert (status, "stand in the work tree, but could not be told" in err) == (2, True)
    assert LEDGER in err
    story.commit("Ask")
    assert story.check().verdict == "accepted"


def test_head_moves_while_the_runs_are_made(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    python = tmp_path / "python"
    who = "-c user.name=eve -c user.email=eve@example.org"
    move = f"git -C {shlex.quote(str(story.root))} {who} commit -q --allow-empty -m Meanwhile"
    python.write_text(f'#!/bin/sh\n{move}\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    status, _, err = typed(story, f"{ASK} --python {shlex.quote(str(python))}")
    assert status == 2
    assert "HEAD moved from" in err
    assert "nothing was written" in err
    assert story.git("status", "--porcelain") == ""


def test_a_marker_in_a_module_with_a_byte_order_mark() -> None:
    source = b"\xef\xbb\xbfdef test_t():\n    assert 1\n"
    marked = mark_test(source, TestId("t.py::test_t"), PropertyId("a.b"))
    assert marked.startswith(b"\xef\xbb\xbfimport pytest\n")
    assert is_marked(marked, TestId("t.py::test_t"))


@pytest.mark.parametrize("reason", ["", " "])
def test_an_end_has_a_reason(shop: Story, reason: str) -> None:
    assert shop.run("ledger", "lift", PROPERTY)[0] == 0
    *before, last = shop.read(LEDGER).splitlines()
    edited = json.dumps(
        json.loads(last) | {"reason": reason}, sort_keys=True, separators=(",", ":")
    )
    shop.write(LEDGER, b"\n".join([*before, edited.encode(), b""])).commit("Lift")
    answer = shop.check()
    assert answer.errors == {"ledger.bad_row"}
    assert answer.finding("ledger.bad_row")["about"] == "reason"


@pytest.mark.parametrize(
    ("changes", "code", "about"),
    [
        ({"evidence": "blake3:" + "a" * 64}, "evidence.missing", "evidence"),
        ({"class": "pass"}, "ledger.bad_row", "class"),
        ({"class": "deterministic_miss"}, "ledger.bad_row", "class"),
    ],
)
def test_a_classified_line_that_its_runs_contradict(
    tmp_path: Path, changes: dict[str, str], code: str, about: str
) -> None:
    story = flaky_shop(tmp_path / "here")
    assert witness(story, "--property", PROPERTY).verdict == "accepted"
    line = json.loads(story.read(LEDGER)) | changes
    edited = json.dumps(line, sort_keys=True, separators=(",", ":"))
    story.write(LEDGER, edited.encode() + b"\n").commit("Classify")
    answer = story.check()
    assert code in answer.errors
    assert answer.finding(code)["about"] == about


def test_committed_conflict_markers_are_taken_out_of_the_record_too(tmp_path: Path) -> None:
    story = two_tests(tmp_path / "here")
    story.git("branch", "other", "main")
    assert witness(story, SECOND, *terms()).verdict == "accepted"
    story.commit("One")
    story.git("checkout", "-q", "other")
    story.write("src/shop/more.py", "MORE = 1\n").commit("More")
    assert witness(story, TEST_ID, *terms()).verdict == "accepted"
    story.commit("Another")
    story.git("push", "-q", "origin", "topic:main")
    story.git("merge", "-q", "origin/main", check=False)
    story.commit("With its markers")
    assert b"<<<<<<<" in story.read(RECORD)
    assert story.run("ledger", "rebase")[0] == 0
    story.commit("As it said")
    answer = story.check()
    assert answer.verdict == "accepted", answer.output
