"""Tests that import a new copy of the tested code; and code that honestly moves."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import verdict_between

CART, COPY, TEST = "src/shop/cart.py", "src/shop/legacy.py", "tests/test_cart.py"
CODE = "class Cart:\n    pass\n\n\ndef total(lines):\n    return sum(lines)\n"
BODY = "\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
OLD = {
    "src/shop/__init__.py": "",
    CART: CODE,
    TEST: f"from shop.cart import total\n{BODY}",
}
BAD = CODE.replace("sum(lines)", "sum(lines) + 1")
IMPORTS = {
    "from": "from shop.legacy import total\n",
    "alias": "from shop.legacy import total as total\n",
    "package": "from shop import legacy\n\ntotal = legacy.total\n",
    "module": "import shop.legacy\n\ntotal = shop.legacy.total\n",
    "computed": "import importlib\n\ntotal = importlib.import_module('shop.legacy').total\n",
}


@pytest.mark.parametrize("code", [CODE, BAD], ids=["alone", "source"])
@pytest.mark.parametrize("imports", IMPORTS.values(), ids=IMPORTS)
def test_a_new_copy_is_told(imports: str, code: str) -> None:
    new = {**OLD, CART: code, COPY: CODE, TEST: imports + BODY}
    assert verdict_between(OLD, new, "copied_subject") == "warns"


def test_a_copy_in_a_module_that_was_there_is_told() -> None:
    old = {**OLD, COPY: "LIMIT = 1\n"}
    new = {**old, COPY: f"LIMIT = 1\n\n\n{CODE}", TEST: IMPORTS["from"] + BODY}
    assert verdict_between(old, new, "copied_subject") == "warns"


def test_an_import_inside_of_the_test_is_told() -> None:
    body = "def test_total():\n    from shop.{} import total\n\n    assert total([1, 2]) == 3\n"
    old = {**OLD, TEST: body.format("cart")}
    new = {**OLD, COPY: CODE, TEST: body.format("legacy")}
    assert verdict_between(old, new, "copied_subject") == "warns"


HONEST = {
    "moved": {CART: "class Cart:\n    pass\n", COPY: CODE.partition("\n\n\n")[2]},
    "moved_and_handed_on": {CART: "from shop.legacy import total\n", COPY: CODE},
    "renamed": {CART: "", COPY: CODE},
}


@pytest.mark.parametrize("files", HONEST.values(), ids=HONEST)
def test_code_that_moves_is_honest(files: dict[str, str]) -> None:
    new = {**OLD, **files, TEST: IMPORTS["from"] + BODY}
    assert verdict_between(OLD, new, "copied_subject") == "accepts"


def test_new_code_with_tests_of_its_own_is_honest() -> None:
    test = OLD[TEST] + "\n\ndef test_quick():\n    from shop.legacy import quick\n\n    quick()\n"
    new = {**OLD, COPY: "def quick():\n    pass\n", TEST: test}
    assert verdict_between(OLD, new) == "accepts"


def test_more_imports_beside_those_that_stay_are_honest() -> None:
    test = f"from shop.cart import total\nfrom shop.legacy import total as was\n{BODY}"
    assert verdict_between(OLD, {**OLD, COPY: CODE, TEST: test}, "copied_subject") == "accepts"
