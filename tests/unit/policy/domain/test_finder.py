"""Which file answers for a name, which absent ones would win, and what is in the way."""

from __future__ import annotations

import pytest

from freezegate.policy.domain.finder import find_module, stem_of
from tests.unit.policy.domain.memory import LINK, MemoryTree

# files, roots -> the winner's path ("" a namespace), how many absent paths would win over it
TABLE = {
    "package before source": ("a/__init__.py a.py", "", "a/__init__.py", 0),
    "package before extension": ("a/__init__.py a.so", "", "a/__init__.py", 0),
    "extension before source": ("a.so a.py", "", "a.so", 1),
    "tagged extension before plain": (
        "a.so a.cpython-312-x86_64-linux-gnu.so",
        "",
        "a.cpython-312-x86_64-linux-gnu.so",
        1,
    ),
    "stable abi before plain": ("a.so a.abi3.so", "", "a.abi3.so", 1),
    "windows": ("a.cp312-win_amd64.pyd a.py", "", "a.cp312-win_amd64.pyd", 1),
    "another Python's extension is none": ("a.cpython-311-x86_64-linux-gnu.so a.py", "", "a.py", 1),
    "source before bytecode": ("a.py a.pyc", "", "a.py", 1),
    "sourceless bytecode": ("a.pyc", "", "a.pyc", 2),
    "sourceless package": ("a/__init__.pyc a.py", "", "a/__init__.pyc", 1),
    "extension as a package": ("a/__init__.so a.py", "", "a/__init__.so", 0),
    "first root wins": ("x/a.py y/a.py", "x y", "x/a.py", 1),
    "first root wins over a package later": ("x/a.py y/a/__init__.py", "x y", "x/a.py", 1),
    "a namespace loses to source later": ("x/a/b.py y/a.py", "x y", "y/a.py", 3),
    "a namespace loses to source beside": ("a/b.py a.py", "", "a.py", 1),
    "namespace": ("x/a/b.py y/a/c.py", "x y", "", 4),
    "a folder named like source": ("a.py/b.py", "", None, 2),
    "a folder named like an init": ("a/__init__.py/b.py a.py", "", "a.py", 1),
    "nothing": ("b.py", "", None, 2),
    "other case": ("A.py", "", None, 2),
    "longer name": ("ab.py a.b.py", "", None, 2),
    "a file without suffix": ("a", "", None, 2),
}


@pytest.mark.parametrize(("files", "roots", "winner", "absent"), TABLE.values(), ids=list(TABLE))
def test_who_answers(files: str, roots: str, winner: str | None, absent: int) -> None:
    tree = MemoryTree(dict.fromkeys(files.split(), "x"))
    look = find_module(tree, roots.split() or [""], "a", "3.12")
    found = None if look.found is None else look.found.path or ""
    assert found == winner
    assert len(look.absent) == absent
    assert look.link is None
    for path in look.absent:  # what is absent would win indeed
        assert tree.entry(path) is None or path.split("/")[-1] in ("a.py", "__init__.py")


def test_every_absent_path_would_win() -> None:
    files = {"x/a/b.py": "", "z/a.pyc": "x"}
    look = find_module(MemoryTree(files), ["x", "y", "z"], "a", "3.12")
    for path in look.absent:
        better = find_module(MemoryTree(files | {path: "y"}), ["x", "y", "z"], "a", "3.12")
        assert better.found
        assert better.found.path == path


def test_a_namespace_has_all_its_portions_in_order() -> None:
    tree = MemoryTree({"y/a/b.py": "", "x/a/c.py": ""})
    look = find_module(tree, ["x", "z", "y"], "a", "3.12")
    assert look.found
    assert look.found.folders == ("x/a", "y/a")


@pytest.mark.parametrize(
    "files",
    [
        {"a": LINK},
        {"a.py": LINK},
        {"a/__init__.py": LINK},
        {"a.so": LINK, "a.py": "x"},
    ],
)
def test_links_on_the_way_are_told(files: dict[str, str]) -> None:
    assert find_module(MemoryTree(files), [""], "a", "3.12").link == next(iter(files))


def test_cached_bytecode_of_source_is_told() -> None:
    files = dict.fromkeys(
        (
            "a.py",
            "__pycache__/a.cpython-312.pyc",
            "__pycache__/a.cpython-311.opt-1.pyc",
            "__pycache__/ab.cpython-312.pyc",
            "__pycache__/a.txt",
        ),
        "x",
    )
    look = find_module(MemoryTree(files), [""], "a", "3.12")
    assert look.found
    assert look.found.bytecode == (
        "__pycache__/a.cpython-311.opt-1.pyc",
        "__pycache__/a.cpython-312.pyc",
    )


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("t/__pycache__/a.cpython-312.pyc", "t/a"),
        ("__pycache__/a.cpython-312.opt-2.pyc", "a"),
        ("t/a.pyc", "t/a"),
        ("t/a.abi3.so", "t/a"),
        ("a.cp312-win_amd64.pyd", "a"),
        ("t/a.py", None),
        ("t/a.so.txt", None),
    ],
)
def test_what_compiled_files_stand_for(path: str, stem: str | None) -> None:
    assert stem_of(path) == stem
