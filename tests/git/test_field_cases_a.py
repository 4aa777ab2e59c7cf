"""Field cases A: what went wrong elsewhere with local hooks and CI, tried on this gate.

Codes are those of docs/reasons.md. Where SPEC.md differs from a case, SPEC.md stands.
"""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path

import pytest

from tests.git.freezing import day, frozen_shop, rewrite, session
from tests.git.local import (
    HOOKS,
    NO_HOOKS,
    POLICY,
    launder,
    remote_refs,
    user,
    with_hooks,
)
from tests.git.witnessing import asked, flaky_shop
from tests.support import (
    CATALOG,
    FILES,
    FIXTURE,
    ORACLE,
    PROPERTY,
    Answer,
    Story,
    lock_line,
    plain_repository,
)
from tests.support import POLICY as POLICY_TEXT

CASES = "A1 A2 A3 A5 A6 A8 A10 A11 A13 A14 A15 A17 A19"
WEAK = "def test_total_is_never_negative():\n    pass\n"
# A test that uses git, and wants none of the variables that a hook is given.
GIT_USER = """\
import os
import subprocess
import tempfile


def use_git():
    assert not [name for name in os.environ if name.startswith("GIT_")]
    with tempfile.TemporaryDirectory() as folder:
        for words in (["init", "-q"], ["add", "-A"], ["config", "core.bare", "true"]):
            subprocess.run(["git", *words], cwd=folder, check=True)


"""
CALLS = ("def test_total():\n", "def test_total():\n    use_git()\n")
OTHER = "def test_total_is_never_negative():\n    assert 6 >= 0\n"


@pytest.fixture
def hooked(shop: Story) -> Story:
    """The shop's topic branch with the shipped hooks in place."""
    return with_hooks(shop)


def test_every_case_is_a_test() -> None:
    found = re.findall(r"^def test_a(\d+)_", Path(__file__).read_text(), re.MULTILINE)
    assert {f"A{number}" for number in found} == set(CASES.split())


def test_a1_several_refs_in_one_push(hooked: Story) -> None:
    hooked.git("push", "-q", "--no-verify", "origin", "main:old")
    hooked.branch("ok", "main").patch("# ok\n")
    launder(hooked.branch("bad", "main"))
    before = remote_refs(hooked)
    for refs in (*permutations(("ok", "bad")), *permutations((":old", "bad"))):
        said = user(hooked, "push", "origin", *refs)
        said.refused("refused refs/heads/bad", hooked.rev("bad")[:12])
        said.refused("freezegate: 2 refs judged: refs/heads/bad refused")
        assert remote_refs(hooked) == before


def test_a2_first_push_and_deletion(hooked: Story) -> None:
    launder(hooked)
    user(hooked, "push", "-u", "origin", "topic").refused("error oracle.changed")
    hooked.git("push", "-q", "--no-verify", "origin", "topic")
    said = user(hooked, "push", "origin", ":topic").passed()
    assert "a ref that is deleted" in said.text


def test_a2_sha256_is_unsupported_and_never_passes(tmp_path: Path) -> None:
    for folder, options in (("shop", ()), ("origin.git", ("--bare",))):
        (tmp_path / folder).mkdir()
        Story(tmp_path / folder).git("init", "-q", "--object-format=sha256", *options)
    story = with_hooks(Story(tmp_path / "shop"))
    story.git("remote", "add", "origin", "../origin.git")
    story.write("a.py", "").git("add", "-A")
    user(story, "commit", "-m", "first").refused("undecided", "error repository.unsupported")
    user(story, *NO_HOOKS, "commit", "-q", "-m", "first").passed()
    user(story, "push", "origin", "HEAD:new").refused("freezegate: undecided")
    story.git(*NO_HOOKS, "push", "-q", "origin", "HEAD:refs/heads/old")
    user(story, "push", "origin", ":old").refused("freezegate: undecided")
    assert remote_refs(story).keys() == {"refs/heads/old"}
    assert story.check().status == 2
    assert story.check().errors == {"repository.unsupported"}


def test_a3_a_new_name_for_what_is_published(hooked: Story) -> None:
    said = user(hooked, "push", "origin", "main:refs/heads/copy").passed()
    assert "freezegate: accepted refs/heads/copy" in said.text
    assert "note base.nothing_to_judge" in said.text
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    hooked.on("main").patch().freeze(expires_on=yesterday)
    hooked.git("push", "-q", "--no-verify", "origin", "main")
    said = user(hooked, "push", "origin", "main:refs/heads/later-copy").passed()
    assert "note base.nothing_to_judge" in said.text


def test_a3_no_test_is_skipped_by_a_freeze_that_expired(tmp_path: Path) -> None:
    story = rewrite(frozen_shop(tmp_path / "shop"), expires_on=day(-1))
    told = session(story)
    assert told.counts == {"failed": 1, "passed": 1}
    assert any(f"{PROPERTY}: expired yesterday" in line for line in told.lines), told.out


def test_a5_another_hook_swallowed_standard_input(shop: Story) -> None:
    shop.git("config", "freezegate.python", sys.executable)
    hook = shop.root / ".git/hooks/pre-push"
    hook.write_text(f'#!/bin/sh\ncat >/dev/null\nexec "{HOOKS}/pre-push" "$@"\n')
    hook.chmod(0o755)
    said = user(launder(shop), "push", "origin", "topic")
    said.refused("error oracle.changed", "no ref on standard input", "HEAD was judged")
    shop.on("main")
    said = user(shop, "push", "origin", "main").passed()
    assert "HEAD was judged" in said.text


def test_a6_amend(hooked: Story) -> None:
    hooked.patch().freeze().write(ORACLE, WEAK).git("add", "-A")
    user(hooked, "commit", "--amend", "--no-edit").refused("error oracle.changed")
    hooked.git("commit", "-q", "--no-verify", "--amend", "--no-edit")
    user(hooked, "push", "origin", "topic").refused("error oracle.changed")
    hooked.branch("reverse", "main").patch().write(ORACLE, WEAK).commit("Simplify")
    hooked.request().write(hooked.root)
    hooked.git("add", "-A", "-f")
    user(hooked, "commit", "--amend", "--no-edit").refused("error oracle.changed")
    hooked.git("commit", "-q", "--no-verify", "--amend", "--no-edit")
    user(hooked, "push", "origin", "reverse").refused("error oracle.changed")


def test_a8_no_variable_of_git_reaches_the_tests(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "shop", "pffpffpp")
    waver = story.read("tests/test_order.py").decode()
    story.on("main").write("tests/test_order.py", GIT_USER + waver.replace(*CALLS)).commit(
        "Use git"
    )
    story.git("push", "-q", "origin", "main")
    story.branch("again", "main").patch().on("main")
    linked = Story(tmp_path / "wt")
    story.git("worktree", "add", "-q", str(linked.root), "again")
    own = Path(linked.git("rev-parse", "--absolute-git-dir"))
    linked.environ |= {
        "GIT_DIR": str(own),
        "GIT_INDEX_FILE": str(own / "index"),
        "GIT_WORK_TREE": str(linked.root),
        "GIT_PREFIX": "",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "false",
    }
    before = state_of(story, own)
    said = asked(linked)
    assert (said.status, said.verdict) == (0, "accepted"), said.out
    assert said.window["class"] == "env_unstable"
    assert state_of(story, own) == before


def state_of(story: Story, linked: Path) -> dict[str, bytes]:
    """What tests that use git could change of a repository: configuration, indexes, refs."""
    git = story.root / ".git"
    files = [git / "config", git / "index", git / "HEAD", linked / "index", linked / "HEAD"]
    refs = user(story, "for-each-ref").passed().text
    return {str(file): file.read_bytes() for file in files} | {"refs": refs.encode()}


def test_a10_no_test_is_skipped_by_a_record_that_the_gate_refuses(tmp_path: Path) -> None:
    story = frozen_shop(tmp_path / "shop")
    story.write(ORACLE, WEAK).commit("Simplify")
    answer = story.check("--base", "origin/main")
    assert "oracle.changed" in answer.errors
    told = session(story)
    assert told.counts == {"failed": 1, "passed": 1}
    assert any("oracle changed" in line for line in told.lines), told.out


def test_a10_hooks_switched_off(hooked: Story) -> None:
    hooked.patch().write(ORACLE, WEAK).git("add", "-A")
    hooked.commit("Simplify")
    hooked.request().write(hooked.root)
    hooked.git("add", "-A", "-f")
    user(hooked, "commit", "-q", "-m", "Freeze").refused("error oracle.changed")
    user(hooked, *NO_HOOKS, "commit", "-q", "-m", "Freeze").passed()
    user(hooked, "push", "--no-verify", "origin", "topic").passed()
    user(hooked, *NO_HOOKS, "push", "origin", "topic:twin").passed()
    hooked.environ["CI"] = "1"
    answer = hooked.check("--base", "origin/main")
    assert answer.status == 1
    assert "oracle.changed" in answer.errors


def test_a10_a_relative_hooks_path_in_a_linked_worktree(shop: Story, tmp_path: Path) -> None:
    shop.git("config", "core.hooksPath", ".githooks")
    assert shop.run("install")[0] == 0
    linked = Story(tmp_path / "wt")
    shop.git("worktree", "add", "-q", str(linked.root), "-b", "linked", "main")
    linked.write(POLICY, "version = 'x'\n").git("add", "-A")
    user(linked, "commit", "-q", "-m", "bad").passed()  # git found no hook, and said nothing
    status, said = linked.run("doctor", "--no-canary")
    assert status == 1
    assert f"points at nothing: {linked.root / '.githooks'}" in said
    assert shop.run("doctor", "--no-canary")[0] == 0


def test_a11_unborn_branch_and_root_commit(tmp_path: Path) -> None:
    story = with_hooks(plain_repository(tmp_path / "shop"))
    story.git("init", "-q", "--bare", "../origin.git")
    story.git("remote", "add", "origin", "../origin.git")
    story.write("a.py", "").git("add", "-A")
    user(story, "commit", "-m", "first").passed()
    user(story, "push", "-u", "origin", "main").passed()
    story.git("checkout", "-q", "--orphan", "lonely")
    user(story, "commit", "-m", "another beginning").passed()
    user(story, "push", "origin", "lonely").passed()


def test_a11_a_freeze_in_the_first_commit(tmp_path: Path) -> None:
    story = with_hooks(plain_repository(tmp_path / "shop"))
    story.git("init", "-q", "--bare", "../origin.git")
    story.git("remote", "add", "origin", "../origin.git")
    for path, content in FILES.items():
        story.write(path, content)
    story.write(POLICY, POLICY_TEXT.format(preset="basic")).write(".freeze/catalog.toml", CATALOG)
    story.write(".freeze/fixtures.sha256", lock_line(FIXTURE, FILES[FIXTURE])).commit("aside")
    story.request().write(story.root)
    story.git("update-ref", "-d", "HEAD")
    story.git("add", "-A", "-f")
    said = user(story, "commit", "-m", "first").refused("error oracle.missing_at_parent")
    assert "this commit has no parent" in said.text
    assert "fatal:" not in said.text
    story.commit("first")
    answer = story.check()
    assert answer.status == 1
    assert "oracle.missing_at_parent" in answer.errors


def test_a13_what_is_cut_off_is_unknown_not_absent(hooked: Story, tmp_path: Path) -> None:
    hooked.patch().freeze()
    for number in range(24):
        hooked.git("commit", "-q", "--no-verify", "--allow-empty", "-m", str(number))
    hooked.git("push", "-q", "--no-verify", "origin", "topic")
    remote = hooked.root.parent / "origin.git"
    Story(remote).git("config", "uploadpack.allowFilter", "true")
    for options in (["--depth=1"], ["--depth=2"], ["--depth=20"], [], ["--filter=blob:none"]):
        name = "".join(options).replace(":", "") or "full"
        clone = ("clone", "-q", "--no-single-branch", "-b", "topic", *options)
        hooked.git(*clone, f"file://{remote}", str(tmp_path / name))
        clone_story = Story(tmp_path / name)
        clone_story.git("remote", "set-url", "origin", "file:///nonexistent/origin.git")
        for arguments in ((), ("--base", "origin/main")):
            answer = clone_story.check(*arguments)
            if "depth" in name:
                assert (answer.status, answer.errors) == (2, {"base.history_unavailable"})
                finding = answer.finding("base.history_unavailable")
                assert re.search(r"cut off at or below [0-9a-f]{40}", finding["got"])
                assert "unshallow" in finding["remedy"]
            else:
                assert answer.status == 0, answer.output


def test_a14_laundering_over_two_commits(hooked: Story) -> None:
    launder(hooked)
    user(hooked, "push", "origin", "topic").refused("error oracle.changed", ORACLE)
    hooked.git("push", "-q", "--no-verify", "origin", "topic~1:refs/heads/topic")
    user(hooked, "push", "origin", "topic").refused("error oracle.changed")
    hooked.write(ORACLE, FILES[ORACLE]).commit("restore")
    user(hooked, "push", "origin", "topic").refused("error oracle.blob_mismatch")
    user(hooked, "push", "origin", "topic:main").refused("error oracle.blob_mismatch")


def change_the_oracle_on_main(story: Story) -> tuple[str, str]:
    """Let somebody else land another oracle; return the old and the new blob's id."""
    story.on("main").write(ORACLE, OTHER).commit("another's oracle")
    story.git("push", "-q", "--no-verify", "origin", "main")
    story.on("topic")
    return story.rev(f"main~1:{ORACLE}"), story.rev(f"main:{ORACLE}")


def both_blobs_are_named(answer: Answer, blobs: tuple[str, str]) -> bool:
    """Whether one finding says which blob is cited and which one stands there now."""
    return any(all(blob in f["got"] + f["expected"] for blob in blobs) for f in answer.findings)


def test_a15_the_target_moved_on(hooked: Story) -> None:
    hooked.patch().freeze()
    blobs = change_the_oracle_on_main(hooked)
    said = user(hooked, "push", "origin", "topic").passed()
    assert "warning base.stale" in said.text
    answer = hooked.check()
    assert (answer.status, answer.errors) == (1, {"base.stale"})
    for command in (("merge", "-q", "-m", "merge", "main"), ("rebase", "-q", "main")):
        hooked.git("checkout", "-q", "-B", command[0], "topic")
        hooked.git(*NO_HOOKS, *command)
        answer = hooked.check()
        assert answer.errors == {"oracle.blob_mismatch"}
        assert both_blobs_are_named(answer, blobs), answer.output
        said = user(hooked, "push", "-f", "origin", f"{command[0]}:topic")
        said.refused("error oracle.blob_mismatch")
        assert "oracle.changed" not in said.text


def test_a17_the_patch_rewrites_its_policy(hooked: Story) -> None:
    policy = hooked.read(POLICY).decode()
    for text in (policy.replace('"tests/fixtures/**"', '"tests/**"'), policy + "\n[budget]\n"):
        hooked.git("checkout", "-q", "-B", "topic", "main")
        hooked.write(POLICY, text).patch().freeze()
        said = user(hooked, "push", "origin", "topic")
        said.refused("error judge.changed_with_freeze", "against refs/remotes/origin/main")
    hooked.git("checkout", "-q", "-B", "topic", "main")
    hooked.patch().freeze().git("rm", "-q", POLICY)
    user(hooked, "commit", "-q", "-m", "no rules").refused("error judge.")
    hooked.git("commit", "-q", "--no-verify", "-m", "no rules")
    user(hooked, "push", "origin", "topic").refused("error judge.")


def test_a17_a_fixture_that_only_the_new_policy_guards(hooked: Story) -> None:
    place = "data/order.json"
    policy = hooked.read(POLICY).decode().replace('"tests/fixtures/**"', '"**"')
    hooked.on("main").write(place, FILES[FIXTURE]).commit("unguarded")
    hooked.git("push", "-q", "origin", "main")
    hooked.branch("wider").write(POLICY, policy).patch().freeze(fixture_path=place)
    said = user(hooked, "push", "origin", "wider").refused("error fixture.not_guarded")
    assert "error judge.changed_with_freeze" in said.text


def test_a17_a_policy_change_alone_is_noted(hooked: Story) -> None:
    policy = hooked.read(POLICY).decode()
    hooked.write(POLICY, policy.replace('"src/**"', '"src/shop/**"')).git("add", "-A")
    said = user(hooked, "commit", "-m", "other rules").passed()
    assert "judge.change_alone" in said.text
    assert "judge.change_alone" in user(hooked, "push", "origin", "topic").passed().text


def test_a17_policy_and_freeze_where_there_was_no_policy(hooked: Story) -> None:
    hooked.on("main").git("rm", "-rq", ".freeze")
    hooked.commit("nothing guards yet")
    hooked.git("push", "-q", "--no-verify", "origin", "main")
    hooked.branch("adopt").git("checkout", "main~1", "--", ".freeze")
    hooked.commit("adopt")
    user(hooked, "push", "origin", "adopt").passed()
    hooked.patch().freeze()
    user(hooked, "push", "origin", "adopt").refused("judge.no_policy", "judge.changed_with_freeze")


def test_a19_fixture_inside_a_submodule(hooked: Story, tmp_path: Path) -> None:
    other = plain_repository(tmp_path / "vendor")
    other.write("order.json", FILES[FIXTURE]).commit("data")
    allow = ("-c", "protocol.file.allow=always")
    hooked.on("main").git(*allow, "submodule", "add", "-q", str(other.root), "tests/fixtures/data")
    hooked.commit("a submodule")
    user(hooked, "push", "origin", "main").passed()
    hooked.branch("honest").patch().freeze()
    user(hooked, "push", "origin", "honest").passed()
    place = {"fixture_path": "tests/fixtures/data/order.json"}
    hooked.branch("inside", "main").patch().request(record=place).write(hooked.root)
    hooked.git("add", "-A", "-f")
    user(hooked, "commit", "-m", "Freeze").refused("error path.gitlink", "tests/fixtures/data")
    hooked.commit("Freeze")
    user(hooked, "push", "origin", "inside").refused("error path.gitlink")
    fresh = Story(tmp_path / "fresh")
    hooked.git("worktree", "add", "-q", "--detach", str(fresh.root), "inside")
    assert "path.gitlink" in fresh.check().errors
    Story(hooked.root / "tests/fixtures/data").write("order.json", "{}").commit("bump")
    hooked.commit("bump the pointer")
    user(hooked, "push", "origin", "inside").refused("error path.gitlink")
