"""A damaged judge at T: only its repair can be judged (SPEC 6.2)."""

from __future__ import annotations

import pytest

from tests.support import CATALOG, FILES, FIXTURE, POLICY, Story, lock_line

GOOD = {
    ".freeze/policy.toml": POLICY.format(preset="basic"),
    ".freeze/catalog.toml": CATALOG,
    ".freeze/fixtures.sha256": lock_line(FIXTURE, FILES[FIXTURE]),
}
judges = pytest.mark.parametrize("path", sorted(GOOD))


def damage(shop: Story, path: str, content: str | bytes) -> None:
    """Let a damaged file land on `main`, as a host without the gate would allow."""
    shop.on("main").write(path, content).commit("damage")
    shop.git("push", "-q", "origin", "main")
    shop.branch("later")


@judges
def test_no_other_patch_is_judged(shop: Story, path: str) -> None:
    damage(shop, path, "<<<<<<< HEAD\n")
    shop.patch()
    answer = shop.check()
    assert (answer.status, answer.errors) == (2, {"judge.repair"})
    assert answer.finding("judge.repair")["path"] == path


@judges
def test_its_repair_is_accepted_and_shown(shop: Story, path: str) -> None:
    damage(shop, path, "<<<<<<< HEAD\n")
    shop.write(path, GOOD[path]).commit("repair")
    answer = shop.check()
    assert answer.verdict == "accepted", answer.output
    assert answer.finding("judge.repair")["severity"] == "note"


@judges
def test_a_repair_that_does_not_decode_either(shop: Story, path: str) -> None:
    damage(shop, path, "<<<<<<< HEAD\n")
    shop.write(path, "=======\n").commit("repair?")
    assert "judge.invalid_new_policy" in shop.check().errors


@judges
def test_a_repair_by_removal(shop: Story, path: str) -> None:
    damage(shop, path, "<<<<<<< HEAD\n")
    (shop.root / path).unlink()
    shop.commit("remove")
    assert "judge.invalid_new_policy" in shop.check().errors


@judges
def test_a_repair_with_something_beside_it(shop: Story, path: str) -> None:
    damage(shop, path, "<<<<<<< HEAD\n")
    shop.write(path, GOOD[path]).patch()
    assert shop.check().status == 2


@judges
def test_a_repair_with_a_freeze(shop: Story, path: str) -> None:
    shop.patch()
    request = shop.request()
    damage(shop, path, "<<<<<<< HEAD\n")
    shop.write(path, GOOD[path])
    request.write(shop.root)
    shop.commit("repair and freeze")
    assert shop.check().status == 2


def landed_ledger(shop: Story) -> bytes:
    """Land an honest freeze and return the ledger's bytes."""
    shop.patch().freeze()
    shop.on("main").git("merge", "-q", "--ff-only", "topic")
    shop.git("push", "-q", "origin", "main")
    return shop.read(".freeze/ledger.jsonl")


def test_a_ledger_with_conflict_markers_is_repaired_line_by_line(shop: Story) -> None:
    line = landed_ledger(shop)
    damage(shop, ".freeze/ledger.jsonl", b"<<<<<<< HEAD\n" + line + b">>>>>>> topic\n")
    shop.patch("# other\n")
    assert (shop.check().status, shop.check().errors) == (2, {"judge.repair"})
    shop.git("reset", "-q", "--hard", "HEAD~1")
    shop.write(".freeze/ledger.jsonl", line).commit("repair")
    assert shop.check().verdict == "accepted"


def test_a_repair_that_loses_an_intact_line(shop: Story) -> None:
    line = landed_ledger(shop)
    damage(shop, ".freeze/ledger.jsonl", line + b"=======\n")
    shop.write(".freeze/ledger.jsonl", "").commit("repair by forgetting")
    assert shop.check().errors == {"ledger.not_append_only"}


def test_a_repair_that_brings_a_freeze_of_its_own(shop: Story) -> None:
    line = landed_ledger(shop)
    damage(shop, ".freeze/ledger.jsonl", line + b"=======\n")
    shop.write(".freeze/ledger.jsonl", line + line.replace(b"ada", b"bob")).commit("repair, and")
    assert shop.check().errors == {"judge.changed_with_freeze"}


def test_a_damaged_upstream_does_not_let_the_search_pass_over_it(shop: Story) -> None:
    damage(shop, ".freeze/policy.toml", "nonsense")
    shop.git("remote", "set-head", "origin", "--delete")
    shop.git("branch", "-q", "-D", "main", "topic")
    shop.patch()
    answer = shop.check()
    assert (answer.status, answer.errors) == (2, {"judge.repair"})
