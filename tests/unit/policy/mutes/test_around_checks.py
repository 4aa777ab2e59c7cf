"""What silences a check from outside: patches, helpers, equality, loops, decorators, inputs."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

HEAD = (
    "import functools, pytest, shop\nfrom unittest import TestCase, mock\n"
    "from helpers import check\nfrom shop import total\n\n\n"
)
TEST = "def test_a():\n    assert total([1, 2]) == 3\n"
BY_MODULE = "def test_a():\n    assert shop.total([1, 2]) == 3\n"
SHOP = {
    "shop.py": "def total(items):\n    return sum(items)\n\n\n"
    "class Order:\n    def __init__(self, items):\n        self.items = items\n\n"
    "    def total(self):\n        return sum(self.items)\n"
}
LOOP = "def test_a():\n    for n in [1, 2, 3]:\n        assert total([n]) == n\n"
RANGE = "def test_a():\n    for n in range(9):\n        assert total([n]) == n\n"
CASE = "class TestA(TestCase):\n    def test_a(self):\n        self.assertEqual(total([1]), 1)\n"
ANY = "class Sum:\n    def __eq__(self, other):\n        return other == 3\n\n\n"
SWALLOWS = (
    "def quiet(test):\n    @functools.wraps(test)\n    def inner(*rest):\n        try:\n"
    "            test(*rest)\n        except AssertionError:\n            pass\n"
    "    return inner\n\n\n@quiet\n"
)


def inside(line: str, test: str = BY_MODULE) -> str:
    """A test with one more line at its start."""
    return test.replace("():\n", f"(monkeypatch):\n    {line}\n", 1)


SILENCED = {
    "monkeypatch_object": (
        BY_MODULE,
        inside("monkeypatch.setattr(shop, 'total', lambda items: 3)"),
    ),
    "monkeypatch_name": (BY_MODULE, inside("monkeypatch.setattr('shop.total', lambda items: 3)")),
    "assigned": (BY_MODULE, inside("shop.total = lambda items: 3")),
    "setattr": (BY_MODULE, inside("setattr(shop, 'tot' + 'al', lambda items: 3)")),
    "mock_decorator": (BY_MODULE, "@mock.patch('shop.total', return_value=3)\n" + BY_MODULE),
    "mock_object": (BY_MODULE, "@mock.patch.object(shop, 'total', lambda i: 3)\n" + BY_MODULE),
    "mock_block": (
        BY_MODULE,
        "def test_a():\n    with mock.patch('shop.total', return_value=3):\n"
        "        assert shop.total([1, 2]) == 3\n",
    ),
    "at_the_top": (BY_MODULE, "shop.total = lambda items: 3\n\n\n" + BY_MODULE),
    "in_a_fixture": (
        BY_MODULE,
        "@pytest.fixture(autouse=True)\ndef quick(monkeypatch):\n"
        "    monkeypatch.setattr(shop, 'total', lambda items: 3)\n\n\n" + BY_MODULE,
    ),
    "set_up": (
        BY_MODULE,
        "def setup_module():\n    shop.total = lambda items: 3\n\n\n" + BY_MODULE,
    ),
    "fake_by_name": (TEST, TEST.replace("    assert", "    total = lambda items: 3\n    assert")),
    "fake_at_the_top": (TEST, "total = lambda items: 3\n\n\n" + TEST),
    "fake_function": (TEST, "def total(items):\n    return 3\n\n\n" + TEST),
    "fake_fixture": (
        TEST,
        "@pytest.fixture\ndef total():\n    return lambda items: 3\n\n\n"
        + TEST.replace("a()", "a(total)"),
    ),
    "mock_by_import": (TEST, "from unittest.mock import MagicMock as total\n\n\n" + TEST),
    "runner_that_swallows": (
        TEST,
        "def run(test):\n    try:\n        test()\n    except AssertionError:\n        pass\n\n\n"
        "def test_a():\n    def inner():\n        assert total([1, 2]) == 3\n    run(inner)\n",
    ),
    "global_fake": (
        TEST,
        TEST.replace("    assert", "    global total\n    total = lambda items: 3\n    assert"),
    ),
    "patched_by_its_own_name": (
        TEST,
        TEST.replace("a():", "a():\n  with mock.patch(__name__ + '.total', lambda items: 3):"),
    ),
    "patched_globals": (
        TEST,
        TEST.replace("a():", "a():\n  with mock.patch.dict(globals(), total=lambda items: 3):"),
    ),
    "yield": (TEST, TEST + "    yield\n"),
    "python_itself": (TEST, TEST.replace("total([1, 2])", "str(3).count('3') + 2")),
    "fewer_in_a_loop": (LOOP, LOOP.replace("[1, 2, 3]", "[1]")),
    "slice": (LOOP, LOOP.replace("[1, 2, 3]", "[1, 2, 3][:1]")),
    "range": (RANGE, RANGE.replace("range(9)", "range(1)")),
    "assert_equal_hidden": (CASE, CASE + "\n    def assertEqual(self, *rest):\n        pass\n"),
    "assert_equal_assigned": (CASE, CASE + "\n    assertEqual = lambda *rest: None\n"),
    "assert_equal_patched": (CASE, "TestCase.assertEqual = lambda *rest: None\n\n\n" + CASE),
    "swallowing_decorator": (TEST, SWALLOWS + TEST),
    "decorator_that_runs_nothing": (
        TEST,
        "def later(test):\n    return lambda: None\n\n\n@later\n" + TEST,
    ),
    "equality_that_agrees": (
        ANY + TEST.replace("== 3", "== Sum()"),
        ANY.replace("other == 3", "True") + TEST.replace("== 3", "== Sum()"),
    ),
    "object_that_agrees": (
        TEST,
        ANY.replace("other == 3", "True") + TEST.replace("== 3", "== Sum()"),
    ),
    "smoke_test_emptied": ("def test_a():\n    total([1])\n", "def test_a():\n    pass\n"),
    "smoke_test_swallowed": (
        "def test_a():\n    total([1])\n",
        "def test_a():\n    try:\n        total([1])\n    except Exception:\n        pass\n",
    ),
}
ORDER = "def test_a(order):\n    assert order.total() == 3\n"
BUILT = "def test_a():\n    order = shop.Order([3])\n    assert order.total() == 3\n"
FAKE = "class Fake:\n    def total(self):\n        return 3\n\n\n"


def bound(value: str) -> str:
    """The test on a fixture, which is bound to something else first."""
    return ORDER.replace("    assert", f"    order = {value}\n    assert")


SILENCED |= {
    "method_of_a_fixture_patched": (
        ORDER,
        ORDER.replace(
            "(order):\n",
            "(order, monkeypatch):\n    monkeypatch.setattr(shop.Order, 'total', lambda s: 3)\n",
        ),
    ),
    "fixture_is_a_mock": (ORDER, bound("mock.Mock(total=lambda: 3)")),
    "fixture_is_a_magic_mock": (ORDER, bound("mock.MagicMock(**{'total.return_value': 3})")),
    "fixture_is_a_namespace": (ORDER, "import types\n" + bound("types.SimpleNamespace(total=int)")),
    "fixture_is_a_fake": (ORDER, FAKE + bound("Fake()")),
    "fixture_s_method_set": (
        ORDER,
        ORDER.replace("    assert", "    order.total = lambda: 3\n    assert"),
    ),
    "built_object_is_a_mock": (BUILT, BUILT.replace("shop.Order([3])", "mock.Mock()")),
    "built_object_is_a_fake": (BUILT, FAKE + BUILT.replace("shop.Order([3])", "Fake()")),
}
each_silenced = pytest.mark.parametrize(
    ("old", "new"), [pytest.param(*pair, id=name) for name, pair in SILENCED.items()]
)


@each_silenced
def test_what_silences_is_found(old: str, new: str) -> None:
    before, after = ({**SHOP, PATH: HEAD + each} for each in (old, new))
    assert verdict_between(before, after) == "refuses"


@each_silenced
def test_an_edit_of_the_source_lowers_nothing(old: str, new: str) -> None:
    before, after = {**SHOP, PATH: HEAD + old}, {**SHOP, PATH: HEAD + new}
    after["shop.py"] = after["shop.py"].replace("return", "return 1 +")
    assert verdict_between(before, after) == "refuses"


def test_a_fake_may_be_handed_to_the_tested_code() -> None:
    new = FAKE + TEST.replace("total([1, 2])", "total(Fake())")
    assert verdict_between({**SHOP, PATH: HEAD + TEST}, {**SHOP, PATH: HEAD + new}) != "refuses"


@each_silenced
def test_the_way_back_is_honest(old: str, new: str) -> None:
    before, after = ({**SHOP, PATH: HEAD + each} for each in (new, old))
    assert verdict_between(before, after) != "refuses"


def test_a_checking_helper_of_another_module_that_checks_nothing_is_found() -> None:
    old = "from deep import check\n"
    deep = {"tests/deep.py": "def check(a, b):\n    assert a == b\n"}
    new = "def check(a, b):\n    pass\n"
    helpers = "tests/helpers.py"
    assert verdict_between({**deep, helpers: old}, {**deep, helpers: new}) == "refuses"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(TEST, TEST.replace("[1, 2]", "[]"), "warns", id="an_empty_input"),
        pytest.param(
            TEST,
            "def test_a():\n    if shop.ready:\n        return\n    assert total([1, 2]) == 3\n",
            "warns",
            id="an_early_return",
        ),
        pytest.param(
            BY_MODULE, inside("monkeypatch.setattr(shop, 'rate', 2)"), "accepts", id="other_patch"
        ),
        pytest.param(LOOP, LOOP.replace("3]", "3, 4]"), "accepts", id="more_in_a_loop"),
        pytest.param(
            TEST,
            "def timed(test):\n    @functools.wraps(test)\n    def inner():\n        test()\n"
            "    return inner\n\n\n@timed\n" + TEST,
            "accepts",
            id="a_decorator_that_passes_on",
        ),
    ],
)
def test_what_is_asked_and_what_is_none(old: str, new: str, expected: str) -> None:
    before, after = ({**SHOP, PATH: HEAD + each} for each in (old, new))
    assert verdict_between(before, after) == expected


ROWS = "@pytest.mark.parametrize('a, b', [([1], 1), ([2], 2)])\n"
ROW_TEST = "def test_a(a, b):\n    assert total(a) == b\n"
CASES = "CASES = [([1], 1), ([2], 2)]\n\n\n@pytest.mark.parametrize('a, b', CASES)\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(ROWS, ROWS.replace("2)", "3)"), "warns", id="another_value"),
        pytest.param(CASES, CASES.replace("2)", "3)"), "warns", id="another_value_by_name"),
        pytest.param(ROWS, ROWS.replace("2)]", "2), ([3], 3)]"), "accepts", id="one_more"),
        pytest.param(ROWS, CASES, "accepts", id="rows_by_name"),
        pytest.param(
            ROWS, ROWS.replace("([2], 2)", "pytest.param([2], 2, id='x')"), "accepts", id="an_id"
        ),
    ],
)
def test_rows_of_parameters(old: str, new: str, expected: str) -> None:
    before, after = ({**SHOP, PATH: HEAD + each + ROW_TEST} for each in (old, new))
    assert verdict_between(before, after) == expected
