"""What small repositories resolve to, and which edits of them are told with which code."""

from __future__ import annotations

import pytest

from freezegate.model.domain import Domain, Why
from freezegate.model.paths import RepoPath
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
