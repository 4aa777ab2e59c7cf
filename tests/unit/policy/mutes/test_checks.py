"""Checks of a test that are removed, dead, weakened or changed: each trick, in each dressing."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, mutes_between, verdict_between

HEAD = (
    "import contextlib, math, pytest\nfrom unittest import TestCase, mock\n"
    "from shop import Order, total\n\n\n"
)
SHOP = "def total(items):\n    return sum(items)\n"
CHECK = "assert total([1, 2]) == 3"
RAISES = "with pytest.raises(ValueError, match='bad'):\n    total(None)"
CALLED = "m = mock.Mock()\ntotal(m)\nm.assert_called_once_with(1)"


def module(body: str, before: str = "") -> str:
    """A test module with one test of this body."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"{HEAD}{before}def test_a():\n{lines}"


def method(line: str) -> str:
    """A test module with one test case of unittest."""
    return f"{HEAD}class TestA(TestCase):\n    def test_a(self):\n        {line}\n"


SILENCED = {
    "pass": "pass",
    "ellipsis": "...",
    "docstring_alone": '"""Total."""',
    "call_alone": "total([1, 2])",
    "expression_statement": "total([1, 2]) == 3",
    "print": "print(total([1, 2]) == 3)",
    "truthiness": "assert total([1, 2])",
    "not_none": "assert total([1, 2]) is not None",
    "isinstance": "assert isinstance(total([1, 2]), int)",
    "object": "assert isinstance(total([1, 2]), object)",
    "bound": "assert total([1, 2]) > 0",
    "one_of": "assert total([1, 2]) in (3, 4)",
    "unequal": "assert total([1, 2]) != 4",
    "not_equal": "assert not total([1, 2]) == 4",
    "or_true": f"{CHECK} or True",
    "tuple": "assert (total([1, 2]) == 3, 'x')",
    "list": "assert [total([1, 2]) == 3]",
    "generator": "assert (total([1, 2]) == 3 for _ in [1])",
    "any_with_a_constant": "assert any([total([1, 2]) == 3, 1])",
    "true": "assert True",
    "text": "assert 'a'",
    "constants": "assert 3 == 3",
    "constant_by_name": "x = 3\nassert x == 3",
    "itself": "x = total([1, 2])\nassert x == x",
    "itself_by_another_name": "x = total([1, 2])\ny = x\nassert x == y",
    "same_call": "assert total([1, 2]) == total([1, 2])",
    "same_call_by_name": "e = total([1, 2])\nassert total([1, 2]) == e",
    "function_itself": "assert total",
    "callable": "assert callable(total)",
    "mock_any": "assert total([1, 2]) == mock.ANY",
    "approx": "assert total([1, 2]) == pytest.approx(3, abs=1)",
    "round": "assert round(total([1, 2])) == 3",
    "difference": "assert abs(total([1, 2]) - 3) < 1",
    "isclose": "assert math.isclose(total([1, 2]), 3, rel_tol=.5)",
    "length": "assert len([total([1, 2])]) == 1",
    "startswith": "assert str(total([1, 2])).startswith('3')",
    "after_return": f"return\n{CHECK}",
    "after_exit": f"pytest.exit('x')\n{CHECK}",
    "after_raise": f"raise SystemExit\n{CHECK}",
    "if_false": f"if False:\n    {CHECK}",
    "if_main": f"if __name__ == '__main__':\n    {CHECK}",
    "while_zero": f"while 0:\n    {CHECK}",
    "for_in_nothing": f"for _ in []:\n    {CHECK}",
    "for_in_range_zero": f"for _ in range(0):\n    {CHECK}",
    "except_assertion": f"try:\n    {CHECK}\nexcept AssertionError:\n    pass",
    "except_bare": f"try:\n    {CHECK}\nexcept:\n    print('x')",
    "finally_return": f"try:\n    {CHECK}\nfinally:\n    return",
    "suppress": f"with contextlib.suppress(Exception):\n    {CHECK}",
    "raises_assertion": f"with pytest.raises(AssertionError):\n    {CHECK}",
    "if_not_function": f"if not total:\n    {CHECK}",
    "function_is_none": f"while total is None:\n    {CHECK}",
    "for_in_a_slice": f"for x in [1][1:]:\n    {CHECK}",
    "for_in_an_empty_name": f"x = []\nfor _ in x:\n    {CHECK}",
    "except_by_name": f"E = AssertionError\ntry:\n    {CHECK}\nexcept E:\n    pass",
    "except_tuple": f"try:\n    {CHECK}\nexcept (ValueError, AssertionError):\n    pass",
    "except_group": f"try:\n    {CHECK}\nexcept* AssertionError:\n    pass",
    "except_of_nothing": f"try:\n    pass\nexcept ZeroDivisionError:\n    {CHECK}",
    "suppress_by_name": f"s = contextlib.suppress\nwith s(AssertionError):\n    {CHECK}",
    "exit_stack": "with contextlib.ExitStack() as st:\n"
    f"    st.enter_context(contextlib.suppress(AssertionError))\n    {CHECK}",
    "case_that_never_matches": f"match 1:\n    case 2:\n        {CHECK}",
    "thread": f"import threading\ndef f():\n    {CHECK}\nthreading.Thread(target=f).start()",
    "after_continue": f"for i in range(3):\n    continue\n    {CHECK}",
    "either": f"{CHECK} or total([1, 2]) != 3",
    "text_that_formats": "assert f'{total([1, 2]) == 3}'",
    "lambda_is_true": "assert (lambda: total([1, 2]) == 3)",
    "overwritten": "result = total([1, 2])\nresult = 3\nassert result == 3",
    "python_itself": "assert sum([1, 2]) == 3",
    "is_a_bool": "assert isinstance(total([1, 2]) == 3, bool)",
    "is_not_none_of_a_comparison": "assert (total([1, 2]) == 3) is not None",
    "nobody_calls": f"def inner():\n    {CHECK}",
    "lambda": "f = lambda: check(total([1, 2]) == 3)",
    "coroutine_not_awaited": f"async def inner():\n    {CHECK}\ninner()",
    "generator_not_run": f"def inner():\n    {CHECK}\n    yield\ninner()",
}
each_silenced = pytest.mark.parametrize(
    "body", [pytest.param(body, id=name) for name, body in SILENCED.items()]
)


@each_silenced
def test_a_check_that_says_less_is_found(body: str) -> None:
    old, new = ({PATH: each, "shop.py": SHOP} for each in (module(CHECK), module(body)))
    assert verdict_between(old, new) == "refuses"


@each_silenced
def test_an_edit_of_the_source_lowers_nothing(body: str) -> None:
    new = {PATH: module(body), "shop.py": SHOP.replace("return", "return 1 +")}
    assert verdict_between({PATH: module(CHECK), "shop.py": SHOP}, new) == "refuses"


@each_silenced
def test_a_new_name_and_another_form_hide_nothing(body: str) -> None:
    new = module(body).replace("test_a", "test_another").replace("'", '"').replace("\n\n\n", "\n\n")
    old = {PATH: module(CHECK), "shop.py": SHOP}
    assert verdict_between(old, {**old, PATH: f"{new}\n# formatted\n"}) == "refuses"


@each_silenced
def test_new_tests_and_trivial_asserts_lower_nothing(body: str) -> None:
    new = module(f"assert isinstance(1, int)\n{body}")
    more = "\n\ndef test_more():\n    assert total([]) == 0\n"
    old = {PATH: module(CHECK), "shop.py": SHOP}
    assert verdict_between(old, {**old, PATH: new + more}) == "refuses"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(RAISES, RAISES.replace("ValueError", "Exception"), id="base_class"),
        pytest.param(RAISES, RAISES.replace("ValueError", "(ValueError, TypeError)"), id="tuple"),
        pytest.param(RAISES, RAISES.replace(", match='bad'", ""), id="match_dropped"),
        pytest.param(RAISES, RAISES.replace("'bad'", "'.*'"), id="match_takes_all"),
        pytest.param(RAISES, "try:\n    total(None)\nexcept ValueError:\n    pass", id="try"),
        pytest.param(RAISES, "total(1)", id="raises_dropped"),
        pytest.param(CALLED, CALLED.replace("assert_c", "c"), id="misspelt_mock"),
        pytest.param(CALLED, CALLED.replace("_once_with(1)", "()"), id="called_at_all"),
        pytest.param(CALLED, CALLED.replace("1)", "mock.ANY)"), id="mock_any_as_argument"),
        pytest.param(CALLED, CALLED.replace("(1)", ""), id="mock_method_not_called"),
        pytest.param(RAISES, RAISES.replace("total(None)", "raise ValueError"), id="raised_here"),
        pytest.param("assert total(1) < 5", "assert total(1) < 50", id="wider_bound"),
        pytest.param("assert total(1) < 5", "assert total(1) <= 5", id="bound_included"),
        pytest.param("assert total(1) in (1,)", "assert total(1) in (1, 2)", id="one_more_value"),
        pytest.param("assert 'ab cd' in total(1)", "assert 'a' in total(1)", id="smaller_part"),
        pytest.param(
            "assert isinstance(total(1), int)",
            "assert isinstance(total(1), (int, str))",
            id="one_more_type",
        ),
        pytest.param(
            "assert total(1) == {'a': 1, 'b': 2}", "assert total(1)['a'] == 1", id="one_item"
        ),
        pytest.param(
            "assert total(1) == 1\nassert total(2) == 2", "assert total(1) == 1", id="one_fewer"
        ),
        pytest.param(
            "assert total(1) == 1\nassert total(2) == 2",
            "assert total(1) == 1\nassert total(1) == 1",
            id="one_twice",
        ),
        pytest.param(
            "assert total(1) == [1, 2]", "assert sorted(total(1)) == sorted([1, 2])", id="sorted"
        ),
        pytest.param(
            "assert all(total(x) for x in 'ab')", "assert any(total(x) for x in 'ab')", id="any"
        ),
        pytest.param(
            "assert total(1) == pytest.approx(2.0)",
            "assert total(1) == pytest.approx(2.0, rel=0.01)",
            id="wider_approx",
        ),
    ],
)
def test_a_looser_form_is_found(old: str, new: str) -> None:
    assert verdict_between(module(old), module(new)) == "refuses"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.assertEqual(total([1]), 1)", "self.assertTrue(total([1]), 1)"),
        ("self.assertEqual(total([1]), 1)", "self.assertIsNotNone(total([1]))"),
        (
            "self.assertAlmostEqual(total([1]), 1.0, places=7)",
            "self.assertAlmostEqual(total([1]), 1.0, places=2)",
        ),
    ],
)
def test_a_weaker_method_is_found(old: str, new: str) -> None:
    assert verdict_between(method(old), method(new)) == "refuses"


def test_a_gutted_helper_is_found() -> None:
    old = module("check(total([1, 2]))", "def check(x):\n    assert x == 3\n\n\n")
    new = module("check(total([1, 2]))", "def check(x):\n    pass\n\n\n")
    assert verdict_between(old, new) == "refuses"


def test_an_imported_helper_hidden_by_one_that_does_nothing_is_found() -> None:
    old = module("check(total([1, 2]), 3)", "from helpers import check\n\n\n")
    new = module("check(total([1, 2]), 3)", "def check(a, b):\n    pass\n\n\n")
    assert verdict_between(old, new) == "refuses"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("CASES = [1, 2, 3]", "CASES = []"),
        ("CASES = [1, 2, 3]", "CASES = [1]"),
        ("TOLERANCE = 0.1", "TOLERANCE = 10"),
        ("TAKEN = (1,)", "TAKEN = (1, 2)"),
    ],
)
def test_a_constant_of_the_module_that_weakens_is_found(old: str, new: str) -> None:
    body = (
        "for case in CASES:\n    assert total(case) == case\n"
        "assert total([1]) == pytest.approx(1, abs=TOLERANCE)\nassert total([1]) in TAKEN"
    )
    before = "CASES = [1, 2, 3]\nTOLERANCE = 0.1\nTAKEN = (1,)\n\n\n"
    after = before.replace(old, new)
    assert verdict_between(module(body, before), module(body, after)) == "refuses"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(CHECK, "assert total([1, 2]) == 4", id="another_value"),
        pytest.param(CHECK, "assert total([1, 3]) == 4", id="another_input_and_value"),
        pytest.param(CHECK, f"if total.x:\n    {CHECK}", id="newly_conditional"),
        pytest.param(RAISES, RAISES.replace("'bad'", "'worse'"), id="another_message"),
    ],
)
def test_what_may_be_honest_needs_a_person(old: str, new: str) -> None:
    assert verdict_between(module(old), module(new)) == "warns"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(CHECK, f"{CHECK}, 'why'", id="a_message"),
        pytest.param(CHECK, "assert 3 == total([1, 2])", id="sides_turned"),
        pytest.param(CHECK, "got = total([1, 2])\nwant = 3\nassert got == want", id="locals"),
        pytest.param(CHECK, f"{CHECK}\nassert total([]) == 0", id="one_more"),
        pytest.param(CHECK, f"{CHECK} and total([]) == 0", id="joined_by_and"),
        pytest.param(f"{CHECK} and total([]) == 0", f"{CHECK}\nassert total([]) == 0", id="split"),
        pytest.param(CHECK, "if total([1, 2]) != 3:\n    pytest.fail('x')", id="fail"),
        pytest.param(CHECK, "assert (total([1, 2]) == 3) is True", id="is_true"),
        pytest.param(CHECK, f"for _ in range(3):\n    {CHECK}", id="a_loop_around"),
        pytest.param(CHECK, f"if True:\n    {CHECK}", id="if_true"),
        pytest.param("assert total(1)", "assert total(1) == 3", id="stricter"),
        pytest.param("assert total(1) == []", "assert not total(1)", id="empty"),
        pytest.param(RAISES, RAISES.replace("(None)", "([None])"), id="another_call_raises"),
        pytest.param(
            "assert total(1) == pytest.approx(2.0, abs=0.1)",
            "assert total(1) == pytest.approx(2.0, abs=0.01)",
            id="tighter",
        ),
        pytest.param(
            "o = Order()\nassert o.a == 1\nassert o.b == 2",
            "o = Order()\nassert o == Order(a=1, b=2)",
            id="one_equality_of_the_whole",
        ),
    ],
)
def test_what_checks_no_less_is_none(old: str, new: str) -> None:
    assert verdict_between(module(old), module(new)) == "accepts"


def test_rows_with_the_same_values_are_none() -> None:
    old = module(f"{CHECK}\nassert total([3]) == 3")
    rows = "@pytest.mark.parametrize('a,b', [([1, 2], 3), ([3], 3)])\n"
    new = f"{HEAD}{rows}def test_a(a, b):\n    assert total(a) == b\n"
    assert verdict_between(old, new) == "accepts"


def test_a_helper_that_is_called_checks_as_the_test_did() -> None:
    new = module("check(total([1, 2]))", "def check(x):\n    assert x == 3\n\n\n")
    assert verdict_between(module(CHECK), new) == "accepts"


def test_from_unittest_to_pytest_is_none() -> None:
    old = method("self.assertEqual(total([1]), 1)\n        self.assertTrue(total(2))")
    new = f"{HEAD}class TestA:\n    def test_a(self):\n        assert total([1]) == 1\n"
    assert verdict_between(old, f"{new}        assert total(2)\n") == "accepts"


def test_a_finding_says_what_stood_there_and_what_stands_there_now() -> None:
    (found,) = mutes_between(module(CHECK), module("assert total([1, 2]) > 0"))
    assert (found.detector, found.test) == ("weakened_check", f"{PATH}::test_a")
    assert found.was == "total([1, 2]) == 3"
    assert found.now == "a bound in the place of equality: total([1, 2]) > 0"
