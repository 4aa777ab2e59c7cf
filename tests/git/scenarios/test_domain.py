"""Corpus groups `domain` and `area`, and the frozen test itself: whoever writes the witness."""

from __future__ import annotations

import py_compile
from pathlib import Path
from typing import Any

import pytest

from tests.git.scenarios.asking import assert_accepted, assert_refused, both, do
from tests.support import (
    CATALOG,
    FILES,
    FIXTURE,
    ORACLE,
    POLICY,
    PROPERTY,
    TEST_ID,
    Story,
    lock_line,
)

HELPER = "def holds(order):\n    return sum(order['lines']) >= 0\n"
LYING = "def holds(order):\n    return True\n"
TEST_FILE = "tests/test_order.py"
BASE = {
    ORACLE: (
        "import statistics\n"
        "from hypothesis import given\n"
        "from hypothesis import strategies as st\n"
        "import helper\n"
        "from strategies import orders\n\n\n"
        "def test_total_is_never_negative():\n"
        "    assert helper.holds({'lines': [1, 2, 3]})\n"
    ),
    "tests/helper.py": HELPER,
    "tests/strategies.py": "from deep import limit\n\n\ndef orders():\n    return limit\n",
    "tests/deep.py": "limit = 9\n",
    "tests/conftest.py": "LEVEL = 1\n",
    "pyproject.toml": (
        '[project]\nname = "shop"\nversion = "1.0"\ndependencies = ["attrs"]\n\n'
        '[tool.pytest.ini_options]\npythonpath = ["src"]\n\n[tool.ruff]\nline-length = 100\n'
    ),
}


@pytest.fixture
def ready(shop: Story) -> Story:
    """The shop with an oracle that imports helpers, and a patch of the subject on `topic`."""
    shop.on("main")
    for path, content in BASE.items():
        shop.write(path, content)
    return land(shop, "an oracle with helpers").patch()


def land(shop: Story, message: str = "land") -> Story:
    """Commit the work tree to `main`, push it, and start `topic` from there."""
    shop.commit(message, "--allow-empty")
    shop.git("push", "-q", "origin", "HEAD:main")
    shop.git("checkout", "-q", "-B", "topic")
    return shop


def ask(ready: Story, **asked: Any) -> Story:
    """Ask for an honest freeze of HEAD's patch, then stand in the work tree for more."""
    ready.request(**asked).write(ready.root)
    return ready


def compiled(folder: Path, path: str, source: str) -> bytes:
    """Return unchecked bytecode that beats whatever source stands beside it."""
    file = folder / "lying.py"
    file.write_text(source)
    out = folder / "out.pyc"
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(file), cfile=str(out), dfile=path, invalidation_mode=mode)
    return out.read_bytes()


def test_an_honest_freeze_of_this_shop(ready: Story) -> None:
    answer = ask(ready).check()
    assert_accepted(ready)
    freezes = ready.check().document["transitions"][0]["freezes"]
    line = ready.read(".freeze/ledger.jsonl").decode()
    assert f'"domain_digest":"{freezes[0]["domain_digest"]}"' in line
    assert answer.verdict == "accepted"


EDITS = [
    pytest.param("tests/helper.py", LYING, "domain.resolution_changed", id="a136_helper"),
    pytest.param(
        "tests/deep.py", "limit = 0\n", "domain.resolution_changed", id="helper_of_helper"
    ),
    pytest.param(
        "tests/properties/helper.py", LYING, "domain.resolution_changed", id="a138_nearer_module"
    ),
    pytest.param(
        "tests/properties/helper/__init__.py",
        LYING,
        "domain.resolution_changed",
        id="nearer_package",
    ),
    pytest.param(
        "tests/helper/__init__.py", LYING, "domain.resolution_changed", id="package_beats_module"
    ),
    pytest.param("tests/helper.so", "\0", "domain.bytecode", id="extension_beats_source"),
    pytest.param(
        "tests/helper.cpython-312-x86_64-linux-gnu.so",
        "\0",
        "domain.bytecode",
        id="tagged_extension",
    ),
    pytest.param("src/native.abi3.so", "\0", "domain.bytecode", id="extension_in_the_subject"),
    pytest.param(
        "tests/conftest.py",
        "import pytest\n@pytest.fixture(autouse=True)\ndef skip():\n    pytest.skip()\n",
        "domain.config_changed",
        id="a141_conftest",
    ),
    pytest.param(
        "tests/properties/conftest.py", "", "domain.config_changed", id="a142_new_conftest"
    ),
    pytest.param("conftest.py", "", "domain.config_changed", id="a142_new_conftest_at_the_top"),
    pytest.param(
        "pyproject.toml",
        BASE["pyproject.toml"].replace("pythonpath", 'addopts = "--co"\npythonpath'),
        "domain.config_changed",
        id="a144_addopts",
    ),
    pytest.param(
        "pyproject.toml",
        BASE["pyproject.toml"].replace('"attrs"', '"attrs", "pytest-rerunfailures"'),
        "domain.config_changed",
        id="dependency",
    ),
    pytest.param(
        "pyproject.toml",
        BASE["pyproject.toml"] + '\n[project.entry-points.pytest11]\nlie = "shop.plugin"\n',
        "domain.config_changed",
        id="entry_point",
    ),
    pytest.param("pytest.toml", "[pytest]\n", "domain.config_changed", id="a145_pytest_toml"),
    pytest.param(".pytest.ini", "[pytest]\n", "domain.config_changed", id="a145_hidden_ini"),
    pytest.param("tests/pytest.ini", "", "domain.config_changed", id="a145_nearer_empty_ini"),
    pytest.param("tests/tox.ini", "[pytest]\n", "domain.config_changed", id="a145_nearer_tox"),
    pytest.param("tests/statistics.py", "", "domain.resolution_changed", id="a147_standard_module"),
    pytest.param("src/random.py", "", "domain.resolution_changed", id="a147_from_the_subject"),
    pytest.param("queue/__init__.py", "", "domain.resolution_changed", id="a147_standard_package"),
    pytest.param("tests/hypothesis.py", "", "domain.resolution_changed", id="a148_third_party"),
    pytest.param(
        "hypothesis/__init__.py", "", "domain.resolution_changed", id="a148_third_party_package"
    ),
    pytest.param("pytest.py", "", "domain.resolution_changed", id="a148_pytest_itself"),
    pytest.param("sortedcontainers.py", "", "domain.resolution_changed", id="a148_its_dependency"),
    pytest.param(
        "tests/strategies.py",
        "def orders():\n    return 0\n",
        "domain.resolution_changed",
        id="a150_strategies",
    ),
    pytest.param(
        "tests/conftest.py",
        "from hypothesis import settings\nsettings.register_profile('ci', max_examples=1)\n",
        "domain.config_changed",
        id="a151_profile",
    ),
    pytest.param("tests/Helper.py", LYING, "path.fold_collision", id="a157_case_fold_shadow"),
    pytest.param("Tests/helper.py", LYING, "path.fold_collision", id="a157_case_fold_folder"),
    pytest.param("sitecustomize.py", "", "domain.startup_file", id="sitecustomize"),
    pytest.param("src/usercustomize/__init__.py", "", "domain.startup_file", id="usercustomize"),
    pytest.param("vendor/a.pth", "import os\n", "domain.startup_file", id="pth"),
    pytest.param(
        ".hypothesis/unicode_data/15.0.0/charmap.json.gz",
        "\0",
        "domain.cache_committed",
        id="hypothesis_tables",
    ),
    pytest.param(
        "tests/.pytest_cache/v/cache/lastfailed", "{}", "domain.cache_committed", id="pytest_cache"
    ),
    pytest.param(
        "tests/properties/__init__.py", "", "domain.resolution_changed", id="becomes_a_package"
    ),
    pytest.param("uv.lock", "version = 1\n", "domain.config_changed", id="lock_of_dependencies"),
    pytest.param("tests/.gitattributes", "*.py eol=crlf\n", "domain.config_changed", id="eol"),
    pytest.param(
        "speedy-1.0.dist-info/entry_points.txt",
        "[pytest11]\nspeedy = speedy\n",
        "domain.startup_file",
        id="plugin_by_a_distribution",
    ),
    pytest.param(
        "src/Speedy.egg-info/entry_points.txt",
        "[pytest11]\nspeedy = speedy\n",
        "domain.startup_file",
        id="plugin_by_an_egg",
    ),
    pytest.param(
        ".venv/lib/python3.11/site-packages/evil-1.dist-info/METADATA",
        "Name: evil\n",
        "domain.startup_file",
        id="plugin_in_a_committed_environment",
    ),
    pytest.param("random.pyw", "", "domain.resolution_changed", id="a147_windows_source"),
    pytest.param(
        "tests/PYTEST.INI", "[pytest]\n", "path.fold_collision", id="twin_of_an_absent_ini"
    ),
    pytest.param(
        "tests/properties/CONFTEST.py", "", "path.fold_collision", id="twin_of_an_absent_conftest"
    ),
    pytest.param(
        "tests/test_order/__init__.py", "", "domain.resolution_changed", id="package_over_the_test"
    ),
]
LINKS = ["random", "src/random", "sortedcontainers", "tests/statistics", "queue.py"]


@pytest.mark.parametrize(("path", "content", "code"), EDITS)
def test_a136_to_a157_nothing_that_decides_the_answer_is_in_the_patch(
    ready: Story, path: str, content: str, code: str
) -> None:
    ask(ready).write(path, content)
    assert_refused(ready, code)


@pytest.mark.parametrize("name", LINKS)
def test_a147_a_link_in_an_installed_modules_name(ready: Story, name: str) -> None:
    ask(ready).write("lies/__init__.py", "raise SystemError('lied')\n")
    (ready.root / name).symlink_to("lies" if "/" not in name else "../lies")
    assert_refused(ready, "domain.resolution_changed")


@pytest.mark.parametrize("name", ["random", "tests/queue"])
def test_a147_a_submodule_in_an_installed_modules_name(ready: Story, name: str) -> None:
    ask(ready).commit("ask")
    ready.plumb({name: ("160000", ready.rev("HEAD"))})
    assert "domain.resolution_changed" in ready.check().errors


def test_attributes_over_a_helper_of_the_test(ready: Story) -> None:
    ready.on("main").write("tests/unit/rules.py", "N = 3\n").write("tests/unit/__init__.py", "")
    ready.write("tests/unit/test_unit.py", "from .rules import N\ndef test_unit():\n    assert N\n")
    ask(land(ready).patch("# more\n"), test_id="tests/unit/test_unit.py::test_unit")
    ready.write(".gitattributes", "tests/unit/rules.py working-tree-encoding=UTF-7\n")
    assert_refused(ready, "domain.config_changed")


def test_a_test_whose_own_imports_cannot_be_read(ready: Story) -> None:
    text = (
        "import importlib\n\ndef test_unit():\n    assert importlib.import_module('r' + 'ules')\n"
    )
    ready.on("main").write("tests/unit/test_unit.py", text)
    ask(land(ready).patch("# more\n"), test_id="tests/unit/test_unit.py::test_unit")
    assert_refused(ready, "domain.not_static")


def test_a_locked_fixture_of_another_property(ready: Story) -> None:
    other = "tests/fixtures/other.json"
    lock = ready.read(".freeze/fixtures.sha256").decode()
    ready.on("main").write(other, "{}\n").write(
        ".freeze/fixtures.sha256", lock + lock_line(other, "{}\n")
    )
    ask(land(ready).patch("# more\n")).write(other, "[]\n")
    assert_refused(ready, "fixture.lock_stale")


def test_a139_unchecked_bytecode_beats_its_source(ready: Story, tmp_path: Path) -> None:
    path = "tests/__pycache__/helper.cpython-311.pyc"
    ask(ready).write(path, compiled(tmp_path, path, LYING))
    assert_refused(ready, "domain.bytecode")


def test_a156_dynamic_import_in_the_oracle(ready: Story) -> None:
    oracle = "import importlib\nNAME = 'helper'\nimportlib.import_module(NAME)\n" + BASE[ORACLE]
    ready.on("main").write(ORACLE, oracle)
    ask(land(ready).patch("# more\n"))
    assert_refused(ready, "domain.not_static")


def test_a156_dynamic_import_in_a_helper(ready: Story) -> None:
    ready.on("main").write("tests/deep.py", "import sys\nsys.path.append('x')\nlimit = 1\n")
    ask(land(ready).patch("# more\n"))
    finding = ready.check().finding("domain.not_static") if both(ready) else {}
    assert (finding["path"], finding["line"]) == ("tests/deep.py", 2)


@pytest.mark.parametrize("mode", ["link", "folder"])
def test_links_on_the_way_of_an_import(ready: Story, mode: str) -> None:
    ready.on("main")
    helper = ready.root / "tests/helper.py"
    if mode == "link":
        helper.rename(ready.root / "tests/real.py")
        helper.symlink_to("real.py")
    else:
        ready.write("elsewhere/__init__.py", HELPER)
        helper.unlink()
        (ready.root / "tests/helper").symlink_to("../elsewhere")
    ask(land(ready).patch("# more\n"))
    assert_refused(ready, "path.symlink")


def test_a_submodule_where_a_package_would_win(ready: Story) -> None:
    ask(ready).commit("ask")
    ready.plumb({"tests/helper": ("160000", ready.rev("HEAD"))})
    assert "domain.resolution_changed" in ready.check().errors


def test_other_fixtures_and_listed_paths_belong_to_it(shop: Story) -> None:
    other = "tests/fixtures/second.json"
    policy = POLICY.format(preset="basic") + '[domain]\npaths = ["tests/data/**"]\n'
    catalog = CATALOG.replace(f'["{FIXTURE}"]', f'["{FIXTURE}", "{other}"]')
    shop.write(other, "{}\n").write("tests/data/a/rates.csv", "1\n")
    shop.write(".freeze/policy.toml", policy).write(".freeze/catalog.toml", catalog)
    ask(land(shop).patch(), property_id=PROPERTY)
    shop.commit("ask")
    for path, content in ((other, "[]\n"), ("tests/data/b.csv", "2\n")):
        shop.write(path, content).git("add", "-A")
        assert shop.check("--staged").finding("domain.changed")["path"] == path
        shop.git("reset", "-q", "--hard")


@pytest.mark.parametrize(
    ("path", "content"),
    [
        pytest.param("src/shop/other.py", "x = 1\n", id="more_subject"),
        pytest.param("src/shop/order/__init__.py", "", id="subject_becomes_a_package"),
        pytest.param("README.md", "# a shop\n", id="documents"),
        pytest.param("tests/test_more.py", "def test_more():\n    assert True\n", id="new_tests"),
        pytest.param("tests/unit/conftest.py", "", id="conftest_beside_the_chain"),
        pytest.param("tests/unit/pytest.ini", "[pytest]\n", id="configuration_beside_the_chain"),
        pytest.param("tests/unit/helper.py", LYING, id="helper_beside_the_path"),
        pytest.param("tests/unit/statistics.py", "", id="standard_name_beside_the_path"),
        pytest.param("tests/json/data.txt", "", id="folder_named_like_a_module"),
        pytest.param("docs/Helper.py", "", id="same_name_elsewhere"),
        pytest.param("tox.ini", "[tox]\nenv_list = py\n", id="tox_without_pytest"),
        pytest.param(
            "pyproject.toml",
            BASE["pyproject.toml"].replace('"1.0"', '"1.1"').replace("100", "120"),
            id="version_and_linter",
        ),
        pytest.param("tests/fixtures/other.json", "{}\n", id="another_fixture"),
        pytest.param(
            TEST_FILE, "{}def test_more():\n    assert True\n", id="another_test_in_its_module"
        ),
    ],
)
def test_honest_work_beside_a_freeze(ready: Story, path: str, content: str) -> None:
    if path == TEST_FILE:
        content = ready.read(path).decode() + "\n\n" + content.removeprefix("{}")
    if path == "src/shop/order/__init__.py":
        (ready.root / "src/shop/order.py").unlink()
    ready.write(path, content).commit("more work")
    ask(ready)
    assert_accepted(ready)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("== 6", "== 7", id="a067_the_test_itself"),
        pytest.param("/ 'order.json'", "/ 'other.json'", id="what_it_reads"),
        pytest.param("def test_total():", "def test_total(order):", id="a_fixture_more"),
        pytest.param(
            "def test_total():",
            "@pytest.mark.skip\n@pytest.mark.skip\ndef test_total():",
            id="two_markers",
        ),
        pytest.param(
            "def test_total():",
            "@pytest.mark.skipif(True, reason='x')\ndef test_total():",
            id="another_marker",
        ),
        pytest.param(
            "import pytest\n", "import pytest\npytestmark = []\n", id="marks_of_the_module"
        ),
    ],
)
def test_a067_the_frozen_test_is_what_it_was(ready: Story, old: str, new: str) -> None:
    text = ready.read(TEST_FILE).decode()
    ready.write(TEST_FILE, text.replace(old, new, 1)).commit("edit the test")
    ask(ready)
    assert_refused(ready, "test.changed_in_patch")


def test_the_frozen_test_may_get_its_one_marker(ready: Story) -> None:
    marker = f'@pytest.mark.skip(reason="freezegate: {PROPERTY}")\n'
    text = ready.read(TEST_FILE).decode().replace("def test_total()", marker + "def test_total()")
    ready.write(TEST_FILE, text).commit("mark")
    ask(ready)
    assert_accepted(ready)


def test_a_conftest_fixture_that_the_test_reaches(ready: Story) -> None:
    ready.on("main").write(
        "tests/unit/test_unit.py", "def test_unit(order):\n    assert order\n"
    ).write(
        "tests/unit/conftest.py", "import pytest\n@pytest.fixture\ndef order():\n    return 1\n"
    )
    land(ready).patch("# more\n")
    ready.write(
        "tests/unit/conftest.py", "import pytest\n@pytest.fixture\ndef order():\n    return 0\n"
    ).commit("weaken the fixture")
    ask(ready, test_id="tests/unit/test_unit.py::test_unit")
    assert_refused(ready, "test.changed_in_patch")


def test_configuration_nearer_to_the_test_than_to_the_oracle(ready: Story) -> None:
    ready.on("main").write("tests/unit/test_unit.py", "def test_unit():\n    assert True\n")
    ask(land(ready).patch("# more\n"), test_id="tests/unit/test_unit.py::test_unit")
    ready.write("tests/unit/pytest.ini", "[pytest]\n")
    assert_refused(ready, "domain.config_changed")


def test_the_frozen_test_is_gone(ready: Story) -> None:
    ask(ready)
    (ready.root / TEST_FILE).unlink()
    assert_refused(ready, "test.lost")


def test_another_digest_of_the_domain(ready: Story) -> None:
    ask(ready, line={"domain_digest": f"blake3:{'1' * 64}"})
    assert_refused(ready, "evidence.stale_domain")


class TestProtected:
    """Group `area`: what imports protected code is never frozen."""

    @pytest.fixture
    def payments(self, ready: Story) -> Story:
        policy = POLICY.format(preset="basic") + '[protected]\npaths = ["src/payments/**"]\n'
        ready.on("main").write(".freeze/policy.toml", policy)
        ready.write("src/payments/__init__.py", "").write("src/payments/pay.py", "RATE = 1\n")
        return ready

    @pytest.mark.parametrize(
        ("path", "line"),
        [
            pytest.param(TEST_FILE, "from payments import pay\n", id="the_test"),
            pytest.param(TEST_FILE, "import payments.pay as p\n", id="the_test_under_a_name"),
            pytest.param("tests/helper.py", "from payments.pay import RATE\n", id="a_helper"),
            pytest.param("tests/conftest.py", "import payments\n", id="a_conftest"),
            pytest.param(ORACLE, "def late():\n    import payments.pay\n", id="the_oracle_later"),
        ],
    )
    def test_a208_a_test_or_domain_that_imports_it(
        self, payments: Story, path: str, line: str
    ) -> None:
        payments.write(path, line + payments.read(path).decode())
        ask(land(payments).patch("# more\n"))
        assert_refused(payments, "area.protected")

    def test_a208_a_test_that_does_not(self, payments: Story) -> None:
        ask(land(payments).patch("# more\n"))
        assert_accepted(payments)


TEST_TEXT = FILES[TEST_FILE]
DEF = "def test_total():\n"
MARKED = f"@pytest.mark.property_id({PROPERTY!r})\n"
TEST_TRICKS = [
    pytest.param(
        {TEST_FILE: TEST_TEXT.replace("== 6", "== 7")},
        id="rewrites_the_body",
    ),
    pytest.param({TEST_FILE: TEST_TEXT.replace(DEF, "def test_sum():\n")}, id="renames_it"),
    pytest.param({TEST_FILE: None, "tests/test_orders.py": TEST_TEXT}, id="moves_its_file"),
    pytest.param({TEST_FILE: None}, id="deletes_it"),
    pytest.param(
        {
            TEST_FILE: None,
            "tests/test_bug.py": f"import pytest\n{MARKED}def test_bug():\n    assert 0\n",
        },
        id="claims_its_property_for_another",
    ),
    pytest.param(
        {TEST_FILE: TEST_TEXT.replace(DEF, f"{MARKED}def test_sum():\n")},
        id="renames_it_with_its_property",
    ),
    pytest.param(
        {
            TEST_FILE: TEST_TEXT.replace(DEF, f"@pytest.mark.xfail\n{DEF}"),
        },
        id="expects_its_failure",
    ),
]


class TestActiveFreeze:
    """Who changes the domain of an active freeze ends it (SPEC 6.2, 4)."""

    @pytest.fixture
    def frozen(self, ready: Story) -> Story:
        ask(ready).commit("freeze")
        return land(ready)

    @pytest.mark.parametrize(
        ("path", "by"),
        [
            pytest.param("tests/helper.py", f"imported by {ORACLE}", id="helper"),
            pytest.param("tests/deep.py", "imported by tests/strategies.py", id="deep"),
            pytest.param("tests/conftest.py", "conftest chain", id="conftest"),
            pytest.param(
                "tests/properties/helper.py", "would win over tests/helper.py", id="nearer"
            ),
            pytest.param("pytest.ini", "would win over pyproject.toml", id="configuration"),
        ],
    )
    def test_a_changed_domain_needs_its_void_line(self, frozen: Story, path: str, by: str) -> None:
        frozen.write(path, "LEVEL = 2\n")
        for answer in both(frozen):
            finding = answer.finding("freeze.void")
            assert finding["path"] == path
            assert by in finding["got"]
            assert TEST_ID in finding["got"]
        do(frozen, finding["remedy"])
        mutes = {"mute.unrecorded"} if path == "tests/properties/helper.py" else set()
        assert frozen.check().errors == mutes  # a helper that hides another is one besides

    def test_many_changes_are_one_finding_and_one_line(self, frozen: Story) -> None:
        frozen.write("tests/helper.py", LYING).write("tests/conftest.py", "LEVEL = 2\n")
        answer = both(frozen)[1]
        found = [f for f in answer.findings if f["code"] == "freeze.void"]
        assert len(found) == 1
        assert "tests/conftest.py" in found[0]["got"]
        assert "tests/helper.py" in found[0]["got"]
        do(frozen, found[0]["remedy"])
        ended = frozen.check().document["transitions"][0]["freezes"]
        assert [(f["test_id"], f["status"]) for f in ended] == [(TEST_ID, "void")]

    @pytest.mark.parametrize("trick", TEST_TRICKS)
    def test_a_changed_test_needs_its_void_line(
        self, frozen: Story, trick: dict[str, str | None]
    ) -> None:
        for path, content in trick.items():
            if content is None:
                (frozen.root / path).unlink()
            else:
                frozen.write(path, content)
        for answer in both(frozen):
            finding = answer.finding("freeze.void")
            assert f"the frozen test {TEST_ID}" in finding["got"]
            assert "or a `void` or `lifted` line" in finding["expected"]
        do(frozen, finding["remedy"])
        assert "freeze.void" not in frozen.check().errors

    @pytest.mark.parametrize(
        "source",
        [
            pytest.param(
                TEST_TEXT.replace(DEF, f"@pytest.mark.skip\n{DEF}"),
                id="its_skip_marker",
            ),
            pytest.param(TEST_TEXT + "\n\ndef test_new():\n    assert 1\n", id="a_test_beside_it"),
        ],
    )
    def test_a_patch_beside_the_test(self, frozen: Story, source: str) -> None:
        frozen.write(TEST_FILE, source)
        for answer in both(frozen):
            assert "freeze.void" not in answer.errors

    @pytest.mark.parametrize(
        "path",
        [
            pytest.param("src/statistics.py", id="shadow_from_the_subject"),
            pytest.param("src/usercustomize.py", id="start_up_file"),
            pytest.param("src/speedy.egg-info/entry_points.txt", id="entry_points"),
        ],
    )
    def test_the_subject_alone_may_change_a_domain(self, frozen: Story, path: str) -> None:
        for answer in both(frozen.write(path, "")):
            assert "freeze.void" in answer.errors

    def test_a_policy_that_moves_the_domain(self, frozen: Story) -> None:
        policy = POLICY.format(preset="basic") + '[runner]\npython = "3.13"\n'
        for answer in both(frozen.write(".freeze/policy.toml", policy)):
            assert "freeze.void" in answer.errors

    def test_a_policy_that_takes_more_in(self, frozen: Story) -> None:
        policy = POLICY.format(preset="basic") + '[domain]\npaths = ["tests/*.py"]\n'
        for answer in both(frozen.write(".freeze/policy.toml", policy)):
            assert "freeze.void" in answer.errors

    def test_a_patch_beside_the_domain(self, frozen: Story) -> None:
        frozen.write("tests/unit/test_new.py", "def test_new():\n    assert True\n")
        assert_accepted(frozen.write("src/shop/order.py", "def total(order):\n    return 0\n"))
