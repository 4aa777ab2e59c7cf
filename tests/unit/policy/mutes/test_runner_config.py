"""Settings of pytest and coverage, and versions that CI tries: what is less than before."""

from __future__ import annotations

import pytest

from freezegate.policy.mutes.mute import Certainty
from tests.unit.policy.mutes.sides import mutes_between, verdict_between

WORKFLOW = ".github/workflows/ci.yml"
JOB = (
    "jobs:\n  t:\n    strategy:\n      matrix:\n        python: ['3.11', '3.12']\n{more}"
    "    steps:\n      - run: pytest\n"
)


def ini(*lines: str) -> str:
    """A pytest.ini."""
    return "[pytest]\n" + "".join(f"{line}\n" for line in lines)


STRICT = ini(
    "addopts = --strict-markers -W error", "xfail_strict = true", "filterwarnings =", "    error"
)
WARNED = [
    *(
        pytest.param({"pytest.ini": ini("addopts = -ra")}, {"pytest.ini": ini(line)}, id=name)
        for name, line in {
            "keyword": "addopts = -ra -k fast",
            "marker": "addopts = -ra -m 'not slow'",
            "ignore": "addopts = -ra --ignore=tests/test_a.py",
            "ignore_glob": "addopts = -ra --ignore-glob tests/x*",
            "deselect": "addopts = -ra --deselect=tests/test_a.py::test_b",
            "reruns": "addopts = -ra --reruns 3",
            "last_failed": "addopts = -ra --lf",
            "no_plugin": "addopts = -ra -p no:randomly",
            "no_conftest": "addopts = -ra --noconftest",
        }.items()
    ),
    pytest.param(
        {"pytest.ini": STRICT}, {"pytest.ini": STRICT.replace("--strict-markers", "")}, id="strict"
    ),
    pytest.param(
        {"pytest.ini": STRICT},
        {"pytest.ini": STRICT.replace("= true", "= false")},
        id="xfail_strict",
    ),
    pytest.param(
        {"pytest.ini": STRICT},
        {"pytest.ini": STRICT.replace("    error", "    default")},
        id="warnings",
    ),
    pytest.param({"pytest.ini": STRICT}, {}, id="configuration_gone"),
    pytest.param(
        {"pytest.ini": STRICT}, {"pytest.ini": STRICT, "pytest.toml": "[pytest]\n"}, id="hidden"
    ),
    pytest.param(
        {"pytest.ini": STRICT},
        {"pytest.ini": STRICT, "tests/pytest.ini": "[pytest]\n"},
        id="nearer",
    ),
    pytest.param(
        {"pytest.ini": ini("testpaths = tests docs")},
        {"pytest.ini": ini("testpaths = docs")},
        id="testpaths",
    ),
    pytest.param(
        {"pyproject.toml": "[tool.pytest.ini_options]\nxfail_strict = true\n"},
        {"pyproject.toml": "[tool.pytest.ini_options]\nxfail_strict = false\n"},
        id="pyproject",
    ),
    pytest.param(
        {".coveragerc": "[report]\nfail_under = 90\n"},
        {".coveragerc": "[report]\nfail_under = 10\n"},
        id="floor",
    ),
    pytest.param({".coveragerc": "[report]\nfail_under = 90\n"}, {}, id="floor_gone"),
    pytest.param(
        {"pyproject.toml": "[tool.coverage.run]\nomit = ['a']\n"},
        {"pyproject.toml": "[tool.coverage.run]\nomit = ['a', 'src/shop.py']\n"},
        id="omit",
    ),
    pytest.param(
        {"setup.cfg": "[coverage:report]\nexclude_lines =\n    a\n"},
        {"setup.cfg": "[coverage:report]\nexclude_lines =\n    a\n    def\n"},
        id="exclude_lines",
    ),
    pytest.param(
        {WORKFLOW: JOB.format(more="")},
        {WORKFLOW: JOB.format(more="").replace("'3.11', ", "")},
        id="matrix",
    ),
    pytest.param(
        {WORKFLOW: JOB.format(more="")},
        {WORKFLOW: JOB.format(more="        exclude:\n          - python: '3.12'\n")},
        id="exclude",
    ),
    pytest.param(
        {"tox.ini": "[tox]\nenvlist = py{311,312}, lint\n"},
        {"tox.ini": "[tox]\nenvlist = py312, lint\n"},
        id="envlist",
    ),
    pytest.param(
        {"noxfile.py": "import nox\n@nox.session(python=['3.11', '3.12'])\ndef t(s):\n    pass\n"},
        {"noxfile.py": "import nox\n@nox.session(python=['3.12'])\ndef t(s):\n    pass\n"},
        id="nox_python",
    ),
]
ACCEPTED = [
    pytest.param(
        {"pytest.ini": ini("addopts = -ra")}, {"pytest.ini": ini("addopts = -ra -v")}, id="v"
    ),
    pytest.param(
        {"pytest.ini": STRICT},
        {
            "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--strict-markers -W error'\n"
            "xfail_strict = true\nfilterwarnings = ['error']\n"
        },
        id="moved_to_another_file",
    ),
    pytest.param(
        {"pytest.ini": ini("addopts = -ra")},
        {"pytest.ini": STRICT.replace("-W", "-ra -W")},
        id="stricter",
    ),
    pytest.param(
        {".coveragerc": "[report]\nfail_under = 90\n"},
        {"pyproject.toml": "[tool.coverage.report]\nfail_under = 90\n"},
        id="floor_moved",
    ),
    pytest.param(
        {WORKFLOW: JOB.format(more="")},
        {WORKFLOW: JOB.format(more="").replace("'3.11'", "'3.13'")},
        id="another_version",
    ),
    pytest.param(
        {"pytest.ini": ini()}, {"pytest.ini": ini("markers =", "    slow: s")}, id="markers"
    ),
    pytest.param({}, {"pytest.ini": ini("testpaths = tests")}, id="the_first_configuration"),
]


@pytest.mark.parametrize(("old", "new"), WARNED)
def test_less_is_told(old: dict[str, str], new: dict[str, str]) -> None:
    assert verdict_between(old, new, "runner") == "warns"


@pytest.mark.parametrize(("old", "new"), ACCEPTED)
def test_honest_work_is_none(old: dict[str, str], new: dict[str, str]) -> None:
    assert verdict_between(old, new, "runner") == "accepts"


def test_options_that_run_nothing_refuse() -> None:
    old, new = {"pytest.ini": ini("addopts = -ra")}, {"pytest.ini": ini("addopts = -ra --co")}
    assert verdict_between(old, new, "runner") == "refuses"


def test_a_warning_that_is_ignored_is_noted() -> None:
    new = STRICT + "    ignore::DeprecationWarning\n"
    assert verdict_between({"pytest.ini": STRICT}, {"pytest.ini": new}, "runner") == "notes"


def test_an_option_that_leaves_tests_out_is_told_once() -> None:
    old = {"tests/test_a.py": "def test_a():\n    assert f() == 1\n", "pytest.ini": ini("a = b")}
    for line in ("--deselect=tests/test_a.py::test_a", "-k 'not a'", "-m slow"):
        new = {**old, "pytest.ini": ini(f"addopts = {line}")}
        assert [each.detector for each in mutes_between(old, new)] == ["configuration"]


FLOOR = "[tool.pytest.ini_options]\naddopts = '-ra --cov=shop --cov-fail-under=85'\n"
REPORT = (
    "[tool.pytest.ini_options]\naddopts = '-ra --cov=shop'\n"
    "[tool.coverage.report]\nfail_under = {}\n"
)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(FLOOR, REPORT.format(85), "accepts", id="moved"),
        pytest.param(FLOOR, REPORT.format(90), "accepts", id="moved_and_raised"),
        pytest.param(REPORT.format(85), FLOOR, "accepts", id="moved_back"),
        pytest.param(FLOOR, REPORT.format(80), "warns", id="moved_and_lowered"),
        pytest.param(REPORT.format(90), FLOOR, "warns", id="moved_back_and_lowered"),
    ],
)
def test_a_floor_that_moves(old: str, new: str, expected: str) -> None:
    assert verdict_between({"pyproject.toml": old}, {"pyproject.toml": new}) == expected


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        pytest.param("pyproject.toml", FLOOR, FLOOR.replace("'-ra", "''-ra"), id="toml"),
        pytest.param(WORKFLOW, JOB.format(more=""), "jobs: [\n", id="yaml"),
        pytest.param("tox.ini", "[pytest]\naddopts = -ra\n", "addopts = -ra\n[", id="ini"),
    ],
)
def test_a_file_that_the_patch_breaks_is_opaque(path: str, old: str, new: str) -> None:
    found = mutes_between({path: old}, {path: new})
    assert [(m.detector, m.opaque, m.certainty) for m in found if m.opaque] == [
        ("runner", True, Certainty.CLEAR)
    ]
    assert not [m for m in found if m.detector == "runner" and not m.opaque]
    assert verdict_between({path: new}, {path: new + "\n"}, "runner") == "warns"


def test_test_paths_where_nothing_stands_need_a_person() -> None:
    old = {"tests/test_a.py": "def test_a():\n    assert f() == 1\n"}
    new = {**old, "pytest.ini": ini("testpaths = docs")}
    assert verdict_between(old, new) == "warns"
    assert verdict_between(old, {**new, "docs/index.md": ""}) == "refuses"
    assert verdict_between(old, {**old, "pytest.ini": ini("testpaths = tests")}) == "accepts"
