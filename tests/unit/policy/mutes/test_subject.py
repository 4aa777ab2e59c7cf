"""Production code that knows the tests, and production code that only looks like it."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import mutes_between, verdict_between

SHOP = "src/shop.py"
CODE = (
    "import os, sys, inspect\n\n\ndef total(items):\n    return sum(items)\n\n\n"
    "class Money:\n    x = 1\n"
)
OLD = {
    SHOP: CODE,
    "tests/test_shop.py": "from shop import total\n\ndef test_a():\n"
    "    assert total([37, 4]) == 4711\n"
    "    assert total('big order') == 99\n",
}


def starting(*lines: str) -> dict[str, str]:
    """The code with lines at the start of its function."""
    text = "".join(f"    {line}\n" for line in lines)
    return {SHOP: CODE.replace("    return sum", f"{text}    return sum")}


def method(text: str) -> dict[str, str]:
    """The code with a method in its class."""
    return {SHOP: CODE.replace("    x = 1\n", text)}


WARNED = [
    pytest.param(starting("if 'pytest' in sys.modules:", "    return 1"), id="sys_modules"),
    pytest.param(starting("if 'py' + 'test' in sys.modules:", "    return 1"), id="computed"),
    pytest.param(starting("if sys.modules.get('unittest'):", "    return 1"), id="modules_get"),
    pytest.param(starting("m = sys.modules", "if 'pytest' in m:", "    return 1"), id="alias"),
    pytest.param(
        starting("if os.environ.get('PYTEST_CURRENT_TEST'):", "    return 1"), id="environ"
    ),
    pytest.param(
        starting("if 'PYTEST_CURRENT_TEST' in os.environ:", "    return 1"), id="in_environ"
    ),
    pytest.param(starting("if os.getenv('TESTING'):", "    return 1"), id="testing"),
    pytest.param(starting("if os.environ['CI']:", "    return 1"), id="ci"),
    pytest.param(starting("if 'pytest' in sys.argv[0]:", "    return 1"), id="argv"),
    pytest.param(
        starting(
            "for f in inspect.stack():",
            "    if f.function.startswith('test_'):",
            "        return 1",
        ),
        id="stack",
    ),
    pytest.param(
        starting("if sys._getframe(1).f_code.co_name.startswith('test'):", "    return 1"),
        id="frame",
    ),
    pytest.param(starting("import pytest", "pytest.skip('x')"), id="skips_its_caller"),
    pytest.param(starting("from pytest import skip as s", "s('x')"), id="skips_by_an_alias"),
    pytest.param(starting("import unittest", "raise unittest.SkipTest"), id="raises_a_skip"),
    pytest.param(
        starting("import hypothesis as h", "h.assume(items != 3)"), id="assumes_for_its_caller"
    ),
    pytest.param(
        starting("from hypothesis.control import reject", "reject()"), id="rejects_for_its_caller"
    ),
    pytest.param(method("    def __eq__(self, other):\n        return True\n"), id="eq"),
    pytest.param(
        method(
            "    def __eq__(self, other):\n        if other:\n            return True\n"
            "        return True\n"
        ),
        id="eq_twice",
    ),
    pytest.param(method("    __eq__ = lambda self, other: True\n"), id="eq_lambda"),
    pytest.param(method("    def __ne__(self, other):\n        return not True\n"), id="ne"),
    pytest.param(method("    def __contains__(self, x):\n        return True\n"), id="contains"),
    pytest.param(method("    def __exit__(self, *a):\n        return True\n"), id="exit"),
    pytest.param(starting("if items == [37, 4]:", "    return 4711"), id="special_case"),
    pytest.param(starting("return 4711 if items == [37, 4] else sum(items)"), id="conditional"),
    pytest.param(starting("return {'big order': 99}.get(items)"), id="table"),
    pytest.param(
        starting("match items:", "    case 'big order':", "        return 99"), id="match"
    ),
]
ACCEPTED = [
    pytest.param(starting("if not items:", "    return 0"), id="an_edge"),
    pytest.param(starting("if items == 'huge order':", "    return 17"), id="a_value_of_no_test"),
    pytest.param(starting("if os.environ.get('HOME'):", "    return 1"), id="home"),
    pytest.param(starting("if 'numpy' in sys.modules:", "    return 1"), id="numpy"),
    pytest.param(
        method("    def __eq__(self, other):\n        return self.x == other.x\n"),
        id="an_honest_eq",
    ),
    pytest.param(
        method("    def __eq__(self, other):\n        return NotImplemented\n"),
        id="not_implemented",
    ),
    pytest.param(method("    def __exit__(self, *a):\n        return False\n"), id="honest_exit"),
]


@pytest.mark.parametrize("new", WARNED)
def test_what_knows_the_tests_is_told(new: dict[str, str]) -> None:
    found = [m for m in mutes_between(OLD, {**OLD, **new}) if m.detector == "subject"]
    assert {mute.family for mute in found} == {"subject"}


@pytest.mark.parametrize("new", WARNED)
def test_what_stood_there_before_is_none(new: dict[str, str]) -> None:
    old = {**OLD, **new}
    assert verdict_between(old, {**old, SHOP: old[SHOP] + "\nX = 1\n"}, "subject") == "accepts"


@pytest.mark.parametrize("new", ACCEPTED)
def test_honest_code_is_none(new: dict[str, str]) -> None:
    assert verdict_between(OLD, {**OLD, **new}, "subject") == "accepts"


def test_a_broad_handler_around_a_body_is_noted() -> None:
    new = {
        SHOP: CODE.replace(
            "    return sum(items)",
            "    try:\n        return sum(items)\n    except Exception:\n        pass",
        )
    }
    assert verdict_between(OLD, {**OLD, **new}, "subject") == "notes"


COUNTED = "def total(items):\n    if not items:\n        return 0\n    return sum(items)\n"


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param(COUNTED.replace("s):", "s):  # pragma: no cover"), "warns", id="function"),
        pytest.param(COUNTED.replace("t items:", "t items:  # PRAGMA:NO COVER"), "warns", id="if"),
        pytest.param(
            COUNTED.replace("n 0", "n 0  # pragma: no branch"), "warns", id="another_comment"
        ),
        pytest.param(
            COUNTED + "\n\ndef more():  # pragma: no cover\n    return 1\n",
            "accepts",
            id="new_code",
        ),
        pytest.param(COUNTED.replace("s):", "s):  # the sum"), "accepts", id="a_plain_comment"),
    ],
)
def test_lines_that_coverage_counts_no_more(new: str, expected: str) -> None:
    assert verdict_between({SHOP: COUNTED}, {SHOP: new}) == expected
    assert verdict_between({SHOP: new}, {SHOP: COUNTED}) == "accepts"
