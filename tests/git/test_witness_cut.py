"""A witness that is killed between two files leaves what the next one names, clears or takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.git.test_witness_again import shell
from tests.git.witnessing import asked, flaky_shop, witness
from tests.support import Story

KINDS = (".freeze/evidence/", ".freeze/snapshots/", ".freeze/ledger.jsonl", ".freeze/record.json")
MISSING = {
    1: "no ledger line names .freeze/evidence/",
    2: "no ledger line names .freeze/evidence/",
    3: "there is no record of the ledger's last request",
}


def cut_after(folder: Path, count: int) -> Story:
    """A shop with the first files of a request, as they are written."""
    story = flaky_shop(folder)
    said = asked(story)
    written = said.document["written"]
    assert [next(k for k in KINDS if each.startswith(k)) for each in written] == list(KINDS)
    for path in written[count:]:
        (story.root / path).unlink()
    return story


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_request_that_was_cut_off_is_named_with_what_clears_it(
    tmp_path: Path, count: int
) -> None:
    story = cut_after(tmp_path / "here", count)
    said = asked(story)
    assert (said.status, said.finding["code"], said.runs) == (1, "repository.dirty", 0)
    assert f"cut off while it was written: {MISSING[count]}" in said.finding["got"]
    drop, again = said.finding["remedy"].split("; or ")
    assert "git commit" not in said.finding["remedy"]
    assert "--refresh" in again
    shell(story, drop)
    assert story.git("status", "--porcelain") == ""


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_refresh_takes_over_what_was_cut_off(tmp_path: Path, count: int) -> None:
    story = cut_after(tmp_path / "here", count)
    said = asked(story, "--refresh")
    assert said.verdict == "accepted", said.out
    story.commit("Freeze it")
    assert story.check().verdict == "accepted"


def test_evidence_without_its_ledgers_line_is_named_the_other_way_round(tmp_path: Path) -> None:
    story = cut_after(tmp_path / "here", 4)
    (evidence,) = (story.root / ".freeze/evidence").iterdir()
    evidence.unlink()
    said = asked(story)
    assert f"there is no .freeze/evidence/{evidence.name}" in said.finding["got"]


BEGUN = [
    ".record.json.freezegate-ab12cd34",
    ".ledger.jsonl.ab12_d34",
    f"evidence/.{'a' * 64}.json.x0x0x0x0",
]


@pytest.mark.parametrize("name", BEGUN)
def test_a_file_that_was_only_begun_is_removed(tmp_path: Path, name: str) -> None:
    story = flaky_shop(tmp_path / "here")
    story.write(f".freeze/{name}", "x")
    said = asked(story)
    assert said.verdict == "accepted", said.out
    assert f"removed .freeze/{name}" in said.err
    assert not (story.root / ".freeze" / name).exists()


@pytest.mark.parametrize("name", [".record.json.swp", ".notes.ab12cd34", "record.json.ab12cd34"])
def test_what_is_somebodys_own_stays(tmp_path: Path, name: str) -> None:
    story = flaky_shop(tmp_path / "here")
    story.write(f".freeze/{name}", "x")
    said = witness(story, "tests/test_order.py::test_total")
    assert (said.status, said.codes) == (1, {"path.unexpected"})
    assert story.read(f".freeze/{name}") == b"x"
