"""Every way to commit, through the hooks and real git: what is judged, and that nothing else moves.

`same_without_hooks` compares with the same command in a copy where git asks no hook at all.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.git.local import (
    BROKEN,
    BROKEN_CODE,
    NO_HOOKS,
    POLICY,
    changes_nothing,
    launder,
    same_without_hooks,
    state,
    user,
    with_hooks,
)
from tests.support import FIXTURE, ORACLE, Story, plain_repository

GOOD = "# faster\n"
SUBJECT = "src/shop/order.py"


@pytest.fixture
def hooked(shop: Story) -> Story:
    """The shop's topic branch with the shipped hooks in place."""
    return with_hooks(shop)


def stage(story: Story, path: str, content: str | bytes) -> Story:
    """Write a file and stage it."""
    story.write(path, content).git("add", "-f", "--", path)
    return story


def conflict_with_main(story: Story) -> Story:
    """Let `main` and the branch say different things in README.md."""
    story.write("README.md", "# ours\n").commit("ours")
    story.branch("theirs", "main").write("README.md", "# theirs\n").commit("theirs")
    return story.on("topic")


def test_the_first_commit_of_all(tmp_path: Path) -> None:
    story = with_hooks(plain_repository(tmp_path / "new/shop"))
    story.git("init", "-q", "--bare", "../origin.git")
    story.git("remote", "add", "origin", "../origin.git")
    stage(story, ".freeze/record.json", "{}")
    changes_nothing(story, "commit", "-m", "freeze at once").refused("error record.missing_key")
    story.git("rm", "-q", "--cached", ".freeze/record.json")
    (story.root / ".freeze/record.json").unlink()
    stage(story, "a.py", "x = 1\n")
    said = same_without_hooks(story, "commit", "-m", "first")
    assert "freezegate: accepted refs/heads/main (index)" in said.text
    assert "the empty tree" in said.text


def test_amending_a_root_commit(tmp_path: Path) -> None:
    story = with_hooks(plain_repository(tmp_path / "new/shop"))
    story.git("init", "-q", "--bare", "../origin.git")
    story.git("remote", "add", "origin", "../origin.git")
    story.write("a.py", "x = 1\n").commit("first")
    stage(story, "a.py", "x = 2\n")
    same_without_hooks(story, "commit", "--amend", "-m", "first, better")
    stage(story, ".freeze/record.json", "{}")
    changes_nothing(story, "commit", "--amend", "--no-edit").refused("error record.missing_key")


def test_amending_a_commit_that_froze(hooked: Story) -> None:
    hooked.patch().freeze()
    same_without_hooks(hooked, "commit", "--amend", "-m", "Freeze it, with another text")
    stage(hooked, ORACLE, "def test_total_is_never_negative():\n    pass\n")
    changes_nothing(hooked, "commit", "--amend", "--no-edit").refused("error oracle.changed")


def test_all_that_is_tracked(hooked: Story) -> None:
    hooked.write(POLICY, BROKEN).write("README.md", "# Shop\n")
    changes_nothing(hooked, "commit", "-a", "-m", "bad").refused(BROKEN_CODE)
    hooked.git("checkout", POLICY)
    same_without_hooks(hooked, "commit", "-a", "-m", "good")


def test_one_path_beside_what_is_staged(hooked: Story) -> None:
    stage(hooked, "README.md", "# Shop\n").write(POLICY, BROKEN)
    changes_nothing(hooked, "commit", "-i", POLICY, "-m", "bad").refused(BROKEN_CODE)
    hooked.git("checkout", POLICY)
    hooked.write(SUBJECT, GOOD)
    same_without_hooks(hooked, "commit", "-i", SUBJECT, "-m", "good")


def test_one_path_without_what_is_staged(hooked: Story) -> None:
    stage(hooked, POLICY, BROKEN).write("README.md", "# Shop\n")
    same_without_hooks(hooked, "commit", "-m", "good", "--", "README.md")
    hooked.git("reset", "-q", "--hard")
    stage(hooked, "README.md", "# Shop again\n").write(POLICY, BROKEN)
    changes_nothing(hooked, "commit", "-m", "bad", "--", POLICY).refused(BROKEN_CODE)


def test_unstaged_edits_do_not_count(hooked: Story) -> None:
    stage(hooked, "README.md", "# Shop\n").write(POLICY, BROKEN)
    same_without_hooks(hooked, "commit", "-m", "good staged, bad unstaged")
    hooked.git("checkout", POLICY)
    stage(hooked, POLICY, BROKEN)
    hooked.write(POLICY, hooked.git("show", f"HEAD:{POLICY}") + "\n")
    changes_nothing(hooked, "commit", "-m", "bad staged, good unstaged").refused(BROKEN_CODE)


def test_a_freeze_is_judged_by_what_is_staged(hooked: Story) -> None:
    hooked.patch().request().write(hooked.root)
    hooked.git("add", "-A", "-f")
    hooked.write(FIXTURE, '{"lines": [9]}\n')
    same_without_hooks(hooked, "commit", "-m", "Freeze")
    hooked.git("checkout", FIXTURE)
    stage(hooked, FIXTURE, '{"lines": [9]}\n')
    hooked.write(FIXTURE, '{"lines": [1, 2, 3]}\n')
    changes_nothing(hooked, "commit", "-m", "Edit it").refused("error fixture.changed_in_patch")


def test_an_empty_commit(hooked: Story) -> None:
    same_without_hooks(hooked, "commit", "--allow-empty", "-m", "nothing")


def test_a_detached_head(hooked: Story) -> None:
    hooked.git("checkout", "-q", "--detach")
    stage(hooked, "README.md", "# Shop\n")
    said = same_without_hooks(hooked, "commit", "-m", "good")
    assert "freezegate: accepted HEAD (index)" in said.text


def test_a_conflicted_merge(hooked: Story) -> None:
    conflict_with_main(hooked)
    user(hooked, "merge", "theirs").refused("CONFLICT")
    stage(hooked, "README.md", "# both\n")
    stage(hooked, POLICY, BROKEN)
    changes_nothing(hooked, "commit", "-m", "bad").refused(BROKEN_CODE)
    hooked.git("checkout", "HEAD", "--", POLICY)
    same_without_hooks(hooked, "commit", "-m", "good")
    assert len(hooked.git("rev-list", "--parents", "-1", "HEAD").split()) == 3


def test_a_clean_merge(hooked: Story) -> None:
    hooked.write("README.md", "# Shop\n").commit("ours")
    hooked.branch("theirs", "main").patch().on("topic")
    same_without_hooks(hooked, "merge", "-m", "good", "theirs")
    launder(hooked.branch("bad", "main")).on("topic")
    before = hooked.rev("HEAD")
    user(hooked, "merge", "-m", "bad", "bad").refused("error oracle.changed")
    assert hooked.rev("HEAD") == before
    hooked.git("merge", "--abort")
    same_without_hooks(hooked, "merge", "--no-commit", "theirs")


def test_a_cherry_pick_asks_only_after_a_conflict(hooked: Story) -> None:
    conflict_with_main(hooked)
    hooked.branch("more", "main").write("src/shop/b.py", "").commit("clean")
    hooked.on("topic")
    assert "freezegate" not in same_without_hooks(hooked, "cherry-pick", "more").text
    user(hooked, "cherry-pick", "theirs").refused("CONFLICT")
    stage(hooked, "README.md", "# both\n")
    stage(hooked, POLICY, BROKEN)
    goes_on = ("-c", "core.editor=true", "cherry-pick", "--continue")
    changes_nothing(hooked, *goes_on).refused(BROKEN_CODE)
    hooked.git("checkout", "HEAD", "--", POLICY)
    assert "freezegate: accepted" in same_without_hooks(hooked, *goes_on).text


def test_what_asks_no_hook_is_caught_at_the_push(hooked: Story, tmp_path: Path) -> None:
    """Clean revert, `am`, rebase and fast-forward run no pre-commit (MECHANICS 26)."""
    hooked.write(POLICY, BROKEN).commit("bad")
    mail = tmp_path / "mail"
    mail.write_text(hooked.git("format-patch", "-1", "--stdout") + "\n")
    start = hooked.rev("main")
    hooked.branch("am", start).write("README.md", "# Shop\n").commit("work")
    assert "freezegate" not in same_without_hooks(hooked, "am", "-q", str(mail)).text
    hooked.branch("onto", start).write("README.md", "# Shop!\n").commit("work")
    hooked.git("checkout", "-q", "-b", "rebased", "topic")
    assert "freezegate" not in same_without_hooks(hooked, "rebase", "-q", "onto").text
    hooked.branch("forward", start)
    assert "freezegate" not in same_without_hooks(hooked, "merge", "-q", "--ff", "topic").text
    hooked.branch("reverted", "topic").git("revert", "--no-edit", "HEAD")
    assert "freezegate" not in same_without_hooks(hooked, "revert", "--no-edit", "HEAD").text
    before = state(hooked)
    for name in ("am", "rebased", "forward", "reverted"):
        said = user(hooked, "push", "origin", name).refused(BROKEN_CODE)
        assert f"freezegate: refused refs/heads/{name}" in said.text
    assert state(hooked) == before


@pytest.mark.parametrize("word", ["reword", "edit"])
def test_a_rebase_that_stops(hooked: Story, word: str) -> None:
    hooked.patch().write("README.md", "# Shop\n").commit("second")
    todo = f"sed -i -e 1s/^pick/{word}/"
    rebase = ("-c", f"sequence.editor={todo}", "-c", "core.editor=true", "rebase", "-i", "main")
    said = same_without_hooks(hooked, *rebase)
    if word == "reword":
        assert "freezegate: accepted" in said.text
        return
    stage(hooked, POLICY, BROKEN)
    changes_nothing(hooked, "commit", "--amend", "--no-edit").refused(BROKEN_CODE)
    hooked.git("checkout", "HEAD", "--", POLICY)
    stage(hooked, "src/shop/b.py", "")
    same_without_hooks(hooked, "commit", "--amend", "--no-edit")
    same_without_hooks(hooked, "rebase", "--continue")


def test_a_linked_worktree(hooked: Story, tmp_path: Path) -> None:
    hooked.git("worktree", "add", "-q", str(tmp_path / "wt"), "-b", "linked", "main")
    linked = Story(tmp_path / "wt")
    stage(linked, POLICY, BROKEN)
    before = state(hooked)
    user(linked, "commit", "-m", "bad").refused(BROKEN_CODE, "refs/heads/linked (index)")
    user(linked, "commit", "-m", "bad", under="src/shop").refused(BROKEN_CODE)
    after = state(hooked)
    for key in ("refs", "index", "status", "work tree", "remote"):
        assert after[key] == before[key], key
    linked.git("reset", "-q", "--hard")
    stage(linked, "README.md", "# Shop\n")
    user(linked, "commit", "-m", "good", under="src").passed()
    assert linked.git("status", "--porcelain") == ""
    assert hooked.git("status", "--porcelain") == ""


def test_a_call_from_a_subfolder(hooked: Story) -> None:
    stage(hooked, POLICY, BROKEN)
    for arguments in (("commit",), ("commit", "-a"), ("commit", "-i", "order.py")):
        changes_nothing(hooked, *arguments, "-m", "bad", under="src/shop").refused(BROKEN_CODE)
    hooked.write(SUBJECT, GOOD)
    same_without_hooks(hooked, "commit", "-m", "good", "--", "order.py", under="src/shop")


def test_an_index_that_the_user_named(hooked: Story) -> None:
    own = hooked.root / ".git/own-index"
    own.write_bytes((hooked.root / ".git/index").read_bytes())
    hooked.write(POLICY, BROKEN)
    for name in (str(own), ".git/own-index"):
        user(hooked, "add", POLICY, GIT_INDEX_FILE=name).passed()
        changes_nothing(hooked, "commit", "-m", "bad", GIT_INDEX_FILE=name).refused(BROKEN_CODE)


def test_a_git_directory_that_is_named(hooked: Story, tmp_path: Path) -> None:
    """Called from elsewhere, and with a second work tree on the same repository."""
    named = (f"--git-dir={hooked.root / '.git'}", f"--work-tree={hooked.root}")
    elsewhere = Story(tmp_path / "else where")
    elsewhere.root.mkdir()
    stage(hooked, POLICY, BROKEN)
    user(elsewhere, *named, "commit", "-m", "bad").refused(BROKEN_CODE)
    user(elsewhere, "-C", str(hooked.root / "src"), "commit", "-m", "bad").refused(BROKEN_CODE)
    hooked.git("reset", "-q", "--hard")
    hooked.write(SUBJECT, GOOD)
    user(elsewhere, *named, "commit", "-a", "-m", "good").passed()
    second = (named[0], f"--work-tree={elsewhere.root}")
    user(elsewhere, *second, "checkout", "-f", "topic", "--", ".").passed()
    (elsewhere.root / POLICY).write_text(BROKEN)
    user(elsewhere, *second, "commit", "-a", "-m", "bad").refused(BROKEN_CODE)


def test_a_repository_with_a_submodule(hooked: Story, tmp_path: Path) -> None:
    other = plain_repository(tmp_path / "vendor")
    other.write("data.json", "{}").commit("data")
    allow = ("-c", "protocol.file.allow=always")
    hooked.git(*allow, "submodule", "add", "-q", str(other.root), "vendor/data")
    user(hooked, "commit", "-m", "a submodule").passed()
    hooked.write(SUBJECT, GOOD)
    user(hooked, "commit", "-a", "-m", "work beside it").passed()
    inside = Story(hooked.root / "vendor/data")
    inside.write("data.json", "[]").commit("more")
    user(hooked, "commit", "-a", "-m", "another commit of it").passed()
    user(hooked, "push", "origin", "topic").passed()


def test_commits_inside_a_submodule(hooked: Story, tmp_path: Path) -> None:
    allow = ("-c", "protocol.file.allow=always")
    outer = plain_repository(tmp_path / "outer")
    origin = str(hooked.root.parent / "origin.git")
    outer.git(*allow, "submodule", "add", "-q", origin, "libs/the shop")
    inner = with_hooks(Story(outer.root / "libs/the shop"))
    stage(inner.branch("inside"), POLICY, BROKEN)
    user(inner, "commit", "-m", "bad").refused(BROKEN_CODE, "refs/heads/inside (index)")
    user(inner, "commit", "-m", "bad", under="src").refused(BROKEN_CODE)
    inner.git("reset", "-q", "--hard")
    inner.write(SUBJECT, GOOD)
    user(inner, "commit", "-a", "-m", "good").passed()
    user(inner, "push", "origin", "inside").passed()


NAMES = (b"a b.py", b"new\nline.py", b"caf\xe9.py", b"tab\there.py", b'"quoted".py', b"-dash.py")


def test_paths_that_tools_trip_over(hooked: Story) -> None:
    for name in NAMES:
        (hooked.root / os.fsdecode(b"src/shop/" + name)).write_text("x = 1\n")
    hooked.git("add", "-A")
    same_without_hooks(hooked, "commit", "-m", "all of them")
    (hooked.root / os.fsdecode(b"src/shop/" + NAMES[2])).write_text("x = 2\n")
    hooked.git("rm", "-q", "--", "src/shop/new\nline.py")
    same_without_hooks(hooked, "commit", "-a", "-m", "changed and removed")
    user(hooked, "push", "origin", "topic").passed()
    place = os.fsdecode(b".freeze/caf\xe9\n\x1b[31m.json")
    stage(hooked, place, "{}")
    said = user(hooked, "commit", "-m", "bad").refused("error path.unexpected")
    assert "\x1b" not in said.text
    assert said.text.isascii()


def test_hooks_that_are_switched_off_leave_it_to_the_push(hooked: Story) -> None:
    stage(hooked, POLICY, BROKEN)
    user(hooked, *NO_HOOKS, "commit", "-m", "bad").passed()
    user(hooked, "push", "origin", "topic").refused(BROKEN_CODE)
