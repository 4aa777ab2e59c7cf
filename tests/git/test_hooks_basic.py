"""The shipped hooks, run by git itself: `core.hooksPath`, real commits and real pushes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.support import FIXTURE, ORACLE, ZERO, Story, git_environment

HOOKS = Path(__file__).resolve().parents[2] / "hooks"


@pytest.fixture
def hooked(shop: Story) -> Story:
    """The shop's topic branch with the shipped hooks in place."""
    shop.git("config", "core.hooksPath", str(HOOKS))
    shop.git("config", "freezegate.python", sys.executable)
    return shop


def run_git(story: Story, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run git as a user does and return its status and what it said."""
    return subprocess.run(
        ["git", *arguments],
        cwd=story.root,
        env=git_environment() | environ,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        stdin=subprocess.DEVNULL,
    )


def run_hook(story: Story, name: str, data: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the verb behind a hook with given bytes on standard input."""
    return subprocess.run(
        [sys.executable, "-I", "-m", "freezegate", "hook", *options, name, "origin", "URL"],
        cwd=story.root,
        env=git_environment(),
        input=data,
        capture_output=True,
        text=True,
        check=False,
    )


def weaken_the_oracle_and_freeze(story: Story) -> Story:
    """Edit the oracle in one commit and ask for a freeze in the next."""
    story.patch().write(ORACLE, "def test_total_is_never_negative():\n    pass\n")
    story.commit("Simplify")
    return story.freeze()


def remote_rev(story: Story, ref: str) -> str:
    """What a ref of the remote is, empty where it is none."""
    return story.git("ls-remote", "origin", ref).partition("\t")[0]


def test_an_honest_freeze_is_pushed_to_its_branch_and_then_lands(hooked: Story) -> None:
    hooked.patch().freeze()
    topic = run_git(hooked, "push", "origin", "topic")
    landing = run_git(hooked, "push", "origin", "HEAD:main")
    assert topic.returncode == 0, topic.stderr
    assert landing.returncode == 0, landing.stderr
    assert "freezegate: accepted refs/heads/topic" in topic.stderr
    assert "against refs/remotes/origin/main" in topic.stderr
    assert "freezegate: accepted refs/heads/main" in landing.stderr
    assert "against refs/heads/main at the remote" in landing.stderr
    assert topic.stdout == landing.stdout == ""
    assert remote_rev(hooked, "refs/heads/main") == hooked.rev("HEAD")


@pytest.mark.parametrize("target", ["main", "topic"])
def test_a_laundered_oracle_does_not_leave_this_machine(hooked: Story, target: str) -> None:
    weaken_the_oracle_and_freeze(hooked)
    before = remote_rev(hooked, f"refs/heads/{target}")
    push = run_git(hooked, "push", "origin", f"HEAD:{target}")
    assert push.returncode == 1
    assert "error oracle.changed" in push.stderr
    assert remote_rev(hooked, f"refs/heads/{target}") == before


@pytest.mark.parametrize("names", [("good", "topic"), ("topic", "zgood")])
def test_pushes_two_refs_one_bad(hooked: Story, names: tuple[str, str]) -> None:
    good = next(name for name in names if name != "topic")
    hooked.branch(good).patch().on("topic")
    weaken_the_oracle_and_freeze(hooked)
    push = run_git(hooked, "push", "origin", *names)
    assert push.returncode == 1
    assert f"freezegate: accepted refs/heads/{good}" in push.stderr
    assert "freezegate: refused refs/heads/topic" in push.stderr
    assert not remote_rev(hooked, f"refs/heads/{good}")


def test_a_deletion_is_nothing_to_judge(hooked: Story) -> None:
    hooked.git("push", "-q", "--no-verify", "origin", "topic:old")
    push = run_git(hooked, "push", "origin", ":old")
    assert push.returncode == 0, push.stderr
    assert "note base.nothing_to_judge" in push.stderr
    assert "a ref that is deleted" in push.stderr


def test_a_deletion_beside_a_bad_ref_hides_nothing(hooked: Story) -> None:
    hooked.git("push", "-q", "--no-verify", "origin", "topic:old")
    weaken_the_oracle_and_freeze(hooked)
    push = run_git(hooked, "push", "origin", ":old", "topic")
    assert push.returncode == 1
    assert remote_rev(hooked, "refs/heads/old")


def test_a_new_branch_is_judged_against_the_target(hooked: Story) -> None:
    push = run_git(hooked.patch(), "push", "-u", "origin", "topic")
    assert push.returncode == 0, push.stderr
    assert "freezegate: accepted refs/heads/topic" in push.stderr


def test_an_annotated_tag_is_judged_as_its_commit(hooked: Story) -> None:
    weaken_the_oracle_and_freeze(hooked).git("tag", "-a", "-m", "first", "v1")
    push = run_git(hooked, "push", "origin", "v1")
    assert push.returncode == 1
    assert "freezegate: refused refs/tags/v1" in push.stderr


def test_a_tag_of_a_file_is_nothing_to_judge(hooked: Story) -> None:
    hooked.git("tag", "notes", hooked.blob("to read\n"))
    push = run_git(hooked, "push", "origin", "notes")
    assert push.returncode == 0, push.stderr
    assert "which is no commit" in push.stderr


def test_a_revision_with_spaces_is_read_from_the_right(hooked: Story) -> None:
    hooked.patch()
    push = run_git(hooked, "push", "origin", "HEAD^{/Make totals}:refs/heads/by-words")
    assert push.returncode == 0, push.stderr
    assert "freezegate: accepted refs/heads/by-words" in push.stderr


def test_freezegate_base_wins_over_the_remote(hooked: Story) -> None:
    weaken_the_oracle_and_freeze(hooked)
    push = run_git(hooked, "push", "origin", "HEAD:main", FREEZEGATE_BASE="HEAD")
    assert push.returncode == 0, push.stderr
    assert "against FREEZEGATE_BASE=HEAD" in push.stderr


def test_the_remote_moved_on_and_its_commit_is_not_here(hooked: Story) -> None:
    elsewhere = Story(hooked.root.parent / "elsewhere")
    hooked.git("clone", "-q", str(hooked.root.parent / "origin.git"), str(elsewhere.root))
    elsewhere.patch("# theirs\n").git("push", "-q", "origin", "HEAD:main")
    push = run_git(hooked.patch(), "push", "--force", "origin", "HEAD:main")
    assert push.returncode == 1
    assert "freezegate: undecided refs/heads/main" in push.stderr
    assert "remedy:   git fetch" in push.stderr
    assert remote_rev(hooked, "refs/heads/main") == elsewhere.rev("HEAD")


def test_nothing_to_push_judges_head_and_says_so(hooked: Story) -> None:
    hooked.git("push", "-q", "--no-verify", "origin", "topic")
    push = run_git(hooked, "push", "origin", "topic")
    assert push.returncode == 0, push.stderr
    assert "HEAD was judged" in push.stderr


def test_a_manager_that_keeps_the_refs_gets_the_whole_branch_judged(shop: Story) -> None:
    weaken_the_oracle_and_freeze(shop)
    hook = run_hook(shop, "pre-push", "")
    assert hook.returncode == 1
    assert "freezegate: refused refs/heads/topic" in hook.stderr
    assert "HEAD was judged" in hook.stderr


def test_input_that_git_never_writes_is_no_answer(shop: Story) -> None:
    hook = run_hook(shop, "pre-push", "refs/heads/topic\n")
    assert hook.returncode == 2
    assert "error ref.bad" in hook.stderr


def test_a_pushed_object_that_is_missing_is_no_answer(shop: Story) -> None:
    hook = run_hook(shop, "pre-push", f"HEAD {'1' * 40} refs/heads/topic {ZERO}\n")
    assert hook.returncode == 2
    assert "error repository.object_missing" in hook.stderr


def test_json_goes_to_standard_output(shop: Story) -> None:
    line = f"refs/heads/topic {shop.patch().rev('HEAD')} refs/heads/topic {ZERO}\n"
    hook = run_hook(shop, "pre-push", line, "--format", "json")
    document = json.loads(hook.stdout)
    assert (hook.returncode, hook.stderr) == (0, "")
    assert [each["ref"] for each in document["transitions"]] == ["refs/heads/topic"]


def test_a_damaged_policy_at_the_remote_lists_every_ref(hooked: Story) -> None:
    hooked.on("main").write(".freeze/policy.toml", "version = 'x'\n").commit("Break it")
    hooked.git("push", "-q", "--no-verify", "origin", "main")
    push = run_git(hooked.patch(), "push", "origin", "HEAD:main")
    assert push.returncode == 1
    assert "against refs/heads/main at the remote" in push.stderr


def test_a_commit_is_refused(hooked: Story) -> None:
    hooked.patch()
    hooked.request().write(hooked.root)
    hooked.write(FIXTURE, '{"lines": [9]}\n').git("add", "-A")
    before = hooked.rev("HEAD")
    commit = run_git(hooked, "commit", "-m", "Freeze")
    assert commit.returncode == 1
    assert "freezegate: refused refs/heads/topic (index)" in commit.stderr
    assert "error fixture.changed_in_patch" in commit.stderr
    assert hooked.rev("HEAD") == before


def test_a_plain_commit_passes(hooked: Story) -> None:
    hooked.write("README.md", "# Shop\n").git("add", "-A")
    commit = run_git(hooked, "commit", "-m", "Say more")
    assert commit.returncode == 0, commit.stderr
    assert "freezegate: accepted refs/heads/topic (index)" in commit.stderr


def test_a_partial_commit_is_judged_by_the_index_that_git_made_for_it(hooked: Story) -> None:
    hooked.patch()
    hooked.request().write(hooked.root)
    hooked.write(FIXTURE, '{"lines": [9]}\n').write("README.md", "# Shop\n").git("add", "-A")
    commit = run_git(hooked, "commit", "-m", "Only this", "--", "README.md")
    assert commit.returncode == 0, commit.stderr


def test_a_clean_merge_asks_too(hooked: Story) -> None:
    weaken_the_oracle_and_freeze(hooked)
    hooked.branch("other", "main").write("README.md", "# Shop\n").commit("Say more")
    merge = run_git(hooked, "merge", "--no-edit", "topic")
    assert merge.returncode != 0
    assert "error oracle.changed" in merge.stderr


@pytest.mark.parametrize("name", ["pre-commit", "pre-merge-commit", "pre-push"])
def test_no_interpreter_is_no_answer(shop: Story, tmp_path: Path, name: str) -> None:
    done = run_script(shop, name, _bare_path(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"freezegate: undecided, {name} refuses: ")
    assert "git config freezegate.python" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_configured_interpreter_that_is_gone_is_no_answer(shop: Story) -> None:
    shop.git("config", "freezegate.python", "/nowhere/python")
    done = run_script(shop, "pre-commit", os.environ["PATH"])
    assert done.returncode == 2
    assert "no freezegate for /nowhere/python;" in done.stderr


def test_a_configured_interpreter_without_freezegate_is_no_answer(
    shop: Story, tmp_path: Path
) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    python = str(tmp_path / "bare" / "bin" / "python")
    shop.git("config", "freezegate.python", python)
    done = run_script(shop, "pre-commit", os.environ["PATH"])
    assert done.returncode == 2
    assert done.stderr.startswith("freezegate: undecided, pre-commit refuses: no freezegate for")
    assert done.stderr.count("\n") == 1


def test_the_command_on_the_path_answers(shop: Story, tmp_path: Path) -> None:
    path = _bare_path(tmp_path)
    command = Path(path) / "freezegate"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -m freezegate "$@"\n')
    command.chmod(0o755)
    done = run_script(shop, "pre-commit", path)
    assert done.returncode == 0, done.stderr
    assert "freezegate: accepted" in done.stderr


def test_the_python_on_the_path_answers_where_it_has_freezegate(
    shop: Story, tmp_path: Path
) -> None:
    path = _bare_path(tmp_path)
    python = Path(path) / "python3"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    done = run_script(shop, "pre-commit", path)
    assert done.returncode == 0, done.stderr


def test_the_hooks_differ_in_their_names_alone() -> None:
    names = ("pre-commit", "pre-merge-commit", "pre-push")
    bodies = {
        (HOOKS / name).read_text().split("\n", 3)[3].replace(f"hook={name}", "hook=NAME")
        for name in names
    }
    assert len(bodies) == 1
    assert all(os.access(HOOKS / name, os.X_OK) for name in names)


def run_script(story: Story, name: str, path: str) -> subprocess.CompletedProcess[str]:
    """Run a hook's script itself with a PATH of its own."""
    return subprocess.run(
        ["/bin/sh", str(HOOKS / name)],
        cwd=story.root,
        env=git_environment() | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def _bare_path(folder: Path) -> str:
    """A PATH with git and cat alone."""
    tools = folder / "tools"
    tools.mkdir()
    for name in ("git", "cat"):
        found = next(p for d in os.environ["PATH"].split(":") if (p := Path(d) / name).exists())
        (tools / name).symlink_to(found)
    return str(tools)


def test_a_push_that_cannot_be_read_is_no_answer(shop: Story, tmp_path: Path) -> None:
    path = _bare_path(tmp_path)
    (Path(path) / "cat").unlink()
    done = run_script(shop, "pre-push", path)
    assert done.returncode == 2
    assert "cannot read what git pushes" in done.stderr


def test_a_branch_that_lists_itself_is_no_target_of_a_push(hooked: Story) -> None:
    policy = hooked.read(".freeze/policy.toml").decode()
    both = policy.replace('"refs/heads/main"', '"refs/heads/main", "refs/heads/topic"')
    hooked.write(".freeze/policy.toml", both).write(ORACLE, hooked.read(ORACLE) + b"\n# looser\n")
    hooked.commit("mine alone")
    assert run_git(hooked, "push", "-u", "origin", "topic").returncode == 0
    hooked.patch().freeze(base="origin/topic")
    done = run_git(hooked, "push", "origin", "topic")
    assert done.returncode != 0
    assert "oracle.changed" in done.stderr
    assert "against refs/remotes/origin/main" in done.stderr


def test_branch_names_with_spaces_of_other_scripts(hooked: Story) -> None:
    for name in ("a\u00a0b", "a\u3000b"):
        hooked.git("branch", name)
        assert run_git(hooked, "push", "origin", name).returncode == 0


def test_a_branch_of_another_beginning_may_be_pushed_beside_the_target(hooked: Story) -> None:
    hooked.git("checkout", "-q", "--orphan", "pages")
    hooked.git("rm", "-rqf", ".")
    hooked.write("index.html", "<p>").commit("pages")
    done = run_git(hooked, "push", "origin", "pages")
    assert done.returncode == 0, done.stderr
    assert "warning base.stale" in done.stderr
    done = run_git(hooked, "push", "-f", "origin", "pages:main")
    assert done.returncode != 0
    assert "error ref.rewound" in done.stderr


def test_a_target_is_neither_rewound_nor_deleted(hooked: Story) -> None:
    old = hooked.rev("main")
    hooked.on("main").patch()
    assert run_git(hooked, "push", "origin", "main").returncode == 0
    landed = remote_rev(hooked, "refs/heads/main")
    for refspec in (f"+{old}:main", ":main"):
        done = run_git(hooked, "push", "origin", refspec)
        assert done.returncode != 0
        assert remote_rev(hooked, "refs/heads/main") == landed
        assert "error ref." in done.stderr
    hooked.branch("side", old).patch("# aside\n")
    done = run_git(hooked, "push", "-f", "origin", "side:main")
    assert "error ref.rewound" in done.stderr
    assert remote_rev(hooked, "refs/heads/main") == landed


def test_other_branches_may_be_rewound_and_deleted(hooked: Story) -> None:
    hooked.patch()
    for refspec in ("topic", f"+{hooked.rev('HEAD~1')}:topic", ":topic"):
        assert run_git(hooked, "push", "origin", refspec).returncode == 0


def test_a_target_is_guarded_from_its_first_push_on(hooked: Story) -> None:
    hooked.patch().freeze().patch("# later\n")
    assert run_git(hooked, "push", "origin", "topic").returncode == 0
    done = run_git(hooked, "push", "origin", "topic:release/9")
    assert done.returncode != 0
    assert "error evidence.stale_patch" in done.stderr
    hooked.git("checkout", "-q", "--orphan", "lonely")
    hooked.git("commit", "-q", "--no-verify", "-m", "another beginning")
    done = run_git(hooked, "push", "origin", "lonely:release/x")
    assert done.returncode != 0
    assert "error base.stale" in done.stderr


def test_many_tags_are_searched_a_base_for_once(hooked: Story) -> None:
    for number in range(40):
        hooked.git("tag", f"v{number}")
    done = run_git(hooked, "push", "origin", "--tags")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("freezegate: accepted refs/tags/") == 40


def test_a_branch_whose_name_is_no_text(hooked: Story) -> None:
    name = os.fsdecode(b"caf\xe9")
    hooked.git("branch", name)
    assert run_git(hooked, "push", "origin", name).returncode == 0
    hooked.git("checkout", "-q", name)
    hooked.patch()
    assert run_git(hooked, "push", "origin", name).returncode == 0


def test_a_manager_that_tells_only_what_is_pushed(hooked: Story) -> None:
    bad = weaken_the_oracle_and_freeze(hooked).rev("HEAD")
    hooked.on("main")
    hooked.environ = {"PRE_COMMIT_TO_REF": bad}
    done = subprocess.run(
        [sys.executable, "-I", "-m", "freezegate", "hook", "pre-push"],
        cwd=hooked.root,
        env=git_environment() | hooked.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "oracle.changed" in done.stderr
    assert "freezegate install" in done.stderr
