"""A repository's life with freezes, told in order: each step lands, or is refused, by the gate."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.git.scenarios.test_renewals import edit_last
from tests.git.test_witness_more import SECOND, two_tests
from tests.git.witnessing import asked, terms, witness
from tests.support import PROPERTY, Story, git_environment

if TYPE_CHECKING:
    from pathlib import Path


def errors(story: Story) -> set[str]:
    """The errors of a check of HEAD."""
    found = story.check().document["transitions"][0]["findings"]
    return {each["code"] for each in found if each["severity"] == "error"}


def land(story: Story) -> None:
    """Land HEAD, which the gate must accept first."""
    assert errors(story) == set()
    story.git("push", "-q", "origin", "HEAD:main")
    story.git("fetch", "-q", "origin")


def states(story: Story) -> list[tuple[str, str]]:
    """Property and state of every freeze."""
    text = story.run("ledger", "list", "--format", "json")[1]
    freezes: list[dict[str, Any]] = json.loads(text)["freezes"]
    return [(each["property_id"], each["state"]) for each in freezes]


def start_patch(story: Story, name: str) -> Story:
    """Begin a branch on the target with one patch."""
    return story.branch(name, "origin/main").patch(f"# {name}\n")


@pytest.fixture
def shop(tmp_path: Path) -> Story:
    """A shop with two flaky tests."""
    return two_tests(tmp_path / "here")


def test_first_second_lifted_expired_renewed(shop: Story) -> None:
    # The first freeze, and a second one beside it.
    assert asked(shop).verdict == "accepted"
    shop.commit("Freeze one")
    land(shop)
    start_patch(shop, "second")
    assert witness(shop, SECOND, *terms()).verdict == "accepted"
    shop.commit("Freeze another")
    land(shop)
    assert states(shop) == [(PROPERTY, "active"), ("stock.total", "active")]

    # The second one is repaired, and lifted.
    start_patch(shop, "repair")
    assert shop.run("ledger", "lift", "stock.total", "--reason", "repaired")[0] == 0
    shop.commit("Lift it")
    land(shop)
    assert states(shop) == [(PROPERTY, "active"), ("stock.total", "lifted")]

    # The first one is renewed, once; then it has to be lifted or repaired.
    start_patch(shop, "renewal")
    assert asked(shop).verdict == "accepted"
    shop.commit("Renew it")
    land(shop)
    assert states(shop)[0] == (PROPERTY, "renewed")
    assert states(shop)[-1] == (PROPERTY, "active")
    start_patch(shop, "greed")
    assert asked(shop).codes == {"budget.exceeded"}

    # Time goes by.
    edit_last(shop, lambda line: line.update(expires_on="2026-01-01"))
    shop.commit("As if that day had been chosen")
    shop.git("push", "-q", "origin", "HEAD:main")
    shop.git("fetch", "-q", "origin")
    assert states(shop)[-1] == (PROPERTY, "expired")
    start_patch(shop, "tidy")
    assert shop.run("ledger", "lift", PROPERTY)[0] == 0
    shop.commit("Lift what is over")
    land(shop)
    start_patch(shop, "anew")
    assert asked(shop).verdict == "accepted"  # behind a lifted line a new chain begins
    assert states(shop)[-1] == (PROPERTY, "requested")


@pytest.mark.parametrize("how", ["rebase", "squash", "merge", "cherry-pick"])
def test_a_request_outlives_what_moves_its_commits(shop: Story, how: str) -> None:
    """The target moved on elsewhere: the patch is the same, so its evidence is."""
    assert asked(shop).verdict == "accepted"
    shop.commit("Freeze it")
    shop.branch("elsewhere", "origin/main").write("docs/more.md", "more\n").commit("Elsewhere")
    land(shop)
    shop.on("topic")
    if how == "rebase":
        shop.git("rebase", "-q", "origin/main")
    elif how == "merge":
        shop.git("merge", "-q", "--no-edit", "origin/main")
    else:
        shop.branch(how, "origin/main")
        if how == "squash":
            shop.git("merge", "-q", "--squash", "topic")
            shop.commit("All in one")
        else:
            shop.git("cherry-pick", "origin/main~1..topic")
    land(shop)
    assert states(shop) == [(PROPERTY, "active")]


def test_two_branches_ask_and_both_land(shop: Story) -> None:
    assert asked(shop).verdict == "accepted"
    shop.commit("Freeze one")
    shop.branch("other", "origin/main").write("src/other.py", "x = 1\n").commit("Other work")
    assert witness(shop, SECOND, *terms()).verdict == "accepted"
    shop.commit("Freeze another")
    land(shop)
    shop.on("topic")
    with pytest.raises(AssertionError):
        shop.git("rebase", "-q", "origin/main")
    assert shop.run("ledger", "rebase")[0] == 0
    shop.git("add", ".freeze")
    shop.git("-c", "core.editor=true", "rebase", "--continue")
    land(shop)
    assert states(shop) == [("stock.total", "active"), (PROPERTY, "active")]


def test_a_renewal_of_a_freeze_that_another_branch_lifted(shop: Story) -> None:
    assert asked(shop).verdict == "accepted"
    shop.commit("Freeze it")
    land(shop)
    start_patch(shop, "renewal")
    assert asked(shop).verdict == "accepted"
    shop.commit("Renew it")
    shop.branch("lifts", "origin/main").write("docs/more.md", "more\n")
    assert shop.run("ledger", "lift", PROPERTY)[0] == 0
    shop.commit("Lift it")
    land(shop)
    shop.on("renewal")
    assert "budget.refreeze_without_new_evidence" in errors(shop)


def test_a_verdict_does_not_depend_on_clock_zone_or_user(shop: Story) -> None:
    assert asked(shop).verdict == "accepted"
    shop.commit("Freeze it")
    said = set()
    for zone, user in (("Pacific/Kiritimati", "ada"), ("Etc/GMT+12", "eve"), ("UTC", "")):
        done = subprocess.run(
            [sys.executable, "-I", "-m", "freezegate", "check", "--format", "json"],
            cwd=shop.root,
            env=git_environment() | {"TZ": zone, "USER": user, "LOGNAME": user, "LANG": "C"},
            capture_output=True,
            check=False,
        )
        said.add((done.returncode, done.stdout))
    ((status, document),) = said
    assert (status, json.loads(document)["verdict"]) == (0, "accepted")
