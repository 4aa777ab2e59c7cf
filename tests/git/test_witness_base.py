"""`freezegate witness --base`: evidence that `check` would refuse is not even begun."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from tests.git.witnessing import asked, flaky_shop, witness

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Story


@pytest.fixture
def moved(tmp_path: Path) -> Story:
    """A shop with two targets, of which `main` went on; `main` here is as it was."""
    story = flaky_shop(tmp_path / "here")
    story.on("main")
    policy = story.read(".freeze/policy.toml").decode()
    story.write(
        ".freeze/policy.toml",
        policy.replace('["refs/heads/main"]', '["refs/heads/main", "refs/heads/release/*"]'),
    )
    story.commit("two targets")
    story.git("push", "-q", "origin", "main", "main:release/1")
    story.branch("ahead").write("README.md", "# another shop\n").commit("go on")
    story.git("push", "-q", "origin", "ahead:main")
    story.on("topic").git("rebase", "-q", "main")
    return story


def test_a_base_whose_patch_is_another_one(moved: Story) -> None:
    moved.git("rebase", "-q", "origin/main")
    said = asked(moved, "--base", "main")
    assert (said.status, said.codes, said.runs) == (1, {"evidence.stale_base"}, 0)
    assert "refs/remotes/origin/main" in said.finding["expected"]
    words = shlex.split(said.finding["remedy"])
    again = witness(moved, *words[words.index("witness") + 1 :])
    assert again.verdict == "accepted", again.out
    moved.commit("Ask")
    assert moved.check().verdict == "accepted"


def test_a_base_that_the_target_left_behind_with_the_same_patch(moved: Story) -> None:
    said = asked(moved, "--base", "main")
    assert said.verdict == "accepted", said.out
    moved.commit("Ask")
    assert moved.check().verdict == "accepted"


def test_another_target_is_no_older_state(moved: Story) -> None:
    moved.git("rebase", "-q", "origin/main")
    said = asked(moved, "--base", "origin/release/1")
    assert said.verdict == "accepted", said.out
    moved.commit("Ask")
    assert moved.check("--base", "origin/release/1").verdict == "accepted"
