"""What is left of a witness that was killed: no process, and no folder after the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from freezegate.witness.bundle import child_source
from freezegate.witness.leftovers import PREFIX, folder_lock, remove_leftovers
from tests.witness.support import plant
from tests.witness.test_isolation import alive, wait_gone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals on a pipe are Linux's")

WITNESS = """
import sys
from pathlib import Path
from freezegate.witness.process import observe_run
from freezegate.witness.run_requests import RunRequest
observe_run(RunRequest(tree=Path(sys.argv[1]), test_id="test_it.py::test_it",
                       python=Path(sys.executable), timeout_s=60, plugins=()))
"""
WAIT = "import time; time.sleep(99)"


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


def killed_while(tree: Path, line: str) -> list[int]:
    """Kill a witness with SIGKILL while its test waits; return what its test wrote of processes."""
    head = "import os, pathlib, signal, subprocess, sys, threading, time\n"
    body = f"def test_it():\n    pids = [os.getpid()]\n    {line}\n"
    tell = (
        "    pathlib.Path('new').write_text(' '.join(map(str, pids)))\n    os.rename('new', 'pids')"
    )
    plant(tree, {"test_it.py": f"{head}{body}{tell}\n    time.sleep(99)\n"})
    witness = subprocess.Popen([sys.executable, "-c", WITNESS, str(tree)])
    wait_for((tree / "pids").exists)
    witness.kill()
    assert witness.wait() == -signal.SIGKILL
    return [int(pid) for pid in (tree / "pids").read_text().split()]


TESTS = [
    pytest.param("pass", id="it_waits"),
    pytest.param("signal.pthread_sigmask(0, range(1, 65))", id="it_holds_back_signals"),
    pytest.param("signal.signal(signal.SIGIO, signal.SIG_IGN)", id="it_ignores_them"),
    pytest.param("threading.Thread(target=time.sleep, args=(99,)).start()", id="it_has_threads"),
    pytest.param(
        f"pids.append(subprocess.Popen([sys.executable, '-c', {WAIT!r}]).pid)",
        id="it_started_another",
    ),
    pytest.param(
        "pid = os.fork()\n    if not pid:\n        os.closerange(3, 99)\n        time.sleep(99)\n"
        "    pids.append(pid)",
        id="it_forked_one_that_closed_everything",
    ),
]


@pytest.mark.parametrize("line", TESTS)
def test_the_kernel_ends_the_run_of_a_killed_witness(tmp_path: Path, line: str) -> None:
    for pid in killed_while(tmp_path, line):
        assert wait_gone(pid)


def test_a_run_without_a_parent_does_not_begin(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(writing)
    child = tmp_path / "child.py"
    child.write_bytes(child_source())
    ended = subprocess.run(
        [sys.executable, child, str(reading)],
        pass_fds=(reading,),
        env={"FREEZEGATE_WITNESS_REQUEST": str(tmp_path / "nothing")},
        capture_output=True,
        check=False,
    )
    os.close(reading)
    assert (ended.returncode, ended.stderr) == (3, b"")


# --- folders


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def folder_of(temporary: Path, *, empty: bool = False) -> Path:
    """A folder such as a window has."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=temporary))
    if not empty:
        (folder / "base-tree").mkdir()
        (folder / "base-tree" / "a.py").write_text("")
    return folder


def test_a_folder_that_nobody_holds_is_removed_with_its_processes(temporary: Path) -> None:
    folder = folder_of(temporary)
    daemon = subprocess.Popen(
        [sys.executable, "-c", WAIT], env={"HOME": f"{folder}/home"}, start_new_session=True
    )
    wait_for(lambda: str(folder).encode() in Path(f"/proc/{daemon.pid}/environ").read_bytes())
    remove_leftovers()
    assert not folder.exists()
    assert daemon.wait(timeout=20) == -signal.SIGKILL
    assert not alive(daemon.pid)


def test_what_is_not_a_dead_witness_own_stays(temporary: Path, tmp_path: Path) -> None:
    held, fresh = folder_of(temporary), folder_of(temporary, empty=True)
    folder_of(temporary).chmod(0o755)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(0o700)
    (elsewhere / "precious").write_text("")
    (temporary / f"{PREFIX}link").symlink_to(elsewhere)
    (temporary / f"{PREFIX}file").write_text("")
    with folder_lock(held):
        before = sorted(path.name for path in temporary.rglob("*"))
        remove_leftovers()
        assert sorted(path.name for path in temporary.rglob("*")) == before
    assert fresh.exists()
    remove_leftovers()
    assert not held.exists()
    assert (elsewhere / "precious").exists()
