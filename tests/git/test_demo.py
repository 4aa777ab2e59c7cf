"""The demo, run as a user runs it: every promise kept, nothing left behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROWS = (
    ("guarded shop lands", "pushed"),
    ("freezegate check", "accepted"),
    ("freeze pushed to topic", "pushed"),
    ("freeze lands on main", "pushed"),
    ("oracle edited", "oracle.changed"),
    ("oracle laundered", "oracle.changed"),
    ("two runs that agree", "runs.no_disagreement"),
    ("fixture edited", "fixture.changed_in_patch"),
    ("record of another patch", "evidence.stale_patch"),
)
LINES = (
    "freezegate: accepted refs/heads/topic",
    "freezegate: accepted refs/heads/main",
    "error oracle.changed  tests/properties/test_order_props.py",
    "error oracle.blob_mismatch  .freeze/record.json oracle_blob",
    "error runs.no_disagreement  .freeze/record.json disagreement",
    "got:      both runs failed",
    "error fixture.changed_in_patch  tests/fixtures/order.json",
    "error digest.mismatch  .freeze/record.json fixture_sha256",
    "error evidence.stale_patch  .freeze/record.json patch_digest",
    "assurance: step, candidate-only",
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


def test_the_demo_keeps_its_promises_and_leaves_nothing(tmp_path: Path) -> None:
    done = demo(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    table = [re.split(r" {2,}", line) for line in done.stdout.splitlines() if line.endswith(" ok")]
    assert table == [[step, said, said, "ok"] for step, said in ROWS]
    assert [line for line in LINES if line not in done.stdout] == []
    assert done.stdout.count("$ git push origin HEAD:main") == 7
    assert done.stdout.count("(exit status 1)") == 5
    assert "Traceback" not in done.stdout
    assert done.stdout.isascii()
    assert list(tmp_path.iterdir()) == []


def test_the_demo_is_deaf_to_the_repository_that_it_is_called_from(tmp_path: Path) -> None:
    (folder := tmp_path / "elsewhere").mkdir()
    (home := tmp_path / "home").mkdir()
    (home / ".gitconfig").write_text("[commit]\n\tgpgSign = true\n[core]\n\thooksPath = /nowhere\n")
    hostile = {"GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere/index", "CI": "true"}
    done = demo(folder, "--keep", HOME=str(home), FREEZEGATE_BASE="nowhere", **hostile)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = done.stdout.partition("kept: ")[2].splitlines()[0]
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
