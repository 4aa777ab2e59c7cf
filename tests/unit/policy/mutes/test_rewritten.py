"""Honest rewriting, as public histories have it: warned at most, and the lie beside it refused."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

HEAD = "import pytest\nfrom shop import Shop, total, parse\n\n\n"
ONE = "def test_one():\n    assert total([1]) == 1\n\n\n"
TWO = "def test_two():\n    assert total([parse('2')]) == 2\n\n\n"
TABLE = (
    "@pytest.mark.parametrize(('given', 'wanted'), [{rows}])\n"
    "def test_all(given, wanted):\n    assert total([{item}]) == wanted\n"
)
LOOP = "def test_it():\n    for each in ({values}):\n        assert total([1]) != each\n"
SINGLE = "    assert total([1]) != 2\n"
ANSWER = "def test_it():\n    a = Shop(1)\n{checks}"
COMPUTED = "    assert a.is_open() == (a.stock > parse('0'))\n"
DEPRECATED = "def test_old():\n    with pytest.deprecated_call():\n        total(1)\n\n\n"
INI = "[pytest]\naddopts = -m 'not slow'\n"


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        pytest.param(
            ONE + TWO,
            TABLE.format(rows="(1, 1), (2, 2)", item="parse(given)").replace("_all", "_one"),
            "warns",
            id="two_tests_become_rows",
        ),
        pytest.param(
            ONE + TWO,
            TABLE.format(rows="(1, 1), (3, 3)", item="given").replace("_all", "_one"),
            "refuses",
            id="rows_that_do_not_call_what_the_lost_test_called",
        ),
        pytest.param(
            LOOP.format(values="1.5, 2, 3") + SINGLE,
            LOOP.format(values="1.5, 2, 3"),
            "accepts",
            id="a_loop_checks_the_same",
        ),
        pytest.param(
            LOOP.format(values="1.5, 4, 3") + SINGLE,
            LOOP.format(values="1.5, 4, 3"),
            "refuses",
            id="a_loop_checks_others",
        ),
        pytest.param(
            ANSWER.format(checks=COMPUTED + "    assert a.is_open()\n"),
            ANSWER.format(checks="    assert a.is_open()\n    assert not a.is_shut()\n"),
            "warns",
            id="the_answer_itself_stays_checked",
        ),
        pytest.param(
            ANSWER.format(checks=COMPUTED),
            ANSWER.format(checks="    assert not a.is_shut()\n"),
            "refuses",
            id="no_answer_stays_checked",
        ),
        pytest.param(ONE + DEPRECATED, ONE, "warns", id="a_deprecation"),
        pytest.param(ONE + TWO, ONE, "refuses", id="no_deprecation"),
    ],
)
def test_tests_that_are_rewritten(old: str, new: str, verdict: str) -> None:
    assert verdict_between(HEAD + old, HEAD + new) == verdict


@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        pytest.param("class Shelf:\n    @slow\n    def f(self): ...\n", "accepts", id="another"),
        pytest.param("@pytest.mark.slow\ndef test_slow(): ...\n", "refuses", id="marked"),
        pytest.param(
            "from pytest import mark as m\n@m.slow\ndef test_s(): ...\n", "refuses", id="m"
        ),
        pytest.param(
            "def test_s(request):\n    request.applymarker('slow')\n", "refuses", id="text"
        ),
    ],
)
def test_markers_that_are_left_out(test: str, verdict: str) -> None:
    """`-m` may leave out a marker that is new; one that an old test may bear is no new one."""
    old = {PATH: HEAD + ONE + test, "pytest.ini": "[pytest]\n"}
    assert verdict_between(old, {**old, "pytest.ini": INI}, "configuration") == verdict


@pytest.mark.parametrize(
    ("elsewhere", "verdict"),
    [
        pytest.param("if hasattr(shop, '_cache'):\n    shop._cache = None\n", "warns", id="asked"),
        pytest.param("shop._cache = None\n", "refuses", id="still_there"),
    ],
)
def test_what_a_benchmark_asks_for_may_be_gone(elsewhere: str, verdict: str) -> None:
    test = "def test_it():\n    a = Shop(1)\n    assert a.stock == 1\n    assert a._cache is None\n"
    cache = "        self._cache = None\n"
    shop = f"class Shop:\n    def __init__(self, n):\n        self.stock = n\n{cache}"
    old = {PATH: HEAD + test, "shop.py": shop, "bench.py": f"import shop\n{elsewhere}"}
    new = {
        PATH: HEAD + test.replace("    assert a._cache is None\n", ""),
        "shop.py": shop.replace(cache, ""),
        "bench.py": f"import shop\n\n{elsewhere}",
    }
    assert verdict_between(old, new) == verdict


@pytest.mark.parametrize(("more", "verdict"), [(ONE + TWO, "warns"), (ONE, "refuses")])
def test_as_many_new_tests_may_stand_for_rows(more: str, verdict: str) -> None:
    old = TABLE.format(rows="(1, 1), (2, 2), (3, 3)", item="given")
    new = TABLE.format(rows="(1, 1)", item="given")
    assert verdict_between(HEAD + old, HEAD + new + more, "lost_rows") == verdict


CODE = "def legacy(sku):\n    return 'L-' + sku.upper()\n"
LEGACY = "from shop import legacy\n\n\ndef test_legacy():\n    assert legacy('ab') == 'L-AB'\n"


@pytest.mark.parametrize(
    ("code", "test", "expected"),
    [
        pytest.param("old_number", "test_old_number", "accepts", id="both"),
        pytest.param("old_number", "test_legacy", "accepts", id="code_alone"),
        pytest.param("legacy", "test_other_word", "refuses", id="another_function"),
    ],
)
def test_a_function_and_its_test_get_new_names(code: str, test: str, expected: str) -> None:
    before = {"shop.py": CODE, PATH: LEGACY}
    renamed = LEGACY.replace("test_legacy", test).replace("legacy(", "old_number(")
    renamed = renamed.replace("import legacy", "import old_number")
    after = {"shop.py": CODE.replace("legacy", code), PATH: renamed}
    if expected == "refuses":  # the tested function is still there
        after["shop.py"] += "\n\ndef old_number(sku):\n    return 'L-AB'\n"
    assert verdict_between(before, after) == expected


def test_a_new_name_for_code_that_does_something_else_needs_a_person() -> None:
    before = {"shop.py": CODE, PATH: LEGACY}
    after = {"shop.py": CODE.replace("upper", "lower"), PATH: LEGACY}
    after = {path: text.replace("legacy", "old_number") for path, text in after.items()}
    assert verdict_between(before, after) == "warns"


CASES = (
    "import unittest\n\nfrom shop import slug\n\n\nclass SlugTest(unittest.TestCase):\n"
    "    def test_one(self):\n        self.assertEqual(slug('A B'), 'a-b')\n\n"
    "    def test_empty(self):\n        self.assertEqual(slug(''), '')\n"
)
ROWS = (
    "import pytest\n\nfrom shop import slug\n\n\n"
    "@pytest.mark.parametrize(('text', 'want'), [('A B', 'a-b'), ('', '')])\n"
    "def test_slug(text, want):\n    assert slug(text) == want\n"
)


def test_cases_of_unittest_as_rows_are_for_a_person() -> None:
    shop = {"shop.py": "def slug(text):\n    return text\n"}
    old = {PATH: CASES, **shop}
    assert verdict_between(old, {PATH: ROWS, **shop}) == "warns"
    fewer = ROWS.replace(", ('', '')", "")
    assert verdict_between(old, {PATH: fewer, **shop}) == "refuses"
    assert verdict_between(old, {PATH: ROWS.replace(" == want", ""), **shop}) == "refuses"
