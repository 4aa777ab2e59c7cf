"""Corpus group `oracle`: the patch and every way in which it may have written its own witness."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.git.scenarios.asking import assert_refused
from tests.support import FIXTURE, ORACLE, Story, git_environment

WEAK = "def test_total_is_never_negative():\n    pass\n"
STRONG = "def test_total_is_never_negative():\n    assert sum([1, 2, 3]) >= 0\n    assert 6 > 0\n"


def push_main(shop: Story, path: str, content: str) -> str:
    """Land a change of one file on `main`, and come back to `topic`."""
    shop.on("main").write(path, content)
    landed = shop.commit("another's work")
    shop.git("push", "-q", "origin", "main")
    shop.on("topic")
    return landed


def test_a102_oracle_missing_at_base(shop: Story) -> None:
    oracle = "tests/properties/test_new.py"
    shop.write(oracle, WEAK).patch().request(oracle_path=oracle).write(shop.root)
    assert_refused(shop, "oracle.missing_at_base")


def test_a102_oracle_added_by_the_very_commit(shop: Story) -> None:
    oracle = "tests/properties/test_new.py"
    shop.patch().write(oracle, WEAK)
    blob = shop.blob(WEAK)
    shop.request(record={"oracle_path": oracle, "oracle_blob": blob}).write(shop.root)
    assert_refused(shop, "oracle.missing_at_parent")


def test_a103_oracle_edited_in_the_patch(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    shop.write(ORACLE, WEAK)
    assert_refused(shop, "oracle.changed")


def test_a103_oracle_removed_in_the_patch(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    (shop.root / ORACLE).unlink()
    assert_refused(shop, "oracle.changed")


def test_a103_laundered_over_two_commits(shop: Story) -> None:
    shop.write(ORACLE, WEAK).patch().freeze()
    assert shop.rev(f"HEAD^:{ORACLE}") == shop.rev(f"HEAD:{ORACLE}")
    answer = shop.check()
    assert {"oracle.changed", "oracle.blob_mismatch"} <= answer.errors


def test_a105_a_weak_merge_base_is_never_a_judge(shop: Story) -> None:
    push_main(shop, ORACLE, WEAK)
    shop.git("checkout", "-q", "-B", "topic", "main")
    push_main(shop, ORACLE, STRONG)
    shop.patch().freeze(base="main~1")
    assert shop.git("merge-base", "main", "topic") == shop.rev("main~1")
    answer = shop.check()
    assert answer.verdict == "refused"
    assert "base.stale" in answer.errors


def test_a105_citing_the_strong_oracle_from_a_weak_parent_is_a_mismatch(shop: Story) -> None:
    push_main(shop, ORACLE, WEAK)
    shop.git("checkout", "-q", "-B", "topic", "main")
    push_main(shop, ORACLE, STRONG)
    strong = shop.rev(f"main:{ORACLE}")
    shop.patch().freeze(base="main~1", record={"oracle_blob": strong})
    assert "oracle.blob_mismatch" in shop.check().errors


def test_a108_mode_only_change(shop: Story) -> None:
    shop.patch().request().write(shop.root)
    (shop.root / ORACLE).chmod(0o755)
    assert_refused(shop, "oracle.changed")


def test_a109_oracle_is_a_link_at_base(shop: Story) -> None:
    shop.on("main")
    shop.write("tests/properties/real.py", STRONG)
    (shop.root / ORACLE).unlink()
    (shop.root / ORACLE).symlink_to("real.py")
    shop.commit("a link")
    shop.git("push", "-q", "origin", "main")
    shop.branch("later").write("tests/properties/real.py", WEAK).patch()
    shop.request().write(shop.root)
    assert_refused(shop, "oracle.not_regular_at_base")


def test_a109_oracle_below_a_linked_folder(shop: Story) -> None:
    shop.on("main")
    shop.git("mv", "tests/properties", "tests/real")
    (shop.root / "tests/properties").symlink_to("real")
    shop.commit("a link")
    shop.git("push", "-q", "origin", "main")
    blob = shop.rev("HEAD:tests/real/test_order_props.py")
    shop.branch("later").patch()
    shop.request(
        oracle_path="tests/real/test_order_props.py",
        record={"oracle_path": ORACLE, "oracle_blob": blob},
    ).write(shop.root)
    assert_refused(shop, "oracle.not_regular_at_base")


def test_a111_restored_to_an_old_weak_blob(shop: Story) -> None:
    push_main(shop, ORACLE, STRONG)
    shop.git("checkout", "-q", "-B", "topic", "main")
    shop.patch().request().write(shop.root)
    shop.git("checkout", "main~1", "--", ORACLE)
    assert_refused(shop, "oracle.changed")


def test_a112_revert_of_the_hardening_commit(shop: Story) -> None:
    hardening = push_main(shop, ORACLE, STRONG)
    shop.git("checkout", "-q", "-B", "topic", "main")
    shop.git("revert", "--no-edit", hardening)
    shop.patch().freeze()
    assert "oracle.changed" in shop.check().errors


def test_a112_revert_in_a_branch_that_is_behind(shop: Story) -> None:
    hardening = push_main(shop, ORACLE, STRONG)
    shop.git("checkout", "-q", "-B", "topic", "main")
    push_main(shop, "src/shop/other.py", "x = 1\n")
    shop.git("revert", "--no-edit", hardening)
    shop.patch().freeze()
    assert "oracle.changed" in shop.check().errors


def test_a114_edited_in_the_other_merge_parent(shop: Story) -> None:
    shop.branch("side", "main").write(ORACLE, WEAK).commit("weaken")
    shop.on("topic").patch().freeze()
    shop.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert "oracle.changed" in shop.check().errors


def test_a114_an_evil_merge_that_edits_the_oracle_itself(shop: Story) -> None:
    shop.branch("side", "main").write("src/shop/more.py", "").commit("more")
    shop.on("topic").patch().freeze()
    shop.git("merge", "-q", "--no-ff", "--no-commit", "side")
    shop.write(ORACLE, WEAK).commit("merge and weaken")
    assert "oracle.changed" in shop.check().errors


def test_a115_swapped_parents(shop: Story) -> None:
    shop.write(ORACLE, WEAK).patch().freeze()
    tree = shop.rev("HEAD^{tree}")
    swapped = shop.git("commit-tree", tree, "-p", "topic", "-p", "main", "-m", "swapped")
    assert "oracle.changed" in shop.check("--rev", swapped).errors


def test_a117_replacement_of_the_base(shop: Story) -> None:
    shop.write(ORACLE, WEAK).patch().freeze()
    shop.git("replace", shop.rev("main"), shop.rev("HEAD~1"))
    assert "oracle.changed" in shop.check().errors


def test_a117_replacement_of_the_oracle_blob(shop: Story) -> None:
    shop.write(ORACLE, WEAK).patch().freeze()
    shop.git("replace", shop.rev(f"main:{ORACLE}"), shop.rev(f"HEAD:{ORACLE}"))
    assert "oracle.changed" in shop.check().errors


def test_a117_a_graft_that_moves_the_parent_is_no_history(shop: Story) -> None:
    shop.write(ORACLE, WEAK).patch().freeze()
    grafts = shop.root / ".git" / "info" / "grafts"
    grafts.parent.mkdir(exist_ok=True)
    grafts.write_text(f"{shop.rev('HEAD~1')}\n")
    answer = shop.check()
    assert (answer.status, answer.errors) == (2, {"base.history_unavailable"})
    assert str(grafts) in answer.finding("base.history_unavailable")["remedy"]


def clone(shop: Story, folder: Path, *options: str) -> Story:
    """Clone the remote as CI does."""
    url = f"file://{shop.root.parent / 'origin.git'}"
    shop.git("clone", "-q", *options, url, str(folder))
    return Story(folder)


def test_a120_shallow_clone_of_a_freeze(shop: Story, tmp_path: Path) -> None:
    shop.patch().freeze()
    shop.git("push", "-q", "origin", "topic")
    shallow = clone(shop, tmp_path / "shallow", "--depth", "1", "--branch", "topic")
    answer = shallow.check()
    assert (answer.status, answer.errors) == (2, {"base.history_unavailable"})
    assert "--unshallow" in answer.finding("base.history_unavailable")["remedy"]


def test_a120_depth_two_without_the_merge_base(shop: Story, tmp_path: Path) -> None:
    shop.patch().patch("# 2\n").patch("# 3\n").freeze()
    push_main(shop, "src/shop/other.py", "")
    shop.git("push", "-q", "origin", "topic")
    shallow = clone(shop, tmp_path / "s", "--depth", "2", "--no-single-branch", "-b", "topic")
    answer = shallow.check("--base", "origin/main")
    assert (answer.status, answer.errors) == (2, {"base.history_unavailable"})


def test_a120_shallow_with_all_that_is_needed_is_honest(shop: Story, tmp_path: Path) -> None:
    shop.patch().freeze()
    push_main(shop, "src/shop/other.py", "")
    shop.git("push", "-q", "origin", "topic")
    shallow = clone(shop, tmp_path / "s", "--depth", "20", "--no-single-branch", "-b", "topic")
    assert shallow.check("--base", "origin/main").verdict == "accepted"


def test_a120_a_forged_shallow_file_is_no_history(shop: Story) -> None:
    shop.write(ORACLE, WEAK).patch().freeze()
    (shop.root / ".git" / "shallow").write_text(shop.rev("HEAD") + "\n")
    answer = shop.check()
    assert (answer.status, answer.errors) == (2, {"base.history_unavailable"})


def test_a121_partial_clone_without_blobs(shop: Story, tmp_path: Path) -> None:
    shop.patch().freeze()
    shop.git("push", "-q", "origin", "topic")
    Story(shop.root.parent / "origin.git").git("config", "uploadpack.allowFilter", "true")
    options = ("--filter=blob:none", "--no-checkout", "-b", "topic")
    partial = clone(shop, tmp_path / "partial", *options)
    answer = partial.check("--base", "origin/main")
    assert (answer.status, answer.errors) == (2, {"repository.object_missing"})
    partial.git("checkout", "-q", "topic")
    assert partial.check("--base", "origin/main").verdict == "accepted"


def test_a121_partial_clone_without_trees(shop: Story, tmp_path: Path) -> None:
    shop.patch().freeze()
    shop.git("push", "-q", "origin", "topic")
    Story(shop.root.parent / "origin.git").git("config", "uploadpack.allowFilter", "true")
    partial = clone(shop, tmp_path / "partial", "--filter=tree:0", "--no-checkout", "-b", "topic")
    answer = partial.check("--base", "origin/main")
    assert (answer.status, answer.errors) == (2, {"repository.object_missing"})


def test_a121_a_missing_blob_is_never_an_absent_file(shop: Story) -> None:
    shop.patch().freeze()
    blob = shop.rev("main:.freeze/policy.toml")
    (shop.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    answer = shop.check()
    assert (answer.status, answer.errors) == (2, {"repository.object_missing"})


def test_a121_a_corrupt_blob_is_no_answer(shop: Story) -> None:
    shop.patch().freeze()
    blob = shop.rev("main:.freeze/policy.toml")
    path = shop.root / ".git" / "objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    path.write_bytes(b"garbage")
    answer = shop.check()
    assert (answer.status, answer.verdict) == (2, "undecided")


def test_a121_sha256_repositories_are_unsupported(tmp_path: Path) -> None:
    Story(tmp_path).git("init", "-q", "--object-format=sha256", ".")
    answer = Story(tmp_path).check()
    assert (answer.status, answer.errors) == (2, {"repository.unsupported"})


def test_a124_record_chooses_its_own_base(shop: Story) -> None:
    shop.patch()
    shop.request(record={"base_rev": shop.rev("HEAD")}).write(shop.root)
    assert_refused(shop, "base.mismatch")


@pytest.mark.parametrize("rev", ["0" * 40, "1" * 40])
def test_a124_a_base_that_nobody_has(shop: Story, rev: str) -> None:
    shop.patch().request(record={"base_rev": rev}).write(shop.root)
    assert_refused(shop, "base.mismatch")


def test_a124_a_base_that_is_no_commit(shop: Story) -> None:
    shop.patch().request(record={"base_rev": shop.rev(f"HEAD:{FIXTURE}")}).write(shop.root)
    assert_refused(shop, "base.mismatch")


def test_a124_a_base_too_far_back(shop: Story) -> None:
    old = shop.rev("main")
    shop.on("main")
    policy = shop.read(".freeze/policy.toml") + b"[evidence]\nmax_base_age_commits = 1\n"
    shop.write(".freeze/policy.toml", policy).commit("stricter")
    shop.write("src/shop/other.py", "").commit("other work")
    shop.git("push", "-q", "origin", "main")
    shop.branch("later").patch().request(record={"base_rev": old}).write(shop.root)
    assert_refused(shop, "evidence.stale_base")


def test_a135_criss_cross_merges_have_no_single_base(shop: Story) -> None:
    shop.patch()
    push_main(shop, "src/shop/other.py", "")
    shop.git("branch", "old", "topic")
    shop.git("merge", "-q", "--no-ff", "-m", "one way", "main")
    shop.on("main").git("merge", "-q", "--no-ff", "-m", "the other way", "old")
    shop.git("push", "-q", "origin", "main")
    shop.on("topic").freeze(base="main")
    assert len(shop.git("merge-base", "--all", "main", "topic").split()) == 2
    answer = shop.check()
    assert "base.stale" in answer.errors


def test_a135_criss_cross_does_not_hide_a_weak_oracle(shop: Story) -> None:
    shop.write(ORACLE, WEAK).patch()
    push_main(shop, "src/shop/other.py", "")
    shop.git("branch", "old", "topic")
    shop.git("merge", "-q", "--no-ff", "-m", "one way", "main")
    shop.freeze(base="main")
    assert "oracle.changed" in shop.check().errors


def test_unrelated_histories_have_no_base(shop: Story) -> None:
    shop.git("checkout", "-q", "--orphan", "lonely")
    shop.commit("another beginning")
    answer = shop.check()
    assert answer.verdict == "refused"
    assert "base.stale" in answer.errors


def test_a_root_commit_has_no_parent_and_so_no_freeze(shop: Story) -> None:
    shop.patch()
    request = shop.request()
    shop.git("checkout", "-q", "--orphan", "lonely")
    request.write(shop.root)
    shop.commit("all at once")
    answer = shop.check()
    assert "oracle.missing_at_parent" in answer.errors
    assert answer.finding("oracle.missing_at_parent")["got"] == "this commit has no parent"


def test_git_is_never_asked_so_its_environment_cannot_lie(shop: Story) -> None:
    shop.write(ORACLE, WEAK).patch().freeze()
    shop.environ = {"GIT_EXTERNAL_DIFF": "/bin/true", "GIT_DIFF_OPTS": "-u0", "PATH": "/nowhere"}
    assert "oracle.changed" in shop.check().errors
    assert os.environ["PATH"] == git_environment()["PATH"]


def test_a133_a_long_chain_of_tags(shop: Story) -> None:
    shop.patch()
    target = "HEAD"
    for number in range(12):
        shop.git("tag", "-a", f"t{number}", "-m", "tag", target)
        target = f"t{number}"
    answer = shop.check("--rev", target)
    assert (answer.status, answer.errors) == (1, {"ref.bad"})
    assert shop.check("--rev", "t9").verdict == "accepted"
