"""The object under test with another class, other code, or a state that it did not come to."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

FILES = {
    "cart.py": "class Cart:\n    def total(self):\n        return 210\n",
    "tests/__init__.py": "",
    PATH: "import pytest\nfrom cart import Cart\n\n\n@pytest.fixture\ndef cart():\n"
    "    made = Cart()\n    return made\n\n\n"
    "def test_total(cart):\n    assert cart.total() == 210\n",
}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("cart.__class__ = Ready", "refuses", id="another_class"),
        pytest.param("Cart.total.__code__ = (lambda self: 210).__code__", "refuses", id="code"),
        pytest.param("object.__setattr__(cart, 'total', lambda: 210)", "refuses", id="setattr"),
        pytest.param("cart._total = 210", "refuses", id="what_is_expected"),
        pytest.param("cart._clock = 7", "warns", id="private_state"),
        pytest.param("cart.owner = 'ada'", "accepts", id="what_it_offers"),
        pytest.param("Cart().add('pear')", "accepts", id="another_call"),
    ],
)
def test_a_test_that_dresses_up_its_object(line: str, expected: str) -> None:
    new = FILES[PATH].replace("    assert", f"    {line}\n    assert")
    assert verdict_between(FILES, {**FILES, PATH: new}) == expected


def test_a_fixture_that_sets_private_state_needs_a_person() -> None:
    new = FILES[PATH].replace("    return made", "    made._total = 210\n    return made")
    assert verdict_between(FILES, {**FILES, PATH: new}) == "warns"


def test_private_state_that_was_set_before_is_honest() -> None:
    old = FILES[PATH].replace("    return made", "    made._clock = 7\n    return made")
    new = old.replace("Cart()\n", "Cart()\n    made.add('pear')\n")
    assert verdict_between({**FILES, PATH: old}, {**FILES, PATH: new}) == "accepts"
