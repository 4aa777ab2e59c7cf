"""Guards that guard less: hooks, policy, owners, attributes, ignore files, triggers."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import PATH, verdict_between

HOOKS = ".pre-commit-config.yaml"
CONFIG = (
    "repos:\n  - repo: local\n    hooks:\n      - id: freezegate\n        entry: freezegate hook\n"
    "      - id: tests\n        entry: pytest\n"
)
LEFTHOOK = "pre-push:\n  commands:\n    gate:\n      run: freezegate hook pre-push\n"
POLICY = (
    'version = 1\nextends = "standard"\n[base]\ntargets = ["refs/heads/main"]\n'
    '[oracle]\npaths = ["tests/properties/**", "tests/laws/**"]\n[freeze]\nmax_active = 5\n'
    "[evidence]\nruns = 7\n[evidence.tags]\nclock = 20\n"
    '[mutes]\nmarker = "refuse"\nsubject = "warn"\n'
    '[judges]\nchange = "warn"\n'
)
OWNERS = "* @all\n/tests/ @ada @bob\n/.freeze/ @ada\n"
WORKFLOW = ".github/workflows/ci.yml"
JOB = "jobs:\n  t:\n    steps:\n      - run: pytest\n"
ON = "on:\n  push:\n    branches: [main]\n  pull_request:\n"
KEPT = {PATH: "def test_a():\n    assert 1\n", ".freeze/policy.toml": POLICY}
FOUND = [
    pytest.param({HOOKS: CONFIG}, {}, id="hooks_file_gone"),
    pytest.param(
        {HOOKS: CONFIG}, {HOOKS: CONFIG.partition("      - id: tests")[0]}, id="hook_gone"
    ),
    pytest.param({HOOKS: CONFIG}, {HOOKS: CONFIG + "        stages: [manual]\n"}, id="manual"),
    pytest.param({HOOKS: CONFIG}, {HOOKS: "exclude: ^tests/\n" + CONFIG}, id="global_exclude"),
    pytest.param(
        {HOOKS: CONFIG}, {HOOKS: CONFIG + "        exclude: ^tests/\n"}, id="hook_exclude"
    ),
    pytest.param(
        {HOOKS: CONFIG}, {HOOKS: CONFIG + "        args: [--exit-zero]\n"}, id="exit_zero"
    ),
    pytest.param({HOOKS: CONFIG}, {HOOKS: "repos: [\n"}, id="no_yaml_any_more"),
    pytest.param({".husky/pre-push": "npm test\n"}, {}, id="husky_gone"),
    pytest.param(
        {"lefthook.yml": LEFTHOOK},
        {"lefthook.yml": "pre-push:\n  commands: {}\n"},
        id="lefthook_command_gone",
    ),
    pytest.param(
        {"lefthook.yml": LEFTHOOK},
        {
            "lefthook.yml": "pre-push:\n  commands:\n    gate:\n      skip: true\n"
            "      run: freezegate hook pre-push\n"
        },
        id="lefthook_skip",
    ),
    *(
        pytest.param({}, {".freeze/policy.toml": POLICY.replace(was, now)}, id=name)
        for name, was, now in (
            ("preset", '"standard"', '"basic"'),
            ("budget", "max_active = 5", "max_active = 50"),
            ("budget_key_gone", "max_active = 5\n", ""),
            ("runs", "runs = 7", "runs = 2"),
            ("tag", "clock = 20", "clock = 2"),
            ("family_off", 'marker = "refuse"', 'marker = "off"'),
            ("family_lower", 'subject = "warn"', 'subject = "note"'),
            ("oracle_glob", ', "tests/laws/**"', ""),
            ("judges", 'change = "warn"', 'change = "note"'),
        )
    ),
    pytest.param(
        {"CODEOWNERS": OWNERS},
        {"CODEOWNERS": OWNERS.replace("@ada @bob", "@bob")},
        id="an_owner_gone",
    ),
    pytest.param({"CODEOWNERS": OWNERS}, {}, id="owners_gone"),
    pytest.param({"CODEOWNERS": OWNERS}, {"CODEOWNERS": OWNERS + "/tests/\n"}, id="nobody_behind"),
    pytest.param({}, {".gitattributes": "*.py -diff\n"}, id="no_diff"),
    pytest.param({}, {".gitattributes": "tests/** binary\n"}, id="binary"),
    pytest.param({}, {".gitattributes": "tests/*.py linguist-generated\n"}, id="generated"),
    pytest.param({}, {".gitattributes": "*.py filter=quiet\n"}, id="filter"),
    pytest.param({}, {"tests/.gitattributes": "* -diff\n"}, id="attributes_in_a_folder"),
    pytest.param({}, {".gitignore": "tests/\n"}, id="ignores_tests"),
    pytest.param({}, {".gitignore": "test_*.py\n"}, id="ignores_test_files"),
    pytest.param({}, {".gitignore": ".freeze/evidence/\n"}, id="ignores_evidence"),
    pytest.param({}, {".gitignore": "*.ambr\n"}, id="ignores_snapshots"),
    pytest.param(
        {WORKFLOW: ON + JOB},
        {WORKFLOW: ON.replace("  pull_request:\n", "") + JOB},
        id="trigger_gone",
    ),
    pytest.param(
        {WORKFLOW: ON + JOB}, {WORKFLOW: "on: workflow_dispatch\n" + JOB}, id="by_hand_alone"
    ),
    pytest.param(
        {WORKFLOW: ON + JOB},
        {WORKFLOW: ON + "    paths-ignore: [src/**]\n" + JOB},
        id="paths_ignore",
    ),
    pytest.param({WORKFLOW: ON + JOB}, {WORKFLOW: ON + "    paths: [docs/**]\n" + JOB}, id="paths"),
]
ACCEPTED = [
    pytest.param(
        {HOOKS: CONFIG}, {HOOKS: CONFIG + "      - id: ruff\n        entry: ruff\n"}, id="more"
    ),
    *(
        pytest.param({}, {".freeze/policy.toml": POLICY.replace(was, now)}, id=name)
        for name, was, now in (
            ("stricter_preset", '"standard"', '"strict"'),
            ("smaller_budget", "max_active = 5", "max_active = 2"),
            ("more_runs", "runs = 7", "runs = 20"),
            ("family_higher", 'subject = "warn"', 'subject = "refuse"'),
            ("more_globs", ', "tests/laws/**"', ', "tests/laws/**", "x/**"'),
        )
    ),
    pytest.param(
        {"CODEOWNERS": OWNERS}, {"CODEOWNERS": OWNERS + "/docs/ @eve\n"}, id="more_owners"
    ),
    pytest.param({}, {".gitattributes": "*.py text eol=lf\n*.png binary\n"}, id="line_ends"),
    pytest.param({}, {".gitignore": "build/\n*.pyc\n"}, id="ignores_what_is_built"),
    pytest.param(
        {WORKFLOW: ON + JOB}, {WORKFLOW: ON + "  merge_group:\n" + JOB}, id="more_triggers"
    ),
    pytest.param(
        {WORKFLOW: ON + "jobs: {}\n"},
        {WORKFLOW: "on: push\njobs: {}\n"},
        id="a_workflow_without_tests",
    ),
]


@pytest.mark.parametrize(("old", "new"), FOUND)
def test_what_guards_less_is_found(old: dict[str, str], new: dict[str, str]) -> None:
    assert verdict_between({**KEPT, **old}, {**KEPT, **new}, "gate") == "refuses"


@pytest.mark.parametrize(("old", "new"), ACCEPTED)
def test_what_guards_as_before_is_none(old: dict[str, str], new: dict[str, str]) -> None:
    assert verdict_between({**KEPT, **old}, {**KEPT, **new}, "gate") == "accepts"
