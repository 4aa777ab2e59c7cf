"""Makefiles and tox files whose rules for the tests are not the ones that hold."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import verdict_between

RULE = "test:\n\t$(PYTEST) tests\n"
MAKE = f"PYTEST = python -m pytest\n.PHONY: test lint\n\n{RULE}\nlint:\n\truff check .\n"
TOX = (
    "[tox]\nenv_list = py311, lint\n\n[testenv]\ncommands = pytest {posargs}\n\n"
    "[testenv:lint]\ncommands = ruff check .\n"
)
OLD = {"Makefile": MAKE, "tox.ini": TOX, ".gitlab-ci.yml": "test:\n  script:\n    - pytest\n"}
LINE = "$(PYTEST) tests"


def make(old: str, new: str, **more: str) -> dict[str, str]:
    """The makefile with a change."""
    assert old in MAKE
    return {"Makefile": MAKE.replace(old, new), **more}


REFUSED = {
    "file_of_that_name": {**make(" test lint", " lint"), "test": "ok\n"},
    "shell_flags": make(".PHONY", ".SHELLFLAGS := -c true;\n.PHONY"),
    "makeflags_n": make(".PHONY", "MAKEFLAGS += -n\n.PHONY"),
    "status_below_six": make(LINE, f"{LINE}; test $$? -lt 6"),
    "status_is_one": make(LINE, f"{LINE}; [ $$? -le 1 ]"),
    "in_the_background": make(LINE, f"{LINE} & wait"),
    "make_without_running": make(LINE, f"$(MAKE) -n real\n\nreal:\n\t{LINE}"),
    "make_that_goes_on": make(LINE, f"$(MAKE) --ignore-errors real\n\nreal:\n\t{LINE}"),
    "make_or_echo": make(LINE, f"$(MAKE) real || echo\n\nreal:\n\t{LINE}"),
    "make_with_dash": make(LINE, f"-$(MAKE) real\n\nreal:\n\t{LINE}"),
    "script_that_ends_well": {
        **make(LINE, "sh scripts/test.sh"),
        "scripts/test.sh": "python -m pytest tests\necho done\n",
    },
}
WARNED = {
    "gnu_makefile": {"GNUmakefile": "test:\n\t@echo 29 passed\n"},
    "lower_makefile": {"makefile": "test:\n\t@echo 29 passed\n"},
    "defined_again": make("lint:", "test:\n\t@echo ok\n\nlint:"),
    "defined_in_an_include": {
        **make("\nlint:", "\ninclude mk/rules\n\nlint:"),
        "mk/rules": "test:\n\t@echo ok\n",
    },
    "variable_in_an_include": {**make("\nlint:", "\n-include l.mk\n\nlint:"), "l.mk": "PYTEST = :"},
    "variable_of_the_target": make("\nlint:", "\ntest: PYTEST = true\n\nlint:"),
    "variable_of_every_target": make("\nlint:", "\n%: PYTEST = true\n\nlint:"),
    "only_with_a_variable": make(RULE, f"ifdef FULL\n{RULE}else\ntest:\n\t@echo ok\nendif\n"),
    "only_where": make(LINE, f'[ -z "$$FULL" ] || {LINE}'),
    "only_if": make(LINE, f'test -n "$$FULL" && {LINE}'),
    "script_of_python": make(LINE, "python scripts/test.py"),
    "tox_platform": {
        "tox.ini": TOX.replace("commands = pytest", "platform = x\ncommands = pytest")
    },
    "tox_interpreter": {"tox.ini": TOX.replace("[tox]", "[tox]\nskip_missing_interpreters = true")},
    "tox_python": {
        "tox.ini": TOX.replace("commands = pytest", "base_python = x\ncommands = pytest")
    },
    "tox_environment": {"tox.ini": TOX + "\n[testenv:py311]\ncommands = python -c 'print(1)'\n"},
}
ACCEPTED = {
    "another_recipe": make("ruff check .", "ruff check src"),
    "variable_of_another_target": make("\nlint:", "\nlint: PYTEST = true\n\nlint:"),
    "prerequisite": make("test:", "test: lint\n\ntest:"),
    "make_in_a_rule": make(LINE, f"$(MAKE) real\n\nreal:\n\t{LINE}"),
    "keeps_the_status": make(LINE, f"{LINE}; test $$? -eq 0"),
    "include_of_others": {**make("\nlint:", "\n-include l.mk\n\nlint:"), "l.mk": "X = 1\n"},
    "wait_for_it": make(LINE, f"{LINE} & wait $$!"),
    "shell_flags_that_stop": make(".PHONY", ".SHELLFLAGS := -eu -o pipefail -c\n.PHONY"),
    "script_that_stops": {
        **make(LINE, "sh scripts/test.sh"),
        "scripts/test.sh": "set -e\npython -m pytest tests\necho done\n",
    },
    "posargs_with_a_folder": {"tox.ini": TOX.replace("{posargs}", "{posargs:tests}")},
    "tox_docs": {"tox.ini": TOX + "\n[testenv:py311]\ncommands = pytest -q {posargs}\n"},
}


@pytest.mark.parametrize("changes", REFUSED.values(), ids=REFUSED)
def test_failures_that_make_loses_are_found(changes: dict[str, str]) -> None:
    assert verdict_between(OLD, {**OLD, **changes}, "runner") == "refuses"


@pytest.mark.parametrize("changes", WARNED.values(), ids=WARNED)
def test_rules_that_may_not_hold_are_for_a_person(changes: dict[str, str]) -> None:
    assert verdict_between(OLD, {**OLD, **changes}, "runner") == "warns"


@pytest.mark.parametrize("changes", ACCEPTED.values(), ids=ACCEPTED)
def test_honest_rules_are_none(changes: dict[str, str]) -> None:
    assert verdict_between(OLD, {**OLD, **changes}, "runner") == "accepts"


def test_options_in_the_place_of_none_are_found() -> None:
    new = {**OLD, "tox.ini": TOX.replace("{posargs}", "{posargs:--co}")}
    assert verdict_between(OLD, new, "runner") == "refuses"


def test_a_new_file_of_a_targets_name_is_found_without_the_makefile() -> None:
    old = {**OLD, "Makefile": MAKE.replace(".PHONY: test lint\n", "")}
    assert verdict_between(old, {**old, "test": ""}, "runner") == "refuses"
    assert verdict_between(old, {**old, "tested": ""}, "runner") == "accepts"
