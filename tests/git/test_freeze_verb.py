"""`freezegate freeze`: from evidence that was taken before to a frozen line, record and ticket."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.git.witnessing import flaky_shop, last_day, terms, witness
from tests.support import PROPERTY, TEST_ID, Story, copy_of

if TYPE_CHECKING:
    from pathlib import Path

LEDGER = ".freeze/ledger.jsonl"
RECORD = ".freeze/record.json"


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A branch with evidence, and nothing asked for yet."""
    story = flaky_shop(tmp_path_factory.mktemp("taken") / "here")
    assert witness(story, "--property", PROPERTY).verdict == "accepted"
    return story


@pytest.fixture
def shop(taken: Story, tmp_path: Path) -> Story:
    """A copy of it."""
    return copy_of(taken, tmp_path / "here")


def events(story: Story) -> list[str]:
    """The events of the ledger's lines."""
    return [json.loads(line)["event"] for line in story.read(LEDGER).splitlines()]


@pytest.mark.parametrize("name", [(), (PROPERTY,), (TEST_ID,)], ids=["only", "property", "test"])
@pytest.mark.parametrize("committed", [True, False], ids=["committed", "not_committed"])
def test_evidence_becomes_a_request_that_the_gate_accepts(
    shop: Story, name: tuple[str, ...], committed: bool
) -> None:
    if committed:
        shop.commit("Evidence")
    status, text = shop.run("freeze", *name, *terms())
    assert status == 0, text
    assert events(shop) == ["classified", "frozen"]
    shop.commit("Ask")
    assert shop.check().verdict == "accepted"
    for part in (
        "## Frozen: order_total",
        "Owner: ada",
        last_day(),
        "2 of 4 runs failed",
        "ledger lift",
    ):
        assert part in text


def test_evidence_is_named_by_its_digest_too(shop: Story) -> None:
    named = json.loads(shop.read(LEDGER))["evidence"]
    assert shop.run("freeze", named, *terms())[0] == 0


def test_a_record_that_somebody_edited_is_not_written_over(shop: Story) -> None:
    """Found by its bytes: no request of the branch says them, and no commit keeps them."""
    notes = '{"mine": "my own notes"}\n'
    shop.write(RECORD, notes)
    status, text = shop.run("freeze", *terms())
    assert status == 1
    assert f"rm {RECORD}" in text
    assert (shop.read(RECORD).decode(), events(shop)) == (notes, ["classified"])
    (shop.root / RECORD).unlink()
    assert shop.run("freeze", *terms())[0] == 0


def test_json_holds_verdict_files_and_ticket(shop: Story) -> None:
    status, text = shop.run("freeze", *terms(), "--format", "json")
    document = json.loads(text)
    assert (status, document["verdict"]["verdict"]) == (0, "accepted")
    assert document["written"] == [LEDGER, ".freeze/record.json"]
    assert document["tickets"][0].startswith("## Frozen: ")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        pytest.param(("--owner", "ada"), "budget.expiry_missing", "--expires-on", id="no_end"),
        pytest.param(
            ("--owner", "nobody", "--expires-on", last_day()),
            "budget.owner_missing",
            "--owner",
            id="nobody",
        ),
        pytest.param(
            ("--owner", "ada", "--expires-on", last_day(90)),
            "budget.expiry_too_far",
            "--expires-on",
            id="too_far",
        ),
    ],
)
def test_what_the_gate_refuses_is_not_written(
    shop: Story, arguments: tuple[str, ...], code: str, said: str
) -> None:
    before = shop.read(LEDGER)
    status, text = shop.run("freeze", *arguments)
    assert (status, shop.read(LEDGER)) == (1, before)
    assert code in text
    assert said in text


def test_evidence_for_another_patch_is_stale(shop: Story) -> None:
    shop.commit("Evidence")
    shop.patch("# another patch\n")
    status, text = shop.run("freeze", *terms())
    assert status == 1
    assert "evidence.stale_patch" in text


def test_a_frozen_line_waits_for_nothing_more(
    shop: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shop.run("freeze", *terms())[0] == 0
    assert shop.run("freeze", *terms())[0] == 2
    assert "no evidence waits for a freeze" in capsys.readouterr().err


def test_an_unknown_name_is_told_what_there_is(
    shop: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shop.run("freeze", "stock.total", *terms())[0] == 2
    said = capsys.readouterr().err
    assert f"evidence waits for {PROPERTY}: freezegate freeze {PROPERTY} --owner ada" in said


def test_evidence_that_is_gone_or_edited(shop: Story, capsys: pytest.CaptureFixture[str]) -> None:
    (path,) = (shop.root / ".freeze/evidence").iterdir()
    path.write_bytes(path.read_bytes() + b" ")
    assert shop.run("freeze", *terms())[0] == 2
    path.unlink()
    assert shop.run("freeze", *terms())[0] == 2
    assert capsys.readouterr().err.count("freezegate witness --refresh") == 2


# --- something else in the place of a file of ours


def test_evidence_that_is_a_pipe_keeps_nobody_waiting(shop: Story) -> None:
    (evidence,) = (shop.root / ".freeze/evidence").iterdir()
    evidence.unlink()
    os.mkfifo(evidence)
    status, text = shop.run("freeze", *terms())
    assert status == 1
    assert f"path.not_regular  .freeze/evidence/{evidence.name}" in text


@pytest.mark.parametrize("name", ["witness.lock", "writing.lock"])
def test_a_lock_that_is_a_pipe_is_named_with_what_clears_it(
    shop: Story, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = shop.root / ".git/freezegate" / name
    lock.unlink()
    os.mkfifo(lock)
    status, _ = shop.run("freeze", *terms())
    text = capsys.readouterr().err
    assert status == 2
    assert f"{lock} is no regular file" in text
    assert f"rm -r {lock}" in text
    assert events(shop) == ["classified"]


def test_the_memory_of_lock_and_a_kept_window_may_be_pipes(shop: Story) -> None:
    notes = shop.root / ".git/freezegate"
    (notes / "windows").mkdir(exist_ok=True)
    for path in (notes / "lock-cache", notes / "windows" / "20990101T000000.000000Z.json"):
        path.unlink(missing_ok=True)
        os.mkfifo(path)
    assert shop.run("lock")[0] == 0
    said = witness(shop, "--property", PROPERTY, "--refresh", "--runs", "2")
    assert said.document["verdict"] is not None
