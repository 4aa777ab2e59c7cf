"""Tested code that the tests themselves replace: by name, by table, by fixture, by stand-in."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, mutes_between, verdict_between

SHOP = (
    "def total(items):\n    return sum(items)\n\n\n"
    "def report(items):\n    return f'{total(items)} EUR'\n\n\n"
    "class Order:\n    def total(self):\n        return 3\n"
)
FILES = {"src/shop/__init__.py": "", "src/shop/order.py": SHOP}
CONF = "tests/conftest.py"
FIXTURES = (
    "import pytest\nfrom shop.order import Order\n\n\n"
    "@pytest.fixture\ndef order():\n    return Order()\n"
)
HEAD = "import pytest\nfrom unittest import mock\nfrom shop.order import Order, report, total\n\n\n"
BODY = "    assert total([1, 2]) == 3\n"
OLD = f"{HEAD}def test_total():\n{BODY}"
ASKED = f"{HEAD}def test_order(order):\n    assert order.total() == 3\n"
REPORT = f"{HEAD}def test_report(monkeypatch):\n    assert report([1, 2]) == '3 EUR'\n"


def patched(line: str) -> str:
    """The test of the function, with lines in front of its check."""
    return f"{HEAD}def test_total(monkeypatch):\n    {line}\n{BODY}"


def asking(line: str) -> str:
    """The test of the method, with a line in front of its check."""
    return f"{HEAD}def test_order(order, monkeypatch):\n    {line}\n    assert order.total() == 3\n"


def in_module(text: str) -> str:
    """The test of the method, with something in front of it in the module."""
    return f"{HEAD}{text}\n\n\ndef test_order(order):\n    assert order.total() == 3\n"


def fixture(body: str, options: str = "") -> str:
    """A fixture with a patch."""
    return f"@pytest.fixture{options}\ndef fast(monkeypatch):\n    {body}"


FAKE = "lambda *rest: 3"
ON_CLASS = f"monkeypatch.setattr(Order, 'total', {FAKE})"
REFUSED = {
    "module_attribute_and_import_again": patched(
        "import shop.order\n"
        f"    monkeypatch.setattr(shop.order, 'total', {FAKE})\n    from shop.order import total"
    ),
    "module_under_another_name": patched(
        "import shop.order as it\n"
        f"    monkeypatch.setattr(it, 'total', {FAKE})\n    from shop.order import total"
    ),
    "import_again_in_a_block": patched(
        f"with mock.patch('shop.order.total', {FAKE}):\n        from shop.order import total"
    ),
    "several_at_once": patched(
        f"with mock.patch.multiple('shop.order', total={FAKE}):\n"
        "        from shop.order import total"
    ),
    "the_whole_module": patched(
        "import sys\n    monkeypatch.setitem(sys.modules, 'shop.order', mock.Mock())\n"
        "    from shop.order import total"
    ),
    "the_whole_module_by_assignment": patched(
        "import sys\n    sys.modules['shop.order'] = mock.Mock()\n    from shop.order import total"
    ),
    "own_table": patched(f"monkeypatch.setitem(globals(), 'total', {FAKE})"),
    "own_table_by_assignment": patched(f"globals()['total'] = {FAKE}"),
    "own_table_by_update": patched(f"globals().update(total={FAKE})"),
    "own_table_by_a_name": patched(f"name = 'total'\n    globals()[name] = {FAKE}"),
    "own_table_by_patch": patched(f"mock.patch.dict(globals(), total={FAKE}).start()"),
    "table_of_the_tested_module": patched(
        "import shop.order\n"
        f"    monkeypatch.setitem(vars(shop.order), 'total', {FAKE})\n"
        "    from shop.order import total"
    ),
    "table_of_the_tested_module_by_attribute": patched(
        "import shop.order\n"
        f"    shop.order.__dict__['total'] = {FAKE}\n    from shop.order import total"
    ),
    "type_of_a_fixture": asking(f"monkeypatch.setattr(type(order), 'total', {FAKE})"),
    "class_of_a_fixture": asking(f"monkeypatch.setattr(order.__class__, 'total', {FAKE})"),
    "method_of_the_class": asking(ON_CLASS),
    "autouse_in_the_module": in_module(fixture(ON_CLASS, "(autouse=True)")),
    "set_up_of_the_module": in_module(f"def setup_module():\n    Order.total = {FAKE}"),
}
WARNED = {
    "fixture_that_somebody_asks_for": in_module(fixture(ON_CLASS)),
    "what_the_tested_function_calls": REPORT.replace(
        "    assert", f"    monkeypatch.setattr('shop.order.total', {FAKE})\n    assert"
    ),
}
ACCEPTED = {
    "an_attribute_of_a_library": patched("monkeypatch.setattr('os.getcwd', lambda: '/')"),
    "a_module_of_a_library": patched(
        "import sys\n    monkeypatch.setitem(sys.modules, 'colorama', None)"
    ),
    "a_variable_of_the_environment": patched("monkeypatch.setenv('TZ', 'UTC')"),
    "an_item_of_a_plain_table": patched("monkeypatch.setitem({}, 'total', 3)"),
    "an_item_of_a_table_of_names": patched("prices = {}\n    prices['total'] = 3"),
    "another_method": asking("monkeypatch.setattr(type(order), 'label', 'x', raising=False)"),
}


def _verdict(old: str, new: str, shop: str = SHOP) -> str:
    before = {**FILES, CONF: FIXTURES, PATH: old}
    return verdict_between(before, {**before, PATH: new, "src/shop/order.py": shop})


def _before(new: str) -> str:
    return next(each for each in (ASKED, REPORT, OLD) if f"{each[len(HEAD) : -1]}"[:14] in new)


@pytest.mark.parametrize("new", REFUSED.values(), ids=REFUSED)
def test_replacing_what_the_test_calls_is_refused(new: str) -> None:
    assert _verdict(_before(new), new) == "refuses"
    edited = SHOP.replace("sum(items)", "sum(items) + 1")
    assert _verdict(_before(new), new, edited) == "refuses"


@pytest.mark.parametrize("new", WARNED.values(), ids=WARNED)
def test_replacing_what_lies_behind_needs_a_person(new: str) -> None:
    assert _verdict(_before(new), new) == "warns"


@pytest.mark.parametrize("new", ACCEPTED.values(), ids=ACCEPTED)
def test_replacing_collaborators_is_honest(new: str) -> None:
    assert _verdict(_before(new), new) == "accepts"


def test_a_new_test_may_replace_what_its_own_subject_calls() -> None:
    more = REPORT.replace(
        "    assert", f"    monkeypatch.setattr('shop.order.total', {FAKE})\n    assert"
    )
    assert _verdict(OLD, OLD + more[len(HEAD) - 2 :]) == "accepts"


STAND_INS = {
    "a_mock_around_it": "    it = mock.MagicMock(wraps=Order())\n    return it\n",
    "a_class_of_its_own": "    class Quick(Order):\n        total = None\n\n    return Quick()\n",
    "yielded": "    yield mock.Mock()\n",
}


@pytest.mark.parametrize("body", STAND_INS.values(), ids=STAND_INS)
def test_a_fixture_that_hands_out_a_stand_in_needs_a_person(body: str) -> None:
    before = {**FILES, CONF: f"from unittest import mock\n{FIXTURES}", PATH: ASKED}
    later = {**before, CONF: before[CONF].replace("    return Order()\n", body)}
    assert verdict_between(before, later, "stand_in") == "warns"
    assert verdict_between(later, before, "stand_in") == "accepts"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            "    it = Order()\n    it.mail = mock.Mock()\n    return it\n", id="a_mock_in_it"
        ),
        pytest.param("    it = Order()\n    yield it\n", id="yielded"),
    ],
)
def test_a_fixture_that_still_hands_out_the_tested_object_is_honest(body: str) -> None:
    before = {**FILES, CONF: f"from unittest import mock\n{FIXTURES}", PATH: ASKED}
    later = {**before, CONF: before[CONF].replace("    return Order()\n", body)}
    assert verdict_between(before, later) == "accepts"


def test_a_conftest_file_that_replaces_tested_code_unasked_needs_a_person() -> None:
    before = {**FILES, CONF: FIXTURES, PATH: ASKED}
    more = f"\n\n{fixture(ON_CLASS, '(autouse=True)')}\n"
    found = mutes_between(before, {**before, CONF: FIXTURES + more})
    assert [each.detector for each in found] == ["patched_subject"]
    assert "Order" in found[0].now
