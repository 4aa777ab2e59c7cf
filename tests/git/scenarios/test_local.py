"""Corpus group `local`: honest work at the desk, through the hooks as git runs them."""

from __future__ import annotations

from pathlib import Path

from tests.git.local import remote_refs, user, with_hooks
from tests.support import Story


def test_h060_commit_and_push_in_a_linked_worktree(shop: Story, tmp_path: Path) -> None:
    with_hooks(shop).git("worktree", "add", "-q", str(tmp_path / "wt"), "-b", "linked", "main")
    linked = Story(tmp_path / "wt").patch()
    linked.request().write(linked.root)
    linked.git("add", "-A", "-f")
    said = user(linked, "commit", "-m", "Freeze", under="tests").passed()
    assert "freezegate: accepted refs/heads/linked (index)" in said.text
    said = user(linked, "push", "origin", "linked").passed()
    assert "freezegate: accepted refs/heads/linked" in said.text
    assert shop.git("status", "--porcelain") == ""


def test_h061_offline_and_the_target_is_unknown(shop: Story) -> None:
    with_hooks(shop).git("remote", "set-url", "origin", "file:///nonexistent/origin.git")
    shop.git("symbolic-ref", "-d", "refs/remotes/origin/HEAD")
    shop.git("update-ref", "-d", "refs/remotes/origin/main")
    shop.git("branch", "-q", "-D", "main")
    shop.write("README.md", "# Shop\n").git("add", "-A")
    said = user(shop, "commit", "-m", "on a train").passed()
    assert "freezegate: accepted refs/heads/topic (index) against HEAD" in said.text
    assert "base.unverified" in said.text


def test_h063_nothing_to_push(shop: Story) -> None:
    with_hooks(shop)
    user(shop, "push", "origin", "topic").passed()
    said = user(shop, "push", "origin", "topic").passed()
    assert "freezegate: accepted refs/heads/topic" in said.text


def test_h063_deleting_an_own_branch(shop: Story) -> None:
    with_hooks(shop.patch())
    user(shop, "push", "origin", "topic").passed()
    said = user(shop, "push", "origin", "--delete", "topic").passed()
    assert "note base.nothing_to_judge: a ref that is deleted" in said.text
    assert "refs/heads/topic" not in remote_refs(shop)
