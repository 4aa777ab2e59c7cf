"""A freeze that names no property: accepted under `basic`, acts on nothing, and says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.git.freezing import session
from tests.git.witnessing import flaky_shop, terms, witness
from tests.support import FIXTURE, ORACLE, TEST_ID, Story

if TYPE_CHECKING:
    from pathlib import Path

BY_ID = (TEST_ID, "--fixture", FIXTURE, "--oracle", ORACLE)
SAID = "is frozen without a property id, so the pytest plugin skips nothing by it"
NEXT = f"freezegate catalog add ID --statement TEXT --oracle {ORACLE} --test {TEST_ID}"


@pytest.fixture
def shop(tmp_path: Path) -> Story:
    """A branch under `basic`, whose catalogue is empty."""
    story = flaky_shop(tmp_path / "here")
    text = story.on("main").read(".freeze/policy.toml").replace(b'"standard"', b'"basic"')
    story.write(".freeze/policy.toml", text).write(".freeze/catalog.toml", "").commit("basic")
    story.git("push", "-q", "origin", "main")
    story.on("topic").git("rebase", "-q", "main")
    return story


def told(text: str) -> bool:
    """Whether a text says what the freeze lacks, and the next command."""
    return SAID in text and NEXT in text


def test_witness_and_the_ticket_say_that_it_acts_on_nothing(shop: Story) -> None:
    said = witness(shop, *BY_ID, *terms())
    assert said.verdict == "accepted", said.out
    assert all(map(told, (*said.document["hints"], *said.document["tickets"])))


def test_freeze_list_and_the_plugin_say_it_too(shop: Story) -> None:
    assert witness(shop, *BY_ID).verdict == "accepted"
    status, text = shop.run("freeze", *terms())
    assert (status, told(text)) == (0, True)
    assert told(shop.run("ledger", "list")[1])
    shop.write("tests/test_order.py", "def test_total():\n    assert False, 'it ran'\n")
    ran = session(shop, "tests/test_order.py")
    assert ran.counts == {"failed": 1}
    assert [told(line) for line in ran.lines] == [True]
    assert session(shop, "tests/properties").lines == []
