"""By which ways a run may write so that it is seen, and what it leaves without telling."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from freezegate.witness.inventory import untold_paths
from tests.witness.support import observed, plant, unobserved, word_of

HEAD = "import ctypes, os, pathlib, shutil, sqlite3, sys\n"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
FOLDER = "fd = os.open(PLACE, os.O_RDONLY)"
WAYS = [
    pytest.param("os.open('new', os.O_WRONLY | os.O_CREAT, dir_fd=fd)", "new", id="open"),
    pytest.param("os.remove('a', dir_fd=fd)", "a", id="remove"),
    pytest.param("os.rmdir('empty', dir_fd=fd)", "empty", id="rmdir"),
    pytest.param("os.mkdir('new', dir_fd=fd)", "new", id="mkdir"),
    pytest.param("os.rename('a', 'new', src_dir_fd=fd, dst_dir_fd=fd)", "new", id="rename"),
    pytest.param("os.rename('a', 'new', src_dir_fd=fd, dst_dir_fd=fd)", "a", id="rename_away"),
    pytest.param("os.link('a', 'new', src_dir_fd=fd, dst_dir_fd=fd)", "new", id="link"),
    pytest.param("os.symlink('a', 'new', dir_fd=fd)", "new", id="symlink"),
    pytest.param("os.chmod('a', 0o600, dir_fd=fd)", "a", id="chmod"),
    pytest.param("os.utime('a', (1, 1), dir_fd=fd)", "a", id="utime"),
    pytest.param("os.chmod(os.open(f'{PLACE}/a', os.O_RDONLY), 0o600)", "a", id="by_descriptor"),
    pytest.param("shutil.rmtree(f'{PLACE}/full')", "full/b", id="rmtree"),
    pytest.param(
        "open(type('S', (str,), {'__getitem__': 0})(f'{PLACE}/a'), 'a')", "a", id="own_str"
    ),
    pytest.param(
        "open(type('P', (), {'__fspath__': lambda s, n=[0]: n.append(0) or "
        "(f'{PLACE}/a', 'decoy')[len(n) > 2]})(), 'a')",
        "a",
        id="own_path",
    ),
]


@LINUX
@pytest.mark.parametrize("inside", [True, False], ids=["own_tree", "work_tree"])
@pytest.mark.parametrize(("line", "path"), WAYS)
def test_a_write_is_seen(tmp_path: Path, line: str, path: str, *, inside: bool) -> None:
    tree, work = tmp_path / "tree", tmp_path / "work"
    place = tree if inside else work
    plant(place, {"a": "1", "full/b": ""})
    (place / "empty").mkdir()
    body = f"{HEAD}PLACE = {str(place)!r}\ndef test_it():\n    {FOLDER}\n    {line}\n"
    plant(tree, {"test_it.py": body})
    if inside:
        answer = observed(tree, forbidden_roots=(work,))
        assert answer.passed, answer.failure
        assert path in answer.writes
    else:
        refused = unobserved(tree, forbidden_roots=(work,))
        assert word_of(refused) == "disturbed"
        assert str(work) in refused.got


BLIND = [
    pytest.param(
        "[open(f'{n}', 'w').close() for n in range(20_001)]", "20000 files", id="too_many_files"
    ),
    pytest.param("os.remove('/a' * 999)", "256 folders", id="too_deep"),
    pytest.param(
        "sys.audit('os.remove', object())", "os.remove (TypeError)", id="an_event_that_no_one_knows"
    ),
]


@pytest.mark.parametrize(("line", "words"), BLIND)
def test_what_cannot_be_watched_is_no_observation(tmp_path: Path, line: str, words: str) -> None:
    body = f"{HEAD}def test_it():\n    try: {line}\n    except OSError: pass\n"
    answer = unobserved(plant(tmp_path, {"test_it.py": body}))
    assert word_of(answer) == "unwatched"
    assert words in answer.got


UNTOLD = [
    pytest.param({b"a"}, ["a"], set(), id="told"),
    pytest.param({b"a"}, [], {b"a"}, id="untold"),
    pytest.param({b"d", b"d/a", b"d/e/b"}, ["d"], set(), id="moved_folder"),
    pytest.param({b"d/a"}, ["d"], {b"d/a"}, id="in_a_folder_that_stayed"),
    pytest.param({b"a.db-journal"}, ["a.db"], set(), id="journal"),
    pytest.param({b"\xff"}, ["\\udcff"], set(), id="not_utf8"),
    pytest.param({b"ab"}, ["a"], {b"ab"}, id="no_prefix"),
]


@pytest.mark.parametrize(("changed", "told", "expected"), UNTOLD)
def test_untold_paths(changed: set[bytes], told: list[str], expected: set[bytes]) -> None:
    assert untold_paths(changed, told) == expected
