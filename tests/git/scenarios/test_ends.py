"""Ends of freezes at the gate: lines that cannot follow each other, limits that lie behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from freezegate.model.digests import Blake3
from tests.git.scenarios.test_renewals import codes, edit_last, end_of, land, lines
from tests.git.witnessing import asked, flaky_shop
from tests.support import FIXTURE, ORACLE, Story, copy_of, lock_line

if TYPE_CHECKING:
    from pathlib import Path

LOCK = ".freeze/fixtures.sha256"
POLICY = ".freeze/policy.toml"


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A landed freeze, and another patch."""
    story = flaky_shop(tmp_path_factory.mktemp("ends") / "here")
    assert asked(story).verdict == "accepted"
    return land(story, "# more\n")


@pytest.fixture
def shop(landed: Story, tmp_path: Path) -> Story:
    """A copy of it."""
    return copy_of(landed, tmp_path / "here")


def test_a_freeze_is_not_ended_and_renewed_at_once(shop: Story) -> None:
    assert asked(shop).verdict == "accepted"
    first, renewal = lines(shop)
    shop.write(".freeze/ledger.jsonl", first + b"\n")
    shop.append(end_of(shop, "void")).append(renewal + b"\n")
    assert "ledger.bad_row" in codes(shop)


def test_what_is_renewed_is_not_lifted_behind_it(shop: Story) -> None:
    assert asked(shop).verdict == "accepted"
    shop.append(end_of(shop, "lifted"))
    assert "ledger.bad_row" in codes(shop)


def test_nobody_ends_a_freeze(shop: Story) -> None:
    shop.append({**end_of(shop, "lifted"), "owner": "nobody"})
    assert codes(shop) == {"ledger.bad_row"}


def test_a_freeze_whose_commits_are_over_before_it_lands(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story, "--expires-after-commits", "1").verdict == "accepted"
    story.commit("Freeze it for a commit")
    story.branch("elsewhere", "origin/main")
    for number in range(2):
        story.write("docs/more.md", f"{number}\n").commit("Elsewhere")
    story.git("push", "-q", "origin", "HEAD:main")
    story.git("fetch", "-q", "origin")
    story.on("topic").git("rebase", "-q", "origin/main")
    found = story.check().document["transitions"][0]["findings"]
    assert "freeze.expired" in {each["code"] for each in found}


def test_a_policy_flip_does_not_bring_a_freeze_back_on_another_oracle(shop: Story) -> None:
    """A small cap lets the freeze sleep; while it sleeps its oracle is still its ground."""
    policy = shop.read(POLICY)
    shop.write(POLICY, policy + b"[freeze]\nmax_lifetime_commits = 1\n")
    land(shop, "# while it sleeps\n")
    shop.write(ORACLE, shop.read(ORACLE) + b"\n# looser\n")
    assert "freeze.void" in codes(shop)


@pytest.mark.parametrize("changes_fixture", [True, False], ids=["fixture_too", "line_alone"])
def test_a_lock_line_that_is_wrong_does_not_land(shop: Story, changes_fixture: bool) -> None:
    if changes_fixture:
        shop.write(FIXTURE, '{"lines": [4]}\n').append(end_of(shop, "void"))
    shop.write(LOCK, lock_line(FIXTURE, "what autocrlf made of it\r\n"))
    assert "fixture.lock_stale" in codes(shop)


def test_a_lock_line_that_is_right_lands(shop: Story) -> None:
    data = '{"lines": [4]}\n'
    shop.write(FIXTURE, data).write(LOCK, lock_line(FIXTURE, data)).append(end_of(shop, "void"))
    assert codes(shop) == set()


def test_an_expired_line_leaves_the_way_to_a_renewal(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    edit_last(story, lambda line: line.update(expires_on="2026-01-01"))
    land(story, "# more\n")
    land(story.append(end_of(story, "expired")), "# and more\n")
    assert asked(story).verdict == "accepted"
    renewal = json.loads(lines(story)[-1])
    assert renewal["renews"] == Blake3.of(lines(story)[0])
    assert codes(story) == set()
