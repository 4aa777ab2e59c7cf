"""README keeps its word: its commands run, its help texts and its outputs are the real ones."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest

from tests.support import FILES, Story, plain_repository

TOP = Path(__file__).resolve().parents[2]
README = (TOP / "README.md").read_text()
_BLOCK = re.compile(
    r"^(?P<indent> *)<!-- (?P<kind>run|said|help): (?P<name>.+?) -->\n"
    r" *```\w*\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)


def blocks(kind: str) -> list[tuple[str, str]]:
    """The marked blocks of a kind, by name and text, in README's order."""
    return [
        (found["name"], textwrap.dedent(found["text"]))
        for found in _BLOCK.finditer(README)
        if found["kind"] == kind
    ]


def texts(kind: str, name: str) -> list[str]:
    """The texts of the blocks of one name."""
    return [text for found, text in blocks(kind) if found == name]


@pytest.fixture
def own(tmp_path: Path) -> Story:
    """Somebody's repository with tests, its main branch pushed, without freezegate."""
    story = plain_repository(tmp_path / "own")
    for path, content in FILES.items():
        story.write(path, content)
    story.git("config", "user.name", "Ada")
    story.git("config", "user.email", "ada@example.org")
    story.commit("Start")
    story.git("init", "-q", "--bare", "-b", "main", "../origin.git")
    story.git("remote", "add", "origin", "../origin.git")
    story.git("push", "-q", "-u", "origin", "main")
    return story


def run_shell(story: Story, script: str) -> subprocess.CompletedProcess[str]:
    """Run README's commands as a user's shell does, with the installation under test."""
    scripts = sysconfig.get_path("scripts")
    environ = {
        "PATH": f"{scripts}:{os.environ['PATH']}",
        "HOME": "/nonexistent",
        "FREEZEGATE": str(TOP),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    return subprocess.run(
        ["sh", "-eu", "-c", script],
        cwd=story.root,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_the_start_works_as_written(own: Story) -> None:
    started = run_shell(own, "\n".join(texts("run", "start")))
    assert started.returncode == 0, started.stdout + started.stderr
    assert own.git("ls-remote", "origin", "refs/heads/main").startswith(own.rev("HEAD"))
    verified = run_shell(own, "sha256sum --strict -c .freeze/fixtures.sha256")
    assert verified.returncode == 0, verified.stdout
    before = own.rev("HEAD")
    refused = run_shell(own, *texts("run", "refused"))
    assert refused.returncode == 1
    assert own.rev("HEAD") == before
    for line in "\n".join(texts("said", "refused")).splitlines():
        assert line in refused.stderr


@pytest.mark.parametrize(("command", "text"), blocks("help"), ids=[n for n, _ in blocks("help")])
def test_a_help_text_is_the_real_one(command: str, text: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "freezegate"
    done = subprocess.run(
        [sys.executable, "-I", "-m", program, *arguments],
        env={"PATH": os.environ["PATH"], "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert text == done.stdout


def test_the_marked_blocks_are_all_there() -> None:
    assert [name for name, _ in blocks("run")] == ["start", "start", "refused"]
    assert [name for name, _ in blocks("said")] == ["refused"]
    assert [name for name, _ in blocks("help")] == ["freezegate --help", "freezegate check --help"]


def test_links_lead_somewhere() -> None:
    for page in ("README.md", "SECURITY.md", "CHANGELOG.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", (TOP / page).read_text()):
            assert (TOP / target).exists(), f"{page} links to {target}"


def test_the_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (TOP / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", README, re.MULTILINE))
    assert named <= targets
