"""The command line from outside: every way to start it, every verb's help, every wrong word."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from freezegate import __version__
from freezegate.cli.verbs import VERBS
from tests.support import Story, git_environment

SCRIPT = str(Path(sysconfig.get_path("scripts")) / "freezegate")
STARTS = (
    pytest.param([SCRIPT], id="freezegate"),
    pytest.param([sys.executable, "-m", "freezegate"], id="python -m freezegate"),
    pytest.param([sys.executable, "-I", "-m", "freezegate"], id="python -I -m freezegate"),
)
# What a user may ask for on purpose, so that no verb is lost or comes in by accident.
EXPECTED_VERBS = {
    *("check", "demo", "domain", "explain", "hook", "init", "install", "doctor", "plan"),
    *("catalog", "classify", "freeze", "ledger", "lock", "log", "replay", "witness"),
    *("sample", "shrink", "brief"),
}


def start(
    command: list[str], *arguments: str, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, outside every repository."""
    return subprocess.run(
        [*command, *arguments],
        cwd=folder or "/",
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("command", STARTS)
def test_help_lists_every_verb(command: list[str]) -> None:
    done = start(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "example:\n  freezegate check" in done.stdout
    listed = {line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")}
    assert set(VERBS) == EXPECTED_VERBS
    assert listed >= EXPECTED_VERBS


@pytest.mark.parametrize("command", STARTS)
def test_the_version_is_told(command: list[str]) -> None:
    assert start(command, "--version").stdout == f"freezegate {__version__}\n"


@pytest.mark.parametrize("verb", sorted(EXPECTED_VERBS))
def test_the_help_of_a_verb_has_an_example(verb: str) -> None:
    done = start([SCRIPT], verb, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: freezegate {verb}")
    assert f"\nexamples:\n  freezegate {verb}" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param((), "no verb given", id="nothing"),
        pytest.param(("chek",), "no verb 'chek'; did you mean `check`?", id="a typing error"),
        pytest.param(("frobnicate",), "no verb 'frobnicate'\n", id="an unknown word"),
        pytest.param(("os",), "no verb 'os'\n", id="a module's name"),
        pytest.param(("verbs",), "no verb 'verbs'", id="our own module's name"),
        pytest.param(("check", "--frob"), "unrecognized arguments: --frob", id="an option"),
        pytest.param(("check", "--stag"), "unrecognized arguments: --stag", id="half an option"),
        pytest.param(("hook", "post-commit"), "invalid choice: 'post-commit'", id="a hook"),
        pytest.param(("hook",), "the following arguments are required: NAME", id="no hook"),
        pytest.param(("explain", "oracle.chnged"), "did you mean oracle.changed", id="a code"),
    ],
)
def test_a_wrong_word_is_no_answer(arguments: tuple[str, ...], said: str) -> None:
    done = start([SCRIPT], *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments", [("check",), ("hook", "pre-commit"), ("hook", "pre-push", "origin", "URL")]
)
def test_outside_a_repository_there_is_no_answer(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    done = start([SCRIPT], *arguments, folder=tmp_path)
    assert done.returncode == 2
    assert "repository.not_found" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_isolated_python_takes_nothing_from_the_folder_it_stands_in(tmp_path: Path) -> None:
    for name in ("tomllib", "json", "freezegate", "argparse"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken from the work tree')\n")
    isolated = [sys.executable, "-I", "-m", "freezegate"]
    for command in ([SCRIPT], isolated):
        assert start(command, "--help", folder=tmp_path).returncode == 0


def test_the_page_of_reasons_is_the_catalogue() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "reasons.md"
    made = start([SCRIPT], "explain", "--format", "markdown").stdout
    assert page.read_text() == made, "make reasons"


def test_the_pre_commit_framework_accepts_our_hooks() -> None:
    manifest = Path(__file__).resolve().parents[2] / ".pre-commit-hooks.yaml"
    validate = [sys.executable, "-m", "pre_commit", "validate-manifest", str(manifest)]
    done = start(validate)
    assert done.returncode == 0, done.stdout + done.stderr
    hooks = re.findall(r"entry: freezegate hook (\S+)", manifest.read_text())
    assert hooks == ["pre-commit", "pre-push"]


@pytest.mark.parametrize(
    ("environ", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_colour_on_a_terminal_alone(shop: Story, environ: dict[str, str], coloured: bool) -> None:
    shop.write(".freeze/record.json", "{}").commit("bad")
    own, terminal = os.openpty()
    command = [sys.executable, "-I", "-m", "freezegate", "check"]
    settings = git_environment() | {"TERM": "xterm"} | environ
    done = subprocess.run(command, cwd=shop.root, env=settings, stdout=terminal, check=False)
    os.close(terminal)
    said = os.read(own, 100_000)
    os.close(own)
    assert done.returncode == 1
    assert (b"\x1b[" in said) is coloured
    piped = subprocess.run(command, cwd=shop.root, env=settings, capture_output=True, check=False)
    assert b"\x1b" not in piped.stdout
