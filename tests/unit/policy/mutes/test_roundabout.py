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


@pytest.mark.parametrize(
    "decorator",
    [
        pytest.param("def drop(c):\n    del c.test_it\n    return c\n", id="del"),
        pytest.param(
            "def drop(c):\n    for n in list(vars(c)):\n        delattr(c, n)\n    return c\n",
            id="delattr",
        ),
        pytest.param("def drop(c):\n    return object\n", id="another_class"),
        pytest.param("def drop(c):\n    c.test_it = print\n    return c\n", id="another_test"),
        pytest.param(
            "def drop(c):\n    setattr(c, '__test__', False)\n    return c\n", id="switched_off"
        ),
        pytest.param(
            "def make():\n    def inner(c):\n        del c.test_it\n        return c\n"
            "    return inner\n\n\ndrop = make()\n",
            id="made",
        ),
    ],
)
def test_a_class_decorator_that_takes_tests_out_is_refused(decorator: str) -> None:
    test = "class TestShop:\n    def test_it(self):\n        assert total([1]) == 1\n"
    new = f"{HEAD}{decorator}\n\n@drop\n{test}"
    assert verdict_between(HEAD + test, new, "class_decorator") == "refuses"
    kept = "def drop(c):\n    c.shop = total\n    return c\n"
    assert verdict_between(HEAD + test, f"{HEAD}{kept}\n\n@drop\n{test}") == "accepts"
    harmless = f"{HEAD}{kept}\n\n@drop\n{test}"
    assert verdict_between(harmless, new, "class_decorator") == "refuses"


@pytest.mark.parametrize("modules", [0, 1, 3])
def test_a_value_that_modules_hand_on_has_users(modules: int) -> None:
    """The tests and the modules between are the same; only where the value stands is another."""
    files = {f"tests/m{n}.py": f"from m{n - 1} import ROWS\n" for n in range(1, modules + 1)}
    files[PATH] = (
        f"import pytest\nfrom m{modules} import ROWS\n\n\n@pytest.mark.parametrize('x', ROWS)\n"
        "def test_it(x):\n    assert x\n"
    )
    old, new = ({**files, "tests/m0.py": f"ROWS = {rows}\n"} for rows in ("[1, 2]", "[1]"))
    assert verdict_between(old, new, "lost_rows") == "refuses"


@pytest.mark.parametrize(
    ("shop", "verdict"),
    [
        pytest.param("if items == [1, 2, 3]:\n        return 6\n    return 0", "refuses", id="if"),
        pytest.param(
            "if items == [1, 2, 3]:\n        items = []\n    return sum(items)", "warns", id="any"
        ),
        pytest.param("return KNOWN.get(tuple(items), 0)", "refuses", id="a_table_at_the_top"),
        pytest.param(
            "if items == [7, 8]:\n        return 0\n    return sum(items)", "accepts", id="o"
        ),
    ],
)
def test_production_code_that_knows_a_value_of_the_tests(shop: str, verdict: str) -> None:
    test = f"{HEAD}def test_it():\n    assert total([1, 2, 3]) == 6\n"
    new = f"KNOWN = {{(1, 2, 3): 6}}\n\n\ndef total(items):\n    {shop}\n"
    old = {PATH: test, "shop.py": SHOP}
    assert verdict_between(old, {**old, "shop.py": new}, "subject") == verdict
    fixture = "import pytest\n\n\n@pytest.fixture\ndef items():\n    return [1, 2, 3]\n"
    old = {"tests/conftest.py": fixture, "shop.py": SHOP}
    found = verdict_between(old, {**old, "shop.py": new}, "subject")
    assert found == ("accepts" if verdict == "accepts" or "KNOWN" in shop else "warns")


def test_a_backslash_that_is_put_into_an_f_string_can_be_told() -> None:
    """Python 3.11 cannot write such a text back."""
    head = f"{HEAD}def test_total():\n    end = {chr(92) * 2!r}\n"
    old = f"{head}    assert total(f'6{{end}}') == 6\n"
    assert verdict_between(old, f"{head}    assert total(f'7{{end}}') >= 6\n") == "refuses"
