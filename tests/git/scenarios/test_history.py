"""Corpus group `history`: honest work on branches, and how it reaches the target."""

from __future__ import annotations

import pytest

from tests.git.scenarios.asking import do
from tests.support import FIXTURE, ORACLE, Story


def land(shop: Story, path: str, content: str) -> None:
    """Land a change of one file on `main`, and come back to `topic`."""
    shop.on("main").write(path, content)
    shop.commit("another's work")
    shop.git("push", "-q", "origin", "main")
    shop.on("topic")


def test_h028_behind_the_target_by_unrelated_changes(shop: Story) -> None:
    shop.patch().freeze()
    land(shop, "src/shop/other.py", "x = 1\n")
    answer = shop.check()
    assert answer.verdict == "accepted", answer.output


def test_h028_the_targets_work_is_not_taken_for_a_removal(shop: Story) -> None:
    shop.patch()
    land(shop, ".freeze/catalog.toml", "# emptied on main\n")
    assert "judge.change_alone" not in shop.check().codes


def test_h030_the_target_changed_the_oracle_since(shop: Story) -> None:
    shop.patch().freeze()
    land(shop, ORACLE, "def test_total_is_never_negative():\n    assert 6 >= 0\n")
    answer = shop.check()
    assert answer.errors == {"base.stale"}
    assert "rebase" in answer.finding("base.stale")["remedy"]


def test_h030_rebased_onto_the_new_oracle_the_old_blob_is_a_mismatch(shop: Story) -> None:
    shop.patch().freeze()
    land(shop, ORACLE, "def test_total_is_never_negative():\n    assert 6 >= 0\n")
    shop.git("rebase", "-q", "main")
    assert shop.check().errors == {"oracle.blob_mismatch"}


def test_h030_both_changed_a_guarded_file(shop: Story) -> None:
    shop.write(FIXTURE, '{"lines": [3, 3]}\n').patch()
    land(shop, FIXTURE, '{"lines": [2, 4]}\n')
    assert shop.check().errors == {"base.stale"}


def test_h030_both_changed_an_ordinary_file(shop: Story) -> None:
    shop.patch("# mine\n")
    land(shop, "src/shop/order.py", "def total(order):\n    return 6\n")
    assert shop.check().verdict == "accepted"


def test_h031_target_merged_into_the_branch(shop: Story) -> None:
    shop.patch().freeze()
    land(shop, "src/shop/other.py", "x = 1\n")
    shop.git("merge", "-q", "--no-ff", "-m", "merge main", "main")
    assert shop.check().verdict == "accepted"


def test_h031_freeze_after_the_merge(shop: Story) -> None:
    shop.patch()
    land(shop, "src/shop/other.py", "x = 1\n")
    shop.git("merge", "-q", "--no-ff", "-m", "merge main", "main")
    shop.freeze()
    assert shop.check().verdict == "accepted"


def test_h033_squash_merge(shop: Story) -> None:
    shop.patch().patch("# more\n").freeze()
    before = shop.rev("main")
    shop.on("main").git("merge", "-q", "--squash", "topic")
    shop.commit("squashed")
    answer = shop.check("--base", before)
    assert answer.verdict == "accepted", answer.output


def test_h034_rebase_merge(shop: Story) -> None:
    shop.patch().freeze()
    land(shop, "src/shop/other.py", "x = 1\n")
    before = shop.rev("main")
    shop.git("rebase", "-q", "main")
    shop.on("main").git("merge", "-q", "--ff-only", "topic")
    assert shop.check("--base", before).verdict == "accepted"


def test_h036_oracle_edited_and_restored_before_the_freeze(shop: Story) -> None:
    original = shop.read(ORACLE)
    shop.write(ORACLE, "def test_total_is_never_negative():\n    pass\n").patch()
    shop.write(ORACLE, original).commit("restore")
    shop.freeze()
    assert shop.check().verdict == "accepted"


def test_h036_restored_only_after_the_freeze_the_parent_had_another_oracle(shop: Story) -> None:
    original = shop.read(ORACLE)
    shop.write(ORACLE, "def test_total_is_never_negative():\n    pass\n").patch()
    shop.request().write(shop.root)
    shop.write(ORACLE, original).commit("restore and freeze")
    assert "oracle.blob_mismatch" in shop.check().errors


def test_h036_the_remedy_for_a_parent_with_another_oracle_leads_out(shop: Story) -> None:
    original = shop.read(ORACLE)
    shop.write(ORACLE, "def test_total_is_never_negative():\n    pass\n").patch()
    shop.write(ORACLE, original)
    blob = shop.blob(original)
    shop.request(record={"oracle_blob": blob}).write(shop.root)
    shop.commit("restore and freeze")
    finding = shop.check().finding("oracle.changed")
    assert "at HEAD^" in finding["got"]
    shop.git(*finding["remedy"].partition(",")[0].split()[1:])
    shop.git("reset", "-q", "--", ".freeze")
    shop.git("stash", "-q", "-u", "--keep-index")
    shop.git("commit", "-q", "--no-verify", "-m", "the patch, squashed")
    shop.freeze()
    assert shop.check().verdict == "accepted"


def test_h037_cherry_pick_to_a_release(shop: Story) -> None:
    shop.branch("release/1", "main")
    shop.write("src/shop/old.py", "x = 1\n").commit("release work")
    shop.git("push", "-q", "origin", "release/1")
    shop.on("topic").patch()
    shop.branch("backport", "release/1")
    shop.git("cherry-pick", "topic")
    shop.git("branch", "-q", "--set-upstream-to=origin/release/1")
    answer = shop.check()
    assert answer.verdict == "accepted"
    assert answer.document["transitions"][0]["base"]["from"] == "refs/remotes/origin/release/1"


def land_freeze(shop: Story) -> dict[str, str]:
    """Land a freeze on `main` and return the keys of the line that would lift it."""
    shop.patch().freeze()
    freeze = shop.check().document["transitions"][0]["freezes"][0]["freeze"]
    base = shop.rev("main")
    shop.on("main").git("merge", "-q", "--ff-only", "topic")
    shop.git("push", "-q", "origin", "main")
    shop.on("topic")
    digest = next((shop.root / ".freeze/snapshots").iterdir()).name
    return {
        "event": "lifted",
        "freeze": freeze,
        "base_rev": base,
        "fixture_sha256": digest,
        "reason": "repaired",
        "owner": "ada",
    }


def test_h039_a_freeze_is_lifted_by_a_line(shop: Story) -> None:
    line = land_freeze(shop)
    shop.append(line).patch("# repaired\n")
    assert shop.check().verdict == "accepted"


def test_h039_the_plain_revert_of_the_line_is_no_lifting(shop: Story) -> None:
    land_freeze(shop)
    shop.git("revert", "--no-edit", "HEAD")
    answer = shop.check()
    assert "ledger.not_append_only" in answer.errors
    remedy = answer.finding("ledger.not_append_only")["remedy"]
    assert remedy.endswith(": freezegate ledger rebase")
    assert shop.run("ledger", "rebase")[0] == 0
    shop.commit("as the remedy says")
    assert "ledger.not_append_only" not in shop.check().errors


def test_h039_nothing_expires_before_its_day(shop: Story) -> None:
    shop.append(land_freeze(shop) | {"event": "expired"}).commit("over, they say")
    assert shop.check().errors == {"ledger.bad_row"}


def test_h039_an_end_names_the_fixture_of_its_freeze(shop: Story) -> None:
    shop.append(land_freeze(shop) | {"fixture_sha256": "0" * 64}).commit("lift")
    assert shop.check().errors == {"ledger.bad_row"}


@pytest.mark.parametrize("event", ["lifted", "void"])
def test_h039_what_is_over_cannot_end_again(shop: Story, event: str) -> None:
    line = land_freeze(shop) | {"event": event}
    shop.append(line).commit("over")
    assert shop.check().verdict == "accepted"
    shop.append(line | {"reason": "again"}).commit("again")
    assert "ledger.bad_row" in shop.check().errors


def test_h039_nothing_ends_what_never_began(shop: Story) -> None:
    line = land_freeze(shop) | {"freeze": "blake3:" + "0" * 64}
    shop.append(line).commit("over")
    assert "ledger.bad_row" in shop.check().errors


def test_h019_a_changed_fixture_needs_the_end_of_its_freeze(shop: Story) -> None:
    line = land_freeze(shop) | {"event": "void"}
    shop.write(FIXTURE, '{"lines": [6]}\n').commit("another fixture")
    answer = shop.check()
    assert answer.errors == {"freeze.void"}
    remedy = answer.finding("freeze.void")["remedy"]
    do(shop, remedy)
    assert shop.check().verdict == "accepted"
    assert line["freeze"] in remedy


def test_h046_octopus_merge(shop: Story) -> None:
    for name in ("one", "two"):
        shop.branch(name, "main").write(f"src/shop/{name}.py", "").commit(name)
    shop.on("topic").patch()
    shop.git("merge", "-q", "-m", "octopus", "one", "two")
    shop.freeze()
    assert len(shop.git("rev-list", "--parents", "-1", "HEAD^").split()) == 4
    assert shop.check().verdict == "accepted"


def test_a_copied_request_was_taken_for_another_patch(shop: Story) -> None:
    shop.patch().freeze()
    shop.branch("thief", "main").patch("# something else\n")
    shop.git("checkout", "topic", "--", ".freeze")
    shop.commit("borrow the evidence")
    answer = shop.check()
    assert answer.errors == {"evidence.stale_patch"}


def test_a_later_commit_makes_the_evidence_stale(shop: Story) -> None:
    shop.patch().freeze().patch("# one thing more\n")
    assert shop.check().errors == {"evidence.stale_patch"}


def test_nothing_to_judge_where_the_candidate_is_behind(shop: Story) -> None:
    land(shop, "src/shop/other.py", "x = 1\n")
    answer = shop.check()
    assert answer.verdict == "accepted"
    assert answer.codes == {"base.nothing_to_judge"}
