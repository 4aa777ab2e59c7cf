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

from freezegate.model.domain import Domain, Why
from freezegate.model.paths import RepoPath
from freezegate.policy.domain.config import resolve_config
from freezegate.policy.domain.resolve import resolve_domain
from tests.property.layouts import ORACLE, layouts
from tests.unit.policy.domain.memory import MemoryTree, policy

DRIVER = Path(__file__).with_name("import_driver.py")
MODULES = (Why.CONFTEST, Why.PACKAGE, Why.IMPORTED, Why.PLUGIN, Why.STARTUP)


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


# The same layouts each time: a change must not be refused by chance. A domain that holds a file too
# many (what a plugin had imported already under a standard module's name) is known and harmless.
@settings(
    max_examples=250, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(files=layouts())
def test_resolution_agrees_with_python_and_pytest(driver: Driver, files: dict[str, str]) -> None:
    really = driver.run(files)
    tree = MemoryTree(files)
    domain = resolve_domain(tree, policy(subject="src/shop/**"), RepoPath(ORACLE), None, None)
    resolved = {p for p in domain.present if domain.entries[p].why in MODULES}
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
