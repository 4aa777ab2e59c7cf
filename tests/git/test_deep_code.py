"""Code that nobody writes by hand ends in an answer, and code that somebody generates in none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import Story, start

if TYPE_CHECKING:
    from pathlib import Path

TEST = "tests/test_deep.py"
PLAIN = "def test_deep():\n    assert total() == 6\n\n\ndef test_other():\n    assert more() == 2\n"
OTHER = PLAIN.replace("== 2", "== 3")


def chain(levels: int) -> str:
    """A test that asks an expression of so many levels."""
    return PLAIN.replace("total()", "total()" + "[0]" * levels)


@pytest.fixture
def story(tmp_path: Path) -> Story:
    """A shop with one more test module."""
    found = start(tmp_path / "here")
    found.write(TEST, PLAIN).commit("Tests")
    found.git("push", "-q", "origin", "main")
    return found.branch("topic")


@pytest.mark.parametrize("levels", [100, 400])
@pytest.mark.parametrize("turned", [False, True], ids=["added", "removed"])
def test_a_long_chain_is_followed(story: Story, levels: int, turned: bool) -> None:
    if turned:
        story.on("main").write(TEST, chain(levels)).commit("A chain")
        story.git("push", "-q", "origin", "main")
        story.branch("other")
    story.write(TEST, PLAIN if turned else chain(levels)).commit("Another value")
    answer = story.check()
    assert answer.errors == (set() if turned else {"mute.unrecorded"}), answer.output


@pytest.mark.parametrize("levels", [1500, 2500])
def test_what_is_nested_too_deep_is_opaque(story: Story, levels: int) -> None:
    story.write(TEST, chain(levels)).commit("A chain")
    answer = story.check()
    assert answer.errors == {"mute.opaque"}, answer.output
    assert f"code in {levels + 6}" in str(answer.finding("mute.opaque")["got"])
    story.git("push", "-q", "origin", "HEAD:main")
    story.branch("back").write(TEST, PLAIN).commit("Without it")
    assert story.check().verdict == "accepted"


@pytest.mark.parametrize("number", ["0x" + "f" * 5000, "0b" + "1" * 20_000, "0o7" + "_7" * 7000])
def test_a_number_of_many_digits(story: Story, number: str) -> None:
    story.write(TEST, f"KEY = {number}\n\n\n{PLAIN}").commit("A key")
    assert story.check().verdict == "accepted"
    story.git("push", "-q", "origin", "HEAD:main")
    story.branch("next").write(TEST, f"KEY = {number}\n\n\n{OTHER}").commit("Another value")
    assert [each["detector"] for each in story.check().findings] == ["expected_value"]
    story.write(TEST, f"KEY = {number[:-2]}\n\n\n{PLAIN}").commit("Another key")
    assert story.check().verdict == "accepted"


@pytest.mark.parametrize("again", [1, 3])
def test_names_that_are_imported_in_a_circle(story: Story, again: int) -> None:
    modules = "abcdefgh"
    for module, other in zip(modules, modules[1:] + modules[0], strict=True):
        story.write(f"tests/{module}.py", f"from {other} import test_x\n" * again)
    story.write(TEST, f"from a import test_x\n{PLAIN}").commit("A circle")
    assert story.check().verdict == "accepted"


def test_a_file_below_many_folders_goes(story: Story) -> None:
    path = "/".join(["d"] * 300) + "/test_a.py"
    story.on("main").write(path, OTHER.replace("test_", "test_a_")).commit("Deep")
    story.git("push", "-q", "origin", "main")
    story.branch("gone").git("rm", "-q", path)
    story.commit("Without it")
    assert "mute.unrecorded" in {each["code"] for each in story.check().findings}
