"""Rows that are gone from tables: literal, behind names, computed; and what is honest."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

HEAD = "import pytest\nimport itertools\n\n"
TEST = "def test_a(n):\n    assert n\n"


def table(values: str, top: str = "", names: str = "'n'", more: str = "") -> str:
    """A module with one parametrized test."""
    return f"{HEAD}{top}\n{more}@pytest.mark.parametrize({names}, {values})\n{TEST}"


THREE = table("[1, 2, 3]")
NAMED = table("CASES", "CASES = [1, 2, 3]\n")


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        pytest.param(THREE, table("[1, 2]"), "refuses", id="dropped"),
        pytest.param(THREE, table("[]"), "refuses", id="emptied"),
        pytest.param(THREE, table("()"), "refuses", id="emptied_tuple"),
        pytest.param(THREE, table("[1, 2, 3][:1]"), "refuses", id="cut"),
        pytest.param(THREE, table("[1, 2, 3][:-1]"), "refuses", id="cut_from_behind"),
        pytest.param(THREE, table("[x for x in [1, 2, 3] if False]"), "refuses", id="filtered_out"),
        pytest.param(THREE, table("[x for x in [1, 2, 3] if x != 2]"), "warns", id="filtered"),
        pytest.param(THREE, table("list(filter(ok, [1, 2, 3]))"), "warns", id="filter"),
        pytest.param(THREE, table("[1, 1, 1]"), "refuses", id="the_same_thrice"),
        pytest.param(THREE, table("[1, 2, 4]"), "warns", id="another_value"),
        pytest.param(THREE, table("[1] * 3"), "refuses", id="multiplied"),
        pytest.param(THREE, table("range(2)"), "refuses", id="range"),
        pytest.param(THREE, table("[1, 2, 3] if 0 else [1]"), "refuses", id="chosen"),
        pytest.param(THREE, HEAD + "def test_a(n=1):\n    assert n\n", "refuses", id="no_table"),
        pytest.param(
            THREE,
            HEAD + "def test_a():\n    for n in [1, 2, 3]:\n        assert n\n",
            "warns",
            id="loop",
        ),
        pytest.param(NAMED, NAMED.replace("2, 3]", "2]"), "refuses", id="behind_a_name"),
        pytest.param(NAMED, table("CASES[:2]", "CASES = [1, 2, 3]\n"), "refuses", id="name_cut"),
        pytest.param(
            NAMED, table("CASES", "CASES = [1, 2, 3]\nCASES.clear()\n"), "warns", id="cleared"
        ),
        pytest.param(
            NAMED, table("CASES", "CASES = [1, 2, 3]\ndel CASES[1:]\n"), "warns", id="del"
        ),
        pytest.param(THREE, table("[1, 2, 3, 4]"), "accepts", id="one_more"),
        pytest.param(THREE, table("[3, 2, 1]"), "accepts", id="another_order"),
        pytest.param(THREE, table("(1, 2, 3)"), "accepts", id="a_tuple"),
        pytest.param(THREE, table("[pytest.param(1, id='a'), 2, 3]"), "accepts", id="with_ids"),
        pytest.param(THREE, table("CASES", "CASES = [1, 2, 3]\n"), "accepts", id="under_a_name"),
        pytest.param(THREE, table("[1, 2, 3]", names="['n']"), "accepts", id="names_as_a_list"),
        pytest.param(
            THREE,
            table("[1, 2, 3]", more="@pytest.mark.parametrize('m', [1, 2])\n"),
            "accepts",
            id="more_tables",
        ),
        pytest.param(
            THREE,
            table("[1]") + "\n\n@pytest.mark.parametrize('n', [2, 3])\ndef test_b(n):\n"
            "    assert n > 1\n",
            "accepts",
            id="split",
        ),
        pytest.param(table("load()"), table("load()[:1]"), "warns", id="computed_and_cut"),
        pytest.param(table("load()"), table("load()"), "accepts", id="computed"),
    ],
)
def test_rows_that_are_gone(old: str, new: str, verdict: str) -> None:
    assert verdict_between(old, new, "lost_rows") == verdict


def test_rows_of_a_helper_module_are_followed_into_tests_that_did_not_change() -> None:
    test = table("CASES", "from tests.cases import CASES\n")
    old = {PATH: test, "tests/cases.py": "CASES = [(1, 2), (3, 4)]\n"}
    new = {PATH: test, "tests/cases.py": "CASES = [(1, 2)]\n"}
    assert verdict_between(old, new, "lost_rows") == "refuses"


def test_rows_of_a_fixture() -> None:
    fixture = "@pytest.fixture(params=[1, 2, 3])\ndef n(request):\n    return request.param\n\n"
    old = HEAD + fixture + TEST
    assert verdict_between(old, old.replace("2, 3", "2"), "lost_rows") == "refuses"


def test_rows_of_a_class_and_of_a_module() -> None:
    mark = "pytestmark = pytest.mark.parametrize('n', [1, 2])\n"
    old = HEAD + mark + TEST
    assert verdict_between(old, old.replace(", 2", ""), "lost_rows") == "refuses"


def test_an_edit_of_the_source_and_more_tests_lower_nothing() -> None:
    old = {PATH: THREE, "shop.py": "def total(n):\n    return n\n"}
    more = "\n\n@pytest.mark.parametrize('n', [7, 8, 9])\ndef test_b(n):\n    assert True\n"
    new = {PATH: table("[1]") + more, "shop.py": "def total(n):\n    return n + 1\n"}
    assert verdict_between(old, new, "lost_rows") == "refuses"


def test_a_new_table_without_rows_runs_nothing() -> None:
    old = "def test_it():\n    assert total([1]) == 1\n"
    for rows in ("[]", "()", "list()", "[*()]", "NONE"):
        new = f"import pytest\nNONE = []\n@pytest.mark.parametrize('n', {rows})\n{old}"
        assert verdict_between(old, new, "lost_rows") == "refuses", rows


PAIRS = (
    "import pytest\n\n\n@pytest.mark.parametrize(('text', 'value'), [('1', 1), ('-5', -5)])\n"
    "def test_parse(text, value):\n    assert parse(text) == value\n\n\n"
    "@pytest.mark.parametrize('text', ['a', 'b'])\n"
    "def test_no_number(text):\n    with pytest.raises(ValueError):\n        parse(text)\n"
)


def test_a_row_of_which_something_else_is_expected_now_is_doubted() -> None:
    gone = PAIRS.replace(", ('-5', -5)", "")
    assert verdict_between(PAIRS, gone, "lost_rows") == "refuses"
    assert verdict_between(PAIRS, gone.replace("'b'", "'b', '-5'"), "lost_rows") == "warns"
    assert verdict_between(PAIRS, gone.replace("'b'", "'b', '-6'"), "lost_rows") == "refuses"
