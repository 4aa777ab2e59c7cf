"""Field case F1: tests that fail are skipped and called pre-existing; each form on its own."""

from __future__ import annotations

import pytest

from tests.support import FILES, Story

TESTS = "tests/test_order.py"
OLD = FILES[TESTS]
TEST = "def test_total():\n"
HEAD = "import pytest, unittest\n"
HOOK = (
    "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n"
    "    for item in items:\n        item.add_marker(pytest.mark.skip(reason='pre-existing'))\n"
)
REFUSED = {
    "unittest_skip": {TESTS: HEAD + OLD.replace(TEST, f"@unittest.skip('x')\n{TEST}")},
    "mark_skip": {TESTS: HEAD + OLD.replace(TEST, f"@pytest.mark.skip\n{TEST}")},
    "skipif_true": {
        TESTS: HEAD + OLD.replace(TEST, f"@pytest.mark.skipif(True, reason='')\n{TEST}")
    },
    "xfail": {TESTS: HEAD + OLD.replace(TEST, f"@pytest.mark.xfail\n{TEST}")},
    "skip_call": {TESTS: HEAD + OLD.replace(TEST, f"{TEST}    pytest.skip('x')\n")},
    "importorskip": {TESTS: HEAD + OLD.replace(TEST, f"{TEST}    pytest.importorskip('x')\n")},
    "pytestmark": {TESTS: HEAD + "pytestmark = pytest.mark.skip\n" + OLD},
    "conftest_hook": {"tests/conftest.py": HOOK},
    "conftest_exits": {"tests/conftest.py": "import os\nos._exit(0)\n"},
    "ci_goes_on": {"Makefile": "test:\n\tpytest || true\n"},
    "deselect": {"pytest.ini": "[pytest]\naddopts = --deselect tests/test_order.py::test_total\n"},
    "collect_ignore": {"tests/conftest.py": "collect_ignore = ['test_order.py']\n"},
    "out_of_testpaths": {"pytest.ini": "[pytest]\ntestpaths = src\n"},
    "renamed": {TESTS: OLD.replace(TEST, "def _test_total():\n")},
    "deleted": {TESTS: OLD.partition(TEST)[0]},
    "dunder_test": {TESTS: f"{OLD}\n\ntest_total.__test__ = False\n"},
    "returns_early": {TESTS: OLD.replace(TEST, f"{TEST}    return\n")},
}


@pytest.fixture
def made(shop: Story) -> Story:
    """The shop with a makefile and a configuration that have landed."""
    shop.on("main").write("Makefile", "test:\n\tpytest\n").write("pytest.ini", "[pytest]\n")
    shop.commit("Say how tests are run")
    shop.git("push", "-q", "origin", "main")
    return shop.branch("later")


def edited(story: Story, changes: dict[str, str]) -> Story:
    """One form, together with an edit of the code under test."""
    for path, text in {**changes, "src/shop/order.py": "def total(order):\n    return 7\n"}.items():
        story.write(path, text)
    story.commit("pre-existing failures")
    return story


@pytest.mark.parametrize("form", REFUSED)
def test_f1_is_refused_with_file_and_detector(made: Story, form: str) -> None:
    answer = edited(made, REFUSED[form]).check()
    assert answer.status == 1
    found = answer.finding("mute.unrecorded")
    assert (found["severity"], found["path"]) == ("error", next(iter(REFUSED[form])))
    assert found["detector"]


def test_f1_an_old_skip_that_nobody_touched(made: Story) -> None:
    made.write(TESTS, REFUSED["mark_skip"][TESTS]).commit("an old skip")
    made.git("push", "-q", "origin", "HEAD:main")
    made.branch("more").patch()
    assert made.check().verdict == "accepted"
