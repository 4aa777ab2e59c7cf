"""By which ways a file of the tree may be read so that a run is seen to have read it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from freezegate.model.observation import Effect
from tests.witness.support import observed, plant, unobserved, word_of

HEAD = "import json, os, pathlib, shutil, sys\nTREE = pathlib.Path(__file__).parent\n\n"
DATA = "data/deep/a.json"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
WAYS = [
    pytest.param("open('data/deep/a.json').read()", id="relative"),
    pytest.param("os.chdir('data'); open('deep/a.json').read()", id="below_another_folder"),
    pytest.param(
        "os.chdir('data')\n    [open(e.name + '/a.json').read() for e in os.scandir()]",
        id="scandir",
    ),
    pytest.param(
        "os.open('a.json', os.O_RDONLY, dir_fd=os.open('data/deep', os.O_RDONLY))",
        id="from_a_descriptor",
        marks=LINUX,
    ),
    pytest.param(
        "os.open('../deep/a.json', os.O_RDONLY, dir_fd=os.open('data/deep', os.O_RDONLY))",
        id="around_from_a_descriptor",
        marks=LINUX,
    ),
    pytest.param(
        "open('/proc/self/cwd/data/deep/a.json').read()", id="by_its_own_folder", marks=LINUX
    ),
    pytest.param(
        "fd = os.open('data/deep', os.O_RDONLY)\n    open(f'/proc/self/fd/{fd}/a.json').read()",
        id="by_an_open_folder",
        marks=LINUX,
    ),
    pytest.param(
        "open(f'/proc/self/root{TREE}/data/deep/a.json').read()", id="by_the_root", marks=LINUX
    ),
    pytest.param("open('link/../a.json').read()", id="around_a_link_to_a_folder"),
    pytest.param("open('data/deep/../deep/a.json').read()", id="around"),
    pytest.param("open('beside/a.json').read()", id="through_a_link_on_the_way"),
    pytest.param(
        "(tmp_path / 'x').symlink_to(TREE / 'data/deep/a.json')\n    (tmp_path / 'x').read_text()",
        id="through_a_link_outside",
    ),
    pytest.param(
        "os.link('data/deep/a.json', tmp_path / 'x')\n    (tmp_path / 'x').read_text()",
        id="under_a_second_name",
    ),
    pytest.param(
        "os.rename('data/deep/a.json', tmp_path / 'x')\n    (tmp_path / 'x').read_text()",
        id="moved_away",
    ),
    pytest.param("import io; io.open_code(str(TREE / 'data/deep/a.json')).read()", id="open_code"),
    pytest.param(
        "import mmap\n    with open('data/deep/a.json') as f:\n"
        "        mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)[:]",
        id="mmap",
    ),
    pytest.param("import linecache; linecache.getline('data/deep/a.json', 1)", id="linecache"),
    pytest.param("shutil.copy('data/deep/a.json', tmp_path / 'x')", id="copied"),
    pytest.param(
        "a = os.open('data/deep/a.json', os.O_RDONLY)\n"
        "    b = os.open(tmp_path / 'x', os.O_WRONLY | os.O_CREAT)\n    os.sendfile(b, a, 0, 9)",
        id="sendfile",
        marks=LINUX,
    ),
    pytest.param(
        "import importlib.resources as r; r.files('data').joinpath('deep/a.json').read_text()",
        id="resource",
    ),
    pytest.param(
        "import sqlite3\n    sqlite3.connect('file:data/deep/a.json?mode=ro', uri=True).close()",
        id="database_by_uri",
    ),
    pytest.param(
        "import ctypes\n    try: ctypes.CDLL(str(TREE / 'data/deep/a.json'))\n"
        "    except OSError: pass",
        id="c_library",
    ),
]


def shop(tree: Path, line: str) -> Path:
    """A tree with some data, links to it, and a test of a few lines."""
    body = f"{HEAD}def test_it(tmp_path):\n    {line}\n"
    plant(tree, {"test_it.py": body, DATA: "{}\n", "data/deep/sub/b": ""})
    (tree / "link").symlink_to("data/deep/sub")
    (tree / "beside").symlink_to("data/deep")
    return tree


@pytest.mark.parametrize("line", WAYS)
def test_a_read_is_seen(tmp_path: Path, line: str) -> None:
    answer = observed(shop(tmp_path, line))
    assert answer.passed, answer.failure
    assert DATA in answer.reads


def test_a_link_on_the_way_is_read_too(tmp_path: Path) -> None:
    reads = observed(shop(tmp_path, "open('beside/a.json').read()")).reads
    assert {"beside", "beside/a.json", DATA} <= set(reads)


def test_modules_in_an_archive(tmp_path: Path) -> None:
    line = (
        "import zipfile\n    with zipfile.ZipFile(tmp_path / 'z.zip', 'w') as z:\n"
        "        z.writestr('inner.py', 'X = 1')\n    shutil.move(tmp_path / 'z.zip', 'z.zip')\n"
        "    sys.path.insert(0, 'z.zip')\n    import inner\n    assert inner.X"
    )
    answer = observed(shop(tmp_path, line))
    assert answer.passed, answer.failure
    assert "z.zip" in answer.reads


def test_what_is_listed_only_is_not_read(tmp_path: Path) -> None:
    line = "os.listdir('data/deep'); os.stat('data/deep/a.json'); os.open('data', os.O_RDONLY)"
    assert observed(shop(tmp_path, line)).reads == ("test_it.py",)


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_what_multiprocessing_starts_is_a_process(tmp_path: Path, method: str) -> None:
    line = (
        f"import multiprocessing\n    c = multiprocessing.get_context({method!r})\n"
        "    p = c.Process(target=print)\n    p.start()\n    p.join()\n    assert p.exitcode == 0"
    )
    answer = observed(shop(tmp_path, line))
    assert answer.passed, answer.failure
    name = "fork" if method == "fork" else Path(sys.executable).name
    assert Effect(kind="subprocess", what=name) in answer.effects


OUTSIDE = [
    pytest.param("open(WORK / '.git/hooks/pre-commit', 'w').close()", id="a_hook_of_git"),
    pytest.param("(WORK / 'src/shop.py').write_text('x')", id="a_source"),
    pytest.param("os.remove(WORK / 'src/shop.py')", id="removed"),
    pytest.param("os.symlink(TREE, WORK / 'tree')", id="a_link"),
    pytest.param("os.chdir(WORK); open('new', 'a').close()", id="from_there"),
    pytest.param("open(TREE / '..' / 'work' / 'new', 'a').close()", id="around"),
    pytest.param(
        "os.symlink(WORK / '.git', 'git')\n    open('git/hooks/x', 'w').close()\n"
        "    os.unlink('git')",
        id="through_a_link",
    ),
    pytest.param(
        "os.symlink(WORK, 'w')\n    os.remove('w/src/shop.py')", id="removed_through_a_link"
    ),
]


@pytest.mark.parametrize("line", OUTSIDE)
def test_a_run_that_writes_in_the_original_work_tree_shows_nothing(
    tmp_path: Path, line: str
) -> None:
    work = plant(tmp_path / "work", {"src/shop.py": "", ".git/hooks/x": ""})
    tree = shop(tmp_path / "tree", f"WORK = pathlib.Path({str(work)!r})\n    {line}")
    answer = unobserved(tree, forbidden_roots=(work,))
    assert word_of(answer) == "disturbed"
    assert f"original work tree: {work}/" in answer.got


def test_reading_there_is_no_writing(tmp_path: Path) -> None:
    work = plant(tmp_path / "work", {"data.json": "", "lib/site-packages/x.json": ""})
    line = (
        f"WORK = pathlib.Path({str(work)!r})\n    (WORK / 'data.json').read_text()\n"
        "    (WORK / 'lib/site-packages/cache').write_text('')\n"
        "    (tmp_path / 'x').write_text('')"
    )
    assert observed(shop(work / "tree", line), forbidden_roots=(work,)).passed
