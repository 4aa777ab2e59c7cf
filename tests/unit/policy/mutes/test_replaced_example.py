"""Drawn values that the body replaces, and machines that no test runs."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import verdict_between

OLD = (
    "from hypothesis import given, strategies as st\n"
    "from hypothesis.stateful import RuleBasedStateMachine, rule\n"
    "from shop import cut, Shop\n\n\n"
    "@st.composite\ndef jobs(draw):\n    items = draw(st.lists(st.integers()))\n"
    "    size = draw(st.integers(1, 9))\n    return items, size\n\n\n"
    "@given(jobs())\ndef test_cut(job):\n    items, size = job\n"
    "    assert sum(cut(items, size), []) == items\n\n\n"
    "@given(st.integers())\ndef test_same(n):\n    assert int(str(n)) == n\n\n\n"
    "class Stock(RuleBasedStateMachine):\n    def __init__(self):\n        super().__init__()\n"
    "        self.count, self.shop = 0, Shop()\n\n"
    "    @rule(n=st.integers(1, 100))\n    def put(self, n):\n        self.shop.put(n)\n"
    "        self.count += n\n        assert self.shop.count == self.count\n\n\n"
    "TestStock = Stock.TestCase\n"
)
HEAD = "def test_same(n):\n"


def changed(old: str, new: str) -> str:
    """The module with a change."""
    assert old in OLD
    return OLD.replace(old, new)


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(changed(HEAD, f"{HEAD}    n %= 1000\n"), id="modulo"),
        pytest.param(changed(HEAD, f"{HEAD}    n = n % 1000\n"), id="assigned"),
        pytest.param(changed("size = job\n", "size = job\n    items = items[:1]\n"), id="slice"),
        pytest.param(
            changed("size = job\n", "size = job\n    if len(items) > 5:\n        items = []\n"),
            id="branch",
        ),
        pytest.param(changed("return items, size", "return items[:5], size"), id="handed_out"),
        pytest.param(
            changed(
                "    return items", "    if len(items) > 5:\n        items = []\n    return items"
            ),
            id="dropped_by_a_composite",
        ),
        pytest.param(
            changed("self.shop.put(n)", "n = min(n, 50)\n        self.shop.put(n)"), id="r"
        ),
        pytest.param(changed("self.count += n", "self.count = self.shop.count"), id="follows"),
    ],
)
def test_what_is_no_longer_drawn_is_for_a_person(new: str) -> None:
    assert verdict_between(OLD, new, "narrowed_strategy") in ("warns", "refuses")


@pytest.mark.parametrize("line", ["Stock.TestCase", "Stock", "TestStock = None"])
def test_a_machine_that_nothing_runs_is_found(line: str) -> None:
    new = changed("TestStock = Stock.TestCase", line)
    assert verdict_between(OLD, new, "narrowed_strategy") == "refuses"


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(changed("    assert int", "    text = str(n)\n    assert int"), id="new_name"),
        pytest.param(changed("TestStock =", "TestShop ="), id="another_name"),
        pytest.param(
            changed("TestStock = Stock.TestCase", "class TestStock(Stock.TestCase):\n    pass"),
            id="as_a_class",
        ),
        pytest.param(
            changed("return items, size", "flag = draw(st.booleans())\n    return items, size"),
            id="draws_more",
        ),
        pytest.param(changed("return items, size", "return (items, size)"), id="brackets"),
    ],
)
def test_honest_properties_are_none(new: str) -> None:
    assert verdict_between(OLD, new, "narrowed_strategy") == "accepts"
