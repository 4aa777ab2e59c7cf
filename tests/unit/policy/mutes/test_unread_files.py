"""Bytecode and links that Python takes in place of source."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, Link, verdict_between

HELPERS = "def same(a, b):\n    return a == b\n"
OLD: dict[str, str | bytes] = {
    PATH: "from helpers import same\nfrom shop import total\n\ndef test_a():\n"
    "    assert same(total([1]), 1)\n",
    "tests/helpers.py": HELPERS,
    "tests/conftest.py": "import pytest\n\n@pytest.fixture\ndef order():\n    return 1\n",
    "tests/laws/__init__.py": "from helpers import same\n",
    "tests/copied.py": HELPERS,
    "src/shop.py": "def total(items):\n    return sum(items)\n",
    "src/paid/__init__.py": "LIMIT = 3\n",
}
REFUSED = [
    pytest.param({"src/__pycache__/shop.cpython-311.pyc": b"x"}, id="cached_subject"),
    pytest.param({"tests/__pycache__/helpers.cpython-312.pyc": b"x"}, id="cached_helper"),
    pytest.param({"tests/__pycache__/test_it.cpython-312-pytest-8.4.pyc": b"x"}, id="cached_test"),
    pytest.param({"src/shop.cpython-312-x86_64-linux-gnu.so": b"x"}, id="extension_wins"),
    pytest.param({"src/shop.so": b"x"}, id="plain_extension"),
    pytest.param({"tests/helpers.pyd": b"x"}, id="extension_of_windows"),
    pytest.param({"src/paid.abi3.so": b"x"}, id="extension_beside_its_package"),
    pytest.param({"src/paid/__pycache__/__init__.cpython-312.pyc": b"x"}, id="cached_package"),
    pytest.param({"src/__pycache__": Link("../kept")}, id="folder_of_bytecode_is_a_link"),
    pytest.param({"tests/helpers.py": Link("loose.txt"), "tests/loose.txt": ""}, id="helper"),
    pytest.param({"tests/helpers.py": Link("../src/shop.py")}, id="helper_to_a_module"),
    pytest.param({"tests/conftest.py": Link("setup.txt")}, id="conftest"),
    pytest.param({"tests/laws/__init__.py": Link("x")}, id="package"),
    pytest.param({"tests/helpers": Link("../loose")}, id="folder_wins_over_a_module"),
]
WARNED = [
    pytest.param({"tests/helpers.py": Link("copied.py")}, id="link_to_the_same_source"),
    pytest.param({"src/shop.py": Link("../lib/shop.txt")}, id="subject"),
    pytest.param({"tests/laws/conftest.py": Link("../../x.py")}, id="new_conftest"),
    pytest.param({"src/fast.so": b"x"}, id="new_extension_beside_modules"),
]
ACCEPTED = [
    pytest.param({"tests/data/shop.pyc": b"x"}, id="data"),
    pytest.param({"docs/tests": Link("../tests")}, id="link_of_docs"),
    pytest.param({"src/new.py": "X = 1\n"}, id="source"),
]


def answer(old: dict[str, str | bytes], changes: dict[str, str | bytes]) -> str:
    return verdict_between(old, {**old, **changes}, "harness")


@pytest.mark.parametrize("changes", REFUSED)
def test_what_stands_for_source_is_found(changes: dict[str, str | bytes]) -> None:
    dressed = {**changes}
    dressed.setdefault("src/paid/limits.py", "LIMIT = 4\n")
    assert answer(OLD, changes) == answer(OLD, dressed) == "refuses"


@pytest.mark.parametrize("changes", WARNED)
def test_what_a_person_must_look_at_is_doubted(changes: dict[str, str | bytes]) -> None:
    assert answer(OLD, changes) == "warns"


@pytest.mark.parametrize("changes", ACCEPTED)
def test_honest_files_are_none(changes: dict[str, str | bytes]) -> None:
    assert answer(OLD, changes) == "accepts"


def test_bytecode_that_changes_is_found_and_one_that_goes_is_not() -> None:
    old = {**OLD, "src/__pycache__/shop.cpython-311.pyc": b"x"}
    assert answer(old, {"src/__pycache__/shop.cpython-311.pyc": b"y"}) == "refuses"
    assert verdict_between(old, OLD, "harness") == "accepts"


def test_a_module_that_only_its_bytecode_is_left_of_is_found() -> None:
    left = {path: text for path, text in OLD.items() if path != "tests/helpers.py"}
    assert verdict_between(OLD, {**left, "tests/helpers.pyc": b"x"}, "harness") == "refuses"


def test_a_folder_of_tests_that_becomes_a_link_is_found() -> None:
    left = {path: text for path, text in OLD.items() if not path.startswith("tests/laws/")}
    assert verdict_between(OLD, {**left, "tests/laws": Link("../x")}, "harness") == "refuses"


def test_a_link_that_becomes_source_is_none() -> None:
    old = {**OLD, "tests/helpers.py": Link("copied.py")}
    assert verdict_between(old, OLD, "harness") == "accepts"
    assert answer(old, {"tests/helpers.py": Link("../other.py")}) == "warns"
