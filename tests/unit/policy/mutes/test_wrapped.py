"""The same value is expected, of something else than the answer itself."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

CART = (
    "class Cart:\n    def total(self):\n        return 210\n\n\n"
    "def names():\n    return ['b', 'a']\n"
)
FILES = {"cart.py": CART, "tests/__init__.py": ""}
HEAD = "import asyncio\nimport pytest\nfrom cart import Cart, names\n\n\n"
TOTAL = "assert Cart().total() == 210"
NAMES = "assert names() == ['b', 'a']"
ROWS = "for want in rows:\n    assert Cart().total() == want"


def module(body: str) -> str:
    """A test module with a body."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{HEAD}def test_it(rows):\n{lines}"


REFUSED = {
    "larger_of_both": (TOTAL, "assert max(Cart().total(), 210) == 210"),
    "larger_of_both_turned": (TOTAL, "assert 210 == max(210, Cart().total())"),
    "larger_and_identical": (TOTAL, "assert max(Cart().total(), 210) is 210"),
    "and": (TOTAL, "assert (Cart().total() and 210) == 210"),
    "times_nothing": (TOTAL, "assert Cart().total() * 0 + 210 == 210"),
    "less_itself": (TOTAL, "assert Cart().total() - Cart().total() + 210 == 210"),
    "looked_up": (TOTAL, "assert {210: 210}.get(Cart().total(), 210) == 210"),
    "worked_out": (TOTAL, "assert max(Cart().total(), 200 + 10) == 210"),
    "one_or_the_other": (TOTAL, "x = Cart().total()\nassert (x if x == 210 else 210) == 210"),
    "corrected": (TOTAL, "x = Cart().total()\nx += 210 - x\nassert x == 210"),
    "corrected_in_a_lambda": (TOTAL, "assert (lambda x: 210)(Cart().total()) == 210"),
    "names_or_those": (NAMES, "x = names()\nassert (x if not x else ['b', 'a']) == ['b', 'a']"),
    "row_or_that": (ROWS, "for want in rows:\n    assert max(Cart().total(), want) == want"),
    "unittest": (
        "self.assertEqual(Cart().total(), 210)",
        "self.assertEqual(max(Cart().total(), 210), 210)",
    ),
    "nothing_of_a_few": ("assert Cart().total() == 1", "assert max(Cart().total(), 1) == 1"),
}
WARNED = {
    "without_order": (NAMES, "assert set(names()) == {'b', 'a'}"),
    "sorted_before": (NAMES, "x = names()\nx.sort()\nassert x == ['b', 'a']"),
    "reversed_before": (NAMES, "x = names()\nx.reverse()\nassert x == ['b', 'a']"),
    "stripped": ("assert names() == 'x\\n'", "assert names().rstrip() + '\\n' == 'x\\n'"),
    "beside_another": (TOTAL, "assert (max(Cart().total(), 210), 3) == (210, 3)"),
    "by_a_function": (TOTAL, "assert settled(Cart().total()) == 210"),
    "an_item": (TOTAL, "assert Cart().total() + 1 == 210"),
    "one_that_stands_everywhere": (
        "assert Cart().total() == 0",
        "assert settled(Cart().total(), 0) == 0",
    ),
}
ACCEPTED = {
    "a_local_name": (TOTAL, "cart = Cart()\nassert cart.total() == 210"),
    "listed": (NAMES, "assert list(names()) == ['b', 'a']"),
    "awaited": (TOTAL, "assert await Cart().total() == 210"),
    "run": (TOTAL, "assert asyncio.run(Cart().total()) == 210"),
    "cast_on_both_sides": (TOTAL, "assert str(Cart().total()) == str(210)"),
    "sorted_on_both_sides_before": (
        "x = sorted(names())\nassert x == ['a', 'b']",
        "x = names()\nx.sort()\nassert x == ['a', 'b']",
    ),
    "counted": (
        "n = Cart().total()\nn += 1\nassert n == 211",
        "total = Cart().total()\ntotal += 1\nassert total == 211",
    ),
}


@pytest.mark.parametrize(("old", "new"), REFUSED.values(), ids=REFUSED)
def test_an_expected_value_inside_of_what_is_compared_is_refused(old: str, new: str) -> None:
    for cart in (CART, CART.replace("210", "200")):
        before = {**FILES, PATH: module(old)}
        assert verdict_between(before, {**before, "cart.py": cart, PATH: module(new)}) == "refuses"


@pytest.mark.parametrize(("old", "new"), WARNED.values(), ids=WARNED)
def test_an_answer_that_is_worked_on_needs_a_person(old: str, new: str) -> None:
    assert verdict_between({**FILES, PATH: module(old)}, {**FILES, PATH: module(new)}) == "warns"


@pytest.mark.parametrize(("old", "new"), ACCEPTED.values(), ids=ACCEPTED)
def test_the_answer_itself_is_honest(old: str, new: str) -> None:
    before = {**FILES, PATH: module(old)}
    assert verdict_between(before, {**FILES, PATH: module(new)}) == "accepts"
