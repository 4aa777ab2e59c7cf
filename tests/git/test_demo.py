"""The demo, run as a user runs it: every promise kept, nothing left behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest

from freezegate.cli.demo_shop import Said, Shop
from freezegate.cli.demo_steps import MAX_WINDOWS, _witness_flake
from freezegate.errors import UsageError

ROWS = (
    ("guarded shop lands", "pushed"),
    ("witness sees a flake", "env_unstable"),
    ("freezegate check", "accepted"),
    ("freeze pushed to topic", "pushed"),
    ("freeze lands on main", "pushed"),
    ("witness sees a bug", "deterministic_miss"),
    ("oracle edited", "oracle.changed"),
    ("oracle laundered", "oracle.changed"),
    ("evidence of another test", "evidence.mismatch"),
    ("fixture edited", "fixture.changed_in_patch"),
    ("record of another patch", "evidence.stale_patch"),
)
LINES = (
    "freezegate: accepted refs/heads/topic",
    "freezegate: accepted refs/heads/main",
    "error oracle.changed  tests/properties/test_order_props.py",
    "error oracle.blob_mismatch  .freeze/record.json oracle_blob",
    "next step: Commit what is written below",
    "class:     env_unstable: freeze_candidate / intermittent_on_stable_digest",
    "class:     deterministic_miss: block / stable_violation",
    "base:      pass pass pass pass pass pass pass",
    "candidate: fail fail fail fail fail fail fail",
    "error runs.no_disagreement   tests/test_order.py::test_total",
    "error evidence.mismatch  .freeze/record.json test_id",
    "error fixture.changed_in_patch  tests/fixtures/order.json",
    "error digest.mismatch  .freeze/record.json fixture_sha256",
    "error evidence.stale_patch  .freeze/record.json patch_digest",
    "accepted: no findings; assurance: step; evidence: claimed",
    "$ freezegate check",
    "$ git push origin HEAD:topic",
)


def demo(folder: Path, *options: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the verb in a process of its own, with a folder for temporary files."""
    return subprocess.run(
        [sys.executable, "-I", "-m", "freezegate", "demo", *options],
        env={"PATH": os.environ["PATH"], "TMPDIR": str(folder)} | environ,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def readme_table() -> str:
    """The demo's closing table as README shows it."""
    text = (Path(__file__).resolve().parents[2] / "README.md").read_text()
    return text.partition("<!-- table: freezegate demo -->\n```\n")[2].partition("```")[0]


class Unlucky(Shop):
    """A shop in which witness says what was foretold, one answer after the other."""

    foretold: ClassVar[list[Said]] = []

    def show(self, *command: str) -> Said:
        """Answer with what is next."""
        assert command[:2] == ("freezegate", "witness")
        return self.foretold.pop(0)


def window(status: int, variance: str) -> Said:
    """What witness says of a class."""
    return Said(status=status, lines=(f"  class:     {variance}: ...",))


def test_a_one_sided_window_is_told_of_and_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = [window(1, "seed_unstable"), window(1, "unresolved"), window(0, "env_unstable")]
    monkeypatch.setattr(Unlucky, "foretold", answers)
    assert _witness_flake(Unlucky(tmp_path)) == "env_unstable"
    assert capsys.readouterr().out.count("Refused, and rightly") == 2


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        pytest.param(window(1, "unresolved"), 1, id="never mixed"),
        pytest.param(window(1, "env_unstable"), MAX_WINDOWS, id="refused for another reason"),
        pytest.param(window(2, "none"), MAX_WINDOWS, id="no answer"),
    ],
)
def test_a_flake_that_is_not_frozen_ends_the_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Said, left: int
) -> None:
    monkeypatch.setattr(Unlucky, "foretold", [answer] * (MAX_WINDOWS + 1))
    with pytest.raises(UsageError, match="was to be frozen"):
        _witness_flake(Unlucky(tmp_path))
    assert len(Unlucky.foretold) == left


def test_the_demo_keeps_its_promises_and_leaves_nothing(tmp_path: Path) -> None:
    done = demo(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    table = [re.split(r" {2,}", line) for line in done.stdout.splitlines() if line.endswith(" ok")]
    assert table == [[step, said, said, "ok"] for step, said in ROWS]
    assert [line for line in LINES if line not in done.stdout] == []
    assert done.stdout.count("$ git push origin HEAD:main") == 7
    refused = done.stdout.count("(exit status 1)") - done.stdout.count("Refused, and rightly")
    assert refused == 6
    assert "Traceback" not in done.stdout
    assert done.stdout.isascii()
    assert readme_table() in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_demo_is_deaf_to_the_repository_that_it_is_called_from(tmp_path: Path) -> None:
    (folder := tmp_path / "elsewhere").mkdir()
    (home := tmp_path / "home").mkdir()
    (home / ".gitconfig").write_text("[commit]\n\tgpgSign = true\n[core]\n\thooksPath = /nowhere\n")
    hostile = {"GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere/index", "CI": "true"}
    done = demo(folder, "--keep", HOME=str(home), FREEZEGATE_BASE="nowhere", **hostile)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = done.stdout.partition("\nkept: ")[2].splitlines()[0]
    assert Path(kept).parent == folder
    assert (Path(kept) / "honest" / "shop" / ".freeze" / "record.json").is_file()


@pytest.mark.parametrize(
    ("spoiled", "remedy"),
    [
        pytest.param("sys.modules['pytest'] = None", "-m pip install pytest", id="no pytest"),
        pytest.param("os.environ['PATH'] = '/nowhere'", "apt-get install git", id="no git"),
    ],
)
def test_a_missing_tool_is_named_with_its_remedy(tmp_path: Path, spoiled: str, remedy: str) -> None:
    program = f"import os, sys\n{spoiled}\nsys.argv = ['freezegate', 'demo']\n" + (
        "from freezegate.__main__ import main\nsys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        env={"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert remedy in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
