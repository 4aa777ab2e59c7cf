"""Files of expected results that a run writes for itself."""

from __future__ import annotations

import pytest

from tests.unit.policy.mutes.sides import verdict_between

CONF = "tests/conftest.py"
OPTION = '"--update-golden", action="store_true", default=False'
ASKED = 'request.config.getoption("--update-golden")'
CHECK = "        assert path.read_text() == text\n"
OLD_CONF = (
    "import os\nfrom pathlib import Path\n\nimport pytest\n\n"
    'REGEN_GOLDEN = os.environ.get("REGEN_GOLDEN") == "1"\n\n\n'
    f"def pytest_addoption(parser):\n    parser.addoption({OPTION})\n\n\n"
    "@pytest.fixture\ndef golden(request):\n    def check(name, text):\n"
    f"        path = Path(name)\n        if {ASKED}:\n            path.write_text(text)\n"
    f"{CHECK}\n    return check\n"
)
OLD = {
    CONF: OLD_CONF,
    "tests/test_it.py": "from shop import show\n\n\n"
    "def test_a(golden):\n    golden('a', show(1))\n",
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-ra"\n',
    ".gitlab-ci.yml": "test:\n  script:\n    - pytest\n",
    "src/shop.py": "def show(n):\n    return str(n)\n",
}
WRITE = f"        if {ASKED}:\n            path.write_text(text)\n"


def conf(old: str, new: str) -> dict[str, str]:
    """The conftest file with a change."""
    assert old in OLD_CONF
    return {CONF: OLD_CONF.replace(old, new)}


REFUSED = [
    pytest.param(conf("default=False", "default=True"), id="default_true"),
    pytest.param(conf('"store_true", default=False', '"store_false"'), id="store_false"),
    pytest.param(conf("False", 'os.environ.get("X", "1")'), id="default_computed"),
    pytest.param(conf(ASKED, f"{ASKED} or not path.exists()"), id="written_when_missing"),
    pytest.param(conf(ASKED, f'{ASKED} or os.environ.get("CI", 1)'), id="by_a_variable"),
    pytest.param(conf(ASKED, f"not {ASKED}"), id="turned_around"),
    pytest.param(conf(WRITE, "        path.write_text(text)\n"), id="always"),
    pytest.param(
        conf(f"        if {ASKED}", f"        on = {ASKED} or True\n        if on"), id="named"
    ),
    pytest.param(conf('os.environ.get("REGEN_GOLDEN") == "1"', "True"), id="flag"),
    pytest.param({"pyproject.toml": OLD["pyproject.toml"].replace("-ra", "--update-golden")}),
    pytest.param({".gitlab-ci.yml": OLD[".gitlab-ci.yml"].replace("pytest", "pytest --regen")}),
    pytest.param(
        {".gitlab-ci.yml": OLD[".gitlab-ci.yml"] + "  variables:\n    UPDATE_GOLDEN: '1'\n"},
        id="variable_of_a_job",
    ),
    pytest.param(
        {".gitlab-ci.yml": OLD[".gitlab-ci.yml"].replace("pytest", "UPDATE_SNAPSHOTS=1 pytest")},
        id="variable_of_a_command",
    ),
]
WARNED = [
    pytest.param(conf(ASKED, 'os.environ.get("UPDATE")'), id="another_condition"),
    pytest.param(conf('"REGEN_GOLDEN") ==', '"CI") !='), id="another_flag"),
]
ACCEPTED = [
    pytest.param(conf(ASKED, f'{ASKED} and not os.environ.get("CI")'), id="more_conditions"),
    pytest.param(conf("path.write_text(text)", "path.write_text(text, 'utf-8')"), id="encoding"),
    pytest.param(conf("default=False", 'default=False, help="write anew"'), id="help"),
    pytest.param(conf(CHECK, f"{CHECK[:-1]}, name\n"), id="message"),
    pytest.param(
        {
            "tests/test_new.py": "def test_b(tmp_path):\n    a = tmp_path / 'a'\n"
            "    a.write_text('x')\n    assert a.read_text() == 'x'\n"
        },
        id="new_test_that_writes",
    ),
    pytest.param({".gitlab-ci.yml": OLD[".gitlab-ci.yml"].replace("pytest", "pytest -q")}, id="q"),
]


@pytest.mark.parametrize("dressing", [{}, {"src/shop.py": "def show(n):\n    return 'x'\n"}])
@pytest.mark.parametrize("changes", REFUSED)
def test_results_that_a_run_writes_are_found(
    changes: dict[str, str], dressing: dict[str, str]
) -> None:
    assert verdict_between(OLD, {**OLD, **dressing, **changes}) == "refuses"


@pytest.mark.parametrize("changes", WARNED)
def test_other_conditions_are_for_a_person(changes: dict[str, str]) -> None:
    assert verdict_between(OLD, {**OLD, **changes}, "golden_file") == "warns"


@pytest.mark.parametrize("changes", ACCEPTED)
def test_honest_changes_are_none(changes: dict[str, str]) -> None:
    assert verdict_between(OLD, {**OLD, **changes}, "golden_file") == "accepts"


def test_a_test_that_writes_its_own_input_is_none() -> None:
    body = "    a = tmp_path / 'a'\n    clean(a)\n    assert a.read_text() == 'x'\n"
    old = f"def test_a(tmp_path):\n{body}"
    new = old.replace("    clean", "    a.write_text('x ')\n    clean")
    assert verdict_between(old, new, "golden_file") == "accepts"


def test_a_test_that_writes_its_own_input_writes_no_expected_result() -> None:
    read = (
        "def test_a(tmp_path):\n    foo = tmp_path / 'foo'\n{0}    assert foo.read_bytes() == {1}\n"
    )
    given = read.format("    make(foo)\n", "b'OLD'")
    own = read.format("    foo.write_bytes(b'OLD')\n    touch(foo)\n", "b'OLD'")
    made = read.format("    foo.write_bytes(show(1))\n    touch(foo)\n", "show(1)")
    path = "tests/test_it.py"
    assert verdict_between({**OLD, path: given}, {**OLD, path: own}, "golden_file") == "accepts"
    assert verdict_between({**OLD, path: given}, {**OLD, path: made}, "golden_file") != "accepts"


def test_a_test_that_always_wrote_what_it_reads_is_none() -> None:
    body = "def test_a(tmp_path):\n    part = show(1)\n    x = tmp_path / 'x'\n"
    body += "    x.write_text(part)\n"
    check = "    assert x.read_text() == part\n"
    path = "tests/test_it.py"
    old, new = {**OLD, path: body + check}, {**OLD, path: body + "    assert x\n" + check}
    assert verdict_between(old, new, "golden_file") == "accepts"
    assert verdict_between(new, old, "golden_file") == "accepts"
