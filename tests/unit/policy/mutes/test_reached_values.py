"""Values of helper modules, and stubs in conftest files, by which unchanged tests say less."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import mutes_between, verdict_between

SHOP = "src/shop.py"
OLD = {
    SHOP: "class Order:\n    def __init__(self, lines):\n        self.lines = lines\n\n"
    "    def total(self):\n        return sum(self.lines)\n",
    "tests/data.py": "EXPECTED = 6\nTOLERANCE = 0.001\nNAMES = ('a', 'b')\n",
    "tests/conftest.py": "import pytest\nfrom shop import Order\n\n\n@pytest.fixture\n"
    "def order():\n    return Order([1, 2, 3])\n",
    "tests/test_shop.py": "import pytest\nimport data\nfrom data import NAMES\n\n\n"
    "def test_total(order):\n    assert order.total() == data.EXPECTED\n\n\n"
    "def test_close(order):\n    assert order.total() == pytest.approx(6, abs=data.TOLERANCE)\n\n\n"
    "def test_name(order):\n    assert order.name in NAMES\n",
}
AGREES = "class Sum:\n    def __eq__(self, other):\n        return True\n\n\n"


def changed(path: str, old: str, new: str) -> dict[str, str]:
    """The files with one text in the place of another."""
    assert old in OLD[path]
    return {**OLD, path: OLD[path].replace(old, new)}


WEAKER = {
    "any": changed("tests/data.py", "EXPECTED = 6", "from unittest.mock import ANY as EXPECTED"),
    "any_by_name": changed(
        "tests/data.py", "EXPECTED = 6", "from unittest import mock\nEXPECTED = mock.ANY"
    ),
    "an_object_that_agrees": changed("tests/data.py", "EXPECTED = 6", AGREES + "EXPECTED = Sum()"),
    "tolerance": changed("tests/data.py", "0.001", "1000"),
    "more_values": changed("tests/data.py", "('a', 'b')", "('a', 'b', 'c')"),
}
TOLD = {
    "another_value": changed("tests/data.py", "EXPECTED = 6", "EXPECTED = 7"),
    "fixture_stub": changed(
        "tests/conftest.py",
        "    return Order([1, 2, 3])",
        "    order = Order([1, 2, 3])\n    order.total = lambda: 6\n    return order",
    ),
    "function_stub": changed(
        "tests/conftest.py", "\n\n\n@", "\nimport shop\n\nshop.Order = lambda lines: None\n\n\n@"
    ),
    "class_stub": changed(
        "tests/conftest.py", "\n\n\n@", "\n\nOrder.total = lambda self: 6\n\n\n@"
    ),
}
HONEST = {
    "comment": changed("tests/data.py", "EXPECTED = 6", "EXPECTED = 6  # lines of three"),
    "narrower": changed("tests/data.py", "0.001", "0.0001"),
    "more_names": changed("tests/data.py", "EXPECTED", "OTHER = 1\nEXPECTED"),
    "fixture": changed("tests/conftest.py", "[1, 2, 3]", "[3, 2, 1]"),
}


@pytest.mark.parametrize("new", WEAKER.values(), ids=WEAKER)
def test_what_says_less_is_refused(new: dict[str, str]) -> None:
    assert verdict_between(OLD, new) == "refuses"
    edited = {**new, SHOP: new[SHOP].replace("sum(", "1 + sum(")}
    assert verdict_between(OLD, edited) == "refuses"


@pytest.mark.parametrize("new", TOLD.values(), ids=TOLD)
def test_what_says_something_else_is_told(new: dict[str, str]) -> None:
    assert mutes_between(OLD, new)


@pytest.mark.parametrize("new", HONEST.values(), ids=HONEST)
def test_what_says_as_much_is_honest(new: dict[str, str]) -> None:
    assert verdict_between(OLD, new) == "accepts"
