"""A freeze of a foreign project's test, and each drift that must end it.

The project is a published one; fixture, property and flake are planted as in `test_real_projects`.
Seven isolated runs a side, the table, the freeze; then bytes, whitespace, line endings and names
move, and plugin and gate say what the freeze is worth.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.git.published import unpacked
from tests.git.test_real_projects import (
    FIXTURE,
    FLAKE,
    ORACLE,
    PROJECTS,
    Project,
    sources,
)
from tests.git.test_real_projects import _commit as commit
from tests.git.test_real_projects import _guarded as guarded
from tests.git.test_real_projects import _patch as patch
from tests.git.witnessing import terms, witness
from tests.support import Story, lock_line

__all__ = ["sources"]  # the fixture of the other module

PROJECT: Project = PROJECTS[0]
RUNS = 7
TEST = PROJECT.suite
NAME = PROJECT.test_id.partition("::")[2]


@pytest.fixture(scope="module")
def frozen(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """The project with a landed freeze, witnessed by seven runs on each side."""
    folder = tmp_path_factory.mktemp("document")
    story = guarded(
        Story(unpacked(sources, PROJECT.requirement, folder / "unpacked")), PROJECT, folder
    )
    policy = story.on("main").read(".freeze/policy.toml").decode()
    story.write(".freeze/policy.toml", policy.replace("runs = 2", f"runs = {RUNS}"))
    commit(story, "Seven runs").passed()
    story.git("push", "-q", "origin", "main")
    story.git("branch", "-q", "-f", "topic", "main")
    patch(story.on("topic"), PROJECT)
    said = witness(story, "--property", FLAKE, *terms())
    assert (said.status, said.verdict) == (0, "accepted"), said.out
    rows = said.window["runs"]
    assert [len(rows[side]) for side in ("base", "candidate")] == [RUNS, RUNS]
    assert {frozenset(row) for row in rows.values()} == {frozenset({"pass", "fail"})}
    assert (said.window["class"], said.window["status"]) == ("env_unstable", "freeze_candidate")
    commit(story, "Freeze for a week").passed()
    story.git("push", "-q", "origin", "HEAD:main")
    story.git("fetch", "-q", "origin")
    return story


@pytest.fixture
def story(frozen: Story, tmp_path: Path) -> Story:
    """A copy, on a branch behind the landed freeze."""
    source = frozen.root.parent.parent
    copied = tmp_path / "copy"
    subprocess.run(["cp", "-a", str(source), str(copied)], check=True)
    made = Story(copied / frozen.root.relative_to(source))
    made.git("remote", "set-url", "origin", str(copied / "origin.git"))
    return made.branch("later")


def session(story: Story) -> tuple[str, str]:
    """Run the frozen test's module with the plugin; return the test's outcome and the output."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "-p",
        "no:cacheprovider",
        TEST,
        "-k",
        "cases_of",
    ]
    done = subprocess.run(
        command,
        cwd=story.root,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r"::test_\w+ (PASSED|FAILED|SKIPPED)", done.stdout)
    assert found, done.stdout + done.stderr
    return found[1], done.stdout


def codes(story: Story, message: str) -> set[str]:
    """Commit and return the errors of a check."""
    story.commit(message)
    found = story.check().document["transitions"][0]["findings"]
    return {each["code"] for each in found if each["severity"] == "error"}


def test_the_freeze_skips_while_its_bytes_stand(story: Story) -> None:
    outcome, text = session(story)
    assert outcome == "SKIPPED"
    assert f"{FLAKE}: owner ada, 7 days left" in text
    assert "1 skipped" in text
    assert "passed" not in text


DRIFTS = [
    pytest.param(lambda data: data.replace(b"sea", b"Sea"), id="bytes"),
    pytest.param(lambda data: data.replace(b", ", b","), id="whitespace_only"),
    pytest.param(lambda data: data.replace(b"\n", b"\r\n"), id="line_endings"),
]


@pytest.mark.parametrize("drift", DRIFTS)
def test_a_drift_of_the_fixture_ends_the_skip_and_asks_for_a_line(
    story: Story, drift: object
) -> None:
    assert callable(drift)
    data = story.read(FIXTURE)
    story.write(FIXTURE, drift(data))
    assert story.read(FIXTURE) != data
    outcome, text = session(story)
    assert outcome in ("PASSED", "FAILED")
    assert "fixture drifted" in text
    assert "freeze.void" in codes(story, "Clean up")
    assert story.run("ledger", "void", FLAKE, "--reason", "the fixture moved")[0] == 0
    story.write(".freeze/fixtures.sha256", lock_line(FIXTURE, story.read(FIXTURE)))
    assert codes(story, "Void the freeze") == set()
    status, text = story.run("ledger", "verify")
    assert status == 0, text


def test_the_lock_names_a_drift_of_whitespace_alone(story: Story) -> None:
    story.write(FIXTURE, story.read(FIXTURE).replace(b", ", b","))
    status, text = story.run("lock", "--check")
    assert status == 1
    assert "whitespace" in text


def test_a_renamed_test_keeps_its_property_and_its_freeze_by_marker(story: Story) -> None:
    source = story.read(TEST).decode()
    marker = f'import pytest\n\n\n@pytest.mark.property_id("{FLAKE}")\n'
    story.write(TEST, source.replace(f"def {NAME}(", f"{marker}def test_cases_of_another_name("))
    outcome, text = session(story)
    assert outcome == "SKIPPED", text
    assert "test_cases_of_another_name" in text


def test_a_renamed_test_without_its_marker_runs(story: Story) -> None:
    story.write(TEST, story.read(TEST).decode().replace(f"def {NAME}(", "def test_cases_of_none("))
    assert session(story)[0] in ("PASSED", "FAILED")


def test_a_renamed_property_is_a_new_one_without_evidence(story: Story) -> None:
    catalog = story.read(".freeze/catalog.toml").decode()
    story.write(".freeze/catalog.toml", catalog.replace(FLAKE, "flake.holds_too"))
    assert session(story)[0] in ("PASSED", "FAILED")
    assert "freeze.void" in codes(story, "Another id")


def test_the_oracle_moves_and_the_test_runs(story: Story) -> None:
    story.write(ORACLE, story.read(ORACLE) + b"\n# looser\n")
    outcome, text = session(story)
    assert outcome in ("PASSED", "FAILED")
    assert "oracle changed" in text


def test_what_is_written_is_what_the_document_asks_for(story: Story) -> None:
    (line,) = map(json.loads, story.read(".freeze/ledger.jsonl").splitlines())
    assert (line["property_id"], line["runs"]) == (FLAKE, 2 * RUNS)
    assert line["passes"] + line["fails"] == line["runs"]
    assert line["reason"] == "intermittent_on_stable_digest"
    assert len(set(line["fail_signatures"])) == 1
    assert b"skip" not in story.read(".freeze/ledger.jsonl")
