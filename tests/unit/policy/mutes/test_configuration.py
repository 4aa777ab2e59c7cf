"""Configuration after which less is collected, in every file that pytest reads."""

from __future__ import annotations

import pytest

from freezegate.policy.mutes.expressions import selects_less
from tests.unit.policy.mutes.sides import mutes_between, verdict_between

TEST = (
    "def test_a():\n    assert 1 + 1 == 2\n\n\nclass TestIt:\n    def test_b(self):\n        pass\n"
)
SUITE = {
    "tests/test_it.py": TEST,
    "tests/unit/it_test.py": TEST,
    "tests/unit/deep/test_deep.py": TEST,
    "src/shop.py": "def total(): pass\n",
}
BASE = "[pytest]\ntestpaths = tests\naddopts = -ra\n"


def ini(lines: str, name: str = "pytest.ini") -> dict[str, str]:
    """A file with further settings."""
    return {name: f"{BASE}{lines}\n"}


@pytest.mark.parametrize(
    ("files", "verdict"),
    [
        pytest.param(ini("python_files = test_i*.py"), "refuses", id="python_files"),
        pytest.param(ini("python_files = nothing"), "refuses", id="python_files_of_nothing"),
        pytest.param(ini("python_classes = Check"), "refuses", id="python_classes"),
        pytest.param(ini("python_functions = check_*"), "refuses", id="python_functions"),
        pytest.param(ini("norecursedirs = deep"), "refuses", id="norecursedirs"),
        pytest.param(
            {"pytest.ini": "[pytest]\ntestpaths = tests/unit\n"}, "refuses", id="testpaths"
        ),
        pytest.param(
            {"pytest.ini": "[pytest]\ntestpaths = src\n"}, "refuses", id="testpaths_of_code"
        ),
        pytest.param(ini("addopts = --ignore=tests/unit"), "refuses", id="ignore"),
        pytest.param(ini("addopts = --ignore tests/unit/"), "refuses", id="ignore_two_words"),
        pytest.param(ini("addopts = --ignore-glob=*deep*"), "refuses", id="ignore_glob"),
        pytest.param(
            ini("addopts = --deselect tests/test_it.py::test_a"), "refuses", id="deselect"
        ),
        pytest.param(ini("addopts = --deselect=tests/"), "refuses", id="deselect_a_folder"),
        pytest.param(ini("addopts = -k 'not test_a'"), "refuses", id="k"),
        pytest.param(ini("addopts = -knothing"), "refuses", id="k_in_one_word"),
        pytest.param(ini("addopts = -qk nothing"), "refuses", id="k_among_flags"),
        pytest.param(ini("addopts = -m slow"), "refuses", id="m"),
        pytest.param(ini("addopts = -m 'not slow'"), "accepts", id="m_that_nobody_bears"),
        pytest.param(ini("addopts = -p no:python"), "refuses", id="no_python"),
        pytest.param(ini("addopts = -pno:unittest"), "refuses", id="no_unittest"),
        pytest.param(ini("addopts = -p no:asyncio"), "warns", id="no_other_plugin"),
        pytest.param(ini("addopts = --co -q"), "refuses", id="collect_only"),
        pytest.param(ini("addopts = --setup-plan"), "refuses", id="setup_plan"),
        pytest.param(ini("addopts = --lf"), "refuses", id="last_failed"),
        pytest.param(ini("addopts = tests/unit"), "refuses", id="words"),
        pytest.param(ini("collect_imported_tests = false"), "refuses", id="imported_tests"),
        pytest.param(
            {"tests/pytest.ini": "[pytest]\naddopts = -k x\n"}, "refuses", id="new_ini_below"
        ),
        pytest.param(
            {"tests/unit/tox.ini": "[pytest]\npython_files = x\n"}, "refuses", id="tox_below"
        ),
        pytest.param({".pytest.ini": "[pytest]\naddopts = -k x\n"}, "accepts", id="ini_that_loses"),
        pytest.param(
            {"pytest.toml": "[pytest]\naddopts = ['-k', 'x']\n"}, "refuses", id="toml_wins"
        ),
        pytest.param(
            {"tests/conftest.py": "collect_ignore = ['unit']\n"}, "refuses", id="collect_ignore"
        ),
        pytest.param(
            {"tests/conftest.py": "collect_ignore_glob = ['*/deep*']\n"}, "refuses", id="glob"
        ),
        pytest.param(
            {"conftest.py": "X = 'unit'\ncollect_ignore = ['tests/' + 'unit']\n"},
            "refuses",
            id="computed",
        ),
        pytest.param(
            {
                "tests/conftest.py": "import sys\ncollect_ignore = []\n"
                "if sys.version_info < (3, 9):\n"
                "    collect_ignore.append('test_it.py')\n"
            },
            "warns",
            id="at_times",
        ),
        pytest.param(
            {
                "tests/conftest.py": "collect_ignore = []\nif True:\n"
                "    collect_ignore += ['test_it.py']\n"
            },
            "refuses",
            id="always",
        ),
        pytest.param({"tests/unit/pyvenv.cfg": ""}, "refuses", id="an_environment"),
        pytest.param(
            ini("addopts = -ra -v --strict-markers --maxfail=3"), "accepts", id="shown_otherwise"
        ),
        pytest.param(ini("addopts = -p no:cacheprovider"), "accepts", id="no_cache"),
        pytest.param(
            ini("python_files = test_*.py *_test.py check_*.py"), "accepts", id="more_files"
        ),
        pytest.param(ini("markers = slow: is slow"), "accepts", id="markers"),
        pytest.param({"pytest.ini": "[pytest]\n"}, "accepts", id="all_is_searched"),
        pytest.param(
            {"pyproject.toml": "[project]\nname = 'shop'\n"}, "accepts", id="another_file"
        ),
        pytest.param({"tests/conftest.py": "X = 1\n"}, "accepts", id="conftest"),
    ],
)
def test_less_is_collected(files: dict[str, str], verdict: str) -> None:
    old = {**SUITE, "pytest.ini": BASE.replace("addopts = -ra\n", "")}
    new = {**old, **{k: v.replace("addopts = -ra\naddopts", "addopts") for k, v in files.items()}}
    assert verdict_between(old, new, "configuration") == verdict


@pytest.mark.parametrize(
    ("old", "new", "less"),
    [
        pytest.param("", "a", True, id="anything"),
        pytest.param("a", "", False, id="nothing"),
        pytest.param("a", "a or b", False, id="or"),
        pytest.param("a", "a and b", True, id="and"),
        pytest.param("not a", "not (a or b)", True, id="not"),
        pytest.param("not a and not b", "not a", False, id="fewer_nots"),
        pytest.param("not a and not b", "not (b or a)", False, id="the_same"),
        pytest.param("a", "((", None, id="damaged"),
    ],
)
def test_expressions_are_compared_by_what_they_select(old: str, new: str, less: bool) -> None:
    assert selects_less(old, new) is less


def marked(name: str) -> str:
    """A test with a marker."""
    return f"import pytest\n\n\n@pytest.mark.{name}\ndef test_a():\n    assert 1 + 1 == 2\n"


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [
        pytest.param("not slow", "refuses", id="left_out"),
        pytest.param("not (slow or x)", "refuses", id="left_out_among_others"),
        pytest.param("not x", "accepts", id="another"),
    ],
)
def test_a_marker_that_the_configuration_leaves_out(expression: str, verdict: str) -> None:
    config = {"pytest.ini": f'[pytest]\naddopts = -m "{expression}"\n'}
    old = {**config, "tests/test_it.py": marked("fast")}
    new = {**config, "tests/test_it.py": marked("slow")}
    assert verdict_between(old, new, "configuration") == verdict


def test_a_marker_that_is_left_out_from_now_on() -> None:
    old = {"pytest.ini": "[pytest]\n", "tests/test_it.py": marked("slow")}
    new = {**old, "pytest.ini": "[pytest]\naddopts = -m 'not slow'\n"}
    assert verdict_between(old, new, "configuration") == "refuses"


def test_a_finding_names_the_file_that_decides() -> None:
    (found,) = mutes_between(SUITE, {**SUITE, "tests/tox.ini": "[pytest]\npython_files = x.py\n"})
    assert (found.path, found.now) == (
        "tests/tox.ini",
        "its name matches none of python_files x.py",
    )
