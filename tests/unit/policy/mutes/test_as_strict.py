"""Checks that say as much as before in other words, and those that only seem to."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

SHOP = {
    "shop.py": "def load():\n    return {}\n\n\ndef add(n):\n    raise ValueError('positive')\n"
}
HEAD = "import pytest\n\nfrom shop import add, load\n\n\n"


def side(body: str) -> dict[str, str]:
    """A test with a body."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return {PATH: f"{HEAD}def test_it():\n{lines}", **SHOP}


RAISES = "with pytest.raises(ValueError, match='positive'):\n    add(0)"
PLAIN = "with pytest.raises(ValueError) as caught:\n    add(0)\n"
WHOLE = "assert load() == {'apple': 3}"
TWO = "assert load() == {'apple': 3, 'pear': 1}"
PARTS = "loaded = load()\nassert loaded['apple'] == 3\n"
ROWS = "rows = load()\nassert rows == [1, 2]\n"


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        pytest.param(
            RAISES, PLAIN + "assert str(caught.value) == 'positive'", "accepts", id="whole_message"
        ),
        pytest.param(RAISES, PLAIN + "assert caught", "refuses", id="no_message"),
        pytest.param(RAISES, PLAIN + "assert str(caught.value)", "refuses", id="some_message"),
        pytest.param(
            RAISES, PLAIN + "assert str(1) == '1'", "refuses", id="a_message_of_something_else"
        ),
        pytest.param(
            RAISES,
            PLAIN + "return\nassert str(caught.value) == 'positive'",
            "refuses",
            id="message_never_asked",
        ),
        pytest.param(WHOLE, PARTS + "assert len(loaded) == 1", "warns", id="parts_and_length"),
        pytest.param(WHOLE, "assert len(load()) == 1", "refuses", id="length_alone"),
        pytest.param(TWO, PARTS + "assert len(loaded) == 2", "refuses", id="one_part_of_two"),
        pytest.param(ROWS + "assert len(rows) == 2", ROWS, "accepts", id="implied_length"),
        pytest.param(ROWS + "assert len(rows) == 3", ROWS, "refuses", id="another_length"),
        pytest.param(
            ROWS + "assert len(load()['x']) == 2", ROWS, "refuses", id="length_of_something_else"
        ),
    ],
)
def test_as_strict_as_before(old: str, new: str, verdict: str) -> None:
    assert verdict_between(side(old), side(new)) == verdict
