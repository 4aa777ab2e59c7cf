"""Replacements in tests that later tests meet too."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

OLD = {
    PATH: "from shop import total\n\n\ndef test_a():\n    assert total([1]) == 1\n",
    "tests/test_other.py": "from shop import Order\n\n\ndef test_b():\n    assert Order()\n",
    "src/shop.py": "LIMIT = 3\n\n\ndef total(items):\n    return sum(items)\n\n\n"
    "class Order:\n    def total(self):\n        return 3\n",
}
HEAD = "from unittest import mock\nimport shop\nimport test_it\nfrom shop import Order\n\n"
LEAKS = {
    "function": "shop.total = lambda items: 1",
    "method": "Order.total = lambda self: 1",
    "setattr": "setattr(shop, 'total', print)",
    "type_setattr": "type.__setattr__(Order, 'total', print)",
    "type_of_an_object": "type(Order()).total = print",
    "started": "mock.patch('shop.total').start()",
    "started_object": "mock.patch.object(Order, 'total').start()",
    "table": "shop.__dict__.update(total=print)",
}


def in_test(line: str) -> str:
    """A new test with a line in front of its check."""
    return f"{HEAD}\ndef test_new(monkeypatch):\n    {line}\n    assert shop.total([2]) == 2\n"


@pytest.mark.parametrize("path", ["tests/test_aaa.py", "tests/test_other.py", "tests/conftest.py"])
@pytest.mark.parametrize("line", LEAKS.values(), ids=LEAKS)
def test_what_outlasts_its_test_is_for_a_person(line: str, path: str) -> None:
    for text in (HEAD + line + "\n", in_test(line)):
        new = {**OLD, path: OLD.get(path, "") + text}
        assert verdict_between(OLD, new, "patched_subject") in ("warns", "refuses")


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("test_it.test_a = lambda: None", id="assigned"),
        pytest.param("setattr(test_it, 'test_a', print)", id="setattr"),
    ],
)
def test_another_modules_test_is_replaced_by_nobody(line: str) -> None:
    new = {**OLD, "tests/test_aaa.py": f"{HEAD}{line}\n"}
    assert verdict_between(OLD, new, "patched_subject") == "refuses"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(in_test("monkeypatch.setattr(shop, 'total', print)"), id="monkeypatch"),
        pytest.param(in_test("order = Order()\n    order.total = print"), id="own_object"),
        pytest.param(
            in_test(
                "kept = shop.total\n    shop.total = print\n    try:\n        shop.total([1])\n"
                "    finally:\n        shop.total = kept"
            ),
            id="given_back",
        ),
        pytest.param(
            f"{HEAD}import pytest\n\n\n@pytest.fixture\ndef quick():\n    kept = shop.total\n"
            "    shop.total = print\n    yield\n    shop.total = kept\n",
            id="given_back_by_a_fixture",
        ),
        pytest.param(
            f"{HEAD}import unittest\n\n\nclass TestX(unittest.TestCase):\n    def setUp(self):\n"
            "        self.kept = shop.total\n        shop.total = print\n\n"
            "    def tearDown(self):\n        shop.total = self.kept\n",
            id="given_back_by_tear_down",
        ),
        pytest.param(
            f"{HEAD}import unittest\n\n\nclass TestX(unittest.TestCase):\n    def setUp(self):\n"
            "        patch = mock.patch('shop.total')\n        patch.start()\n"
            "        self.addCleanup(patch.stop)\n",
            id="cleaned_up",
        ),
        pytest.param(
            f"{HEAD}\n@mock.patch('shop.total')\ndef test_x(fake):\n    assert fake\n", id="patch"
        ),
    ],
)
def test_what_ends_with_the_test_is_none(text: str) -> None:
    new = {**OLD, "tests/test_aaa.py": text}
    assert verdict_between(OLD, new, "patched_subject") == "accepts"


def test_what_was_there_before_is_none() -> None:
    leak = f"{HEAD}shop.total = print\n"
    old = {**OLD, "tests/test_aaa.py": leak}
    new = {**old, "tests/test_aaa.py": leak + "\n\ndef test_c():\n    assert shop.LIMIT == 3\n"}
    assert verdict_between(old, new, "patched_subject") == "accepts"
