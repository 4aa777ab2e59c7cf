"""Tricks that go round a corner: tested code by tables of modules, values through names."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

HEAD = "import sys\nfrom shop import total\n\n\n"
OLD = f"{HEAD}def test_total(items, monkeypatch):\n    assert total(items) == 6\n"
SHOP = "def total(items):\n    return sum(items)\n"


def new(body: str) -> str:
    """The test with another body."""
    return f"{HEAD}def test_total(items, monkeypatch):\n    {body}\n"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("want = total(items)\n    assert total(items) == want", id="its_own_answer"),
        pytest.param(
            "a = total(items)\n    b = total(items)\n    assert a == b", id="the_same_call_twice"
        ),
        pytest.param(
            "class Any:\n        def __eq__(self, other):\n            return True\n"
            "    assert total(items) == Any()",
            id="a_class_of_its_own_that_agrees",
        ),
        pytest.param(
            "assert total(items) == __import__('unittest.mock').mock.ANY", id="any_in_place"
        ),
        pytest.param(
            "monkeypatch.setattr(sys.modules[__name__], 'total', lambda x: 6)\n"
            "    assert total(items) == 6",
            id="its_own_module_by_its_name",
        ),
        pytest.param(
            "monkeypatch.setattr(sys.modules['shop'], 'total', lambda x: 6)\n"
            "    from shop import total\n    assert total(items) == 6",
            id="the_tested_module_by_its_name",
        ),
    ],
)
def test_what_goes_round_a_corner_is_refused(body: str) -> None:
    for shop in (SHOP, SHOP.replace("sum(items)", "1 + sum(items)")):
        old, later = {PATH: OLD, "shop.py": SHOP}, {PATH: new(body), "shop.py": shop}
        assert verdict_between(old, later) == "refuses"
