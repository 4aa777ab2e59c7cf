"""A frozen test that a patch renames or removes, and the marker that stays behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from freezegate.model.digests import Blake3
from tests.git.scenarios.test_renewals import land, lines
from tests.git.witnessing import asked, flaky_shop
from tests.support import PROPERTY, Story, copy_of

if TYPE_CHECKING:
    from pathlib import Path

TEST, ELSEWHERE = "tests/test_order.py", "tests/test_sums.py"
CATALOG = ".freeze/catalog.toml"
CLAIM = f'@pytest.mark.property_id("{PROPERTY}")\n'.encode()
SKIP = b"@pytest.mark.skip"


@pytest.fixture(scope="module", params=[True, False], ids=["marked", "plain"])
def landed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A landed freeze, with a marker or without, and another patch."""
    story = flaky_shop(tmp_path_factory.mktemp("renamed") / "here")
    assert asked(story, *(["--mark"] if request.param else [])).verdict == "accepted"
    return land(story, "# more\n")


@pytest.fixture
def shop(landed: Story, tmp_path: Path) -> Story:
    """A copy of it."""
    return copy_of(landed, tmp_path / "here")


def rename(story: Story, *, file: str = TEST, claim: bytes = b"") -> Story:
    """Give the frozen test another name, perhaps in another file."""
    text = story.read(TEST).replace(b"def test_total(", b"def test_sum(")
    story.git("rm", "-q", "--cached", TEST)
    (story.root / TEST).unlink()
    place = text.index(SKIP if SKIP in text else b"def test_sum(")
    return story.write(file, text[:place] + claim + text[place:])


def found(story: Story, code: str) -> list[dict[str, Any]]:
    """The findings of one code on what stands now."""
    story.commit("Go on")
    return [each for each in story.check().findings if each["code"] == code]


@pytest.mark.parametrize("file", [TEST, ELSEWHERE])
@pytest.mark.parametrize("claim", [b"", CLAIM], ids=["", "with_its_marker"])
def test_a_renamed_test_ends_its_freeze(shop: Story, file: str, claim: bytes) -> None:
    freeze = Blake3.of(lines(shop)[0])
    (told,) = found(rename(shop, file=file, claim=claim), "freeze.void")
    assert told["severity"] == "error"
    assert f"freezegate ledger void {freeze} --reason" in told["remedy"]


def test_a_removed_test_ends_its_freeze(shop: Story) -> None:
    shop.write(TEST, "def test_other():\n    assert 1 + 1 == 2\n")
    (told,) = found(shop, "freeze.void")
    assert told["severity"] == "error"


def test_a_test_that_stands_is_not_told(shop: Story) -> None:
    shop.write(TEST, shop.read(TEST) + b"\n\ndef test_more():\n    assert 1 + 1 == 2\n")
    shop.commit("Go on")
    assert not {"freeze.void", "freeze.stale_marker"} & shop.check().codes


def test_who_corrects_the_catalogue_ends_the_freeze(shop: Story) -> None:
    shop.write(CATALOG, shop.read(CATALOG).replace(b'::test_total"', b'::test_sum"'))
    (told,) = found(rename(shop), "freeze.void")
    assert told["severity"] == "error"
    status, text = shop.run("ledger", "void", PROPERTY)
    assert status == 0
    marked = SKIP in shop.read(TEST)
    assert (f"{TEST} carries one on test_sum" in text) == marked
    assert [each["severity"] for each in found(shop, "freeze.stale_marker")] == ["error"] * marked


@pytest.mark.parametrize("file", [TEST, ELSEWHERE])
def test_a_marker_under_another_name_outlives_no_lift(shop: Story, file: str) -> None:
    """First renamed, then lifted, the catalogue corrected: the marker counts by its property."""
    marked = SKIP in shop.read(TEST)
    land(rename(shop, file=file), "# and more\n")
    name = f"{file}::test_sum".encode()
    shop.write(CATALOG, shop.read(CATALOG).replace(b"tests/test_order.py::test_total", name))
    shop.run("ledger", "lift", PROPERTY)
    told = next(iter(found(shop, "freeze.stale_marker")), None)
    assert (told is not None) == marked
    if told is not None:
        assert (told["path"], told["severity"]) == (file, "warning")
        assert told["remedy"].endswith(f"take the marker out of {file}")
    shop.write(file, shop.read(file) + b"\n\ndef test_more():\n    assert 1 + 1 == 2\n")
    assert [each["severity"] for each in found(shop, "freeze.stale_marker")] == ["error"] * marked
