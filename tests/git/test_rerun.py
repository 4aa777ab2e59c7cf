"""`freezegate check --rerun`: evidence once more, which never changes the verdict."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.git.witnessing import asked, flaky_shop, leftovers
from tests.support import FIXTURE, PROPERTY, TEST_ID, Answer, Story, start


def requested(folder: Path, pattern: str) -> Story:
    """A shop with a request whose four runs used up the first letters of the pattern."""
    story = flaky_shop(folder, pattern)
    assert asked(story).verdict == "accepted"
    story.commit("Freeze a flaky test")
    return story


def rerun(answer: Answer) -> dict[str, Any]:
    """The only rerun."""
    (only,) = answer.document["reruns"]
    return dict(only)


@pytest.mark.parametrize(
    ("later", "result", "variance", "rows"),
    [
        pytest.param("pfff", "not reproduced", "unresolved", ("pf", "ff"), id="half"),
        pytest.param("ppff", "reproduced", "env_unstable", ("pf", "pf"), id="again"),
        pytest.param("pppp", "not reproduced", "pass", ("pp", "pp"), id="passes"),
        pytest.param("pfpf", "not reproduced", "deterministic_miss", ("pp", "ff"), id="misses"),
        pytest.param("w", "not reproduced", "fixture_drift", ("p", ""), id="drifts"),
    ],
)
def test_a_rerun_says_what_it_saw_and_changes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    later: str,
    result: str,
    variance: str,
    rows: tuple[str, str],
) -> None:
    story = requested(tmp_path / "here", "ppff" + later)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    before = story.check()
    assert "reruns" not in before.document
    after = story.check("--rerun")
    assert (after.status, after.verdict) == (before.status, before.verdict) == (0, "accepted")
    seen = rerun(after)
    assert (seen["result"], seen["class"], seen["why"]) == (result, variance, None)
    shown = [[word[0] for word in seen[key]] for key in ("base_runs", "candidate_runs")]
    if later != "w":
        assert shown == [list(row) for row in rows]
    assert (seen["test_id"], seen["property_id"]) == (TEST_ID, PROPERTY)
    assert seen["fixture_path"] == FIXTURE
    assert story.git("status", "--porcelain") == ""
    assert leftovers(temporary) == []


def test_the_text_has_a_line_behind_the_verdict(tmp_path: Path) -> None:
    story = requested(tmp_path / "here", "ppffpppp")
    status, text = story.run("check", "--rerun")
    assert status == 0
    head, line = text.splitlines()[0], text.splitlines()[-1]
    assert head.startswith("freezegate: accepted refs/heads/topic")
    assert line == (
        f"rerun of {TEST_ID}: not reproduced: pass (property_holds), 0 of 4 runs failed"
    )


def test_a_run_that_shows_nothing(tmp_path: Path) -> None:
    story = requested(tmp_path / "here", "ppffps")
    answer = story.check("--rerun")
    seen = rerun(answer)
    assert (answer.status, seen["result"], seen["class"]) == (0, "could not run", None)
    assert seen["why"].startswith("skipped: ")
    assert seen["base_runs"] == ["pass"]


def test_a_refused_request_is_repeated_and_stays_refused(tmp_path: Path) -> None:
    story = requested(tmp_path / "here", "ppff")
    story.write("src/shop/order.py", "# another patch\n").commit("more")
    answer = story.check("--rerun")
    assert (answer.status, answer.verdict) == (1, "refused")
    assert rerun(answer)["result"] == "reproduced"


def test_the_index_is_repeated_too(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    story.git("add", ".freeze")
    assert rerun(story.check("--staged", "--rerun"))["result"] == "reproduced"


def test_nothing_asked_is_nothing_repeated(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    answer = story.check("--rerun")
    assert (answer.status, answer.document["reruns"]) == (0, [])
    assert "rerun: no request that could be repeated" in story.run("check", "--rerun")[1]


def test_a_request_without_evidence_could_not_run(tmp_path: Path) -> None:
    story = start(tmp_path / "here").branch("topic").patch().freeze()
    answer = story.check("--rerun")
    assert (answer.status, rerun(answer)["result"]) == (0, "could not run")
    assert rerun(answer)["why"] == "the request names no evidence"


def test_evidence_that_is_gone_could_not_run(tmp_path: Path) -> None:
    story = requested(tmp_path / "here", "ppff")
    (path,) = (story.root / ".freeze" / "evidence").iterdir()
    path.unlink()
    story.commit("lose it", "--amend")
    answer = story.check("--rerun")
    assert (answer.status, rerun(answer)["result"]) == (1, "could not run")
    assert "no such file" in rerun(answer)["why"]


def test_a_plan_beyond_the_policy_is_not_run(tmp_path: Path) -> None:
    story = requested(tmp_path / "here", "ppff")
    story.on("main").write(
        ".freeze/policy.toml",
        story.read(".freeze/policy.toml").replace(b"timeout_s = 30", b"timeout_s = 20"),
    ).commit("shorter")
    story.git("push", "-q", "origin", "main")
    story.on("topic")
    seen = rerun(story.check("--rerun"))
    assert seen["result"] == "could not run"
    assert seen["why"] == "the plan gives a run 30 s; the policy gives it 20 s"


def test_an_interpreter_without_pytest_could_not_run(tmp_path: Path) -> None:
    story = requested(tmp_path / "here", "ppff")
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    for python in (str(bare / "bin" / "python"), "/nowhere/python"):
        answer = story.check("--rerun", "--python", python)
        assert (answer.status, rerun(answer)["result"]) == (0, "could not run")
        assert "pytest" in rerun(answer)["why"]


def test_python_alone_is_no_option(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert story.run("check", "--python", "python3") == (2, "")


def test_without_an_answer_nothing_is_repeated(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    status, out = story.run("check", "--rerun", "--base", "nowhere", "--format", "json")
    assert (status, json.loads(out)["reruns"]) == (2, [])
