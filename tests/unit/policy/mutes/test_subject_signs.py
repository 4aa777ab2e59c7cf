"""Production code that knows a run of the tests by signs other than its name."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import verdict_between

CODE = (
    "import os, sys, logging, warnings\nfrom pathlib import Path\n\n\ndef total(n):\n    return n\n"
)
OLD = {"src/shop.py": CODE}


def asking(condition: str) -> dict[str, str]:
    """The code with an answer of its own where a condition holds."""
    return {"src/shop.py": CODE.replace("    return n", f"    return n if {condition} else 1")}


@pytest.mark.parametrize(
    "condition",
    [
        "'py' + 'x' in getattr(sys, 'mod' + 'ules')",
        "Path('tests').exists()",
        "os.path.isdir('../tests')",
        "not sys.stdin.isatty()",
        "type(sys.stdout).__name__ != 'TextIOWrapper'",
        "logging.getLogger().handlers",
        "sys.modules['__main__'].__spec__ is not None",
        "hasattr(__import__('__main__'), '__spec__')",
        "any(k.startswith('PYT') for k in os.environ)",
        "warnings.filters[0][0] == 'error'",
    ],
)
def test_other_signs_of_tests_are_for_a_person(condition: str) -> None:
    new = asking(condition)
    assert verdict_between(OLD, new) == "warns"
    assert verdict_between(new, {"src/shop.py": f"{new['src/shop.py']}\nX = 1\n"}) == "accepts"


@pytest.mark.parametrize(
    "condition",
    [
        "n > 3",
        "Path('data').exists()",
        "os.environ.get('COLOR')",
        "any(k.startswith('SHOP_') for k in os.environ)",
        "getattr(sys, 'frozen', False)",
    ],
)
def test_honest_conditions_are_none(condition: str) -> None:
    assert verdict_between(OLD, asking(condition)) == "accepts"


def test_a_program_is_none() -> None:
    new = {"src/shop.py": f"{CODE}\n\nif __name__ == '__main__':\n    total(1)\n"}
    assert verdict_between(OLD, new) == "accepts"
