"""Scripts that say `pytest` and run something else: shells, functions, links, paths, variables."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import mutes_between, verdict_between
from tests.unit.policy.mutes.test_runner import WORKFLOW, make, workflow

STEP = "        {}\n".format
MAKE = "Makefile"
DEFAULTS = "    defaults:\n      run:\n        shell: {}\n".format
REFUSED = {
    "shell_that_runs_nothing": workflow(step=STEP("shell: 'true {0}'")),
    "inner_shell_that_runs_nothing": workflow(step=STEP('shell: bash -c "true {0}"')),
    "shell_by_its_path": workflow(step=STEP("shell: /bin/true")),
    "shell_that_prints": workflow(step=STEP("shell: cat {0}")),
    "shell_that_reads_alone": workflow(step=STEP("shell: bash -n {0}")),
    "shell_that_forgets": workflow(step=STEP('shell: bash -c "bash {0} || true"')),
    "default_of_the_job": workflow(job=DEFAULTS("'true {0}'")),
    "default_of_all_jobs": "defaults:\n  run:\n    shell: 'echo {0}'\n" + workflow(),
    "function": workflow("pytest() { true; }\npytest"),
    "function_by_word": workflow("function pytest { :; }\npytest"),
    "alias": workflow("alias pytest=true\npytest"),
    "link": workflow(more="      - run: ln -sf /bin/true /usr/local/bin/pytest\n"),
    "copy": workflow(more="      - run: cp /bin/true $(which pytest)\n"),
    "written_anew": workflow(more="      - run: echo 'exit 0' > $(command -v pytest)\n"),
    "hashed": workflow("hash -p /bin/true pytest\npytest"),
    "options_for_later_steps": workflow(
        more="      - run: echo 'PYTEST_ADDOPTS=--co' >> $GITHUB_ENV\n"
    ),
    "deselected_by_a_variable": workflow(
        step="        env:\n          PYTEST_ADDOPTS: --deselect tests/test_a.py::test_a\n"
    ),
    "a_timeout_is_fine": workflow("timeout 1 pytest || [ $? -eq 124 ]"),
    "any_failure_is_fine": workflow("pytest || [ $? -ne 0 ]"),
    "a_failed_test_is_fine": workflow("pytest || test $? = 1"),
}
WARNED = {
    "a_folder_of_the_repository": workflow(more='      - run: echo "$PWD/tools" >> $GITHUB_PATH\n'),
    "a_path_of_the_repository": workflow(step="        env:\n          PATH: ./tools:/usr/bin\n"),
    "an_unknown_shell": workflow(step=STEP("shell: ./ci/shell {0}")),
    "no_test_is_fine": workflow("pytest || [ $? -eq 5 ]"),
    "a_function_that_passes_on": workflow('pytest() { command pytest -q "$@"; }\npytest'),
}
ACCEPTED = {
    "bash": workflow(step=STEP("shell: bash")),
    "bash_by_its_path": workflow(step=STEP("shell: /bin/bash -e {0}")),
    "bash_with_options": workflow(step=STEP("shell: bash -leo pipefail {0}")),
    "another_shell": workflow(step=STEP("shell: micromamba-shell {0}")),
    "default_bash": workflow(job=DEFAULTS("bash -el {0}")),
    "another_function": workflow("setup() { true; }\nsetup\npytest"),
    "a_folder_of_the_user": workflow(more='      - run: echo "$HOME/.local/bin" >> $GITHUB_PATH\n'),
    "another_variable": workflow(more="      - run: echo 'COLOR=1' >> $GITHUB_ENV\n"),
    "installed": workflow(more="      - run: pip install pytest\n"),
    "another_copy": workflow(more="      - run: cp ci/pytest.ini .\n"),
}


@pytest.mark.parametrize("new", REFUSED.values(), ids=REFUSED)
def test_a_name_that_runs_no_test_is_refused(new: str) -> None:
    assert verdict_between({WORKFLOW: workflow()}, {WORKFLOW: new}) == "refuses"
    assert verdict_between({WORKFLOW: new}, {WORKFLOW: new + "# more\n"}) == "accepts"


@pytest.mark.parametrize("new", WARNED.values(), ids=WARNED)
def test_a_name_that_may_run_none_needs_a_person(new: str) -> None:
    assert verdict_between({WORKFLOW: workflow()}, {WORKFLOW: new}) == "warns"


@pytest.mark.parametrize("new", ACCEPTED.values(), ids=ACCEPTED)
def test_what_still_runs_them_is_honest(new: str) -> None:
    assert verdict_between({WORKFLOW: workflow()}, {WORKFLOW: new}) == "accepts"


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param(make("pytest() { true; }; pytest"), "refuses", id="function"),
        pytest.param(make("pytest", "SHELL = /bin/true\n"), "refuses", id="shell"),
        pytest.param(make("pytest", ".SHELLFLAGS = -nc\n"), "refuses", id="reads_alone"),
        pytest.param(make("pytest", "SHELL := /bin/bash\n"), "accepts", id="bash"),
        pytest.param(make("pytest", ".SHELLFLAGS = -euc\n"), "accepts", id="strict"),
    ],
)
def test_makefiles(new: str, expected: str) -> None:
    assert verdict_between({MAKE: make("pytest")}, {MAKE: new}) == expected


def test_a_program_of_the_tools_name_is_found_where_the_path_leads_there() -> None:
    old = {WORKFLOW: workflow(), "a.py": ""}
    program = {"tools/pytest": "#!/bin/sh\nexit 0\n", "a.py": "\n"}
    assert verdict_between(old, {**old, **program}) == "warns"
    led = workflow(more='      - run: echo "$PWD/tools" >> $GITHUB_PATH\n')
    assert verdict_between(old, {**old, **program, WORKFLOW: led}) == "refuses"


def test_a_finding_names_the_line() -> None:
    new = workflow("pip install pytest\npytest -q || true")
    found = mutes_between({WORKFLOW: workflow("pip install pytest\npytest -q")}, {WORKFLOW: new})
    assert [each.line for each in found] == [
        1 + new.split("\n").index("          pytest -q || true")
    ]
