"""Nothing that a run does at its end or leaves behind goes unseen or reaches the next one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from freezegate.model.observation import Effect
from tests.witness.support import observed, plant, run, unobserved, word_of
from tests.witness.test_isolation import wait_gone

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="orphans are given to us on Linux alone")
HEAD = "import atexit, ctypes, os, pathlib, subprocess, sys, threading, time\n"
LATE = [
    pytest.param("atexit.register(late)", id="atexit"),
    pytest.param("import weakref; weakref.finalize(os, late)", id="weak_finalizer"),
    pytest.param("threading.Thread(target=lambda: (time.sleep(0.3), late())).start()", id="thread"),
    pytest.param(
        "sys.stdout = type('', (), {'write': len, 'flush': lambda s: late()})()", id="flush"
    ),
    pytest.param(
        "raise type('E', (Exception,), {'__str__': lambda s: late() or ''})", id="words_of_an_error"
    ),
]


@pytest.mark.parametrize("line", LATE)
def test_what_comes_after_the_test_is_watched(tmp_path: Path, line: str) -> None:
    work = tmp_path / "work"
    work.mkdir()
    late = (
        "def late():\n    subprocess.run(['true'])\n    open('data').close()\n"
        f"    open({str(work / 'pwned')!r}, 'w').close()\n"
    )
    tree = plant(
        tmp_path / "tree",
        {"test_it.py": f"{HEAD}{late}\ndef test_it():\n    {line}\n", "data": ""},
    )
    answer = observed(tree, keep_options=("-s",))
    assert "data" in answer.reads
    assert Effect(kind="subprocess", what="true") in answer.effects
    assert word_of(unobserved(tree, forbidden_roots=(work,), keep_options=("-s",))) == "disturbed"


def test_a_thread_that_lives_on_does_nothing_after_the_result(tmp_path: Path) -> None:
    line = """
        def work():
            n = 0
            while True:
                n += 1
                open(f"made/{n}", "w").close()
        def test_it():
            os.mkdir("made")
            threading.Thread(target=work, daemon=True).start()
    """
    tree = plant(tmp_path, {"test_it.py": HEAD + line.replace("\n        ", "\n")})
    answer = observed(tree)
    made = {f"made/{path.name}" for path in (tree / "made").iterdir()}
    assert made <= set(answer.writes)


def test_output_and_exit_handlers_of_honest_code_work(tmp_path: Path) -> None:
    text = """
        import atexit, multiprocessing, pathlib, tempfile
        FOLDER = tempfile.TemporaryDirectory()
        def told(): print("told at the end")
        def test_it():
            atexit.register(told)
            print("said")
            multiprocessing.get_context("spawn").Queue().put(1)
            assert 0
    """
    answer = observed(plant(tmp_path, {"test_it.py": text}))
    assert not answer.passed
    assert answer.failure is not None
    assert answer.failure.frames[-1].source == "assert 0"


# --- processes

SLEEP = "['sleep', '99']"
STRAYS = [
    pytest.param(
        f"pid = subprocess.Popen({SLEEP}, env={{'PATH': os.environ['PATH']}}, "
        "start_new_session=True).pid",
        id="own_session_and_environment",
    ),
    pytest.param(
        "pid = ctypes.CDLL(None).fork()\n    if not pid:\n        os.setsid()\n"
        "        os.closerange(0, 99)\n        time.sleep(99)",
        id="c_fork",
    ),
    pytest.param(
        "r, w = os.pipe()\n"
        "    middle = os.fork()\n    if not middle:\n        os.setsid()\n"
        "        pid = os.fork()\n        if not pid:\n            os.setsid()\n"
        f"            os.execvpe('sleep', {SLEEP}, {{}})\n"
        "        os.write(w, str(pid).encode())\n        os._exit(0)\n"
        "    os.waitpid(middle, 0)\n    pid = int(os.read(r, 9))",
        id="forked_twice",
    ),
]


def tell(line: str) -> str:
    """A test that writes down the number of a process that it started."""
    return f"{HEAD}def test_it():\n    {line}\n    pathlib.Path('pid').write_text(str(pid))\n"


@LINUX
@pytest.mark.parametrize("line", STRAYS)
def test_no_process_outlives_its_run(tmp_path: Path, line: str) -> None:
    answer = observed(plant(tmp_path, {"test_it.py": tell(line)}), keep_options=("-s",))
    assert answer.passed
    assert "subprocess" in {effect.kind for effect in answer.effects}
    assert wait_gone(int((tmp_path / "pid").read_text()))


START = """
real = sys.modules["_posixsubprocess"].fork_exec
start = dict(zip(real.__code__.co_freevars, (c.cell_contents for c in real.__closure__)))["start"]
def _start():
    sys.modules["_posixsubprocess"].fork_exec = start
    import multiprocessing.util
    return multiprocessing.util.spawnv_passfds(b"/bin/true", [b"true"], ())
"""


@LINUX
def test_a_process_that_no_event_told_of_is_counted(tmp_path: Path) -> None:
    text = f"{HEAD}{START}\ndef test_it():\n    os.waitpid(_start(), 0)\n"
    answer = observed(plant(tmp_path, {"test_it.py": text}))
    assert answer.passed, answer.failure
    assert [effect.kind for effect in answer.effects] == ["subprocess"]


@pytest.mark.skipif(
    sys.version_info < (3, 11), reason="before, subprocess has no other name for fork_exec"
)
def test_the_other_name_of_fork_exec_is_watched(tmp_path: Path) -> None:
    line = "try: subprocess._fork_exec([b'tool'])\n    except TypeError: pass"
    text = f"{HEAD}def test_it():\n    {line}\n"
    answer = observed(plant(tmp_path, {"test_it.py": text}))
    assert answer.effects[0].kind == "subprocess"


def test_a_child_of_ours_is_no_orphan_of_a_run(tmp_path: Path) -> None:
    ours = subprocess.Popen(["sleep", "99"], start_new_session=True)
    try:
        assert observed(plant(tmp_path, {"test_it.py": "def test_it(): pass"})).passed
        assert ours.poll() is None
    finally:
        ours.kill()
        ours.wait()


# --- the result file

FIND = """
import os, sys
def place():
    frame = sys._getframe()
    while frame:
        found = frame.f_locals.get("request")
        if isinstance(found, dict) and "result" in found:
            return found["result"]
        frame = frame.f_back
def test_it():
"""
RESULTS = [
    pytest.param("os.mkfifo(place()); os._exit(0)", "else than a file", id="fifo"),
    pytest.param("os.symlink('/dev/zero', place()); os._exit(0)", "else than a file", id="link"),
    pytest.param("os.mkdir(place()); os._exit(0)", "else than a file", id="folder"),
    pytest.param("open(place(), 'w').write('[' * 9999); os._exit(0)", "not ours", id="nonsense"),
    pytest.param("open(place(), 'w').truncate(1 << 26); os._exit(0)", "32 MiB", id="too_large"),
]


@pytest.mark.parametrize(("line", "words"), RESULTS)
def test_a_result_that_is_none(tmp_path: Path, line: str, words: str) -> None:
    answer = unobserved(plant(tmp_path, {"test_it.py": f"{FIND}    {line}\n"}), timeout_s=20)
    assert word_of(answer) == "unwatched"
    assert words in answer.got


# --- what is left in the run's folder

DEEP = """
import os
def test_it():
    os.chdir(os.environ["HOME"])
    for _ in range(3000):
        os.mkdir("d")
        os.chdir("d")
"""


def test_deep_folders_are_removed_and_stop_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    answer = run(plant(tmp_path / "tree", {"test_it.py": DEEP}))
    assert word_of(answer) == "unwatched"
    assert os.listdir(temporary) == []
