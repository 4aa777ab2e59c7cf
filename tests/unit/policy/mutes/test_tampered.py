"""CI jobs that change what they test, or end, before the tests run."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import verdict_between

GITHUB = ".github/workflows/ci.yml"
GITLAB = ".gitlab-ci.yml"
STEPS = (
    "on: [push]\njobs:\n  test:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v4\n"
    "      - run: pip install -e .[test]\n      - run: |\n          pytest\n"
)
JOBS = "stages: [test]\n\ntest:\n  stage: test\n  script:\n    - pip install -e .\n    - pytest\n"
OLD = {GITHUB: STEPS, GITLAB: JOBS, "scripts/ci.sh": "#!/bin/sh\nset -e\npython -m pytest\n"}


def before(line: str) -> dict[str, str]:
    """A command in front of the tests, in the same step."""
    return {GITHUB: STEPS.replace("          pytest", f"          {line}\n          pytest")}


def step(line: str) -> dict[str, str]:
    """A step in front of the tests."""
    return {GITHUB: STEPS.replace("      - run: |", f"      - run: {line}\n      - run: |")}


def script(line: str) -> dict[str, str]:
    """A command in front of the tests, in a script."""
    return {"scripts/ci.sh": OLD["scripts/ci.sh"].replace("python", f"{line}\npython")}


def job(old: str, new: str) -> dict[str, str]:
    """The jobs of GitLab with a change."""
    assert old in JOBS
    return {GITLAB: JOBS.replace(old, new)}


LOST = {
    "sed": "sed -i 's/== 210/== 28/' tests/test_cart.py",
    "rm": "rm -f tests/test_cart.py",
    "rm_all": "rm -rf tests",
    "rm_pattern": "rm tests/test_*.py",
    "mv": "mv tests/test_cart.py /tmp",
    "find": "find tests -name 'test_cart*' -delete",
    "git_rm": "git rm -q tests/test_cart.py",
    "git_checkout": "git checkout HEAD~1 -- src",
    "git_reset": "git reset --hard HEAD^",
    "git_restore": "git restore --source v1.0 tests",
    "exit": "exit 0",
}
REFUSED = {
    **{f"{name}_before": before(line) for name, line in LOST.items()},
    **{f"{name}_in_a_script": script(line) for name, line in LOST.items()},
    **{f"{name}_as_a_step": step(line) for name, line in LOST.items() if name != "exit"},
    "hidden_job": job("\ntest:", "\n.test:"),
    "before_script_alias": job("  script:", "  before_script:\n    - alias pytest=true\n  script:"),
    "before_script_set_e": job("  script:", "  before_script:\n    - set +e\n  script:"),
    "default_before_script": job(
        "stages: [test]", "default:\n  before_script:\n    - rm -r tests\n    - mkdir tests"
    ),
    "old_before_script": job("stages: [test]", "before_script: [rm -r tests]"),
}
WARNED = {
    "checkout_of_a_tag": {
        GITHUB: STEPS.replace("checkout@v4\n", "checkout@v4\n        with:\n          ref: v1.0\n")
    },
    "git_checkout_tag": before("git checkout v1.0"),
    "released": {GITHUB: STEPS.replace("-e .[test]", "shop[test]")},
    "folder": {
        GITHUB: STEPS.replace("      - run: |", "      - working-directory: docs\n        run: |")
    },
    "pythonpath": before("export PYTHONPATH=tests/fakes"),
    "stash": before("git stash"),
}
ACCEPTED = {
    "clean": before("rm -rf tests/__pycache__ .coverage"),
    "sed_of_a_file": before("sed -i 's/x/y/' docs/index.md"),
    "fetch": before("git fetch --tags"),
    "exit_in_a_branch": before('if [ -z "$X" ]; then\n            exit 0\n          fi'),
    "in_another_job": {
        GITHUB: f"{STEPS}  pages:\n    runs-on: x\n    steps:\n      - run: rm -r tests\n"
    },
    "after": {GITHUB: f"{STEPS}      - run: rm -r tests\n"},
    "own_revision": {
        GITHUB: STEPS.replace(
            "checkout@v4\n",
            "checkout@v4\n        with:\n          ref: ${{ github.event.after }}\n",
        )
    },
    "pythonpath": before("export PYTHONPATH=src"),
    "pattern": {GITLAB: JOBS.replace("\ntest:", "\n.test:") + "\nunit:\n  extends: .test\n"},
    "requirements": {GITHUB: STEPS.replace("-e .[test]", "-r requirements.txt")},
}


@pytest.mark.parametrize("changes", REFUSED.values(), ids=REFUSED)
def test_what_changes_the_tests_before_they_run_is_found(changes: dict[str, str]) -> None:
    assert verdict_between(OLD, {**OLD, **changes}, "runner") == "refuses"


@pytest.mark.parametrize("changes", WARNED.values(), ids=WARNED)
def test_another_tree_is_for_a_person(changes: dict[str, str]) -> None:
    assert verdict_between(OLD, {**OLD, **changes}, "runner") == "warns"


@pytest.mark.parametrize("changes", ACCEPTED.values(), ids=ACCEPTED)
def test_honest_steps_are_none(changes: dict[str, str]) -> None:
    assert verdict_between(OLD, {**OLD, **changes}, "runner") == "accepts"
