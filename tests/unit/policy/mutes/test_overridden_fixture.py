"""Rows of `parametrize` in the place of a fixture; and rows beside it."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

CONFTEST = "tests/conftest.py"
TEST = "import pytest\n\n\ndef test_total(cart):\n    assert cart.total() == 3\n"
OLD = {
    "shop.py": "class Cart:\n    def total(self):\n        return 3\n",
    CONFTEST: "import pytest\nfrom shop import Cart\n\n\n@pytest.fixture\ndef cart():\n"
    "    return Cart()\n",
    PATH: TEST,
}
DONE = "class Done:\n    def total(self):\n        return 3\n\n\n"
OVERRIDES = {
    "text": "@pytest.mark.parametrize('cart', [Done()])\n",
    "several": "@pytest.mark.parametrize('cart,', [(Done(),)])\n",
    "listed": "@pytest.mark.parametrize(['cart'], [[Done()]])\n",
    "keyword": "@pytest.mark.parametrize(argnames='cart', argvalues=[Done()])\n",
    "indirect_off": "@pytest.mark.parametrize('cart', [Done()], indirect=False)\n",
}
HONEST = {
    "beside": "@pytest.mark.parametrize('count', [1])\n",
    "indirect": "@pytest.mark.parametrize('cart', [1], indirect=True)\n",
    "indirect_by_name": "@pytest.mark.parametrize('cart', [1], indirect=['cart'])\n",
}


def marked(line: str) -> str:
    """The test module with a class of its own and a marker."""
    return TEST.replace("def test_total", f"{DONE}{line}def test_total")


@pytest.mark.parametrize("line", OVERRIDES.values(), ids=OVERRIDES)
def test_rows_in_the_place_of_a_fixture_are_told(line: str) -> None:
    assert verdict_between(OLD, {**OLD, PATH: marked(line)}, "stand_in") == "warns"


def test_rows_of_the_whole_module_are_told() -> None:
    text = f"{TEST}\n\n{DONE}pytestmark = pytest.mark.parametrize('cart', [Done()])\n"
    assert verdict_between(OLD, {**OLD, PATH: text}, "stand_in") == "warns"


@pytest.mark.parametrize("line", HONEST.values(), ids=HONEST)
def test_rows_beside_a_fixture_are_honest(line: str) -> None:
    assert verdict_between(OLD, {**OLD, PATH: marked(line)}, "stand_in") == "accepts"


def test_a_new_test_may_have_rows_of_its_own() -> None:
    more = f"{DONE}{OVERRIDES['text']}def test_more(cart):\n    assert cart.total()\n"
    assert verdict_between(OLD, {**OLD, PATH: f"{TEST}\n\n{more}"}) == "accepts"
