"""The resolved domain and what the interpreter and pytest really load agree, both ways."""

from __future__ import annotations

import json
import os
import py_compile
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from freezegate.model.domain import Domain, Why
from freezegate.model.paths import RepoPath
from freezegate.policy.domain.config import resolve_config
from freezegate.policy.domain.resolve import resolve_domain
from tests.unit.policy.domain.memory import MemoryTree, policy

ORACLE = "tests/props/test_oracle.py"
DRIVER = Path(__file__).with_name("import_driver.py")
MODULES = (Why.CONFTEST, Why.PACKAGE, Why.IMPORTED, Why.PLUGIN, Why.STARTUP)
# Modules that may stand beside one another, shadow one another, or be part of a namespace.
PLACES = ("", "tests/", "tests/props/", "lib/", "src/")
NAMES = (
    "helper.py",
    "helper/__init__.py",
    "helper/inner.py",
    "helper/deep/__init__.py",
    "other.py",
    "other.pyc",
    "space/part.py",
    "shop/__init__.py",
    "shop/order.py",
    "wave.py",
)
IMPORTS = (
    "import helper",
    "import helper.inner",
    "from helper import inner",
    "from helper import inner, deep",
    "from helper import *",
    "import other",
    "import other as helper",
    "from other import helper",
    "import space.part",
    "from space import part",
    "import shop.order",
    "from shop import order",
    "import wave",
    "from . import other",
    "from .helper import inner",
    "from .. import helper",
    "import tests.helper",
    "from tests import other",
    "from tests.props import helper",
    "import importlib; importlib.import_module('helper')",
    "__import__('other')",
)
EXTRAS = ("", "__all__ = ['inner', 'deep']\n", "inner = 1\n")

CONFIGS = (
    ("pytest.ini", "[pytest]\n{}"),
    ("tests/pytest.ini", "[pytest]\n{}"),
    ("pytest.toml", "[pytest]\n"),
    ("tests/props/tox.ini", "[pytest]\n{}"),
    ("tox.ini", "[tox]\nenvlist = py\n"),
    ("setup.cfg", "[tool:pytest]\n{}"),
    ("pyproject.toml", "[project]\nname = 'x'\n"),
    ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = ['lib', 'tests']\n"),
    ("tests/pyproject.toml", "[tool.pytest]\naddopts = ['-pwave', '--import-mode', 'append']\n"),
    ("tests/pyproject.toml", "[project]\nname = 'y'\n"),
    ("tests/setup.py", ""),
)
OPTIONS = (
    "pythonpath = lib\n",
    "pythonpath = . lib tests\n",
    "addopts = --import-mode=append\n",
    "addopts = --import-mode importlib\n",
    "addopts = -p other\n",
    "addopts = -p wave --import-mode=append\npythonpath = lib\n",
    "",
)


def _body(imports: list[str], extra: str) -> str:
    """Imports that fail do no harm, and bind nothing: what may be bound is over-approximated."""
    return "_ran(__file__)\n" + "".join(map(_tried, imports)) + extra


def _tried(line: str) -> str:
    if line.endswith("*"):  # allowed at the top level alone
        return f"try:\n    {line}\nexcept ImportError:\n    pass\n"
    return f"class _:\n    try:\n        {line}\n    except ImportError:\n        pass\n"


@st.composite
def layouts(draw: st.DrawFn) -> dict[str, str]:
    """A tree with an oracle, and whatever may decide what its imports come to."""
    bodies = st.builds(
        _body, st.lists(st.sampled_from(IMPORTS), max_size=3), st.sampled_from(EXTRAS)
    )
    places = st.builds(str.__add__, st.sampled_from(PLACES), st.sampled_from(NAMES))
    files = draw(st.dictionaries(places, bodies, max_size=8))
    # What the subject imports is no part of the domain, what compiled code imports makes it
    # illegal: neither imports anything here.
    silent = [p for p in files if p.startswith("src/shop/") or p.endswith(".pyc")]
    files |= dict.fromkeys(silent, _body([], ""))
    for path in [p for p in files if p.endswith("__init__.py")]:
        files[path] = files[path].replace("import *", "import inner")
    around = ("conftest.py", "__init__.py")
    chain = [f"{place}{name}" for place in PLACES[:3] for name in around]
    for path in draw(st.lists(st.sampled_from(chain), unique=True, max_size=4)):
        files[path] = draw(bodies)
    for path, text in draw(st.lists(st.sampled_from(CONFIGS), max_size=2)):
        files[path] = text.format(draw(st.sampled_from(OPTIONS)))
    files[ORACLE] = draw(bodies) + "def test_it():\n    pass\n"
    return files


class Driver:
    """A process that has pytest loaded and runs each layout in a child of its own."""

    def __init__(self) -> None:
        kept = {"PATH": os.environ["PATH"], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-B", str(DRIVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=kept | {"HOME": "/nonexistent"},
            text=True,
        )

    def run(self, files: Mapping[str, str]) -> dict[str, Any]:
        """Write a layout, run its oracle, and return what ran."""
        assert self.process.stdin
        assert self.process.stdout
        with tempfile.TemporaryDirectory(prefix="tree-") as name:
            folder = Path(name).resolve()
            for path, text in files.items():
                _write(folder / path, text)
            asked = {"folder": str(folder), "pythonpath": ["src"], "oracle": ORACLE}
            self.process.stdin.write(json.dumps(asked) + "\n")
            self.process.stdin.flush()
            answer: dict[str, Any] = json.loads(self.process.stdout.readline())
            answer["config"] = [c and os.path.relpath(c, folder) for c in answer["config"]]
            return answer


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if path.suffix == ".pyc":
        source = path.with_name("compiled_source")
        source.write_text(text)
        py_compile.compile(str(source), cfile=str(path), dfile=str(path), doraise=True)
        source.unlink()


@pytest.fixture(scope="module")
def driver() -> Iterator[Driver]:
    started = Driver()
    yield started
    assert started.process.stdin
    started.process.stdin.close()
    assert started.process.wait(timeout=30) == 0
    assert started.process.stdout
    started.process.stdout.close()


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(files=layouts())
def test_resolution_agrees_with_python_and_pytest(driver: Driver, files: dict[str, str]) -> None:
    really = driver.run(files)
    tree = MemoryTree(files)
    domain = resolve_domain(tree, policy(subject="src/shop/**"), RepoPath(ORACLE), None, None)
    resolved = {p for p, r in domain.entries.items() if r.entry and r.why in MODULES}
    resolved |= set(domain.subject) | {ORACLE}
    ran = set(really["ran"])
    told = f"{really['told']}\n{json.dumps(files, indent=1)}"
    assert ran <= resolved, (sorted(ran - resolved), told)
    if really["status"] == 0:
        assert resolved <= ran | _above_the_cut(tree, domain), (sorted(resolved - ran), told)
        config = resolve_config(tree, "tests/props")
        rootdir, inipath = really["config"]
        says_nothing = inipath and inipath.endswith("pyproject.toml") and not config.inipath
        assert config.rootdir == ("" if rootdir == "." else rootdir), told
        assert config.inipath == (None if says_nothing else inipath), told


def _above_the_cut(tree: MemoryTree, domain: Domain) -> set[str]:
    """Conftest files that count wherever pytest is started, though this run does not load them."""
    cut = resolve_config(tree, "tests/props").confcutdir
    return {
        path
        for path in domain.entries
        if path.endswith("conftest.py") and not f"{path.rpartition('/')[0]}/".startswith(f"{cut}/")
    }
