"""Corpus group `plain`: honest patches that ask for nothing."""

from __future__ import annotations

from pathlib import Path

from tests.git.scenarios.asking import assert_accepted
from tests.support import FILES, Story, plain_repository

TESTS = "tests/test_order.py"


def test_h001_a_patch_without_any_freeze(shop: Story) -> None:
    shop.write("src/shop/order.py", "def total(order):\n    return 6\n")
    assert_accepted(shop)


def test_h003_an_empty_commit(shop: Story) -> None:
    shop.git("commit", "-q", "--allow-empty", "-m", "nothing")
    answer = shop.check()
    assert answer.verdict == "accepted"
    assert answer.codes == {"base.nothing_to_judge"}


def test_h004_a_repository_without_policy(tmp_path: Path) -> None:
    story = plain_repository(tmp_path)
    story.write("a.py", "").commit("first")
    story.write("a.py", "x = 1\n").commit("second")
    answer = story.check()
    assert answer.verdict == "accepted"
    assert answer.finding("judge.no_policy")["severity"] == "note"


def test_h004_the_first_commit_of_all(tmp_path: Path) -> None:
    story = plain_repository(tmp_path)
    story.write("a.py", "").git("add", "-A")
    assert story.check("--staged").verdict == "accepted"
    story.commit("first")
    answer = story.check()
    assert answer.verdict == "accepted"
    assert answer.document["transitions"][0]["base"] == {"rev": None, "from": "the empty tree"}


def test_h006_a_new_test_with_a_platform_skip(shop: Story) -> None:
    new = "import pytest, sys\n\n@pytest.mark.skipif(sys.platform == 'win32', reason='posix')\n"
    shop.write("tests/test_new.py", new + "def test_new():\n    assert True\n")
    assert_accepted(shop)


def test_h007_an_existing_skip_untouched(shop: Story) -> None:
    skipped = "import pytest\n\n@pytest.mark.skip\ndef test_old():\n    pass\n"
    shop.on("main").write("tests/test_old.py", skipped).commit("an old skip")
    shop.git("push", "-q", "origin", "main")
    shop.branch("later").patch()
    assert shop.check().verdict == "accepted"


def test_h009_a_test_file_reformatted(shop: Story) -> None:
    shop.write(TESTS, FILES[TESTS].replace("\n\n\n", "\n\n").replace("'", '"'))
    assert_accepted(shop)


def test_h010_a_test_file_renamed(shop: Story) -> None:
    shop.git("mv", TESTS, "tests/test_orders.py")
    assert_accepted(shop)
