"""The recipes of docs/ci.md on checkouts as GitHub's and GitLab's runners make them."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from freezegate import __version__
from tests.support import ORACLE, ZERO, Story, git_environment

PAGE = (Path(__file__).resolve().parents[2] / "docs/ci.md").read_text()
WEAK = "def test_total_is_never_negative():\n    assert True\n"
MAIN = "+refs/heads/main:refs/remotes/origin/main"
ALL = "+refs/heads/*:refs/remotes/origin/*"
PULL = "+refs/pull/1/merge:refs/remotes/pull/1/merge"
REQUEST = "+refs/merge-requests/1/{}:refs/pipelines/7"


def recipe(service: str) -> dict[Any, Any]:
    """A whole recipe, as its service reads it."""
    found = re.search(
        rf"<!-- recipe: {service} -->\n```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE
    )
    assert found
    loaded = yaml.safe_load(found[1])
    assert isinstance(loaded, dict)
    return loaded


GITHUB, GITLAB = recipe("github"), recipe("gitlab")
GITHUB_STEPS: list[dict[str, Any]] = GITHUB["jobs"]["freezegate"]["steps"]
GITHUB_LINES: str = GITHUB_STEPS[-1]["run"]
GITLAB_LINES: str = GITLAB["freezegate"]["script"][0]


class Said(NamedTuple):
    """A job's exit status and everything that it printed."""

    status: int
    output: str


Change = Callable[[Story], object]


def honest(story: Story) -> None:
    """A patch."""
    story.patch()


def honest_freeze(story: Story) -> None:
    """A patch with a freeze."""
    story.patch().freeze()


def laundered_oracle(story: Story) -> None:
    """The oracle weakened in a commit of its own, some work, and a freeze on top."""
    story.write(ORACLE, WEAK).commit("Tidy up")
    story.patch().freeze()


ACCEPTED, REFUSED = (0, "freezegate: accepted"), (1, "oracle.changed")
EACH = pytest.mark.parametrize(
    ("change", "expected"),
    [(honest, ACCEPTED), (honest_freeze, ACCEPTED), (laundered_oracle, REFUSED)],
    ids=["an honest patch", "an honest freeze", "a laundered oracle"],
)


def remote(story: Story) -> Path:
    """The bare remote beside a story."""
    return story.root.parent / "origin.git"


def main_moves_on(story: Story) -> None:
    """Somebody else's work lands while the branch is open."""
    story.git("checkout", "-q", "--detach", "origin/main")
    story.write("README.md", "# The shop\n").commit("Say it better")
    story.git("push", "-q", "origin", "HEAD:refs/heads/main")
    story.on("topic")


def open_request(story: Story, change: Change) -> None:
    """Push a branch; the host makes the merge ref, with a real merge of both sides."""
    change(story)
    story.git("push", "-q", "origin", "topic", "topic:refs/merge-requests/1/head")
    main_moves_on(story)
    story.git("checkout", "-q", "--detach", "origin/main")
    story.git("merge", "-q", "--no-ff", "-m", "Merge topic into main", "topic")
    merged = ("refs/pull/1/merge", "refs/merge-requests/1/merge")
    story.git("push", "-q", "origin", *(f"HEAD:{name}" for name in merged))
    story.on("topic")


def checkout(story: Story, *refspecs: str, at: str, depth: int = 0, branch: str = "") -> Story:
    """Make a runner's checkout: init, fetch, checkout; no clone, so no origin/HEAD."""
    folder = story.root.parent / f"runner-{len(list(story.root.parent.iterdir()))}"
    folder.mkdir()
    runner = Story(folder)
    runner.git("init", "-q", "-b", "master", ".")
    runner.git("remote", "add", "origin", f"file://{remote(story)}")
    cut = [f"--depth={depth}"] if depth else []
    runner.git("fetch", "-q", "--no-tags", "--prune", *cut, "origin", *refspecs)
    where = ["-B", branch] if branch else ["--detach"]
    runner.git("checkout", "-q", "--force", *where, at)
    assert runner.git("for-each-ref", "refs/remotes/origin/HEAD") == ""
    return runner


def run_job(runner: Story, lines: str, **variables: str) -> Said:
    """Run a recipe's lines with the variables that the service sets."""
    path = f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-e", "-c", lines],
        cwd=runner.root,
        env=git_environment() | {"PATH": path, "CI": "true"} | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return Said(done.returncode, done.stdout)


def pull_request(runner: Story, **variables: str) -> Said:
    """GitHub's job for a pull request."""
    given = {"GITHUB_EVENT_NAME": "pull_request_target", "GITHUB_BASE_REF": "main"}
    given |= {"BEFORE": "", "DEFAULT_BRANCH": "main"}
    return run_job(runner, GITHUB_LINES, **given | variables)


def github_push(runner: Story, before: str, lines: str = GITHUB_LINES) -> Said:
    """GitHub's job for a push."""
    given = {"GITHUB_EVENT_NAME": "push", "GITHUB_BASE_REF": "", "DEFAULT_BRANCH": "main"}
    return run_job(runner, lines, **given, BEFORE=before)


def merge_request(runner: Story, lines: str = GITLAB_LINES, **variables: str) -> Said:
    """GitLab's job for a merge request."""
    given = {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "CI_COMMIT_BEFORE_SHA": ZERO}
    return run_job(runner, lines, **given | {"CI_DEFAULT_BRANCH": "main"} | variables)


def gitlab_push(runner: Story, before: str) -> Said:
    """GitLab's job for a push."""
    return run_job(runner, GITLAB_LINES, CI_COMMIT_BEFORE_SHA=before, CI_DEFAULT_BRANCH="main")


def assert_said(said: Said, expected: tuple[int, str]) -> None:
    """The exit status, and the words."""
    assert said.status == expected[0], said.output
    assert expected[1] in said.output


def no_answer(said: Said, code: str) -> None:
    """Exit status 2 with one code."""
    assert_said(said, (2, f"error {code}"))


# --- what the recipes hold


def test_github_takes_workflow_and_tool_from_the_trusted_side() -> None:
    events = GITHUB[True]  # YAML 1.1 reads `on` as a truth value
    assert set(events) == {"pull_request_target", "push"}
    assert GITHUB["permissions"] == {"contents": "read"}
    used = [str(step.get("uses", step.get("run"))) for step in GITHUB_STEPS]
    assert used[1] == f"pip install freezegate=={__version__}"
    assert used[2].startswith("actions/checkout@")
    assert GITHUB_STEPS[2]["with"]["fetch-depth"] == 0
    assert GITHUB_STEPS[2]["with"]["persist-credentials"] is False
    assert "${{" not in GITHUB_LINES


def test_gitlab_fetches_everything_and_pins_the_tool() -> None:
    job = GITLAB["freezegate"]
    assert job["variables"]["GIT_DEPTH"] == "0"
    assert job["before_script"] == [f"pip install freezegate=={__version__}"]
    assert job["allow_failure"] is False


# --- GitHub, pull requests: detached at the merge ref


@EACH
def test_a_pull_request(shop: Story, change: Change, expected: tuple[int, str]) -> None:
    open_request(shop, change)
    runner = checkout(shop, ALL, PULL, at="refs/remotes/pull/1/merge")
    assert len(runner.git("rev-list", "--parents", "-1", "HEAD").split()) == 3
    assert_said(pull_request(runner), expected)


def test_a_pull_request_to_a_branch_whose_name_is_shell(shop: Story) -> None:
    open_request(shop, honest)
    shop.git("push", "-q", "origin", "origin/main:refs/heads/release/$(touch${IFS}ran)")
    runner = checkout(shop, ALL, PULL, at="refs/remotes/pull/1/merge")
    said = pull_request(runner, GITHUB_BASE_REF="release/$(touch${IFS}ran)")
    assert_said(said, ACCEPTED)
    assert not (runner.root / "ran").exists()


@pytest.mark.parametrize("change", [honest, laundered_oracle])
def test_a_pull_request_with_depth_1(shop: Story, change: Change) -> None:
    open_request(shop, change)
    runner = checkout(shop, PULL, MAIN, at="refs/remotes/pull/1/merge", depth=1)
    no_answer(pull_request(runner), "base.history_unavailable")


def test_a_pull_request_with_depth_1_and_without_its_base(shop: Story) -> None:
    open_request(shop, honest)
    runner = checkout(shop, PULL, at="refs/remotes/pull/1/merge", depth=1)
    no_answer(pull_request(runner), "base.history_unavailable")


def test_a_pull_request_without_base(shop: Story) -> None:
    open_request(shop, honest)
    runner = checkout(shop, ALL, PULL, at="refs/remotes/pull/1/merge")
    no_answer(pull_request(runner, GITHUB_BASE_REF=""), "repository.bad_revision")


# --- GitHub, pushes: `-B main` at what was pushed, or detached


@EACH
@pytest.mark.parametrize("branch", ["main", ""], ids=["on main", "detached"])
def test_a_push(shop: Story, change: Change, expected: tuple[int, str], branch: str) -> None:
    before = shop.rev("origin/main")
    change(shop)
    shop.git("push", "-q", "origin", "HEAD:main")
    runner = checkout(shop, ALL, at="refs/remotes/origin/main", branch=branch)
    assert_said(github_push(runner, before), expected)


@EACH
def test_a_push_of_a_new_branch(shop: Story, change: Change, expected: tuple[int, str]) -> None:
    change(shop)
    shop.git("push", "-q", "origin", "HEAD:release/1")
    runner = checkout(shop, ALL, at="refs/remotes/origin/release/1", branch="release/1")
    assert_said(github_push(runner, ZERO), expected)


@EACH
@pytest.mark.parametrize("gives", [True, False], ids=["host gives it", "host forgot it"])
def test_a_force_push(
    shop: Story, change: Change, expected: tuple[int, str], *, gives: bool
) -> None:
    start = shop.rev("origin/main")
    main_moves_on(shop)
    before = shop.rev("origin/main")
    change(shop)
    shop.git("push", "-q", "-f", "origin", "HEAD:main")
    if not gives:
        shop.git("--git-dir", str(remote(shop)), "gc", "-q", "--prune=now")
    runner = checkout(shop, ALL, at="refs/remotes/origin/main", branch="main")
    assert before not in runner.git("rev-list", "--all")
    assert start in runner.git("rev-list", "--all")
    said = github_push(runner, before)
    if gives:
        assert_said(said, expected)
    else:
        no_answer(said, "repository.bad_revision")


def test_a_rewound_branch_leaves_nothing_to_look_at(shop: Story) -> None:
    start = shop.rev("origin/main")
    main_moves_on(shop)
    before = shop.rev("origin/main")
    shop.git("push", "-q", "-f", "origin", f"{start}:refs/heads/main")
    runner = checkout(shop, ALL, at="refs/remotes/origin/main", branch="main")
    assert_said(github_push(runner, before), (0, "nothing"))


def test_a_push_with_depth_1(shop: Story) -> None:
    before = shop.rev("origin/main")
    shop.patch().patch().git("push", "-q", "origin", "HEAD:main")
    runner = checkout(shop, MAIN, at="refs/remotes/origin/main", branch="main", depth=1)
    no_answer(github_push(runner, before), "base.history_unavailable")


def test_without_the_line_for_zeros(shop: Story) -> None:
    shop.patch().git("push", "-q", "origin", "HEAD:release/1")
    runner = checkout(shop, ALL, at="refs/remotes/origin/release/1", branch="release/1")
    said = github_push(runner, ZERO, lines='freezegate check --base "$BEFORE"')
    no_answer(said, "repository.bad_revision")
    assert "--base origin/main" in said.output


@pytest.mark.parametrize("branch", ["main", ""], ids=["on main", "detached"])
def test_without_base_in_ci(shop: Story, branch: str) -> None:
    shop.patch().git("push", "-q", "origin", "HEAD:main")
    runner = checkout(shop, ALL, at="refs/remotes/origin/main", branch=branch)
    said = run_job(runner, "freezegate check")
    no_answer(said, "base.none")
    assert "docs/ci.md" in said.output


# --- GitLab, merge requests: detached, 20 commits deep unless told otherwise


@EACH
@pytest.mark.parametrize("ref", ["head", "merge"], ids=["source branch", "merged results"])
@pytest.mark.parametrize("depth", [0, 20], ids=["whole", "20 deep"])
def test_a_merge_request(
    shop: Story, change: Change, expected: tuple[int, str], ref: str, depth: int
) -> None:
    """Twenty commits are enough for a young branch: its merge base is among them."""
    open_request(shop, change)
    refs = (REQUEST.format(ref), *(() if depth else (ALL,)))
    runner = checkout(shop, *refs, at="refs/pipelines/7", depth=depth)
    assert_said(merge_request(runner), expected)


def test_a_merge_request_deeper_than_its_checkout(shop: Story) -> None:
    open_request(shop, lambda story: [story.patch() for _ in range(4)])
    runner = checkout(shop, REQUEST.format("head"), at="refs/pipelines/7", depth=2)
    no_answer(merge_request(runner), "base.history_unavailable")


def test_a_merge_request_whose_target_is_gone(shop: Story) -> None:
    open_request(shop, honest)
    runner = checkout(shop, ALL, REQUEST.format("head"), at="refs/pipelines/7")
    said = merge_request(runner, CI_MERGE_REQUEST_TARGET_BRANCH_NAME="gone")
    no_answer(said, "repository.bad_revision")


def test_the_merge_base_may_be_a_weakened_oracle(shop: Story) -> None:
    """A merge request weakened and restored the oracle; the next one starts in its middle."""
    shop.write(ORACLE, WEAK)
    weakened = shop.commit("Weaken")
    shop.git("revert", "--no-edit", "HEAD")
    shop.git("checkout", "-q", "--detach", "origin/main")
    shop.git("merge", "-q", "--no-ff", "-m", "Merge", "topic")
    shop.git("push", "-q", "origin", "HEAD:main")
    shop.git("checkout", "-q", "-B", "topic", weakened)
    shop.patch().freeze(base=weakened)
    shop.git("push", "-q", "origin", "topic:refs/merge-requests/1/head")
    runner = checkout(shop, ALL, REQUEST.format("head"), at="refs/pipelines/7")
    merge_base = runner.git("merge-base", "HEAD", "origin/main")
    assert merge_base == weakened
    by_merge_base = 'freezegate check --base "$CI_MERGE_REQUEST_DIFF_BASE_SHA"'
    given = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": merge_base}
    assert_said(merge_request(runner, by_merge_base, **given), ACCEPTED)
    assert merge_request(runner, **given).status == 1


# --- GitLab, pushes


@EACH
def test_a_gitlab_push(shop: Story, change: Change, expected: tuple[int, str]) -> None:
    before = shop.rev("origin/main")
    change(shop)
    shop.git("push", "-q", "origin", "HEAD:main")
    runner = checkout(shop, ALL, at="refs/remotes/origin/main")
    assert_said(gitlab_push(runner, before), expected)


@EACH
def test_a_gitlab_push_of_a_new_branch(
    shop: Story, change: Change, expected: tuple[int, str]
) -> None:
    change(shop)
    shop.git("push", "-q", "origin", "HEAD:release/1")
    runner = checkout(shop, ALL, at="refs/remotes/origin/release/1")
    assert_said(gitlab_push(runner, ZERO), expected)


def test_a_gitlab_job_without_any_variable(shop: Story) -> None:
    runner = checkout(shop, ALL, at="refs/remotes/origin/main")
    no_answer(run_job(runner, GITLAB_LINES), "repository.bad_revision")
