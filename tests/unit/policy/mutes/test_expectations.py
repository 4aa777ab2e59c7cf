"""What is expected and what is handed over: answers asked of the code itself, other inputs."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

SHOP = (
    "class OrderError(ValueError):\n    pass\n\n\n"
    "def total(items, tax=0):\n    return sum(items)\n\n\n"
    "def tax(amount, rate):\n    return amount * rate\n"
)
FILES = {"shop.py": SHOP, "tests/__init__.py": ""}
HEAD = "import pytest\nimport shop\nfrom shop import OrderError, tax, total\n\n\n"
TOTAL = "def test_total(items):\n    assert total(items) == 6\n"
ROWS = (
    "@pytest.mark.parametrize('amount, rate, expected', [(1, 2, 2), (2, 3, 6)])\n"
    "def test_tax(amount, rate, expected):\n    assert tax(amount, rate) == expected\n"
)
RAISES = "def test_raises(items):\n    with pytest.raises(OrderError):\n        total(items)\n"
CALLED = "def test_called():\n    assert total([1, 2], 3) == 6\n"
PREPARED = (
    "def test_prepared():\n    order = shop.Order()\n    order.add('x', 30)\n"
    "    assert order.total() == 30\n"
)
FIXTURE = (
    "@pytest.fixture\ndef order():\n    it = shop.Order()\n    it.add('x', 30)\n    return it\n\n\n"
    "def test_order(order):\n    assert order.total() == 30\n"
)


def rows(line: str) -> str:
    """The test with rows, with a line in front of its check."""
    return ROWS.replace("    assert", f"    {line}\n    assert")


def raises(body: str, more: str = "") -> str:
    """The test of the exception with another block."""
    return f"{more}def test_raises(items):\n    with pytest.raises(OrderError):\n        {body}\n"


REFUSED = {
    "its_own_answer": (TOTAL, TOTAL.replace("6", "total(items)")),
    "its_own_answer_by_name": (
        TOTAL,
        TOTAL.replace("    assert", "    want = total(items)\n    assert").replace("6", "want"),
    ),
    "its_own_answer_nearly": (TOTAL, TOTAL.replace("6", "pytest.approx(total(items))")),
    "its_own_answer_or_that": (TOTAL, TOTAL.replace("6", "(6 or total(items))")),
    "its_own_answer_and_nothing": (TOTAL, TOTAL.replace("6", "total(items) + 0")),
    "its_own_answer_by_operator": (
        TOTAL,
        "import operator\n\n\n"
        + TOTAL.replace("total(items) == 6", "operator.eq(total(items), total(items))"),
    ),
    "row_bound_anew": (ROWS, rows("expected = tax(amount, rate)")),
    "row_bound_anew_at_times": (ROWS, rows("if rate != 2:\n        expected = tax(amount, rate)")),
    "row_bound_anew_in_else": (
        ROWS,
        rows("if rate == 2:\n        pass\n    else:\n        expected = tax(amount, rate)"),
    ),
    "row_bound_anew_in_one_line": (
        ROWS,
        rows("expected = expected if rate == 2 else tax(amount, rate)"),
    ),
    "row_or_its_own_answer": (
        ROWS,
        ROWS.replace("== expected", "== (expected or tax(amount, rate))"),
    ),
    "raised_by_the_test": (RAISES, raises("total(items)\n        raise OrderError")),
    "raised_before": (RAISES, raises("raise OrderError('x')\n        total(items)")),
    "raised_in_a_branch_that_is_taken": (
        RAISES,
        raises("total(items)\n        if True:\n            raise OrderError"),
    ),
    "raised_at_last": (
        RAISES,
        raises("try:\n            total(items)\n        finally:\n            raise OrderError"),
    ),
    "raised_in_its_place": (RAISES, raises("raise OrderError")),
    "exception_bound_anew": (RAISES, "OrderError = Exception\n\n\n" + RAISES),
    "exception_bound_to_a_base": (RAISES, "OrderError = ValueError\n\n\n" + RAISES),
    "exception_bound_to_several": (RAISES, "OrderError = (OrderError, TypeError)\n\n\n" + RAISES),
    "exception_bound_in_the_test": (
        RAISES,
        RAISES.replace("    with", "    OrderError = Exception\n    with"),
    ),
    "exception_imported_anew": (
        RAISES,
        "from builtins import Exception as OrderError\n\n\n" + RAISES,
    ),
}
WARNED = {
    "computed_by_the_test": (ROWS, ROWS.replace("== expected", "== amount * rate")),
    "answer_of_another_function": (TOTAL, TOTAL.replace("6", "tax(items, 1)")),
    "other_input": (CALLED, CALLED.replace("[1, 2]", "[3, 0]")),
    "other_named_input": (
        CALLED.replace(", 3)", ", tax=3)"),
        CALLED.replace(", 3)", ", tax=0)"),
    ),
    "constant_for_a_row": (ROWS, ROWS.replace("tax(amount, rate)", "tax(amount, 2)")),
    "constant_in_a_raising_block": (RAISES, raises("total(None)")),
    "more_in_a_raising_block": (RAISES, raises("total(items)\n        tax(1, 2)")),
    "other_preparation": (PREPARED, PREPARED.replace("'x', 30", "'x', 15")),
    "another_written_value": (
        "def test_it():\n    items = [1, 2]\n    shop.sort(items)\n    assert total(items) == 3\n",
        "def test_it():\n    items = [3]\n    shop.sort(items)\n    assert total(items) == 3\n",
    ),
    "fixture_that_hands_out_another": (
        "@pytest.fixture\ndef order():\n    return {'x': 30}\n",
        "@pytest.fixture\ndef order():\n    return {'x': 0}\n",
    ),
    "fixture_that_prepares_less": (FIXTURE, FIXTURE.replace("'x', 30", "'x', 0")),
}
ACCEPTED = {
    "one_more_argument": (CALLED, CALLED.replace(", 3)", ", 3, True)")),
    "a_named_argument": (CALLED, CALLED.replace(", 3)", ", tax=3)")),
    "one_more_value_in_a_fixture": (
        "@pytest.fixture\ndef order():\n    return {'x': 30}\n",
        "@pytest.fixture\ndef order():\n    return {'x': 30, 'y': 1}\n",
    ),
    "a_local_name": (
        CALLED,
        CALLED.replace("    assert", "    items = [1, 2]\n    assert").replace("([1, 2]", "(items"),
    ),
    "more_preparation": (
        PREPARED,
        PREPARED.replace("    assert", "    order.close(1)\n    assert"),
    ),
    "an_exception_under_another_name": (
        RAISES,
        "Wrong = OrderError\n\n\n" + RAISES.replace("raises(OrderError)", "raises(Wrong)"),
    ),
    "an_exception_by_its_module": (RAISES, RAISES.replace("(OrderError)", "(shop.OrderError)")),
    "a_manager_that_sees_an_exception": (
        "def test_raises():\n    with pytest.raises(OrderError), shop.shelf():\n"
        "        raise OrderError\n",
        "def test_raises():\n    with pytest.raises(OrderError, match='x'), shop.shelf():\n"
        "        raise OrderError('x')\n",
    ),
    "a_new_test_of_equality": (
        TOTAL,
        TOTAL + "\n\ndef test_same():\n    assert total([1]) == total([1])\n",
    ),
}


@pytest.mark.parametrize(("old", "new"), REFUSED.values(), ids=REFUSED)
def test_what_proves_nothing_is_refused(old: str, new: str) -> None:
    for shop in (SHOP, SHOP.replace("sum(items)", "sum(items) + 1")):
        before = {**FILES, PATH: HEAD + old}
        assert verdict_between(before, {**before, "shop.py": shop, PATH: HEAD + new}) == "refuses"


@pytest.mark.parametrize(("old", "new"), WARNED.values(), ids=WARNED)
def test_what_is_another_question_needs_a_person(old: str, new: str) -> None:
    before = {**FILES, PATH: HEAD + old}
    assert verdict_between(before, {**before, PATH: HEAD + new}) == "warns"


@pytest.mark.parametrize(("old", "new"), ACCEPTED.values(), ids=ACCEPTED)
def test_the_same_question_is_honest(old: str, new: str) -> None:
    before = {**FILES, PATH: HEAD + old}
    assert verdict_between(before, {**before, PATH: HEAD + new}) == "accepts"


GUARDED = {
    "environment": ("import os\n\n\n", "if os.environ.get('CI'):\n        return"),
    "environment_by_another_name": (
        "from os import environ as where\n\n\n",
        "if 'CI' in where:\n        return",
    ),
    "environment_by_a_function": (
        "import os\n\n\ndef remote():\n    return bool(os.getenv('CI'))\n\n\n",
        "if remote():\n        return",
    ),
    "environment_by_a_constant": (
        "import os\n\nREMOTE = 'CI' in os.environ\n\n\n",
        "if REMOTE:\n        return",
    ),
    "its_own_outcome": ("", "if total(items) != 6:\n        return"),
    "its_own_outcome_by_name": (
        "",
        "found = total(items)\n    if found < 6:\n        return",
    ),
}


@pytest.mark.parametrize(("head", "line"), GUARDED.values(), ids=GUARDED)
def test_a_check_that_is_made_where_it_holds_is_refused(head: str, line: str) -> None:
    before = {**FILES, PATH: HEAD + TOTAL}
    new = head + TOTAL.replace("    assert", f"    {line}\n    assert")
    assert verdict_between(before, {**before, PATH: HEAD + new}) == "refuses"


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("if sys.platform == 'win32':\n        return", id="a_platform"),
        pytest.param("if not items:\n        return", id="what_is_handed_over"),
    ],
)
def test_another_condition_needs_a_person(line: str) -> None:
    before = {**FILES, PATH: HEAD + TOTAL}
    new = "import sys\n\n\n" + TOTAL.replace("    assert", f"    {line}\n    assert")
    assert verdict_between(before, {**before, PATH: HEAD + new}) == "warns"


AGREEING = {
    "class_by_lambda": "class Any(str):\n    __eq__ = lambda self, other: True\n",
    "class_by_name": "def yes(*both):\n    return True\n\n\nclass Any:\n    __eq__ = yes\n",
    "below_another": "class Base:\n    def __eq__(self, other):\n        return True\n\n\n"
    "class Any(Base):\n    pass\n",
    "set_later": "class Any:\n    pass\n\n\nAny.__eq__ = lambda self, other: True\n",
    "made_in_place": "EXPECTED = type('Any', (int,), {'__eq__': lambda self, other: True})(6)\n",
    "made_before": "Any = type('Any', (), {'__eq__': lambda self, other: True})\n",
}


@pytest.mark.parametrize("text", AGREEING.values(), ids=AGREEING)
def test_an_expected_object_that_equals_everything_is_refused(text: str) -> None:
    before = {**FILES, PATH: HEAD + TOTAL}
    made = "" if "EXPECTED" in text else "EXPECTED = Any()\n"
    later = f"{HEAD}{text}\n\n{made}\n\n{TOTAL.replace('== 6', '== EXPECTED')}"
    assert verdict_between(before, {**before, PATH: later}) == "refuses"
    honest = later.replace("return True", "return other == 6").replace(": True", ": other == 6")
    assert verdict_between(before, {**before, PATH: honest}) != "refuses"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("    total = lambda *rest: 6\n", id="lambda"),
        pytest.param("    def total(*rest):\n        return 6\n\n", id="function"),
    ],
)
def test_a_name_of_the_tested_code_that_the_test_takes_is_refused(text: str) -> None:
    before = {**FILES, PATH: HEAD + TOTAL}
    later = TOTAL.replace("    assert", f"{text}    assert")
    assert verdict_between(before, {**before, PATH: HEAD + later}) == "refuses"


def test_a_fixture_of_that_name_is_refused_wherever_it_stands() -> None:
    fixture = "import pytest\n\n\n@pytest.fixture\ndef total():\n    return lambda *rest: 6\n"
    before = {**FILES, PATH: HEAD + TOTAL}
    later = {**before, PATH: HEAD + TOTAL.replace("(items)", "(items, total)", 1)}
    assert verdict_between(before, {**later, "tests/conftest.py": fixture}) == "refuses"
