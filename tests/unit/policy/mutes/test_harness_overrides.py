"""Names that tests check with and that mean something else now; new files in place of others."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

CONFTEST = "tests/conftest.py"
TEST = (
    "import unittest\nimport pytest\nfrom pytest import raises\nfrom shop import total\n\n\n"
    "class TestShop(unittest.TestCase):\n"
    "    def test_total(self):\n        self.assertEqual(len(total([1])), 1)\n\n\n"
    "def test_raises():\n    with raises(ValueError):\n        total(None)\n"
)
OLD = {
    PATH: TEST,
    "shop.py": "def total(items):\n    return 1\n",
    "tests/fakes.py": "def raises(*kinds):\n    return open('/dev/null')\n",
}
DRESSINGS = {
    "alone": {},
    "source": {"shop.py": "def total(items):\n    return 2\n"},
    "other_tests": {"tests/test_more.py": "def test_more():\n    assert True\n"},
}
METHOD = "class TestShop(unittest.TestCase):\n"
REFUSED = [
    pytest.param(
        {"src/evil-1.0.dist-info/entry_points.txt": "[hypothesis]\nx = shop\n"}, id="entry_point"
    ),
    pytest.param({"src/sortedcontainers.py": "x = 1\n"}, id="what_hypothesis_imports"),
    pytest.param(
        {PATH: TEST.replace(METHOD, METHOD + "    def assertEqual(self, *a):\n        pass\n\n")},
        id="assert_equal_overridden",
    ),
    pytest.param(
        {PATH: TEST.replace(METHOD, METHOD + "    assertEqual = print\n\n")}, id="assigned_in_class"
    ),
    pytest.param(
        {PATH: TEST.replace(METHOD, METHOD + "    failureException = ValueError\n\n")},
        id="failure_exception",
    ),
    pytest.param(
        {PATH: TEST.replace(METHOD, METHOD + "    def run(self, result=None):\n        pass\n\n")},
        id="run_overridden",
    ),
    pytest.param(
        {
            PATH: TEST.replace(
                METHOD, METHOD + "    def setUp(self):\n        self.assertEqual = print\n"
            )
        },
        id="assigned_in_set_up",
    ),
    pytest.param(
        {
            PATH: TEST.replace(
                METHOD,
                "class Quiet:\n    def assertEqual(self, *a):\n        pass\n\n\n"
                "class TestShop(Quiet, unittest.TestCase):\n",
            )
        },
        id="a_mixin",
    ),
    pytest.param(
        {PATH: TEST.replace("from pytest import raises", "from tests.fakes import raises")},
        id="raises_from_elsewhere",
    ),
    pytest.param(
        {
            PATH: TEST.replace(
                "\n\n\nclass", "\n\ndef raises(*k):\n    return open('x')\n\n\nclass", 1
            )
        },
        id="raises_defined",
    ),
    pytest.param(
        {PATH: TEST.replace("\n\n\nclass", "\n\nraises = lambda *k: open('x')\n\n\nclass", 1)},
        id="raises_assigned",
    ),
    pytest.param(
        {PATH: TEST.replace("\n\n\nclass", "\n\ndef len(x):\n    return 1\n\n\nclass", 1)},
        id="len_defined",
    ),
    pytest.param(
        {PATH: TEST.replace("\n\n\nclass", "\n\nlen = lambda x: 1\n\n\nclass", 1)},
        id="len_assigned",
    ),
    pytest.param({"pytest.py": "raises = print\n"}, id="pytest_py"),
    pytest.param({"tests/pytest/__init__.py": "raises = print\n"}, id="pytest_folder"),
    pytest.param({"src/hypothesis.py": "given = print\n"}, id="hypothesis_in_src"),
    pytest.param({"tests/shop.py": "total = print\n"}, id="the_subject_in_tests"),
    pytest.param({"tests/shop/__init__.py": "total = print\n"}, id="the_subject_as_a_folder"),
    pytest.param({"sitecustomize.py": "import builtins\n"}, id="sitecustomize"),
    pytest.param({"src/usercustomize.py": "import builtins\n"}, id="usercustomize"),
    pytest.param({"src/x.pth": "import os; os.environ.clear()\n"}, id="pth"),
]
ACCEPTED = [
    pytest.param(
        {"src/shop.egg-info/entry_points.txt": "[console_scripts]\nshop = shop:main\n"},
        id="a_program_s_name",
    ),
    pytest.param(
        {PATH: TEST.replace("from pytest import raises", "raises = pytest.raises")}, id="alias"
    ),
    pytest.param(
        {PATH: TEST.replace(METHOD, METHOD + "    def assertPaid(self, x):\n        pass\n\n")},
        id="an_assertion_of_its_own",
    ),
    pytest.param({"tests/helpers.py": "x = 1\n"}, id="a_new_helper"),
    pytest.param({"tests/pytest/test_a.py": "def test_a():\n    assert True\n"}, id="a_folder"),
    pytest.param({"shop_pkg/__init__.py": "", "shop_pkg/pytest.py": "x = 1\n"}, id="in_a_package"),
    pytest.param({"src/x.pth": "/opt/lib\n"}, id="a_path"),
    pytest.param(
        {PATH: TEST.replace("\n\n\nclass", "\n\ndef sum(x):\n    return 1\n\n\nclass", 1)},
        id="a_builtin_that_no_old_test_called",
    ),
]


@pytest.mark.parametrize("dressing", DRESSINGS)
@pytest.mark.parametrize("changes", REFUSED)
def test_what_stands_for_something_else_is_found(changes: dict[str, str], dressing: str) -> None:
    assert verdict_between(OLD, {**OLD, **DRESSINGS[dressing], **changes}, "harness") == "refuses"


@pytest.mark.parametrize("changes", ACCEPTED)
def test_honest_names_are_none(changes: dict[str, str]) -> None:
    assert verdict_between(OLD, {**OLD, **changes}, "harness") == "accepts"


def test_a_method_that_asks_the_one_above_is_doubted() -> None:
    body = "    def assertEqual(self, a, b):\n        super().assertEqual(b, a)\n\n"
    new = {**OLD, PATH: TEST.replace(METHOD, METHOD + body)}
    assert verdict_between(OLD, new, "harness") == "warns"


def test_coverage_in_child_processes_is_doubted() -> None:
    new = {**OLD, "src/cov.pth": "import coverage; coverage.process_startup()\n"}
    assert verdict_between(OLD, new, "harness") == "warns"


def test_the_subject_that_moves_is_none() -> None:
    new = {path: text for path, text in OLD.items() if path != "shop.py"}
    assert verdict_between(OLD, {**new, "src/shop.py": OLD["shop.py"]}, "harness") == "accepts"


def test_a_library_that_a_neighbour_imports_already_is_shadowed() -> None:
    old = {**OLD, "tests/test_web.py": "import requests\n\ndef test_a():\n    requests.get('x')\n"}
    assert (
        verdict_between(old, {**old, "tests/requests.py": "get = print\n"}, "harness") == "refuses"
    )


def test_a_module_that_has_its_own_neighbour_of_that_name_is_not_shadowed() -> None:
    old = {**OLD, "tests/laws/helpers.py": "X = 1\n", "tests/laws/test_x.py": "import helpers\n"}
    for path in ("tests/helpers.py", "helpers.py", "src/helpers.py"):
        assert verdict_between(old, {**old, path: "Y = 2\n"}, "harness") == "accepts", path
    gone = {path: text for path, text in old.items() if path != "tests/laws/helpers.py"}
    assert verdict_between(old, {**gone, "tests/helpers.py": "X = 1\n"}, "harness") != "accepts"


MARKED = (
    "import pytest\n\n@pytest.mark.property_id('order.total')\n"
    "def test_a():\n    assert a() == 1\n\n\n"
    "def test_b():\n    assert b() == 2\n"
)
MARK = "@pytest.mark.property_id('order.total')\n"


def test_a_property_that_moves_to_another_test_is_found() -> None:
    moved = MARKED.replace(MARK, "").replace("def test_b", MARK + "def test_b")
    assert verdict_between(MARKED, moved, "harness") == "refuses"


def test_a_property_that_the_catalogue_gives_to_another_test_is_found() -> None:
    catalog = f'[property."order.total"]\ntest = "{PATH}::test_a"\n'
    old = {PATH: MARKED.replace(MARK, ""), ".freeze/catalog.toml": catalog}
    new = {**old, PATH: old[PATH].replace("def test_b", MARK + "def test_b")}
    assert verdict_between(old, new, "harness") == "refuses"
    assert verdict_between(old, {**old, PATH: MARKED}, "harness") == "accepts"


def test_a_marked_test_may_be_renamed() -> None:
    assert verdict_between(MARKED, MARKED.replace("test_a", "test_sum"), "harness") == "accepts"
