"""Corpus group `skip`, and rows of others about tests that are muted without a freeze."""

from __future__ import annotations

import pytest

from tests.git.local import NO_HOOKS
from tests.git.scenarios.asking import assert_accepted, assert_refused, both
from tests.support import FILES, Story

TESTS = "tests/test_order.py"
OLD = FILES[TESTS]
TEST = "def test_total():\n"
SKIP = "@pytest.mark.skip(reason='flaky')\n"


def marked(marker: str) -> str:
    """The test module with a decorator on its first test."""
    return "import pytest, unittest\n" + OLD.replace(TEST, f"{marker}{TEST}", 1)


def starting(line: str) -> str:
    """The test module with a line at the start of its first test."""
    return "import pytest, unittest\n" + OLD.replace(TEST, f"{TEST}    {line}\n", 1)


def test_a195_a_marker_without_a_record(shop: Story) -> None:
    shop.write(TESTS, marked(SKIP))
    assert_refused(shop, "mute.unrecorded")


def test_a195_and_the_source_changes_with_it(shop: Story) -> None:
    shop.write("src/shop/order.py", "def total(order):\n    return 7\n")
    shop.write(TESTS, marked(SKIP))
    assert_refused(shop, "mute.unrecorded")


def test_a196_a_record_for_another_test(shop: Story) -> None:
    other = OLD.replace("def test_other", f"{SKIP}def test_other")
    shop.patch().write(TESTS, f"import pytest\n{other}").commit("Skip another")
    shop.freeze()
    assert "mute.unrecorded" in shop.check().errors


def test_a196_a_record_for_one_test_and_a_marker_on_all(shop: Story) -> None:
    shop.patch().write(TESTS, f"import pytest\npytestmark = pytest.mark.skip\n{OLD}")
    shop.commit("Skip all")
    shop.freeze()
    assert "mute.wider_than_record" in shop.check().errors


@pytest.mark.parametrize(
    "line",
    [
        "pytest.skip('later')",
        "raise unittest.SkipTest",
        "pytest.importorskip('nothing_like_it')",
        "raise pytest.skip.Exception('later')",
    ],
)
def test_a198_a_skip_in_the_body(shop: Story, line: str) -> None:
    shop.write(TESTS, starting(line))
    assert_refused(shop, "mute.unrecorded")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(f"{OLD}\n\ntest_total.__test__ = False\n", id="dunder_test"),
        pytest.param(OLD.replace(TEST, "def _test_total():\n"), id="renamed"),
        pytest.param(f"{OLD}\n\ntest_total = None\n", id="rebound"),
        pytest.param(OLD.partition(TEST)[0], id="deleted"),
    ],
)
def test_a199_a_test_disabled_by_its_name(shop: Story, content: str) -> None:
    shop.write(TESTS, content)
    assert_refused(shop, "mute.unrecorded")


def test_a202_a_table_without_rows(shop: Story) -> None:
    shop.write(TESTS, marked("@pytest.mark.parametrize('number', [])\n"))
    assert_refused(shop, "mute.unrecorded")


def test_a198_a_return_that_comes_first(shop: Story) -> None:
    shop.write(TESTS, starting("return"))
    assert_refused(shop, "mute.unrecorded")


def test_a201_xfail_instead_of_skip(shop: Story) -> None:
    shop.write(TESTS, marked("@pytest.mark.xfail\n"))
    assert_refused(shop, "mute.unrecorded")


def test_a201_reruns_instead_of_skip(shop: Story) -> None:
    shop.write(TESTS, marked("@pytest.mark.flaky(reruns=50)\n"))
    assert_refused(shop, "mute.unrecorded")


def test_a204_an_encoding_that_hides_the_marker(shop: Story) -> None:
    hidden = marked(SKIP).replace("@", "+AEA-", 1).encode("ascii")
    shop.write(TESTS, b"# -*- coding: utf-7 -*-\n" + hidden)
    for answer in both(shop):
        assert answer.errors & {"mute.unrecorded", "mute.opaque"}


@pytest.mark.parametrize("end", [b"\r", b"\r\n"])
def test_a205_other_line_ends(shop: Story, end: bytes) -> None:
    shop.write(TESTS, marked(SKIP).encode().replace(b"\n", end))
    assert_refused(shop, "mute.unrecorded")


def test_a205_a_form_feed_in_front(shop: Story) -> None:
    shop.write(TESTS, marked("\f" + SKIP))
    assert_refused(shop, "mute.unrecorded")


def test_a207_a_test_file_that_no_longer_parses(shop: Story) -> None:
    shop.write(TESTS, OLD + "\ndef test_(:\n")
    assert_refused(shop, "mute.opaque")


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import hypothesis\nhypothesis.given = lambda *a: print\n", id="a153_given"),
        pytest.param("import sys\nsys.modules['pytest'] = object()\n", id="a154_sys_modules"),
        pytest.param("import builtins\nbuiltins.len = lambda x: 1\n", id="a154_builtins"),
    ],
)
def test_a153_a154_production_code_that_patches(shop: Story, code: str) -> None:
    shop.write("src/shop/order.py", code + FILES["src/shop/order.py"])
    for answer in both(shop):
        found = answer.finding("mute.unrecorded")
        assert (found["severity"], found["detector"]) == ("warning", "subject")


def test_a171_past_the_hooks_it_is_refused_all_the_same(shop: Story) -> None:
    shop.write(TESTS, marked(SKIP)).git("add", "-A")
    shop.git(*NO_HOOKS, "commit", "-q", "--no-verify", "-m", "quietly")
    assert "mute.unrecorded" in shop.check().errors


def test_a172_a_cherry_pick_runs_no_hook(shop: Story) -> None:
    shop.branch("aside", "main").write(TESTS, marked(SKIP)).commit("quietly")
    shop.on("topic").git("cherry-pick", "aside")
    assert "mute.unrecorded" in shop.check().errors


def test_h006_a_marker_on_a_new_test_is_noted(shop: Story) -> None:
    new = "\n\n@pytest.mark.skipif(True, reason='posix')\ndef test_new():\n    assert True\n"
    shop.write(TESTS, f"import pytest\n{OLD}{new}")
    assert_accepted(shop)
    assert shop.check().finding("mute.unrecorded")["severity"] == "note"
