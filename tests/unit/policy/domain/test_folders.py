"""Folders that a module puts on the path by its own place are known without running it."""

from __future__ import annotations

import pytest

from freezegate.policy.domain.config import normal_folder
from freezegate.policy.domain.imports import read_module

START = "import os, pathlib, sys\nfrom os.path import dirname, join\nfrom pathlib import Path\n"
# Seen from the module a/b/c.py.
KNOWN = {
    "os.path.dirname(__file__)": "a/b",
    "dirname(dirname(__file__))": "a",
    "os.path.dirname(os.path.abspath(__file__))": "a/b",
    "os.path.join(os.path.dirname(__file__), 'lib')": "a/b/lib",
    "join(dirname(__file__), '..', 'lib/x')": "a/lib/x",
    "os.path.abspath(os.path.join(dirname(__file__), '..'))": "a",
    "dirname(os.path.realpath(join(dirname(__file__), '..', 'lib')))": "a",
    "str(Path(__file__).parent)": "a/b",
    "str(Path(__file__).resolve().parent.parent / 'lib' / 'x')": "a/lib/x",
    "str(pathlib.Path(__file__).parents[1])": "a",
    "os.fspath(Path(__file__).parent.joinpath('x', 'y'))": "a/b/x/y",
    "Path(__file__).absolute().parent.as_posix()": "a/b",
    "dirname(dirname(dirname(__file__)))": "",
    "dirname(dirname(dirname(dirname(__file__))))": None,
}
UNKNOWN = (
    "x",
    "'lib'",
    "os.getcwd()",
    "__file__",
    "Path(__file__).parent",  # Python takes no such objects on its path
    "Path(__file__).parent / 'lib'",
    "str(Path(__file__).parent / name)",
    "os.path.join(dirname(__file__), '/tmp')",
    "dirname(join(dirname(__file__), '..'))",
    "str((Path(__file__).parent / '..').parent)",
    "str((Path(__file__).parent / '..').absolute().parent)",
    "str(Path(__file__).parents[-1])",
    "str(Path(__file__).parents[True])",
    "dirname(__spec__.origin)",
    "str(Path(__file__, 'x').parent)",
    "dirname(p=__file__)",
)


@pytest.mark.parametrize(("text", "folder"), KNOWN.items(), ids=list(KNOWN))
def test_known_folders(text: str, folder: str | None) -> None:
    facts = read_module(f"{START}sys.path.insert(0, {text})\n".encode())
    assert facts.dynamic == ()
    (change,) = facts.path_changes
    assert normal_folder(f"a/b/{change.folder}") == folder
    assert change[0] == len(facts.imports)
    assert (change.first, change.line) == (True, 4)


@pytest.mark.parametrize("text", UNKNOWN)
def test_other_folders_are_not_static(text: str) -> None:
    facts = read_module(f"{START}sys.path.append({text})\n".encode())
    assert facts.path_changes == ()
    assert [each.what for each in facts.dynamic] == ["sys.path"]


@pytest.mark.parametrize(
    "source",
    [
        "if x:\n    sys.path.insert(0, dirname(__file__))\n",
        "def f():\n    sys.path.insert(0, dirname(__file__))\n",
        "try:\n    sys.path.insert(0, dirname(__file__))\nfinally:\n    pass\n",
        "sys.path.insert(1, dirname(__file__))\n",
        "HERE = Path(__file__).parent\nsys.path.append(HERE)\n",
        "if dirname(__file__) in sys.path:\n    sys.path.insert(0, dirname(__file__))\n",
        "if 'x' not in sys.path:\n    sys.path.insert(0, dirname(__file__))\n",
        "if dirname(__file__) not in sys.path:\n    sys.path.append(dirname(__file__))\nelse: x\n",
        "sys.path.insert(-1, dirname(__file__))\n",
        "x = sys.path.append(dirname(__file__))\n",
        "sys.path += [dirname(__file__)]\n",
        "HERE = dirname(__file__)\nHERE = x\nsys.path.append(HERE)\n",
        "HERE = dirname(__file__)\ndef f(HERE): pass\nsys.path.append(HERE)\n",
        "A = B\nB = A\nsys.path.append(A)\n",
    ],
)
def test_places_where_it_may_not_run_or_mean_something_else(source: str) -> None:
    facts = read_module((START + source).encode())
    assert facts.path_changes == ()
    assert facts.dynamic


def test_a_name_that_is_bound_once_is_read_through_and_order_is_kept() -> None:
    source = (
        "HERE = Path(__file__).parent\nimport a\nsys.path.append(str(HERE / 'lib'))\nimport b\n"
    )
    facts = read_module((START + source).encode())
    (change,) = facts.path_changes
    assert [each.module for each in facts.imports[change.place - 1 : change.place + 1]] == [
        "a",
        "b",
    ]
    assert (change.folder, change.first) == ("./lib", False)


def test_a_module_that_renames_itself_is_not_read() -> None:
    source = f"__file__ = '/x/y'\n{START}sys.path.append(dirname(__file__))\n"
    facts = read_module(source.encode())
    assert facts.path_changes == ()
    assert facts.dynamic


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("dirname(__file__)", True),
        ("str(Path(__file__).parent.parent / 'src')", True),
        ("join(dirname(__file__), '..', 'src')", False),
        ("join(dirname(__file__), 'src/')", False),
        ("os.path.abspath(join(dirname(__file__), '..', 'src'))", True),
    ],
)
def test_a_folder_that_is_added_unless_it_is_there(text: str, settled: bool) -> None:
    source = f"{START}HERE = {text}\nif HERE not in sys.path:\n    sys.path.insert(0, HERE)\n"
    facts = read_module(source.encode())
    assert facts.dynamic == ()
    (change,) = facts.path_changes
    assert (change.first, change.unless_there, change.settled) == (True, True, settled)
