"""Hooks and helpers that replace tested code, skip from reports or feed conditions."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

CONFTEST, PREPARE, SHOP = "tests/conftest.py", "tests/prepare.py", "shop/cart.py"
OLD = {
    "shop/__init__.py": "",
    SHOP: "LIMIT = 3\n\n\ndef total(lines):\n    return sum(lines)\n",
    CONFTEST: "import pytest\n",
    PATH: "from shop.cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
}
READY = "import shop.cart\n\n\ndef ready():\n    shop.cart.total = lambda lines: 3\n"
REFUSED = {
    "builtin_by_sessionstart": "def pytest_sessionstart():\n"
    "    import shop.cart\n    shop.cart.sum = lambda rows: 3\n",
    "builtin_by_setattr": "import shop.cart as c\nsetattr(c, 'sum', lambda rows: 3)\n",
    "builtin_by_dict": "import shop.cart as c\nvars(c)['sum'] = lambda rows: 3\n",
    "builtin_by_configure": "def pytest_configure(config):\n    from shop import cart\n"
    "    cart.__dict__['sum'] = lambda rows: 3\n",
    "assertrepr_skips": "import pytest\ndef pytest_assertrepr_compare(op, left, right):\n"
    "    pytest.skip('later')\n",
    "assertrepr_raises": "import pytest\ndef pytest_assertrepr_compare(op, left, right):\n"
    "    raise pytest.skip.Exception('later')\n",
    "assertion_pass_skips": "import pytest\ndef pytest_assertion_pass(item, lineno, orig, expl):\n"
    "    pytest.skip('enough')\n",
    "warning_skips": "from _pytest.outcomes import Skipped\n"
    "def pytest_warning_recorded(warning_message):\n    raise Skipped('noise')\n",
    "gc": "import gc, pytest\n"
    "gc.get_referents(pytest.Function.__dict__)[0]['runtest'] = lambda self: None\n",
    "gc_by_name": "import gc, pytest\ntable = gc.get_referents(vars(pytest.Item))[0]\n"
    "table.update(runtest=None)\n",
}
PATCHES = {
    "header": "def pytest_report_header():\n    import shop.cart\n    shop.cart.total = len\n",
    "configure": "import shop.cart\ndef pytest_configure():\n    shop.cart.total = len\n",
    "hookimpl": "import pytest, shop.cart\n@pytest.hookimpl(specname='pytest_sessionstart')\n"
    "def start():\n    shop.cart.total = len\n",
    "top": "import shop.cart\nshop.cart.total = len\n",
    "autouse": "import pytest\n@pytest.fixture(autouse=True)\ndef quick(monkeypatch):\n"
    "    monkeypatch.setattr('shop.cart.total', len)\n",
    "namespace": "def pytest_markeval_namespace(config):\n    return {'SLOW': True}\n",
}
HONEST = {
    "header": "def pytest_report_header(config):\n    return f'shop {config.rootpath}'\n",
    "assertrepr": "def pytest_assertrepr_compare(op, left, right):\n"
    "    return [f'{left} {op} {right}'] if isinstance(left, int) else None\n",
    "ids": "def pytest_make_parametrize_id(config, val):\n    return repr(val)\n",
    "asked_fixture": "import pytest\n@pytest.fixture\ndef row():\n    return [1, 2]\n",
    "own": "class State:\n    pass\n\n\nstate = State()\nstate.total = 3\n",
    "library": "import time\ndef pytest_configure():\n    time.zone = 'UTC'\n",
    "collected": "import gc\ndef pytest_sessionfinish():\n    gc.collect()\n",
    "counted": "import gc\nprint(len(gc.get_objects()))\n",
}


@pytest.mark.parametrize("code", ["sum(lines)", "len(lines)"], ids=["alone", "source"])
@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_no_hook_does_honestly_is_refused(text: str, code: str) -> None:
    new = {**OLD, CONFTEST: text, SHOP: OLD[SHOP].replace("sum(lines)", code)}
    assert verdict_between(OLD, new) == "refuses"
    assert verdict_between(OLD, {**OLD, "conftest.py": text}) == "refuses"


@pytest.mark.parametrize("text", PATCHES.values(), ids=PATCHES)
def test_tested_code_replaced_for_all_is_told(text: str) -> None:
    assert verdict_between(OLD, {**OLD, CONFTEST: text}) == "warns"
    assert verdict_between(OLD, {**OLD, "conftest.py": text}) == "warns"


@pytest.mark.parametrize(
    "start",
    [
        pytest.param("import prepare\n\nprepare.ready()\n", id="top"),
        pytest.param("from prepare import ready\n\nready()\n", id="name"),
        pytest.param(
            "import prepare\n\n\ndef pytest_configure():\n    _go()\n\n\ndef _go():\n"
            "    prepare.ready()\n",
            id="hook",
        ),
    ],
)
def test_a_helper_that_replaces_tested_code_is_told(start: str) -> None:
    assert verdict_between(OLD, {**OLD, PREPARE: READY, CONFTEST: start}) == "warns"


def test_a_test_module_that_calls_such_a_helper_is_told() -> None:
    start = "import prepare\n\nprepare.ready()\n"
    assert verdict_between(OLD, {**OLD, PREPARE: READY, PATH: start + OLD[PATH]}) == "warns"


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST)
def test_hooks_that_show_are_honest(text: str) -> None:
    assert verdict_between(OLD, {**OLD, CONFTEST: text}) == "accepts"


def test_a_folder_of_new_tests_may_have_a_conftest_of_its_own() -> None:
    files = {
        "tests/new/conftest.py": PATCHES["autouse"],
        "tests/new/test_more.py": "def test_more():\n    assert len([1]) == 1\n",
    }
    assert verdict_between(OLD, {**OLD, **files}) == "accepts"


def test_a_patch_that_was_there_is_no_new_one() -> None:
    old = {**OLD, PREPARE: READY, CONFTEST: "import prepare\n\nprepare.ready()\n"}
    new = {**old, CONFTEST: old[CONFTEST] + "\n\ndef pytest_configure():\n    pass\n"}
    assert verdict_between(old, new) == "accepts"
