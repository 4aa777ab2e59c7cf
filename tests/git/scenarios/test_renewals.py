"""Renewals at the gate: which freeze a request names, and which evidence it brings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from freezegate.formats.strict_json import dump_canonical
from freezegate.model.digests import Blake3
from tests.git.witnessing import asked, flaky_shop, last_day
from tests.support import Story, copy_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LEDGER = ".freeze/ledger.jsonl"
AGAIN = "budget.refreeze_without_new_evidence"
OTHER = f"blake3:{'1' * 64}"


def land(story: Story, text: str) -> Story:
    """Land what stands, and begin another patch."""
    story.commit("Land it")
    story.git("push", "-q", "origin", "HEAD:main")
    return story.branch(f"after-{len(text)}").patch(text)


def lines(story: Story) -> list[bytes]:
    """The ledger's lines."""
    return (story.root / LEDGER).read_bytes().splitlines()


def edit_last(story: Story, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the last line of the ledger."""
    *kept, last = lines(story)
    value = json.loads(last)
    change(value)
    story.write(LEDGER, b"".join(line + b"\n" for line in [*kept, dump_canonical(value)]))


def codes(story: Story, *arguments: str) -> set[str]:
    """The errors of a check of what is committed."""
    story.commit("Ask")
    found = story.check(*arguments).document["transitions"][0]["findings"]
    return {each["code"] for each in found if each["severity"] == "error"}


def end_of(story: Story, event: str) -> dict[str, Any]:
    """A line that ends the first freeze of the ledger."""
    first = lines(story)[0]
    return {
        "event": event,
        "freeze": Blake3.of(first),
        "base_rev": json.loads(first)["base_rev"],
        "fixture_sha256": json.loads(first)["fixture_sha256"],
        "reason": "again",
        "owner": "ada",
    }


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A landed freeze, and another patch."""
    story = flaky_shop(tmp_path_factory.mktemp("renewals") / "first")
    assert asked(story).verdict == "accepted"
    return land(story, "# more\n")


@pytest.fixture(scope="module")
def renewed(first: Story, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """The same with an accepted renewal, not yet committed."""
    story = copy_of(first, tmp_path_factory.mktemp("renewals") / "renewed")
    assert asked(story).verdict == "accepted"
    return story


def test_a_renewal_is_accepted_and_ends_what_it_renews(renewed: Story, tmp_path: Path) -> None:
    story = copy_of(renewed, tmp_path / "here")
    assert codes(story) == set()
    (older, newer) = (Blake3.of(line) for line in lines(story))
    story.git("push", "-q", "origin", "HEAD:main")
    story.branch("later").patch("# later still\n")
    ended = {"event": "lifted", "base_rev": story.rev("main"), "owner": "ada", "reason": "mended"}
    digest = json.loads(lines(story)[0])["fixture_sha256"]
    story.append({**ended, "freeze": older, "fixture_sha256": digest})
    assert codes(story) == {"ledger.bad_row"}  # the renewed one is over already
    story.git("reset", "-q", "--hard", "HEAD^")
    story.append({**ended, "freeze": newer, "fixture_sha256": digest})
    assert codes(story) == set()


@pytest.mark.parametrize(
    "renews", [pytest.param(None, id="names_none"), pytest.param(OTHER, id="names_another")]
)
def test_a_request_that_does_not_name_what_it_renews(
    renewed: Story, tmp_path: Path, renews: str | None
) -> None:
    story = copy_of(renewed, tmp_path / "here")
    edit_last(story, lambda line: line.update(renews=renews))
    assert codes(story) == {AGAIN, "budget.exceeded"}  # both would stand


def test_a_first_freeze_that_says_it_renews(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    edit_last(story, lambda line: line.update(renews=OTHER))
    assert codes(story) == {AGAIN}


def test_the_old_evidence_is_none_of_a_renewal(first: Story, tmp_path: Path) -> None:
    story = copy_of(first, tmp_path / "here")
    value = json.loads(lines(story)[0])
    value.update(renews=Blake3.of(lines(story)[0]), expires_on=last_day(9))
    story.append(value)
    record = json.loads(story.read(".freeze/record.json"))
    story.write(
        ".freeze/record.json", dump_canonical({**record, "expires_on": last_day(9)}) + b"\n"
    )
    assert AGAIN in codes(story)


def test_evidence_from_before_the_freeze_is_none_of_a_renewal(first: Story, tmp_path: Path) -> None:
    story = copy_of(first, tmp_path / "here")
    assert asked(story, "--base", "origin/main~1").verdict == "refused"


def test_a_chain_is_as_long_as_the_policy_says(renewed: Story, tmp_path: Path) -> None:
    story = land(copy_of(renewed, tmp_path / "here"), "# once more, with feeling\n")
    said = asked(story)
    assert (said.runs, said.codes) == (0, {"budget.exceeded"})


def test_a_renewal_may_come_after_the_end(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    edit_last(story, lambda line: line.update(expires_on="2026-01-01"))  # as if it had landed then
    land(story, "# more\n")
    said = asked(story)
    assert said.verdict == "accepted", said.out
    assert json.loads(lines(story)[1])["renews"] == Blake3.of(lines(story)[0])


@pytest.mark.parametrize("event", ["lifted", "void"])
def test_behind_an_end_a_new_chain_begins(first: Story, tmp_path: Path, event: str) -> None:
    story = copy_of(first, tmp_path / "here")
    land(story.append(end_of(story, event)), "# a new chain\n")
    assert asked(story).verdict == "accepted"
    assert json.loads(lines(story)[-1])["renews"] is None


def test_evidence_from_before_an_end_opens_no_new_chain(first: Story, tmp_path: Path) -> None:
    story = copy_of(first, tmp_path / "here")
    value = json.loads(lines(story)[0])
    story.append(end_of(story, "lifted"))
    land(story, "# a new chain\n")
    story.append({**value, "expires_on": last_day(9)})
    assert AGAIN in codes(story)


def test_behind_an_expired_line_the_chain_goes_on(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here")
    assert asked(story).verdict == "accepted"
    edit_last(story, lambda line: line.update(expires_on="2026-01-01"))
    land(story, "# more\n")
    land(story.append(end_of(story, "expired")), "# and more\n")
    assert asked(story).verdict == "accepted"
    assert json.loads(lines(story)[-1])["renews"] == Blake3.of(lines(story)[0])


def test_one_key_is_asked_for_once_in_a_patch(tmp_path: Path) -> None:
    story = flaky_shop(tmp_path / "here", policy="[freeze]\nmax_active_per_property = 2\n")
    assert asked(story).verdict == "accepted"
    story.append({**json.loads(lines(story)[0]), "reason": "property_holds"})
    assert AGAIN in codes(story)
