"""Every way to push, through the installed hooks and real git: no bad ref leaves this machine."""

from __future__ import annotations

import os
import shutil
from itertools import permutations
from pathlib import Path

import pytest

from tests.git.local import HOOKS, launder, remote_refs, state, user
from tests.support import Story, copy_of, start

BAD = "freezegate: refused refs/heads/bad"


@pytest.fixture(scope="session")
def _pushing_shop(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Branches `ok`, `good` (an honest freeze) and `bad` here, `old` at the remote.

    HEAD is `ok`.
    """
    story = start(tmp_path_factory.mktemp("pushing"))
    launder(story.branch("bad"))
    story.branch("good", "main").patch().freeze()
    story.branch("ok", "main").patch("# quicker\n")
    story.git("push", "-q", "--no-verify", "origin", "main:old")
    return story


@pytest.fixture
def pusher(_pushing_shop: Story, tmp_path: Path) -> Story:
    """A copy of the shop with its branches, and with hooks as `install` puts them in place."""
    story = copy_of(_pushing_shop, tmp_path / "here")
    assert story.run("install")[0] == 0
    return story


def refuses(story: Story, *arguments: str, remote: str = "origin", under: str = ".") -> str:
    """Assert that a push is refused as a whole and changes nothing here or there."""
    before = state(story, remote)
    said = user(story, "push", *arguments, under=under).refused("freezegate: refused")
    assert state(story, remote) == before
    return said.text


def accepts(story: Story, *arguments: str, under: str = ".") -> str:
    """Assert that a push goes through and changes what it changes without hooks."""
    return user(story, "push", *arguments, under=under).passed().text


def test_several_refs_in_every_order_one_bad(pusher: Story) -> None:
    for order in permutations((":old", "ok", "bad")):
        said = refuses(pusher, "origin", *order)
        assert BAD in said
        assert "freezegate: accepted refs/heads/ok" in said
        assert "freezegate: accepted refs/heads/old" in said
        assert "freezegate: 3 refs judged: refs/heads/bad refused" in said
    for order in (("good", "bad", "main:refs/heads/copy"), ("bad", "main:refs/heads/copy", "good")):
        assert refuses(pusher, "--atomic", "origin", *order).count("freezegate: accepted") == 2
    said = accepts(pusher, "origin", "ok", ":old", "good")
    assert said.count("freezegate: accepted") == 3
    assert {"refs/heads/ok", "refs/heads/good"} <= remote_refs(pusher).keys()
    assert "refs/heads/old" not in remote_refs(pusher)


def test_a_push_writes_what_git_writes(pusher: Story, tmp_path: Path) -> None:
    pusher.git("remote", "set-url", "origin", "../origin.git")
    shutil.copytree(pusher.root.parent, tmp_path / "twin", symlinks=True)
    twin = Story(tmp_path / "twin" / pusher.root.name)
    arguments = ("-u", "origin", "ok", "good:other", ":old")
    user(twin, "push", "--no-verify", *arguments).passed()
    accepts(pusher, *arguments)
    assert state(pusher) == state(twin)


def test_branches_that_are_new_and_branches_without_new_commits(pusher: Story) -> None:
    said = accepts(pusher, "origin", "main:refs/heads/copy")
    assert "note base.nothing_to_judge" in said
    assert "freezegate: accepted refs/heads/copy" in said
    assert "freezegate: accepted refs/heads/ok" in accepts(pusher, "-u", "origin", "ok")
    assert BAD in refuses(pusher, "origin", "bad")
    assert "refused refs/heads/release/1" in refuses(pusher, "origin", "bad:release/1")
    assert "refused refs/heads/main" in refuses(pusher, "origin", "bad:main")


def test_a_second_push_of_the_same_branch(pusher: Story) -> None:
    """What went out unasked is judged with what comes on top: T is the target, not the old tip."""
    pusher.git("push", "-q", "--no-verify", "origin", "bad~1:refs/heads/bad")
    assert BAD in refuses(pusher, "origin", "bad")


def test_tags_of_every_kind(pusher: Story) -> None:
    pusher.git("tag", "-a", "-m", "first", "ok-1", "ok")
    pusher.git("tag", "-a", "-m", "of it", "ok-2", "ok-1")
    pusher.git("tag", "a-file", pusher.blob("to read\n"))
    pusher.git("tag", "-a", "-m", "a file", "a-noted-file", "a-file")
    pusher.git("tag", "a-folder", "HEAD^{tree}")
    assert "which is no commit" in accepts(pusher, "origin", "a-noted-file")
    said = accepts(pusher, "origin", "--tags")
    assert said.count("freezegate: accepted refs/tags/") == 4
    assert "freezegate: 4 refs judged: all accepted" in said
    pusher.git("tag", "light", "bad")
    pusher.git("tag", "-a", "-m", "first", "bad-1", "bad")
    pusher.git("tag", "-a", "-m", "of it", "bad-2", "bad-1")
    pusher.git("tag", "-a", "-m", "of that", "bad-3", "bad-2")
    for name in ("light", "bad-1", "bad-3"):
        assert f"refused refs/tags/{name}" in refuses(pusher, "origin", name)
    assert refuses(pusher, "origin", "--tags").count("freezegate: refused refs/tags/") == 4
    assert "refused refs/tags/bad-1" in refuses(pusher, "--follow-tags", "origin", "ok", "bad-1")
    accepts(pusher, "origin", ":a-file")


def test_force(pusher: Story) -> None:
    accepts(pusher, "origin", "ok")
    pusher.on("ok").git("commit", "-q", "--no-verify", "--amend", "-m", "Another text")
    user(pusher, "push", "origin", "ok").refused("non-fast-forward")
    for option in ("-f", "--force-with-lease"):
        assert "refused refs/heads/ok" in refuses(pusher, option, "origin", "bad:ok")
        assert "refused refs/heads/main" in refuses(pusher, option, "origin", "ok", "bad:main")
    accepts(pusher, "--force-with-lease", "origin", "ok")
    accepts(pusher, "origin", "+good:ok")


def test_what_is_pushed_is_not_what_head_is(pusher: Story) -> None:
    pusher.on("main")
    assert BAD in refuses(pusher, "origin", "bad")
    assert BAD in refuses(pusher, "origin", f"{pusher.rev('bad')}:refs/heads/bad")
    accepts(pusher.on("bad"), "origin", "ok")
    accepts(pusher, "origin", "good~1:refs/heads/half")
    pusher.git("checkout", "-q", "--detach", "bad")
    assert BAD in refuses(pusher, "origin", "HEAD:refs/heads/bad")


def test_by_url(pusher: Story) -> None:
    url = str(pusher.root.parent / "origin.git")
    for each in (url, f"file://{url}", "../origin.git"):
        assert BAD in refuses(pusher, each, "ok", "bad")
    accepts(pusher, url, "ok")
    assert "against refs/heads/main at the remote" in accepts(pusher, url, "good:main")


def fork_of(story: Story) -> Story:
    """Give the story a fork of the remote, as the remote `fork`."""
    folder = story.root.parent
    story.git("clone", "-q", "--bare", str(folder / "origin.git"), str(folder / "fork.git"))
    story.git("remote", "add", "fork", str(folder / "fork.git"))
    return story


def test_a_fork(pusher: Story) -> None:
    fork_of(pusher)
    assert BAD in refuses(pusher, "fork", "ok", "bad", remote="fork")
    assert "refused refs/heads/main" in refuses(pusher, "fork", "bad:main", remote="fork")
    assert "against refs/remotes/origin/main" in accepts(pusher, "fork", "ok")
    accepts(pusher, "fork", "good:main")


def test_everything_at_once(pusher: Story) -> None:
    fork_of(pusher)
    pusher.git("branch", "-q", "--set-upstream-to=origin/main", "ok")
    assert BAD in refuses(pusher, "--all", "origin")
    assert BAD in refuses(pusher, "--mirror", "fork", remote="fork")
    pusher.git("branch", "-q", "-D", "bad")
    assert accepts(pusher, "--all", "origin").count("freezegate: accepted") == 2
    said = accepts(pusher, "--mirror", "fork")
    assert "freezegate: accepted refs/remotes/origin/main" in said
    assert "refs/heads/old" not in remote_refs(pusher, "fork")


def test_what_a_push_removes_because_it_is_not_here(pusher: Story) -> None:
    """git gives the hook no line for what `--mirror` removes (measured with git 2.39): only the
    host can keep it. What `--prune` removes it does tell.
    """
    everything = ("--prune", "origin", "refs/heads/*:refs/heads/*")
    pusher.git("branch", "-q", "-D", "bad")
    pusher.git("branch", "-q", "-m", "main", "trunk")
    assert "error ref.deleted" in refuses(pusher, *everything)
    pusher.git("branch", "-q", "-m", "trunk", "main")
    assert "freezegate: accepted refs/heads/old" in accepts(pusher, *everything)
    assert "refs/heads/old" not in remote_refs(pusher)


def test_no_ref_on_standard_input(pusher: Story) -> None:
    accepts(pusher, "origin", "ok")
    assert "HEAD was judged" in accepts(pusher, "origin", "ok")
    pusher.git("push", "-q", "--no-verify", "origin", "bad")
    said = refuses(pusher.on("bad"), "origin", "bad")
    assert "HEAD was judged" in said


def test_another_hook_swallowed_standard_input(pusher: Story) -> None:
    hook = pusher.root / ".git/hooks/pre-push"
    hook.write_text(f'#!/bin/sh\ncat >/dev/null\nexec "{HOOKS / "pre-push"}" "$@"\n')
    said = refuses(pusher.on("bad"), "origin", "bad")
    assert "HEAD was judged" in said
    assert "HEAD was judged" in accepts(pusher.on("ok"), "origin", "ok")


def test_a_hook_that_was_there_before_takes_nothing_away(pusher: Story) -> None:
    assert pusher.run("install", "--undo")[0] == 0
    old = pusher.root / ".git/hooks/pre-push"
    for body in ("cat >/dev/null", "exec </dev/null", "head -n 1"):
        old.write_text(f"#!/bin/sh\n{body}\n")
        old.chmod(0o755)
        assert pusher.run("install")[0] == 0
        said = refuses(pusher, "origin", "ok", "bad")
        assert BAD in said
        assert "HEAD was judged" not in said
        assert pusher.run("install", "--undo")[0] == 0


def test_more_refs_than_a_pipe_holds(pusher: Story) -> None:
    """The old hook reads nothing, and 400 such lines are more than 64 KiB."""
    assert pusher.run("install", "--undo")[0] == 0
    old = pusher.root / ".git/hooks/pre-push"
    old.write_text("#!/bin/sh\nexit 0\n")
    old.chmod(0o755)
    assert pusher.run("install")[0] == 0
    ok = pusher.rev("ok")
    lines = [f"create refs/tags/{'long-' * 20}{number:04} {ok}\n" for number in range(400)]
    lines.append(f"create refs/tags/zzz {pusher.rev('bad')}\n")
    pusher.git("update-ref", "--stdin", data="".join(lines).encode())
    said = user(pusher, "push", "-q", "origin", "--tags").refused()
    assert "refused refs/tags/zzz" in said.text
    assert not any(name.startswith("refs/tags/") for name in remote_refs(pusher))


def test_from_a_linked_worktree_and_from_a_subfolder(pusher: Story, tmp_path: Path) -> None:
    linked = Story(tmp_path / "a linked tree")
    pusher.git("worktree", "add", "-q", str(linked.root), "bad")
    said = user(linked, "push", "origin", "bad", under="src/shop").refused(BAD)
    assert "HEAD was judged" not in said.text
    assert BAD in refuses(pusher, "origin", "ok", "bad", under="src/shop")
    user(linked, "push", "origin", "ok").passed()
    linked.git("push", "-q", "--no-verify", "origin", "bad")
    user(linked, "push", "origin", "bad").refused("HEAD was judged", BAD)
    accepts(pusher, "origin", "good", under="tests")


def test_names_that_tools_trip_over(pusher: Story) -> None:
    names = (os.fsdecode(b"b\xe4d"), "a'quote", 'a"quote', "a$(touch${IFS}x)", "-n", "\u202ebad")
    for name in names:
        ref = f"refs/heads/{name}"
        pusher.git("update-ref", ref, "bad")
        said = refuses(pusher, "origin", f"{ref}:{ref}")
        hook = said.partition("error: failed to push")[0]
        assert hook.isascii()
    assert not (pusher.root / "x").exists()


def test_dry_run_and_quiet_ask_all_the_same(pusher: Story) -> None:
    assert BAD in refuses(pusher, "--dry-run", "origin", "bad")
    assert BAD in refuses(pusher, "-q", "--porcelain", "origin", "bad")
    accepts(pusher, "--dry-run", "origin", "ok")
    assert "refs/heads/ok" not in remote_refs(pusher)


def test_where_no_target_is_known_the_remotes_old_value_judges(pusher: Story) -> None:
    """No policy, no origin/HEAD: of two commits the first is judged with the second."""
    pusher.git("checkout", "-q", "-b", "plain", "main")
    pusher.git("rm", "-rq", ".freeze")
    test = "def test_one():\n    assert 1 + 1 == 2\n"
    pusher.write("tests/test_one.py", test).commit("Without freezegate")
    there = str(pusher.root.parent / "there.git")
    pusher.git("init", "-q", "--bare", there)
    pusher.git("push", "-q", "--no-verify", there, "plain:main")
    pusher.git("remote", "remove", "origin")
    pusher.git("branch", "-D", "-q", "main", "ok", "good", "bad")
    pusher.write("tests/test_one.py", f"import pytest\n\n\n@pytest.mark.skip\n{test}")
    pusher.commit("Skip it")
    pusher.patch()
    said = user(pusher, "push", there, "plain:main").refused("freezegate: refused").text
    assert "against refs/heads/main at the remote" in said
    assert "[marker]" in said
