"""What small repositories resolve to, and which edits of them are told with which code."""

from __future__ import annotations

import pytest

from freezegate.model.domain import Domain, Why
from freezegate.model.paths import RepoPath
from freezegate.policy.domain import walk
from freezegate.policy.domain.changes import changed_in
from freezegate.policy.domain.resolve import resolve_domain
from freezegate.policy.domain.words import code_of
from tests.unit.policy.domain.memory import LINK, MemoryTree, patch, policy

ORACLE = "tests/props/test_order.py"
POLICY = policy(
    more="[domain]\npaths = "
    '["tests/strategies/**", "*.schema.json", "!tests/strategies/README.md"]\n'
)
PROJECT = (
    "[project]\nname = 'shop'\nversion = '1'\ndependencies = ['a']\n"
    "[tool.pytest.ini_options]\naddopts = '-q'\n[tool.ruff]\nline-length = 80\n"
)
FILES = {
    ORACLE: "import helper\nfrom shop.order import total\nfrom tests import deep\n",
    "helper.py": "import statistics\nimport hypothesis\n",
    "tests/__init__.py": "",
    "tests/deep.py": "",
    "tests/conftest.py": "",
    "tests/strategies/numbers.json": "[]",
    "tests/strategies/README.md": "",
    "src/shop/__init__.py": "",
    "src/shop/order.py": "",
    "src/shop/free.py": "",
    "pyproject.toml": PROJECT,
    "api/order.schema.json": "{}",
    "setup.cfg": "[metadata]\nname = x\n[options]\ninstall_requires = a\n",
}


def resolved(files: dict[str, str]) -> Domain:
    return resolve_domain(MemoryTree(files), POLICY, RepoPath(ORACLE), None, None)


def codes(edits: dict[str, str | None]) -> dict[str, str]:
    new: dict[str, str] = {p: c for p, c in {**FILES, **edits}.items() if c is not None}
    changes = patch(MemoryTree(FILES), MemoryTree(new))
    told = changed_in(resolved(FILES), changes, MemoryTree(new), POLICY)
    return {each.path: code_of(each) for each in told}


def test_why_each_path_counts() -> None:
    domain = resolved(FILES)
    assert {p: r.why for p, r in domain.entries.items() if r.entry} == {
        "api/order.schema.json": Why.LISTED,
        "helper.py": Why.IMPORTED,
        "pyproject.toml#project.dependencies": Why.DEPENDENCIES,
        "pyproject.toml#tool.pytest": Why.CONFIG,
        "setup.cfg#options": Why.DEPENDENCIES,
        "tests/__init__.py": Why.PACKAGE,
        "tests/conftest.py": Why.CONFTEST,
        "tests/deep.py": Why.IMPORTED,
        "tests/strategies/numbers.json": Why.LISTED,
    }
    assert domain.subject == {"src/shop/__init__.py": ORACLE, "src/shop/order.py": ORACLE}
    assert domain.faults == ()


RESOLUTION, CONFIG = "domain.resolution_changed", "domain.config_changed"
REFUSED: dict[str, tuple[dict[str, str | None], dict[str, str]]] = {
    "A136 edits the helper": ({"helper.py": "x"}, {"helper.py": RESOLUTION}),
    "A136 removes the helper": ({"helper.py": None}, {"helper.py": RESOLUTION}),
    "A138 same name nearer": (
        {"tests/props/helper.py": ""},
        {"tests/props/helper.py": RESOLUTION},
    ),
    "A138 package beats module": ({"helper/__init__.py": ""}, {"helper/__init__.py": RESOLUTION}),
    "A138 extension beats module": ({"helper.so": ""}, {"helper.so": "domain.bytecode"}),
    "A139 cached bytecode": (
        {"__pycache__/helper.cpython-312.pyc": ""},
        {"__pycache__/helper.cpython-312.pyc": "domain.bytecode"},
    ),
    "A141 edits conftest": ({"tests/conftest.py": "x"}, {"tests/conftest.py": CONFIG}),
    "A142 new conftest": ({"tests/props/conftest.py": ""}, {"tests/props/conftest.py": CONFIG}),
    "A142 new conftest at the top": ({"conftest.py": ""}, {"conftest.py": CONFIG}),
    "A144 addopts": (
        {"pyproject.toml": PROJECT.replace("-q", "--co")},
        {"pyproject.toml#tool.pytest": CONFIG},
    ),
    "A145 pytest.toml": ({"pytest.toml": ""}, {"pytest.toml": CONFIG}),
    "A145 tests/pytest.ini": ({"tests/pytest.ini": ""}, {"tests/pytest.ini": CONFIG}),
    "A145 tests/tox.ini": (
        {"tests/tox.ini": "[pytest]\n"},
        {"tests/tox.ini#pytest": CONFIG},
    ),
    "A147 shadows the standard library": (
        {"tests/statistics.py": "", "statistics.py": ""},
        {"statistics.py": RESOLUTION},
    ),
    "A148 shadows what is installed": ({"hypothesis.py": ""}, {"hypothesis.py": RESOLUTION}),
    "A148 shadows pytest": ({"pytest/__init__.py": ""}, {"pytest/__init__.py": RESOLUTION}),
    "A150 edits a listed file": (
        {"tests/strategies/numbers.json": "[0]"},
        {"tests/strategies/numbers.json": "domain.changed"},
    ),
    "A150 adds a listed file": ({"x/y.schema.json": ""}, {"x/y.schema.json": "domain.changed"}),
    "hypothesis profile": (
        {"pyproject.toml": PROJECT + "[tool.hypothesis]\nx = 1\n"},
        {"pyproject.toml#tool.hypothesis": CONFIG},
    ),
    "new dependency": (
        {"pyproject.toml": PROJECT.replace("'a'", "'b'")},
        {"pyproject.toml#project.dependencies": CONFIG},
    ),
    "new plugin by entry point": (
        {"pyproject.toml": PROJECT + "[project.entry-points.pytest11]\nx = 'y'\n"},
        {"pyproject.toml#project.entry-points": CONFIG},
    ),
    "lock file": ({"uv.lock": ""}, {"uv.lock": CONFIG}),
    "sitecustomize": (
        {"src/sitecustomize.py": ""},
        {"src/sitecustomize.py": "domain.startup_file"},
    ),
    "leaves the package": (
        {"tests/__init__.py": None},
        {"tests/__init__.py": RESOLUTION},
    ),
    "joins a package": ({"tests/props/__init__.py": ""}, {"tests/props/__init__.py": RESOLUTION}),
    "the helper becomes a link": ({"helper.py": LINK}, {"helper.py": RESOLUTION}),
    "the subject becomes a link": (
        {"src/shop/order.py": LINK},
        {"src/shop/order.py": RESOLUTION},
    ),
    "a folder becomes a link": (
        {"src": LINK, **dict.fromkeys([p for p in FILES if p.startswith("src/")])},
        {
            "src": RESOLUTION,
            "src/shop/__init__.py": RESOLUTION,
            "src/shop/order.py": RESOLUTION,
        },
    ),
    "the subject hides the helper": (
        {"src/helper.py": "", "helper.py": None},
        {"helper.py": RESOLUTION},
    ),
}


@pytest.mark.parametrize(("edits", "told"), REFUSED.values(), ids=list(REFUSED))
def test_edits_that_decide_are_told(edits: dict[str, str | None], told: dict[str, str]) -> None:
    assert codes(edits) == told


ACCEPTED: dict[str, dict[str, str | None]] = {
    "subject edited": {"src/shop/order.py": "x"},
    "subject module becomes a package": {
        "src/shop/order.py": None,
        "src/shop/order/__init__.py": "",
    },
    "subject module added": {"src/shop/new.py": ""},
    "subject module that nobody asks for removed": {"src/shop/free.py": None},
    "version bump": {"pyproject.toml": PROJECT.replace("'1'", "'2'")},
    "linter settings": {"pyproject.toml": PROJECT.replace("80", "100")},
    "metadata": {"setup.cfg": FILES["setup.cfg"].replace("= x", "= y")},
    "taken out by !": {"tests/strategies/README.md": "x"},
    "another test": {"tests/unit/test_a.py": "", "tests/unit/conftest.py": ""},
    "documentation": {"README.md": "", "docs/helper.py": ""},
    "the oracle itself": {ORACLE: "x"},  # refused by a rule of its own
}


@pytest.mark.parametrize("edits", ACCEPTED.values(), ids=list(ACCEPTED))
def test_other_edits_are_none_of_its_business(edits: dict[str, str | None]) -> None:
    assert codes(edits) == {}


FAULTS = {
    "A156 dynamic import": ("import importlib; importlib.import_module(x)", "domain.not_static"),
    "computed path": ("import sys; sys.path.insert(0, x)", "domain.not_static"),
    "does not parse": ("def (", "domain.not_static"),
    "compiled": ("import native", "domain.bytecode"),
    "link": ("import away", "path.symlink"),
    "outside": (
        "import os, sys; sys.path.append(os.path.join(os.path.dirname(__file__), '../../..'))",
        "domain.not_static",
    ),
}


@pytest.mark.parametrize(("source", "code"), FAULTS.values(), ids=list(FAULTS))
def test_what_cannot_be_known_is_a_fault(source: str, code: str) -> None:
    domain = resolved({**FILES, ORACLE: source, "native.pyc": "x", "away.py": LINK})
    assert [fault.code for fault in domain.faults] == [code]


def test_folders_put_on_the_path_are_followed_in_order() -> None:
    source = (
        "import early\nimport os, sys\n"
        "sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'lib'))\nimport late\n"
    )
    domain = resolved(
        {**FILES, ORACLE: source, "tests/lib/early.py": "", "tests/lib/late.py": "", "late.py": ""}
    )
    present = [p for p in domain.present if p.endswith(("early.py", "late.py"))]
    assert present == ["tests/lib/late.py"]
    assert "tests/lib" in domain.roots


def test_a_name_with_a_hash_is_a_file() -> None:
    oracle = "tests/c#/test_a.py"
    old = {oracle: "", "tests/c#/conftest.py": "", "tests/c": "", "conftest.py": ""}
    new = {**old, "tests/c#/conftest.py": "x"}
    domain = resolve_domain(MemoryTree(old), POLICY, RepoPath(oracle), None, None)
    changes = patch(MemoryTree(old), MemoryTree(new))
    told = changed_in(domain, changes, MemoryTree(new), POLICY)
    assert [each.path for each in told] == ["tests/c#/conftest.py"]
    assert "tests/c#/conftest.py" in domain.present


DOUBTFUL = [
    pytest.param("if False:\n    import helper\n", id="branch_that_never_runs"),
    pytest.param(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import helper\n", id="types"
    ),
    pytest.param("def late():\n    import helper\n", id="function_that_nobody_calls"),
    pytest.param("def now():\n    import helper\nnow()\n", id="function_that_is_called_at_once"),
    pytest.param(
        "try:\n    import missing\n    import helper\nexcept ImportError: ...\n", id="late_in_try"
    ),
    pytest.param("try:\n    import json\nexcept ImportError:\n    import helper\n", id="handler"),
    pytest.param("for _ in ():\n    import helper\n", id="loop"),
    pytest.param("False and __import__('helper')\n", id="short_circuit"),
    pytest.param("if False:\n    import wrapper\n", id="through_another_module"),
]


@pytest.mark.parametrize("conftest", DOUBTFUL)
def test_an_import_that_may_not_happen_takes_no_name_away(conftest: str) -> None:
    files = {
        "conftest.py": conftest,
        "helper.py": "",
        "wrapper.py": "import helper",
        "tests/props/helper.py": "import deep",
        "tests/props/deep.py": "",
        ORACLE: "import helper",
    }
    domain = resolve_domain(MemoryTree(files), policy(), RepoPath(ORACLE), None, None)
    assert {"helper.py", "tests/props/helper.py", "tests/props/deep.py"} <= set(domain.present)


CONFTEST = "tests/conftest.py"
INI = "pytest.ini"
PLUGGED: dict[str, tuple[dict[str, str], set[str]]] = {
    "named by a plugin": (
        {CONFTEST: "pytest_plugins = ['a']", "a.py": "pytest_plugins = 'b'", "b.py": ""},
        {"a.py", "b.py"},
    ),
    "named by each other": (
        {
            CONFTEST: "pytest_plugins = ['a']",
            "a.py": "pytest_plugins = 'b'",
            "b.py": "pytest_plugins = 'a'",
        },
        {"a.py", "b.py"},
    ),
    "taken over by a star": (
        {
            CONFTEST: "from a import *",
            "a.py": "from b import *",
            "b.py": "pytest_plugins = ['c']",
            "c.py": "",
        },
        {"a.py", "b.py", "c.py"},
    ),
    "named by an option's plugin": (
        {INI: "[pytest]\naddopts = -p a", "a.py": "pytest_plugins = ['b']", "b.py": ""},
        {"a.py", "b.py"},
    ),
    "one word": ({"pytest.toml": "[pytest]\naddopts = ['-p a']", "a.py": ""}, {"a.py"}),
    "combined short options": (
        {INI: "[pytest]\naddopts = -qo pythonpath=lib", CONFTEST: "import a", "lib/a.py": ""},
        {"lib/a.py"},
    ),
    "a warning's category": (
        {INI: "[pytest]\nfilterwarnings =\n    error\n    error::a.Loud", "a.py": ""},
        {"a.py"},
    ),
    "in the subject": (
        {
            CONFTEST: "import shop.plug\npytest_plugins = ['shop.plug']",
            "src/shop/plug.py": "import a",
            "a.py": "",
        },
        {"a.py", "src/shop/plug.py"},
    ),
    "in the subject, by an option": (
        {INI: "[pytest]\naddopts = -p shop.plug", "src/shop/plug.py": ""},
        {"src/shop/plug.py"},
    ),
    "hooks out of the subject": (
        {CONFTEST: "from shop.plug import pytest_configure", "src/shop/plug.py": ""},
        {"src/shop/plug.py"},
    ),
    "the project's own": (
        {
            "pyproject.toml": "[project.entry-points.pytest11]\na = 'shop.plug:x'",
            "src/shop/plug.py": "",
        },
        {"src/shop/plug.py"},
    ),
    "poetry's": (
        {"pyproject.toml": "[tool.poetry.plugins.pytest11]\na = 'a'", "a.py": ""},
        {"a.py"},
    ),
    "of setup.cfg": (
        {
            "setup.cfg": "[options.entry_points]\nx =\n  x = y\npytest11 =\n  a = a:b\n  b = b",
            "a.py": "",
            "b.py": "",
        },
        {"a.py", "b.py"},
    ),
    "of setup.py": (
        {"setup.py": "setup(entry_points={'pytest11': ['a = a']})", "a.py": ""},
        {"a.py"},
    ),
}


@pytest.mark.parametrize(("files", "walked"), PLUGGED.values(), ids=list(PLUGGED))
def test_plugins_are_followed_wherever_they_are_named(
    files: dict[str, str], walked: set[str]
) -> None:
    domain = resolved({**FILES, **files})
    assert domain.faults == ()
    assert walked <= set(domain.present)
    assert not walked & set(domain.subject)


UNKNOWN: dict[str, tuple[dict[str, str], str]] = {
    "an option's other spelling": ({INI: "[pytest]\naddopts = --override-i=pythonpath=lib"}, INI),
    "words from a file": ({INI: "[pytest]\naddopts = @words"}, INI),
    "namespace packages": ({INI: "[pytest]\nconsider_namespace_packages = true"}, INI),
    "a plugin that answers itself": (
        {CONFTEST: "pytest_plugins = ['a']", "a.py": "def __getattr__(name): ..."},
        "a.py",
    ),
    "a setup.py that computes": ({"setup.py": "G = 'pytest11'"}, "setup.py"),
    "a folder on nobody's path": (
        {"libs/testkit/testkit/__init__.py": "", CONFTEST: "import testkit"},
        CONFTEST,
    ),
    "a module on nobody's path": ({"libs/kit.py": "", CONFTEST: "import kit.x"}, CONFTEST),
    "a module of the domain taken away": (
        {CONFTEST: "import sys\nsys.modules.pop('helper', None)"},
        CONFTEST,
    ),
    "a module that Python had before": ({CONFTEST: "import sys\ndel sys.modules['os']"}, CONFTEST),
    "imports too deep": (
        {
            CONFTEST: "import m0",
            **{f"m{n}.py": f"import m{n + 1}" for n in range(400)},
            "m400.py": "",
        },
        "m",
    ),
    "stars too deep": (
        {
            CONFTEST: "import m0",
            **{f"m{n}.py": f"__all__ = ['x']\nfrom m{n + 1} import *" for n in range(400)},
        },
        "m",
    ),
    "a name of many parts": ({CONFTEST: "import " + "a." * 300 + "a"}, CONFTEST),
}


@pytest.mark.parametrize(("files", "path"), UNKNOWN.values(), ids=list(UNKNOWN))
def test_what_cannot_be_followed_is_a_fault_of_its_file(files: dict[str, str], path: str) -> None:
    domain = resolved({**FILES, **files})
    assert [fault.code for fault in domain.faults] == ["domain.not_static"]
    assert domain.faults[0].path.startswith(path)


HONEST: dict[str, dict[str, str]] = {
    "a module of the subject taken away": {
        CONFTEST: "import sys\nsys.modules.pop('shop', None)\nassert sys.modules"
    },
    "a folder added unless there": {
        CONFTEST: "import os, sys\nHERE = os.path.dirname(__file__)\n"
        "if HERE not in sys.path:\n    sys.path.insert(0, HERE)\n"
    },
    "the source folder added unless there": {
        CONFTEST: "import sys\nfrom pathlib import Path\n"
        "X = str(Path(__file__).parent.parent / 'src')\n"
        "if X not in sys.path:\n    sys.path.insert(0, X)\n"
    },
    "plugins added up": {CONFTEST: "pytest_plugins = ['pytester'] + []"},
    "a name in a package elsewhere": {
        CONFTEST: "import attr",
        "tests/kinds/__init__.py": "",
        "tests/kinds/attr.py": "",
        "tests/kinds/attrs/__init__.py": "",
    },
    "a folder without code": {CONFTEST: "import numpy", "docs/numpy/index.md": ""},
    "options": {
        INI: "[pytest]\naddopts = -ra --strict-markers --cov shop -n 4 -m 'not slow' --tb=short"
    },
}


@pytest.mark.parametrize("files", HONEST.values(), ids=list(HONEST))
def test_honest_idioms_make_no_faults(files: dict[str, str]) -> None:
    assert resolved({**FILES, **files}).faults == ()


def test_subject_code_on_nobodys_path_is_reached_all_the_same() -> None:
    files = {
        ORACLE: "from payments.core import pay\n",
        "lib/payments/__init__.py": "",
        "lib/payments/core.py": "",
        "lib/payments/other.py": "",
    }
    domain = resolve_domain(
        MemoryTree(files), policy(subject="lib/**"), RepoPath(ORACLE), None, None
    )
    assert set(domain.subject) == {"lib/payments/__init__.py", "lib/payments/core.py"}
    assert domain.faults == ()


def test_a_domain_has_so_many_paths_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MAX_ENTRIES", 40)
    domain = resolved(FILES)
    assert len(domain.entries) <= 40
    assert [fault.code for fault in domain.faults] == ["limits.too_many_changes"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", "[tool.uv]\nx = 0x" + "f" * 4_000 + "\n"),
        ("pyproject.toml", "[tool.uv]\nx = " + "[" * 150 + "]" * 150 + "\n"),
        ("pyproject.toml", "[tool.pytest]\naddopts = [0x" + "f" * 5_000 + "]\n"),
        ("tox.ini", "[x]\nkey" + " " * 60_000 + "x\n"),
        ("setup.cfg", "[options]\nkey" + " " * 60_000 + "x\n"),
    ],
)
def test_parts_of_any_size_are_told(path: str, text: str) -> None:
    assert resolved({**FILES, path: text}).entries


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[metadata]\nname = x\n", "[metadata]\nname = x\n[options] x\ninstall_requires = b\n"),
        ("[metadata]\n[options]\n", "[DEFAULT]\ninstall_requires = b\n[metadata]\n[options]\n"),
    ],
)
def test_dependencies_in_odd_spellings_are_told(old: str, new: str) -> None:
    before, after = MemoryTree({**FILES, "setup.cfg": old}), MemoryTree({**FILES, "setup.cfg": new})
    domain = resolve_domain(before, POLICY, RepoPath(ORACLE), None, None)
    told = changed_in(domain, patch(before, after), after, POLICY)
    assert [each.path for each in told] == ["setup.cfg#options"]


@pytest.mark.parametrize(
    "edit",
    [
        {"tests/tox.ini": "[pytest] # ]\naddopts = -p a\n"},
        {"tests/tox.ini": "[tox]\n# hi\u2028[pytest]\naddopts = -p a\n"},
        {"tests/tox.ini": "nothing\n"},
        {"tests/setup.cfg": "[tool:pytest] ; ]\naddopts = -p a\n"},
        {"tests/setup.cfg": "[pytest]\nx = 1\n"},
    ],
)
def test_configuration_that_only_pytest_sees_is_told(edit: dict[str, str]) -> None:
    assert list(codes({**edit}).values()) == [CONFIG]


PATCHES = [
    pytest.param(
        "def test_a(monkeypatch):\n    monkeypatch.setattr('clock.now', 1)\n", id="setattr"
    ),
    pytest.param("def test_a(mocker):\n    mocker.patch('clock.now')\n", id="mocker"),
    pytest.param(
        "from unittest import mock\n@mock.patch('clock.now')\ndef test_a(m): ...\n", id="mock"
    ),
    pytest.param(
        "from unittest.mock import patch as p\n@p('clock.now')\ndef test_a(m): ...\n", id="alias"
    ),
]


@pytest.mark.parametrize("oracle", PATCHES)
def test_what_is_patched_by_text_is_imported(oracle: str) -> None:
    files = {"clock.py": "import deep\n", "deep.py": "", ORACLE: oracle}
    domain = resolve_domain(MemoryTree(files), policy(), RepoPath(ORACLE), None, None)
    assert {"clock.py", "deep.py"} <= set(domain.present)


def test_helpers_beside_the_oracle_are_no_subject() -> None:
    oracle = RepoPath("shop/tests/props/test_shop.py")
    files = {
        "shop/__init__.py": "",
        "shop/order.py": "",
        "shop/tests/__init__.py": "",
        "shop/tests/props/__init__.py": "",
        "shop/tests/helpers.py": "",
        oracle: "from shop import order\nfrom shop.tests import helpers\n",
    }
    domain = resolve_domain(MemoryTree(files), policy(subject="shop/**"), oracle, None, None)
    assert "shop/tests/helpers.py" in domain.present
    assert set(domain.subject) == {"shop/__init__.py", "shop/order.py"}
