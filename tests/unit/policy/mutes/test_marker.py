"""Markers and calls that skip: which are found, in whatever spelling, and which are none."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, mutes_between, verdict_between

TEST = "def test_total():\n    assert total([1]) == 1\n"
OLD = f"import pytest\nfrom shop import total\n\n{TEST}"


def marked(decorator: str, imports: str = "import pytest") -> str:
    """The module with a decorator on its test."""
    return f"{imports}\nfrom shop import total\n\n{decorator}\n{TEST}"


def starting(line: str, imports: str = "import pytest") -> str:
    """The module with a line at the start of its test."""
    body = TEST.replace("    assert", f"    {line}\n    assert")
    return f"{imports}\nfrom shop import total\n\n{body}"


REFUSED = [
    pytest.param(marked("@pytest.mark.skip"), id="skip"),
    pytest.param(marked("@pytest.mark.skip(reason='later')"), id="skip_with_a_reason"),
    pytest.param(marked("@pytest.mark.skipif(True, reason='x')"), id="skipif_true"),
    pytest.param(marked("@pytest.mark.skipif(not False, reason='x')"), id="skipif_computed"),
    pytest.param(
        marked("@pytest.mark.skipif(sys.platform == 'x', reason='')", "import pytest, sys"),
        id="skipif_on_an_old_test",
    ),
    pytest.param(marked("@pytest.mark.xfail"), id="xfail"),
    pytest.param(marked("@pytest.mark.xfail(strict=False)"), id="xfail_not_strict"),
    pytest.param(marked("@mark.skip", "from pytest import mark"), id="mark"),
    pytest.param(marked("@m.skip", "from pytest import mark as m"), id="mark_under_another_name"),
    pytest.param(marked("@p.mark.skip", "import pytest as p"), id="pytest_under_another_name"),
    pytest.param(marked("slow = pytest.mark.skip\n\n@slow"), id="assigned"),
    pytest.param(marked("a = pytest\nb = a.mark\nc = b.skip\n\n@c"), id="assigned_thrice"),
    pytest.param(marked("@getattr(pytest.mark, 'skip')"), id="getattr"),
    pytest.param(marked("@getattr(pytest.mark, 'sk' + 'ip')"), id="getattr_computed"),
    pytest.param(marked("@(later := pytest.mark.skip)"), id="walrus"),
    pytest.param(marked("@[pytest.mark.skip][0]"), id="item_of_a_list"),
    pytest.param(marked("MARKS = {'a': pytest.mark.skip}\n@MARKS['a']"), id="item_of_a_dict"),
    pytest.param(
        marked("def later(f):\n    return pytest.mark.skip(f)\n\n@later"), id="decorator_built"
    ),
    pytest.param(
        marked("def later(why):\n    return pytest.mark.skip(reason=why)\n\n@later('x')"),
        id="decorator_built_with_an_argument",
    ),
    pytest.param(marked("@__import__('pytest').mark.skip"), id="imported_in_place"),
    pytest.param(marked("@pytest.mark.\u017fkip"), id="long_s"),
    pytest.param(marked("@unittest.skip('x')", "import unittest"), id="unittest_skip"),
    pytest.param(marked("@skip('x')", "from unittest import skip"), id="unittest_skip_alone"),
    pytest.param(marked("@unittest.skipIf(1, 'x')", "import unittest"), id="unittest_skip_if"),
    pytest.param(
        marked("@unittest.skipUnless(0, 'x')", "import unittest"), id="unittest_skip_unless"
    ),
    pytest.param(
        marked("@unittest.expectedFailure", "import unittest"), id="unittest_expected_failure"
    ),
    pytest.param(OLD + "\npytestmark = pytest.mark.skip\n", id="pytestmark"),
    pytest.param(OLD + "\npytestmark = [pytest.mark.skip(reason='x')]\n", id="pytestmark_list"),
    pytest.param(OLD + "\npytestmark: object = pytest.mark.xfail\n", id="pytestmark_typed"),
    pytest.param(starting("pytest.skip('x')"), id="skip_call"),
    pytest.param(starting("pytest.xfail('x')"), id="xfail_call"),
    pytest.param(starting("pytest.importorskip('nothing')"), id="importorskip"),
    pytest.param(starting("raise pytest.skip.Exception('x')"), id="raises_skipped"),
    pytest.param(starting("raise unittest.SkipTest", "import unittest"), id="raises_unittest_skip"),
    pytest.param(starting("raise SkipTest('x')", "from unittest import SkipTest"), id="skip_test"),
    pytest.param(starting("skip('x')", "from pytest import skip"), id="skip_call_imported"),
    pytest.param(starting("(stop := pytest.skip)('x')"), id="skip_call_walrus"),
    pytest.param(
        starting("later()", "import pytest\ndef later():\n    pytest.skip('x')"), id="skip_helper"
    ),
    pytest.param(
        "import pytest\nfrom shop import total\n\n"
        "@pytest.mark.parametrize('n', [pytest.param(1, marks=pytest.mark.skip)])\n" + TEST,
        id="marks_of_a_row",
    ),
]


@pytest.mark.parametrize("new", REFUSED)
def test_what_skips_an_old_test_is_found(new: str) -> None:
    assert verdict_between(OLD, new, "marker") == "refuses"


@pytest.mark.parametrize("new", REFUSED)
def test_an_edit_of_the_source_lowers_nothing(new: str) -> None:
    old = {PATH: OLD, "shop.py": "def total(items):\n    return sum(items)\n"}
    edited = {PATH: new, "shop.py": "def total(items):\n    return 1 + sum(items)\n"}
    assert verdict_between(old, edited, "marker") == "refuses"


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(OLD + "\nNOTE = '@pytest.mark.skip'\n", id="a_text_that_quotes_a_marker"),
        pytest.param(OLD.replace("def", "# @pytest.mark.skip\ndef"), id="a_comment"),
        pytest.param(marked("@pytest.mark.skipif(False, reason='x')"), id="never_skips"),
        pytest.param(OLD + "\n\ndef test_more():\n    assert total([]) == 0\n", id="a_new_test"),
    ],
)
def test_what_skips_nothing_is_none(new: str) -> None:
    assert verdict_between(OLD, new, "marker") == "accepts"


def test_a_marker_that_stood_there_before_is_none() -> None:
    old = marked("@pytest.mark.skip")
    assert verdict_between(old, old + "\nX = 1\n", "marker") == "accepts"


def test_a_new_test_that_skips_is_noted() -> None:
    new = OLD + "\n\n@pytest.mark.skipif(total is None, reason='x')\ndef test_b():\n    pass\n"
    assert verdict_between(OLD, new, "marker") == "notes"


def test_a_finding_says_what_stood_there_and_what_stands_there_now() -> None:
    (found,) = mutes_between(OLD, marked("@pytest.mark.skip"))
    assert (found.path, found.line, found.test) == (PATH, 4, f"{PATH}::test_total")
    assert found.now == "pytest.mark.skip"
    assert found.remedy.startswith("Make the test pass, or ask for a freeze: freezegate witness")
