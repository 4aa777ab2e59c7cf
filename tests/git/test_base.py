"""Where the trusted base is found on checkouts as users have them (SPEC 6.1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import POLICY, Answer, Story, plain_repository, start


def base_of(answer: Answer) -> str:
    """Return the place where T was found."""
    return str(answer.document["transitions"][0]["base"]["from"])


def test_a_branch_pushed_with_its_upstream_is_not_its_own_judge(shop: Story) -> None:
    shop.patch().git("push", "-q", "-u", "origin", "topic")
    assert base_of(shop.check()) == "refs/remotes/origin/main"


def test_main_itself_is_judged_against_its_upstream(shop: Story) -> None:
    shop.on("main").patch()
    assert base_of(shop.check()) == "refs/remotes/origin/main"


def test_origin_head_missing(shop: Story) -> None:
    shop.patch().git("remote", "set-head", "origin", "--delete")
    assert base_of(shop.check()) == "refs/remotes/origin/main"


def test_detached_head(shop: Story) -> None:
    shop.patch().git("checkout", "-q", "--detach")
    answer = shop.check()
    assert base_of(answer) == "refs/remotes/origin/main"
    assert answer.document["transitions"][0]["ref"] == "HEAD"


def test_no_remote_but_a_local_main(shop: Story) -> None:
    shop.patch().git("remote", "remove", "origin")
    assert base_of(shop.check()) == "refs/heads/main"


def test_no_target_at_all_judges_against_the_parent_and_says_so(shop: Story) -> None:
    shop.patch().git("remote", "remove", "origin")
    shop.git("branch", "-q", "-D", "main")
    answer = shop.check()
    assert base_of(answer) == "HEAD^"
    assert answer.document["assurance"] == ["parent-only"]
    assert "base.unverified" in answer.codes


def test_no_target_staged_judges_against_head(shop: Story) -> None:
    shop.git("remote", "remove", "origin")
    shop.git("branch", "-q", "-D", "main")
    shop.write("src/shop/order.py", "x = 1\n").git("add", "-A")
    assert base_of(shop.check("--staged")) == "HEAD"


def test_without_target_a_commit_that_only_asks_is_judged_one_parent_further(shop: Story) -> None:
    shop.git("remote", "remove", "origin")
    shop.patch().freeze()
    shop.git("branch", "-q", "-D", "main")
    answer = shop.check()
    assert base_of(answer) == "HEAD^^"
    assert answer.verdict == "accepted", answer.output


def test_without_target_a_staged_request_is_judged_one_parent_further(shop: Story) -> None:
    shop.git("remote", "remove", "origin")
    shop.patch().request().write(shop.root)
    shop.git("branch", "-q", "-D", "main")
    shop.git("add", "-A", "-f")
    answer = shop.check("--staged")
    assert base_of(answer) == "HEAD^"
    assert answer.verdict == "accepted", answer.output


def test_a_fork_as_origin_and_the_true_target_as_upstream(shop: Story, tmp_path: Path) -> None:
    shop.git("clone", "-q", "--bare", str(shop.root.parent / "origin.git"), str(tmp_path / "fork"))
    shop.git("remote", "rename", "origin", "upstream")
    shop.git("remote", "add", "origin", str(tmp_path / "fork"))
    shop.git("fetch", "-q", "origin")
    shop.patch()
    assert base_of(shop.check()) in {"refs/remotes/origin/main", "refs/remotes/upstream/main"}
    shop.on("main").write("src/shop/other.py", "").commit("newer upstream")
    shop.git("push", "-q", "upstream", "main")
    shop.on("topic").git("remote", "set-head", "upstream", "--delete", check=False)
    answer = shop.check()
    assert (answer.status, answer.errors) == (2, {"base.none"})
    assert "refs/remotes/upstream/main" in answer.finding("base.none")["got"]
    shop.git("config", "freezegate.target", "refs/remotes/upstream/main")
    assert base_of(shop.check()) == "refs/remotes/upstream/main"


def test_several_targets_are_undecided_and_named(shop: Story) -> None:
    shop.git("push", "-q", "origin", "main:refs/heads/release/1")
    shop.on("main").write("src/shop/other.py", "").commit("newer")
    shop.git("push", "-q", "origin", "main")
    shop.git("fetch", "-q", "origin")
    shop.git("remote", "set-head", "origin", "--delete")
    shop.on("topic").patch()
    answer = shop.check()
    assert (answer.status, answer.errors) == (2, {"base.none"})
    got = answer.finding("base.none")["got"]
    assert "refs/remotes/origin/main" in got
    assert "refs/remotes/origin/release/1" in got
    assert "--base" in answer.finding("base.none")["remedy"]


def test_a_remote_that_gives_its_refs_other_names(shop: Story) -> None:
    shop.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/theirs/*")
    shop.git("update-ref", "-d", "refs/remotes/origin/main")
    shop.git("remote", "set-head", "origin", "--delete", check=False)
    shop.git("fetch", "-q", "origin")
    shop.patch()
    assert base_of(shop.check()) == "refs/remotes/origin/theirs/main"


def test_a_configured_target_that_is_no_target(shop: Story) -> None:
    shop.patch().git("push", "-q", "origin", "topic")
    shop.git("config", "freezegate.target", "refs/remotes/origin/topic")
    answer = shop.check()
    assert (answer.status, answer.errors) == (2, {"base.mismatch"})


def test_a_configured_target_that_does_not_exist(shop: Story) -> None:
    shop.patch().git("config", "freezegate.target", "refs/remotes/origin/gone")
    assert (shop.check().status, shop.check().errors) == (2, {"base.mismatch"})


def test_a_named_base_is_taken_as_it_stands(shop: Story) -> None:
    shop.patch().patch("# two\n")
    answer = shop.check("--base", "HEAD~1")
    assert base_of(answer) == "--base HEAD~1"
    shop.environ = {"FREEZEGATE_BASE": "origin/main"}
    assert base_of(shop.check()) == "FREEZEGATE_BASE=origin/main"
    assert base_of(shop.check("--base", "HEAD~1")) == "--base HEAD~1"


@pytest.mark.parametrize("name", ["nowhere", "HEAD:README.md", "0" * 40, "", "-x", "@{-99}"])
def test_a_named_base_that_is_no_commit(shop: Story, name: str) -> None:
    shop.environ = {"FREEZEGATE_BASE": name} if name else {}
    answer = shop.check(f"--base={name or ' '}")
    assert answer.status == 2
    assert answer.errors <= {"repository.bad_revision", "repository.object_missing"}


def test_an_annotated_tag_of_a_tag_is_followed_to_its_commit(shop: Story) -> None:
    shop.patch()
    shop.git("tag", "-a", "one", "-m", "one")
    shop.git("tag", "-a", "two", "-m", "two", "one")
    assert shop.check("--rev", "two").verdict == "accepted"


def test_ci_without_a_base_is_undecided_and_names_the_value(shop: Story) -> None:
    shop.patch().git("remote", "remove", "origin")
    shop.git("checkout", "-q", "--detach")
    shop.git("branch", "-q", "-D", "main", "topic")
    shop.environ = {"CI": "true"}
    answer = shop.check()
    assert (answer.status, answer.errors) == (2, {"base.none"})
    assert "--base origin/$GITHUB_BASE_REF" in answer.finding("base.none")["remedy"]
    shop.environ = {"CI": "false"}
    assert shop.check().status == 0


def test_before_adoption_the_upstream_is_the_base(tmp_path: Path) -> None:
    shop = start(tmp_path)
    shop.git("rm", "-rq", ".freeze")
    shop.commit("before")
    shop.git("push", "-q", "origin", "main")
    shop.branch("adopt")
    shop.write(".freeze/policy.toml", POLICY.format(preset="standard")).commit("adopt freezegate")
    answer = shop.check()
    assert base_of(answer) == "refs/remotes/origin/main"
    assert answer.verdict == "accepted"
    assert "this patch adds one" in answer.finding("judge.no_policy")["got"]
    shop.git("push", "-q", "-u", "origin", "adopt")
    assert base_of(shop.check()) == "refs/remotes/origin/main"


def test_adoption_with_a_policy_that_does_not_decode(tmp_path: Path) -> None:
    story = plain_repository(tmp_path)
    story.write("a.py", "").commit("first")
    story.write(".freeze/policy.toml", "version = 1\n").commit("adopt")
    assert story.check().errors == {"judge.invalid_new_policy"}


def test_adoption_and_a_freeze_in_one_patch(tmp_path: Path) -> None:
    shop = start(tmp_path)
    shop.patch()
    request = shop.request()
    shop.git("rm", "-rq", ".freeze")
    shop.commit("before")
    shop.git("push", "-q", "origin", "main")
    shop.branch("adopt").git("checkout", "main~2", "--", ".freeze")
    request.write(shop.root)
    shop.commit("adopt and freeze at once")
    assert "judge.no_policy" in shop.check().errors


def test_from_a_subfolder(shop: Story) -> None:
    shop.patch().freeze()
    assert Story(shop.root / "src" / "shop").check().verdict == "accepted"


def test_from_a_linked_worktree(shop: Story, tmp_path: Path) -> None:
    shop.git("worktree", "add", "-q", str(tmp_path / "wt"), "-b", "linked", "main")
    linked = Story(tmp_path / "wt")
    linked.patch().freeze()
    answer = linked.check()
    assert answer.verdict == "accepted", answer.output
    assert answer.document["transitions"][0]["ref"] == "refs/heads/linked"


def test_outside_of_any_repository(tmp_path: Path) -> None:
    answer = Story(tmp_path).check()
    assert (answer.status, answer.errors) == (2, {"repository.not_found"})


def test_a_bare_repository_can_be_asked_about_commits(shop: Story) -> None:
    shop.patch().freeze().git("push", "-q", "origin", "topic")
    answer = Story(shop.root.parent / "origin.git").check("--rev", "topic", "--base", "main")
    assert answer.verdict == "accepted"


@pytest.mark.parametrize(
    "revision",
    ["", " ", "a b", "HEAD^{tree}", "a..b", ":README.md", "@{u}", "-", "/", "a//b", "~", "\udcff"],
)
def test_revisions_that_name_no_commit(shop: Story, revision: str) -> None:
    answer = shop.check(f"--rev={revision}")
    assert (answer.status, answer.errors) == (2, {"repository.bad_revision"})


def test_an_empty_base_is_a_name_too_and_names_nothing(shop: Story) -> None:
    shop.patch()
    answer = shop.check("--base=")
    assert (answer.status, answer.errors) == (2, {"repository.bad_revision"})
    shop.environ = {"FREEZEGATE_BASE": ""}
    assert shop.check().status == 2


def test_ci_after_a_push_has_nothing_to_compare_with_and_says_so(shop: Story) -> None:
    shop.on("main").patch()
    shop.git("push", "-q", "origin", "main")
    assert shop.check().codes == {"base.nothing_to_judge"}
    shop.environ = {"CI": "1"}
    answer = shop.check()
    assert (answer.status, answer.errors) == (2, {"base.none"})
    assert shop.check("--base", "HEAD~1").verdict == "accepted"


def test_a_policy_whose_targets_nobody_here_has(tmp_path: Path) -> None:
    story = plain_repository(tmp_path)
    story.write("src/a.py", "").commit("first")
    story.git("branch", "-m", "master")
    story.write(".freeze/policy.toml", POLICY.format(preset="basic")).commit("adopt")
    finding = next(f for f in story.check().findings if f["about"] == "base.targets")
    assert finding["severity"] == "warning"
    assert "refs/heads/master" in finding["expected"]
    story.write("src/a.py", "x = 1\n").commit("later")
    unverified = story.check().finding("base.unverified")
    assert unverified["severity"] == "warning"
    assert "refs/heads/main" in unverified["got"]
    assert "refs/heads/master" in unverified["got"]


def test_of_equal_targets_that_of_origin_is_named(shop: Story, tmp_path: Path) -> None:
    shop.git("remote", "set-head", "origin", "--delete")
    shop.git("clone", "-q", "--bare", str(shop.root.parent / "origin.git"), str(tmp_path / "other"))
    shop.git("remote", "add", "backup", str(tmp_path / "other"))
    shop.git("fetch", "-q", "backup")
    shop.patch()
    assert base_of(shop.check()) == "refs/remotes/origin/main"


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("origin/main", "git config freezegate.target refs/remotes/origin/main"),
        ("main", "git config freezegate.target refs/remotes/origin/main"),
        ("refs/remotes/upstream/main", "git fetch upstream"),
    ],
)
def test_a_configured_target_written_otherwise(shop: Story, name: str, remedy: str) -> None:
    shop.git("config", "freezegate.target", name)
    assert remedy in shop.check().finding("base.mismatch")["remedy"]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("orign/main", "did you mean origin/main?"),
        ("mian", "did you mean main?"),
        ("zz", "git fetch"),
    ],
)
def test_a_mistyped_base_is_told_where_it_stood_and_what_is_near(
    shop: Story, name: str, near: str
) -> None:
    by_option = shop.check("--base", name).finding("repository.bad_revision")
    assert by_option["got"] == f"'{name}': no such revision (--base {name})"
    assert str(by_option["remedy"]).startswith(near)
    shop.environ["FREEZEGATE_BASE"] = name
    by_variable = shop.check().finding("repository.bad_revision")
    assert by_variable["got"] == f"'{name}': no such revision (FREEZEGATE_BASE={name})"


def test_where_origin_head_has_a_voice_no_other_ref_is_read(shop: Story) -> None:
    lost = shop.git("commit-tree", shop.rev("HEAD^{tree}"), "-m", "a tip that cannot be read")
    shop.git("update-ref", "refs/remotes/origin/lost", lost)
    (shop.root / ".git/objects" / lost[:2] / lost[2:]).unlink()
    shop.patch()
    assert base_of(shop.check()) == "refs/remotes/origin/main"


def test_before_the_first_push_it_is_said_what_makes_the_target(tmp_path: Path) -> None:
    story = start(tmp_path / "here")
    story.git("remote", "remove", "origin")
    story.patch()
    remedy = story.check().finding("base.unverified")["remedy"]
    assert remedy.startswith("nothing, until main stands at the remote with its policy")


def test_where_the_policy_lists_a_branch_that_is_not_here_nothing_is_promised(
    tmp_path: Path,
) -> None:
    story = start(tmp_path / "here")
    story.git("remote", "remove", "origin")
    story.git("branch", "-m", "main", "trunk")
    story.patch()
    assert "git fetch; " in story.check().finding("base.unverified")["remedy"]
