"""The single steps `replay`, `classify` and `plan`, and progress on a terminal."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from freezegate.cli.witness_notes import only_witness
from tests.git.witnessing import flaky_shop, terms
from tests.support import PROPERTY, git_environment

P = ("--property", PROPERTY)


@pytest.mark.parametrize(
    ("pattern", "side", "runs", "status", "answer"),
    [
        ("pf", "base", ["pass", "fail", "pass"], 0, "intermittent_on_stable_digest"),
        ("p", "candidate", ["pass"] * 3, 0, "property_holds"),
        ("f", "candidate", ["fail"] * 3, 0, "stable_violation"),
        ("ps", "candidate", ["pass"], 1, "unresolved"),
    ],
)
def test_replay_shows_one_row(
    tmp_path: Path, pattern: str, side: str, runs: list[str], status: int, answer: str
) -> None:
    story = flaky_shop(tmp_path / "here", pattern)
    ended, out = story.run("replay", *P, "--side", side, "--runs", "3", "--format", "json")
    document = json.loads(out)
    assert (ended, document["runs"], document["reason"]) == (status, runs, answer)
    assert story.git("status", "--porcelain") == ""
    _, text = story.run("replay", *P, "--side", side, "--runs", "3")
    assert f"{side} of tests/test_order.py::test_total:" in text


@pytest.mark.parametrize("pattern", ["p", "f", "pf"])
def test_a_few_runs_are_told_and_not_judged(tmp_path: Path, pattern: str) -> None:
    story = flaky_shop(tmp_path / "here", pattern, runs=5)
    ended, out = story.run("replay", *P, "--runs", "3", "--format", "json")
    document = json.loads(out)
    assert (ended, document["status"], document["reason"]) == (0, "block", "unresolved")
    _, text = story.run("replay", *P, "--runs", "3")
    assert "of 3 runs of this side failed, of at least 5" in text
    assert "repair" not in text
    assert "freezegate classify" in text


@pytest.mark.parametrize(
    ("pattern", "variance", "status"),
    [("ppff", "env_unstable", 0), ("p", "pass", 0), ("pf", "deterministic_miss", 1)],
)
def test_classify_writes_nothing(tmp_path: Path, pattern: str, variance: str, status: int) -> None:
    story = flaky_shop(tmp_path / "here", pattern)
    ended, out = story.run("classify", *P, "--format", "json")
    assert (ended, json.loads(out)[0]["class"]) == (status, variance)
    assert story.git("status", "--porcelain") == ""
    assert not (story.root / ".git" / "freezegate" / "windows").exists()


def test_plan_says_how_many_runs(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    ended, out = story.run("plan", "--rate", "10%", "--power", "0.77", "--format", "json")
    assert (ended, json.loads(out)["runs"]) == (0, 20)
    ended, out = story.run("plan", "--rate", "1/100")
    assert ended == 1
    assert "Even 50 runs" in out


def test_dots_on_a_terminal(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    own, terminal = os.openpty()
    command = [sys.executable, "-I", "-m", "freezegate", "witness", *P, *terms()]
    environ = git_environment() | {"TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        command, cwd=story.root, env=environ, stdout=subprocess.PIPE, stderr=terminal
    ) as process:
        os.close(terminal)
        seen = b""
        while True:
            try:
                data = os.read(own, 10_000)
            except OSError:  # the other end is closed
                break
            if not data:
                break
            seen += data
        out = process.stdout.read() if process.stdout else b""
    os.close(own)
    assert process.returncode == 0
    assert "candidate  ." in seen.decode()
    assert b"to go" in seen
    assert b"\x1b" not in out
    assert b"run 1 of" not in seen


def test_who_waits_is_told_by_its_own_verb(tmp_path: Path) -> None:
    def take_turn() -> None:
        with only_witness(tmp_path, "replay"):
            pass

    second = threading.Thread(target=take_turn)
    said, patience = io.StringIO(), time.monotonic() + 20
    # Read without emptying it: nothing can be lost.
    with contextlib.redirect_stderr(said), only_witness(tmp_path):
        second.start()
        while "\n" not in said.getvalue() and time.monotonic() < patience:
            pass
    second.join(timeout=20)
    assert said.getvalue().startswith(
        f"freezegate replay: process {os.getpid()} witnesses in this repository"
    )
