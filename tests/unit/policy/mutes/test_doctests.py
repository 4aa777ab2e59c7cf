"""Examples of docstrings and texts, where they are run as tests; and what is honest there."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import verdict_between

MONEY, TEXT, INI = "src/shop/money.py", "docs/money.rst", "pytest.ini"
SOURCE = (
    "'''Amounts.'''\n\n\n"
    "def show(cents):\n    '''Show an amount.\n\n    >>> show(150)\n    '1.50'\n"
    "    >>> show(-5)\n    '-0.05'\n    '''\n    return f'{cents / 100:.2f}'\n"
)
OLD = {
    MONEY: SOURCE,
    TEXT: "Amounts\n=======\n\n>>> show(-5)\n'-0.05'\n",
    INI: "[pytest]\naddopts = --doctest-modules --doctest-glob='*.rst'\n",
    "tests/conftest.py": "import shop.money\n",
}
TWO = "    >>> show(-5)\n    '-0.05'\n"
DRESSINGS = {"alone": ("", ""), "source": ("return f'", "return '' f'")}


def changed(path: str, old: str, new: str) -> dict[str, str]:
    """The files with one text in the place of another."""
    assert old in OLD[path]
    return {**OLD, path: OLD[path].replace(old, new)}


REFUSED = {
    "skip": changed(MONEY, ">>> show(-5)", ">>> show(-5)  # doctest: +SKIP"),
    "skip_among_others": changed(MONEY, ">>> show(-5)", ">>> show(-5) # doctest:+NUMBER, +SKIP"),
    "skip_in_a_text": changed(TEXT, ">>> show(-5)", ">>> show(-5)  # doctest: +SKIP"),
    "skip_of_all": changed(INI, "addopts", "doctest_optionflags = SKIP\naddopts"),
}
WARNED = {
    "removed": changed(MONEY, TWO, ""),
    "removed_from_a_text": changed(TEXT, ">>> show(-5)\n'-0.05'\n", ""),
    "text_removed": {path: text for path, text in OLD.items() if path != TEXT},
    "expected": changed(MONEY, "'-0.05'", "'-0.5'"),
    "expects_nothing": changed(MONEY, "    '-0.05'\n", ""),
    "prompt": changed(MONEY, ">>> show(-5)", "> show(-5)"),
    "ellipsis": changed(MONEY, TWO, "    >>> show(-5)  # doctest: +ELLIPSIS\n    '-...'\n"),
    "whitespace": changed(MONEY, "show(-5)", "show(-5)  # doctest: +NORMALIZE_WHITESPACE"),
    "detail": changed(MONEY, "show(-5)", "show(-5)  # doctest: +IGNORE_EXCEPTION_DETAIL"),
    "computed_docstring": changed(MONEY, "    '''Show", "    f'''Show"),
    "no_docstring": changed(MONEY, "    '''Show", "    None\n    '''Show"),
    "written_docstring": changed(MONEY, ":.2f}'\n", ":.2f}'\n\n\nshow.__doc__ = 'Show.'\n"),
    "deleted_docstring": changed(MONEY, ":.2f}'\n", ":.2f}'\n\n\ndel show.__doc__\n"),
    "written_by_a_hook": changed(
        "tests/conftest.py",
        "import shop.money\n",
        "import shop.money\n\n\ndef pytest_configure():\n    shop.money.show.__doc__ = ''\n",
    ),
    "function_is_a_name_now": {
        **OLD,
        MONEY: "def _show(cents):\n    return f'{cents / 100:.2f}'\n\n\nshow = _show\n",
    },
    "option_flags": changed(INI, "addopts", "doctest_optionflags = ELLIPSIS\naddopts"),
}
HONEST = {
    "more": changed(MONEY, TWO, f"{TWO}    >>> show(0)\n    '0.00'\n"),
    "other_words": changed(MONEY, "Show an amount.", "Show an amount of money."),
    "written_alike": changed(MONEY, "show(150)", "show( 150 )  # one and a half"),
    "indented": changed(MONEY, "    >>> show(-5)\n    '-0.05'\n", "\n      Less:\n\n" + TWO),
    "function_removed": {**OLD, MONEY: "'''Amounts.'''\n"},
    "function_renamed": changed(MONEY, "def show(", "def shown("),
    "moved_to_another": {
        **OLD,
        MONEY: "'''Amounts.'''\nfrom shop.texts import show\n",
        "src/shop/texts.py": SOURCE,
    },
    "moved_to_the_module": {
        **OLD,
        MONEY: SOURCE.replace(TWO, "").replace("'''Amounts.", "'''Amounts.\n\n" + TWO),
    },
    "report": changed(MONEY, "show(-5)", "show(-5)  # doctest: +REPORT_NDIFF"),
    "unused_ellipsis": changed(MONEY, "show(-5)", "show(-5)  # doctest: +ELLIPSIS"),
    "flags_for_reports": changed(INI, "addopts", "doctest_optionflags = REPORT_NDIFF\naddopts"),
    "module_removed": {path: text for path, text in OLD.items() if path != MONEY},
}
NOT_RUN = {**OLD, INI: "[pytest]\naddopts = -ra\n"}
STARTS = {
    "makefile": {"Makefile": "test:\n\tpytest --doctest-modules src\n"},
    "workflow": {".github/workflows/ci.yml": "jobs:\n t:\n  steps:\n  - run: pytest --xdoctest\n"},
    "by_hand": {"tests/test_docs.py": "import doctest\ndoctest.testmod(shop.money)\n"},
    "sybil": {"conftest.py": "from sybil import Sybil\npytest_collect_file = Sybil([]).pytest()\n"},
    "plain": {"tox.ini": "[testenv]\ncommands = python -m doctest src/shop/money.py\n"},
}


@pytest.mark.parametrize("dressing", DRESSINGS.values(), ids=DRESSINGS)
@pytest.mark.parametrize("new", REFUSED.values(), ids=REFUSED)
def test_a_skipped_example_is_refused(new: dict[str, str], dressing: tuple[str, str]) -> None:
    assert verdict_between(OLD, {**new, MONEY: new[MONEY].replace(*dressing)}) == "refuses"


@pytest.mark.parametrize("new", WARNED.values(), ids=WARNED)
def test_an_example_that_says_less_is_told(new: dict[str, str]) -> None:
    assert verdict_between(OLD, new) == "warns"


@pytest.mark.parametrize("new", HONEST.values(), ids=HONEST)
def test_an_example_that_says_as_much_is_honest(new: dict[str, str]) -> None:
    assert verdict_between(OLD, new, "doctest") == "accepts"


@pytest.mark.parametrize("path", [MONEY, TEXT])
def test_what_nobody_runs_is_no_test(path: str) -> None:
    new = {**NOT_RUN, path: NOT_RUN[path].replace("'-0.05'", "'-5'")}
    assert verdict_between(NOT_RUN, new) == "accepts"


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_examples_are_run_from_many_places(start: dict[str, str]) -> None:
    old = {**NOT_RUN, **start}
    assert verdict_between(old, {**old, MONEY: SOURCE.replace("'-0.05'", "'-5'")}) == "warns"


def test_texts_that_pytest_takes_by_itself_are_looked_at() -> None:
    old = {"docs/test_money.txt": ">>> 1 + 1\n2\n"}
    assert verdict_between(old, {"docs/test_money.txt": ">>> 1 + 1\n3\n"}) == "warns"
