"""CI, make, tox, nox and scripts: failures that count for nothing, and fewer tests."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, mutes_between, verdict_between

WORKFLOW = ".github/workflows/ci.yml"
SOURCE = {"shop.py": "def total(items):\n    return 1\n"}


def workflow(run: str = "pytest", step: str = "", job: str = "", more: str = "") -> str:
    """A workflow of GitHub with one step that runs tests."""
    script = run.replace("\n", "\n          ")
    return (
        "on: [push, pull_request]\njobs:\n  test:\n    runs-on: ubuntu-latest\n"
        f"{job}    steps:\n      - uses: actions/checkout@v4\n{more}"
        f"      - name: Test\n{step}        run: |\n          {script}\n"
    )


def make(recipe: str, head: str = "") -> str:
    """A makefile with one recipe."""
    return f"{head}test:\n\t{recipe}\n"


def tox(commands: str, more: str = "") -> str:
    """A tox.ini with one environment."""
    return f"[tox]\nenvlist = py\n\n[testenv]\ndeps = pytest\n{more}commands = {commands}\n"


def nox(call: str) -> str:
    """A noxfile with one session."""
    return f"import nox\n\n@nox.session\ndef tests(session):\n    {call}\n"


GITLAB = "test:\n  script:\n    - pip install .\n    - pytest\n"
JUST = "test:\n    pytest\n"
REFUSED = [
    *(
        pytest.param(WORKFLOW, workflow(), workflow(run), id=name)
        for name, run in {
            "or_true": "pytest || true",
            "or_colon": "pytest || :",
            "or_exit_0": "pytest || exit 0",
            "or_echo": "pytest || echo 'failed'",
            "or_after_and": "pytest && echo fine || true",
            "semicolon_true": "pytest; true",
            "semicolon_exit_0": "pytest ; exit 0",
            "set_plus_e": "set +e\npytest",
            "set_plus_o": "set +o errexit\npytest",
            "background": "pytest &",
            "negated": "! pytest",
            "tee": "pytest | tee log.txt",
            "if": "if pytest; then echo fine; fi",
            "in_echo": 'echo "$(pytest)"',
            "inner_shell": "bash -c 'pytest || true'",
            "trap": "trap 'exit 0' EXIT\npytest",
            "collect_only": "pytest --collect-only",
            "co": "pytest --co",
            "setup_plan": "pytest --setup-plan",
            "version": "pytest --version",
            "line_continued": "pytest \\\n  || true",
            "through_uv": "uv run pytest || true",
            "through_python": "python -m pytest || true",
            "through_coverage": "coverage run -m pytest || true",
            "echoed": "echo pytest",
            "commented": "# pytest",
            "gone": "true",
        }.items()
    ),
    pytest.param(
        WORKFLOW, workflow(), workflow(step="        continue-on-error: true\n"), id="step_goes_on"
    ),
    pytest.param(
        WORKFLOW, workflow(), workflow(job="    continue-on-error: true\n"), id="job_goes_on"
    ),
    pytest.param(
        WORKFLOW, workflow(), workflow(job="    continue-on-error: ${{ true }}\n"), id="expression"
    ),
    pytest.param(WORKFLOW, workflow(), workflow(step="        if: false\n"), id="step_never"),
    pytest.param(WORKFLOW, workflow(), workflow(job="    if: ${{ false }}\n"), id="job_never"),
    pytest.param(
        WORKFLOW,
        workflow(),
        "x: &on\n  continue-on-error: true\n" + workflow(job="    <<: *on\n"),
        id="merged_in",
    ),
    pytest.param(".gitlab-ci.yml", GITLAB, GITLAB + "  allow_failure: true\n", id="allow_failure"),
    pytest.param(".gitlab-ci.yml", GITLAB, GITLAB + "  when: manual\n", id="manual"),
    pytest.param(".gitlab-ci.yml", GITLAB, GITLAB + "  rules:\n    - when: never\n", id="never"),
    pytest.param(
        ".gitlab-ci.yml",
        GITLAB,
        GITLAB + "  allow_failure:\n    exit_codes: [1]\n",
        id="exit_codes",
    ),
    pytest.param(".gitlab-ci.yml", GITLAB, GITLAB.replace("pytest", "pytest || true"), id="gitlab"),
    pytest.param("Makefile", make("pytest"), make("-pytest"), id="make_dash"),
    pytest.param("Makefile", make("@pytest"), make("@-pytest"), id="make_at_dash"),
    pytest.param("Makefile", make("pytest"), make("pytest || true"), id="make_or_true"),
    pytest.param("Makefile", make("pytest"), make("pytest; true"), id="make_true"),
    pytest.param("Makefile", make("pytest"), make("pytest", ".IGNORE:\n"), id="make_ignore"),
    pytest.param("Makefile", make("pytest"), make("pytest", "MAKEFLAGS += -i\n"), id="makeflags"),
    pytest.param(
        "Makefile",
        make("$(RUN)", "RUN = pytest\n"),
        make("-$(RUN)", "RUN = pytest\n"),
        id="make_var",
    ),
    pytest.param(
        "Makefile",
        make("$(RUN)", "RUN = pytest\n"),
        make("$(RUN)", "RUN = pytest || true\n"),
        id="make_variable_ignores",
    ),
    pytest.param("justfile", JUST, JUST.replace("pytest", "-pytest"), id="just_dash"),
    pytest.param("tox.ini", tox("pytest"), tox("- pytest"), id="tox_dash"),
    pytest.param("tox.ini", tox("pytest"), tox("pytest", "ignore_outcome = true\n"), id="outcome"),
    pytest.param(
        "tox.ini", tox("pytest {posargs}"), tox("pytest --co {posargs}"), id="tox_collects_only"
    ),
    pytest.param(
        "noxfile.py",
        nox("session.run('pytest')"),
        nox("session.run('pytest', success_codes=[0, 1])"),
        id="nox_codes",
    ),
    pytest.param(
        "noxfile.py",
        nox("session.run('pytest')"),
        nox("try:\n        session.run('pytest')\n    except Exception:\n        pass"),
        id="nox_except",
    ),
    pytest.param("scripts/test.sh", "set -e\npytest\n", "set -e\npytest || true\n", id="script"),
    pytest.param("scripts/test.sh", "pytest\n", "pytest\nexit 0\n", id="script_exit_0"),
    pytest.param(
        "pyproject.toml",
        "[tool.hatch.envs.default.scripts]\ntest = 'pytest'\n",
        "[tool.hatch.envs.default.scripts]\ntest = '- pytest'\n",
        id="hatch_dash",
    ),
    pytest.param(
        "pyproject.toml",
        "[tool.poe.tasks.test]\ncmd = 'pytest'\n",
        "[tool.poe.tasks.test]\ncmd = 'pytest'\nignore_fail = true\n",
        id="poe_ignores",
    ),
    pytest.param(
        ".circleci/config.yml",
        "jobs:\n  t:\n    steps:\n      - run:\n          command: pytest\n",
        "jobs:\n  t:\n    steps:\n      - run:\n          command: pytest || true\n",
        id="circle",
    ),
    pytest.param(
        "azure-pipelines.yml",
        "steps:\n  - script: pytest\n",
        "steps:\n  - script: pytest\n    continueOnError: true\n",
        id="azure",
    ),
    pytest.param(
        ".travis.yml", "script:\n  - pytest\n", "script:\n  - pytest || true\n", id="travis"
    ),
]
WARNED = [
    *(
        pytest.param(WORKFLOW, workflow("pytest tests"), workflow(run), id=name)
        for name, run in {
            "keyword": "pytest tests -k 'not total'",
            "marker": "pytest tests -m fast",
            "ignore": "pytest tests --ignore=tests/test_a.py",
            "deselect": "pytest tests --deselect tests/test_a.py::test_b",
            "narrowed": "pytest tests/unit",
            "reruns": "pytest tests --reruns 3",
            "last_failed": "pytest tests --lf",
            "no_plugin": "pytest tests -p no:randomly",
            "rerun_in_shell": "pytest tests || pytest tests --lf",
        }.items()
    ),
    pytest.param(
        WORKFLOW,
        workflow("pytest --cov-fail-under=90 --strict-markers"),
        workflow("pytest --cov-fail-under=50 --strict-markers"),
        id="floor",
    ),
    pytest.param(WORKFLOW, workflow("pytest --strict-markers"), workflow("pytest"), id="strict"),
    pytest.param(WORKFLOW, workflow("pytest -W error"), workflow("pytest"), id="warnings"),
    pytest.param(
        WORKFLOW, workflow(), workflow(step="        if: github.actor == 'ada'\n"), id="condition"
    ),
    pytest.param(
        WORKFLOW,
        workflow(),
        workflow(step="        env:\n          PYTEST_ADDOPTS: -k fast\n"),
        id="addopts",
    ),
    pytest.param(WORKFLOW, workflow("pytest\ntox"), workflow("pytest"), id="one_of_two_is_gone"),
    pytest.param(WORKFLOW, workflow("tox -e py,lint"), workflow("tox -e lint"), id="tox_envs"),
]
ACCEPTED = [
    *(
        pytest.param(WORKFLOW, workflow(), workflow(run), id=name)
        for name, run in {
            "verbose": "pytest -v",
            "coverage": "pytest --cov=shop",
            "through_uv": "uv run pytest",
            "exits_itself": "pytest || exit 1",
            "exits_with_a_group": "pytest || { echo failed; exit 1; }",
            "pipefail": "set -o pipefail\npytest | tee log.txt",
            "another_step_is_lenient": "pytest\ncodecov || true",
            "all_tests": "pytest tests",
            "parallel": "pytest -n auto",
            "echo_behind": "pytest && echo fine",
        }.items()
    ),
    pytest.param(
        WORKFLOW,
        workflow(),
        workflow(more="      - run: ls\n        continue-on-error: true\n"),
        id="another_step_goes_on",
    ),
    pytest.param(
        WORKFLOW,
        workflow("pytest | tee l"),
        workflow("pytest | tee l", "        shell: bash\n"),
        id="bash",
    ),
    pytest.param(
        "Makefile", make("pytest"), make("pytest") + "clean:\n\t-rm -r build\n", id="clean"
    ),
    pytest.param("tox.ini", tox("pytest"), tox("pytest", "passenv = HOME\n"), id="passenv"),
    pytest.param("README.md", "pytest\n", "pytest || true\n", id="a_document"),
]


@pytest.mark.parametrize(("path", "old", "new"), REFUSED)
def test_ignored_failures_are_found(path: str, old: str, new: str) -> None:
    assert verdict_between({path: old}, {path: new}, "runner") == "refuses"


@pytest.mark.parametrize(("path", "old", "new"), REFUSED)
def test_an_edit_of_source_and_tests_lowers_nothing(path: str, old: str, new: str) -> None:
    before = {path: old, **SOURCE, PATH: "def test_a():\n    assert 1\n"}
    after = {path: new, "shop.py": "x = 1\n", PATH: "def test_b():\n    assert 1\n"}
    assert verdict_between(before, after, "runner") == "refuses"


@pytest.mark.parametrize(("path", "old", "new"), WARNED)
def test_fewer_tests_are_told(path: str, old: str, new: str) -> None:
    assert verdict_between({path: old}, {path: new}, "runner") == "warns"


@pytest.mark.parametrize(("path", "old", "new"), ACCEPTED)
def test_honest_work_is_none(path: str, old: str, new: str) -> None:
    assert verdict_between({path: old}, {path: new}, "runner") == "accepts"


def test_a_run_that_moves_to_another_file_is_none() -> None:
    assert (
        verdict_between({WORKFLOW: workflow()}, {".github/workflows/b.yml": workflow()}, "runner")
        == "accepts"
    )


def test_another_tool_in_its_place_is_none() -> None:
    assert (
        verdict_between({WORKFLOW: workflow("tox")}, {WORKFLOW: workflow()}, "runner") == "accepts"
    )


def test_the_last_run_of_the_tests_is_not_removed() -> None:
    other = {"Makefile": make("pytest")}
    assert verdict_between({WORKFLOW: workflow()}, {}, "runner") == "refuses"
    assert verdict_between({WORKFLOW: workflow(), **other}, other, "runner") == "refuses"


def test_a_run_that_another_workflow_still_makes_is_a_warning() -> None:
    other = {".github/workflows/b.yml": workflow()}
    assert verdict_between({WORKFLOW: workflow(), **other}, other, "runner") == "warns"


def test_what_a_called_workflow_runs_is_not_known() -> None:
    called = "on: push\njobs:\n  a:\n    uses: shop/ci/.github/workflows/python.yml@v1\n"
    old = {WORKFLOW: workflow(), "Makefile": make("pytest")}
    assert verdict_between(old, {**old, WORKFLOW: called}, "runner") == "warns"


@pytest.mark.parametrize(
    "command",
    [
        "python -O -m pytest",
        "python3 -OO -m pytest",
        "PYTHONOPTIMIZE=1 pytest",
        "env PYTHONOPTIMIZE=2 pytest",
        "PYTEST_ADDOPTS=--co pytest",
        "pytest --snapshot-update",
        "pytest --force-regen",
        "pytest --regen-all",
        "pytest --inline-snapshot=fix",
        "pytest --inline-snapshot=report,fix",
    ],
)
def test_commands_that_check_nothing_are_refused(command: str) -> None:
    assert verdict_between({WORKFLOW: workflow()}, {WORKFLOW: workflow(command)}) == "refuses"
    makefile = {"Makefile": make("pytest")}
    assert verdict_between(makefile, {"Makefile": make(command)}) == "refuses"


@pytest.mark.parametrize("command", ["pytest --assert=plain", "pytest -p no:assertion"])
def test_plain_asserts_fail_still_and_are_a_warning(command: str) -> None:
    assert verdict_between({WORKFLOW: workflow()}, {WORKFLOW: workflow(command)}) == "warns"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        pytest.param(
            "noxfile.py",
            "def tests(session):\n    session.run('pytest')\n",
            "def tests(session):\n    session.run('pytest', env={'PYTHONOPTIMIZE': '1'})\n",
            id="nox",
        ),
        pytest.param(
            "tox.ini",
            "[testenv]\ncommands = pytest\n",
            "[testenv]\nsetenv =\n    PYTHONOPTIMIZE=1\ncommands = pytest\n",
            id="tox",
        ),
        pytest.param(
            "Makefile",
            make("pytest"),
            f"export PYTHONOPTIMIZE = 1\n{make('pytest')}",
            id="make",
        ),
        pytest.param("run.sh", "pytest\n", "export PYTHONOPTIMIZE=1\npytest\n", id="shell"),
        pytest.param(
            "pytest.ini",
            "[pytest]\n",
            "[pytest]\naddopts = --snapshot-update\n",
            id="addopts",
        ),
    ],
)
def test_settings_under_which_nothing_is_checked_are_refused(path: str, old: str, new: str) -> None:
    assert verdict_between({path: old}, {path: new}, "runner") == "refuses"


def test_the_gate_itself_is_of_the_family_gate() -> None:
    old, new = workflow("freezegate check"), workflow("freezegate check || true")
    (found,) = mutes_between({WORKFLOW: old}, {WORKFLOW: new})
    assert (found.family, found.path) == ("gate", WORKFLOW)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "a: &a [x, x]\nb: &b [*a, *a]\n"
            + "".join(
                f"c{n}: &c{n} [*{'b' if not n else f'c{n - 1}'}, *b, *a]\n" for n in range(40)
            ),
            id="alias_bomb",
        ),
        pytest.param("a: &a [*a]\n", id="holds_itself"),
        pytest.param("[" * 5000, id="deep_brackets"),
        pytest.param("".join(" " * n + "a:\n" for n in range(3000)), id="deep_indentation"),
        pytest.param("a: !!python/object/apply:os.system [x]\n", id="an_object"),
        pytest.param("\x00", id="zero"),
    ],
)
def test_hostile_yaml_is_no_fault_of_ours(text: str) -> None:
    assert verdict_between({WORKFLOW: workflow()}, {WORKFLOW: text}, "runner") in (
        "warns",
        "refuses",
    )
