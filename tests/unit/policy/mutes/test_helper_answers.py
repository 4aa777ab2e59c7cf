"""Helpers of the tests: what they answer, what they take, and what unittest compares by."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

HELPERS = "tests/helpers.py"
FILES = {
    "shop.py": "def rows():\n    return [1, 2]\n",
    "tests/__init__.py": "",
    PATH: "import shop\nfrom helpers import same\n\n\n"
    "def test_rows():\n    assert same(shop.rows(), [1, 2])\n",
}
SAME = "def same(left, right):\n    return list(left) == list(right)\n"
STOCK = (
    "def check_stock(store, **wanted):\n    for name, count in wanted.items():\n"
    "        assert store.stock[name] == count\n"
)
CASE = (
    "import unittest\nimport shop\n\n\nclass RowsTest(unittest.TestCase):\n"
    "    def setUp(self):\n        self.rows = shop.rows()\n\n"
    "    def test_rows(self):\n        self.assertEqual(self.rows, [1, 2])\n"
)


def answering(answer: str) -> str:
    """The helper with another answer."""
    return SAME.replace("list(left) == list(right)", answer)


HELPED = [
    pytest.param(answering("sorted(left) == sorted(right)"), "refuses", id="sorted"),
    pytest.param(answering("set(left) == set(right)"), "refuses", id="set"),
    pytest.param(answering("all(a in right for a in left)"), "refuses", id="part"),
    pytest.param(answering("len(list(left)) == len(list(right))"), "refuses", id="length"),
    pytest.param(
        answering("(a == b for a, b in zip(left, right))"), "refuses", id="generator_is_true"
    ),
    pytest.param(answering("[a == b for a, b in zip(left, right)]"), "refuses", id="list_is_true"),
    pytest.param(answering("iter(left) is not right"), "refuses", id="other_object"),
    pytest.param(answering("True"), "refuses", id="constant"),
    pytest.param(answering("settled(left, right)"), "warns", id="another_function"),
    pytest.param(answering("list(left) == [*right]"), "accepts", id="another_spelling"),
    pytest.param(
        answering("list(left) == list(right) and len(left) == 2"), "accepts", id="one_more"
    ),
    pytest.param(SAME + "\n\ndef other():\n    return 1\n", "accepts", id="another_helper"),
]


@pytest.mark.parametrize(("new", "expected"), HELPED)
def test_answers_that_tests_assert(new: str, expected: str) -> None:
    assert verdict_between({**FILES, HELPERS: SAME}, {**FILES, HELPERS: new}) == expected


def test_an_answer_that_nobody_asserts_needs_a_person() -> None:
    unasserted = "from helpers import same\n\n\ndef test_it():\n    print(same([], []))\n"
    before, after = {**FILES, PATH: unasserted}, answering("len(left) == len(right)")
    assert verdict_between({**before, HELPERS: SAME}, {**before, HELPERS: after}) == "warns"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("**wanted", "apple=None, **wanted", "refuses", id="swallowed"),
        pytest.param("**wanted", "*, apple=0, **wanted", "refuses", id="swallowed_by_name"),
        pytest.param("wanted.items()", "wanted.items() & store.stock.items()", "refuses", id="and"),
        pytest.param("wanted.items()", "wanted.items() - seen.items()", "warns", id="less"),
        pytest.param("wanted", "expected", "accepts", id="renamed"),
    ],
)
def test_what_a_checking_helper_is_called_with(old: str, new: str, expected: str) -> None:
    after = {**FILES, HELPERS: STOCK.replace(old, new)}
    assert verdict_between({**FILES, HELPERS: STOCK}, after) == expected


def test_a_parameter_that_is_read_is_honest() -> None:
    new = STOCK.replace("**wanted", "shop=None, **wanted")
    new = new.replace("    for", "    print(shop)\n    for")
    assert verdict_between({**FILES, HELPERS: STOCK}, {**FILES, HELPERS: new}) == "accepts"


@pytest.mark.parametrize(
    "line",
    [
        "self.addTypeEqualityFunc(list, lambda a, b, msg=None: None)",
        "self._type_equality_funcs[list] = '_same'",
        "getattr(self, '_type_equality_funcs').clear()",
    ],
)
def test_what_unittest_compares_by_stays(line: str) -> None:
    new = CASE.replace("        self.rows =", f"        {line}\n        self.rows =")
    assert verdict_between({**FILES, PATH: CASE}, {**FILES, PATH: new}) == "refuses"


RAISING = [
    pytest.param("raises(ValueError)", "int('x')\n        shop.rows()", "refuses", id="int"),
    pytest.param("raises(KeyError)", "shop.rows()\n        {}['x']", "refuses", id="item"),
    pytest.param("raises(ArithmeticError)", "x = 1 / 0\n        shop.rows()", "refuses", id="zero"),
    pytest.param("warns(UserWarning)", "warn('x')\n        shop.rows()", "refuses", id="warned"),
    pytest.param("raises(ValueError)", "shop.rows()\n        shop.rows()", "warns", id="twice"),
    pytest.param("raises(ValueError)", "shop.rows(1)\n        shop.rows()", "warns", id="another"),
    pytest.param("raises(ValueError)", "x = 'x'\n        shop.rows()", "warns", id="a_value"),
]


@pytest.mark.parametrize(("manager", "block", "expected"), RAISING)
def test_another_call_in_a_block_that_expects(manager: str, block: str, expected: str) -> None:
    text = "from warnings import warn\nimport pytest\nimport shop\n\n\n"
    text += f"def test_it():\n    with pytest.{manager}:\n        shop.rows()\n"
    after = text.replace("        shop.rows()", f"        {block}")
    assert verdict_between({**FILES, PATH: text}, {**FILES, PATH: after}) == expected
