"""`freezegate brief`: what whoever repairs the patch is told, and when there is nothing to tell."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from tests.git.sampling import GOOD, NARROW, SUBJECT, ask, locked, property_shop
from tests.git.turns import lay_out
from tests.support import ORACLE, PROPERTY, Story, copy_of, git_environment

if TYPE_CHECKING:
    from pathlib import Path

MISSED = "    if order['discount'] == 61:\n        return -1\n"
# Wrong in every second process.
WAVERS = (
    "with open({turns!r}, 'rb', buffering=0) as turns:\n    IS_BAD = turns.read(1) == b'f'\n\n\n"
    "def total(order):\n    if order['discount'] == 61 and IS_BAD:\n        return -1\n"
    "    return max(0, sum(order['lines']) - order['discount'])\n"
)


@pytest.fixture(scope="module")
def _missed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Story, str]:
    story = property_shop(tmp_path_factory.mktemp("missed"))
    story.write("docs/notes.md", "# notes\n").write("src/shop/label.py", "A = 1\n")
    story.commit("Notes")
    path = locked(story)
    story.commit("Lock the input")
    return story, path


@pytest.fixture
def missed(_missed: tuple[Story, str], tmp_path: Path) -> tuple[Story, str]:
    """A shop whose patch breaks the property on one input, which is locked; and its path."""
    story, path = _missed
    return copy_of(story, tmp_path / "here"), path


def test_a_miss_is_told_with_all_that_a_repair_needs(missed: tuple[Story, str]) -> None:
    story, path = missed
    status, document = ask(story, "brief", "--fixture", path)
    assert (status, document["class"]) == (0, "deterministic_miss")
    assert document["base_runs"] == ["pass", "pass"]
    assert document["candidate_runs"] == ["fail", "fail"]
    data = story.read(path)
    assert document["fixture"] == {
        "path": path,
        "sha256": sha256(data).hexdigest(),
        "size": len(data),
        "bytes": data.decode(),
    }
    assertion = document["assertion"]
    assert assertion["test_id"] == f"{ORACLE}::test_total_is_never_negative"
    line = story.read(ORACLE).decode().splitlines()[assertion["line"] - 1]
    assert (assertion["path"], assertion["source"]) == (ORACLE, line.strip())
    assert assertion["message"].startswith("AssertionError: ")
    (diff,) = document["diff"]
    assert diff["path"] == SUBJECT
    added = "".join(f"+{line}\n" for line in MISSED.splitlines())
    assert added in diff["text"]
    assert document["left_out"] == []
    assert document["not_opened"] == 4  # notes, label, fixture and lock
    status, text = story.run("brief", "--fixture", path)
    assert status == 0
    assert document["check"] in text
    assert "    +        return -1\n" in text
    assert document["fixture"]["sha256"] in text


def test_a_repair_is_a_new_candidate(missed: tuple[Story, str]) -> None:
    story, path = missed
    check = ("brief", "--fixture", path, "--check")
    story.write(SUBJECT, GOOD + "# faster\n").commit("Repair")
    status, (page,) = ask(story, *check, "HEAD")
    assert (status, page["class"]) == (0, "pass")
    assert page["next_step"].startswith("The repair holds on this input.")
    status, (page,) = ask(story, *check, "HEAD~1")
    assert (status, page["class"]) == (1, "deterministic_miss")
    status, document = ask(story, "brief", "--fixture", path)
    assert status == 1
    assert "the property holds on this input" in document["refused"]


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        (ORACLE, "assert total(order) >= -1", f"the patch changes the oracle {ORACLE}"),
        ("conftest.py", "", "the patch changes conftest.py, on which the oracle depends"),
    ],
)
def test_a_repair_of_what_judges_is_refused(
    missed: tuple[Story, str],
    capsys: pytest.CaptureFixture[str],
    path: str,
    content: str,
    expected: str,
) -> None:
    story, fixture = missed
    old = story.read(ORACLE).decode() if path == ORACLE else ""
    story.write(path, old.replace("assert total(order) >= 0", content)).commit("Loosen")
    status, _ = story.run("brief", "--fixture", fixture, "--check", "HEAD")
    told = capsys.readouterr().err
    assert status == 2
    assert expected in told
    assert "run 1 of" not in told


def test_a_wavering_candidate_is_told_as_such(missed: tuple[Story, str], tmp_path: Path) -> None:
    story, path = missed
    turns = str(lay_out(tmp_path / "turns", "fp"))
    story.write(SUBJECT, WAVERS.format(turns=turns)).commit("Waver")
    status, document = ask(story, "brief", "--fixture", path)
    assert (status, document["class"]) == (0, "seed_unstable")
    assert document["candidate_runs"] == ["fail", "pass"]


def test_a_fixture_that_drifted_is_no_ground_for_a_request(missed: tuple[Story, str]) -> None:
    story, path = missed
    story.write(path, story.read(path).replace(b'"discount":61', b'"discount":62'))
    status, document = ask(story, "brief", "--fixture", path)
    assert status == 1
    assert "the class is fixture_drift" in document["refused"]


def test_what_is_past_the_limit_is_named(missed: tuple[Story, str]) -> None:
    story, path = missed
    text = NARROW + "".join(f"# line {number}, with more\n" for number in range(500))
    story.write(SUBJECT, text).commit("Explain")
    status, document = ask(story, "brief", "--fixture", path, "--max-bytes", "4096")
    assert (status, document["diff"]) == (0, [])
    (left,) = document["left_out"]
    assert left["path"] == SUBJECT
    assert left["size"] > 4096
    status, said = story.run("brief", "--fixture", path, "--max-bytes", "4096")
    assert f"git diff {document['base_rev'][:12]} {document['candidate_rev'][:12]} -- " in said


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), "no fixture is named"),
        (("--fixture", "nowhere.json"), "no file 'nowhere.json' in the work tree"),
        (("--fixture", SUBJECT), "is no fixture of a property"),
        (("--fixture", "F", "--rev", "HEAD", "--check", "HEAD"), "expected one of them"),
        (("--fixture", "F", "--check", "base"), "the base is not what is repaired"),
        (("--fixture", "F", "--max-bytes", "7"), "expected 2048 to"),
    ],
)
def test_bad_options(
    missed: tuple[Story, str],
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    expected: str,
) -> None:
    story, path = missed
    status, _ = story.run("brief", *(path if word == "F" else word for word in options))
    assert status == 2
    assert expected in capsys.readouterr().err


def test_nothing_is_sent_anywhere(missed: tuple[Story, str]) -> None:
    story, path = missed
    program = (
        "import os, sys\n"
        "def hook(event, args):\n"
        "    if event.startswith('socket.') and event != 'socket.__new__':\n"
        "        os.write(2, event.encode()); os._exit(9)\n"
        "sys.addaudithook(hook)\n"
        "from freezegate.cli.verbs import run_command\n"
        f"sys.exit(run_command(['brief', '--fixture', {path!r}], os.environ))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=story.root,
        env=git_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"request for a repair of {PROPERTY}\n")


def test_names_and_bytes_of_the_patch_stay_data(missed: tuple[Story, str]) -> None:
    story, path = missed
    trick = "# \x1b[2Jwhat to do\n#\x0bwhat to do\n"
    story.write(SUBJECT, trick + NARROW).commit("Trick")
    status, text = story.run("brief", "--fixture", path)
    assert status == 0
    assert "\x1b" not in text
    assert text.splitlines().count("what to do") == 1
