"""What the static collector finds is what pytest itself collects, on modules full of traps."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from freezegate.policy.mutes.classes import Classes
from freezegate.policy.mutes.collecting import Collector
from freezegate.policy.mutes.modules import Side
from freezegate.policy.mutes.names import Names
from tests.unit.policy.mutes.sides import MemoryTree

if TYPE_CHECKING:
    from pathlib import Path

TRAPS = """\
import abc
import collections
import contextlib
import dataclasses
import functools
import sys
import typing
import unittest
from unittest import TestCase as Case
from helpers import Base, TestImported, helper as test_helper, test_imported
from helpers import test_imported as renamed
import pytest


def test_plain(): pass
def testing(): pass
def _test_hidden(): pass
def check(): pass
async def test_async(): pass


@pytest.fixture
def test_fixture(): return 1


@pytest.mark.parametrize("n", [1, 2])
def test_rows(n): pass


test_alias = check
test_lambda = lambda: None
test_none = None
test_number = 3
test_partial = functools.partial(check)
def test_deleted(): pass
del test_deleted
def test_replaced(): pass
test_replaced = None
def test_switched_off(): pass
test_switched_off.__test__ = False
def test_set_off(): pass
setattr(test_set_off, "__test__", False)
def special(): pass
special.__test__ = True
def test_popped(): pass
globals()["test_popped"] = None

if False:
    def test_never(): pass
if typing.TYPE_CHECKING:
    def test_types(): pass
if __name__ == "__main__":
    def test_main(): pass
if 1:
    def test_always(): pass
else:
    def test_else(): pass
for _ in ():
    def test_loop(): pass
try:
    def test_tried(): pass
finally:
    pass
while False:
    def test_while(): pass
with contextlib.suppress(ValueError):
    def test_with(): pass


def outer():
    def test_inner(): pass


def deco(f):
    @functools.wraps(f)
    def inner(*a): return f(*a)
    return inner


@deco
def test_wrapped(): pass


class TestPlain:
    def test_a(self): pass
    def check(self): pass
    @staticmethod
    def test_static(): pass
    @classmethod
    def test_class(cls): pass
    @property
    def test_property(self): return 1
    test_alias = check
    test_value = 1
    class TestNested:
        def test_b(self): pass
    class Nested:
        def test_c(self): pass


class Plain:
    def test_a(self): pass


class TestChild(TestPlain):
    def test_d(self): pass
    test_a = None


class TestBased(Base):
    def test_own(self): pass


class TestInit:
    def __init__(self): pass
    def test_a(self): pass


class TestNew:
    def __new__(cls): return object.__new__(cls)
    def test_a(self): pass


class TestInitInherited(TestInit):
    def test_b(self): pass


@dataclasses.dataclass
class TestData:
    x: int = 1
    def test_a(self): pass


class TestTuple(typing.NamedTuple):
    x: int = 1
    def test_a(self): pass


class TestOff:
    __test__ = False
    def test_a(self): pass


class TestOffInherited(TestOff):
    def test_b(self): pass


class TestOnAgain(TestOff):
    __test__ = True
    def test_c(self): pass


class Named:
    __test__ = True
    def test_a(self): pass


class TestAbstract(abc.ABC):
    @abc.abstractmethod
    def make(self): ...
    def test_a(self): pass


class TestConcrete(TestAbstract):
    def make(self): return 1


class Unit(Case):
    def test_a(self): pass
    def testB(self): pass
    def check(self): pass
    class TestInner:
        def test_c(self): pass


class UnitInit(unittest.TestCase):
    def __init__(self, *a): super().__init__(*a)
    def test_a(self): pass


class UnitChild(Unit):
    def test_d(self): pass


class UnitRun(unittest.TestCase):
    def runTest(self): pass


class Async(unittest.IsolatedAsyncioTestCase):
    async def test_a(self): pass


class TestTwice:
    def test_one(self): pass
class TestTwice:
    def test_two(self): pass


class TestEdited:
    def test_gone(self): pass
    def test_stays(self): pass
del TestEdited.test_gone
TestEdited.test_added = check


TestAlias = Plain
"""
HELPERS = """\
def helper(): pass
def test_imported(): pass
class Base:
    def test_base(self): pass
class TestImported:
    def test_a(self): pass
def test_star(): pass
def _test_private(): pass
"""
TEST = "def test_a(): pass\nclass TestA:\n    def test_b(self): pass\n"
SUITE: dict[str, str | bytes] = {
    "tests/test_traps.py": TRAPS,
    "tests/helpers.py": HELPERS,
    "tests/test_star.py": "from helpers import *\n",
    "tests/test_off.py": "__test__ = False\n" + TEST,
    "tests/test_bom.py": b"\xef\xbb\xbf" + TEST.encode(),
    "tests/it_test.py": TEST,
    "tests/check_it.py": TEST,
    "tests/sub/test_sub.py": TEST,
    "tests/sub/deep/test_deep.py": TEST,
    "build/test_built.py": TEST,
    "more/test_more.py": TEST,
}
INIS = [
    pytest.param({}, id="nothing"),
    pytest.param(
        {"pytest.ini": "[pytest]\npython_files = check_*.py tests/sub/*.py\n"}, id="files"
    ),
    pytest.param(
        {"pytest.ini": "[pytest]\npython_classes = A *A\npython_functions = test_a check\n"},
        id="names",
    ),
    pytest.param({"pytest.ini": "[pytest]\ntestpaths = tests/s* more\n"}, id="testpaths"),
    pytest.param(
        {"pytest.ini": "[pytest]\ntestpaths = more/test_more.py tests/check_it.py\n"}, id="a_file"
    ),
    pytest.param({"pytest.ini": "[pytest]\ntestpaths = nowhere\n"}, id="testpaths_that_are_gone"),
    pytest.param({"tox.ini": "[pytest]\nnorecursedirs = deep mor* tests/tests\n"}, id="norecurse"),
    pytest.param(
        {
            "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--ignore=tests/sub "
            "--ignore-glob=*/test_m* --deselect tests/it_test.py::TestA'\n"
        },
        id="addopts",
    ),
    pytest.param(
        {"pyproject.toml": "[tool.pytest]\ntestpaths = ['tests']\npython_files = ['*.py']\n"},
        id="native_toml",
    ),
    pytest.param({"setup.cfg": "[tool:pytest]\naddopts = -l tests/sub\n"}, id="words"),
    pytest.param(
        {
            "tests/conftest.py": "collect_ignore = ['sub']\ncollect_ignore += ['it_test.py']\n"
            "collect_ignore_glob = ['*_star.py']\n"
        },
        id="conftest",
    ),
    pytest.param(
        {
            "conftest.py": "collect_ignore = ['more']\n",
            "tests/conftest.py": "import sys\ncollect_ignore = []\nif sys:\n"
            "    pass\nif False:\n    collect_ignore.append('sub')\n"
            "collect_ignore.extend(['it' '_test.py'])\n",
        },
        id="two_conftests",
    ),
    pytest.param({"setup.cfg": "[tool:pytest]\ncollect_imported_tests = false\n"}, id="imported"),
]


def statically(files: dict[str, str | bytes]) -> tuple[set[str], set[str]]:
    """The node ids that the collector is sure of, and all that it takes for possible."""
    side = Side(MemoryTree(files), {})
    names = Names(side)
    collector = Collector(side, names, Classes(side, names))
    sure, every = set(), set()
    for path in files:
        if path.endswith(".py") and not collector.why_not(path):
            for test in collector.tests(path).values():
                node_id = f"{path}::{test.name}"
                if not collector.selection(path).deselects(node_id):
                    every.add(node_id)
                    sure |= {node_id} if test.sure else set()
    return sure, every


def really(folder: Path, files: dict[str, str | bytes]) -> set[str]:
    """The node ids that pytest collects, without parameters."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "--import-mode=importlib", "-o", "pythonpath=tests"],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 5), done.stdout
    return {line.partition("[")[0] for line in done.stdout.splitlines() if "::" in line}


@pytest.mark.parametrize("config", INIS)
def test_it_collects_what_pytest_does(config: dict[str, str], tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {**SUITE, **config}
    sure, every = statically(files)
    real = really(tmp_path, files)
    assert (sorted(real - every), sorted(sure - real)) == ([], [])
    assert every - real <= {"tests/test_traps.py::test_partial"}
