"""What a run does to its parent, to other processes and to the machine is seen, or ends it all."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from freezegate.model.observation import FileObservation
from freezegate.witness.inherited import first_change, put_back, take_inherited
from freezegate.witness.process import observe_file
from freezegate.witness.run_requests import FileRequest
from tests.witness.support import PYTHON, plant

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc and timers are Linux's")

# --- what it inherits

CLOCK = "clock, counted from the start of the machine,"


def test_what_nobody_touched_is_as_it_was() -> None:
    before = take_inherited()
    assert first_change(before, take_inherited()) is None
    assert {"RLIMIT_FSIZE", "RLIMIT_NOFILE", "priority", "processors", "scheduling"} <= {*before}


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        pytest.param("host name", "evil", "host name 'evil' instead of ", id="host_name"),
        pytest.param("priority", 19, "priority 19 instead of ", id="priority"),
        pytest.param("RLIMIT_CORE", (7, 9), "RLIMIT_CORE (7, 9) instead of ", id="limit"),
        pytest.param("cgroup", "0::/evil", "cgroup '0::/evil' instead of ", id="cgroup"),
        pytest.param(CLOCK, 3.0, f"{CLOCK} 3 s instead of ", id="set_clock"),
    ],
)
def test_a_change_is_named(name: str, value: object, words: str) -> None:
    before = take_inherited()
    change = first_change(before, {**before, name: value})
    assert change is not None
    assert change.startswith(words)


def test_a_clock_may_be_kept_right() -> None:
    before = {CLOCK: 1_000_000.0}
    assert first_change(before, {CLOCK: 1_000_001.9}) is None
    assert first_change(before, {CLOCK: 1_000_002.1}) is not None


def test_limits_and_processors_are_put_back() -> None:
    before = take_inherited()
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (1 if hard else 0, hard))
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    put_back(before, take_inherited())
    assert first_change(before, take_inherited()) is None


# --- signals and limits of other processes

HEAD = "import os, resource, signal, subprocess\n"
ALIEN = {
    "os.kill(os.getppid(), signal.SIGCONT)": "signal 18 to another process",
    "os.kill(ALIEN, signal.SIGWINCH)": "signal 28 to another process",
    "os.killpg(ALIEN, signal.SIGURG)": "signal 23 to another process",
    "os.kill(-ALIEN, signal.SIGCHLD)": "signal 17 to another process",
    "resource.prlimit(ALIEN, resource.RLIMIT_CORE, (0, 0))": "limits of another process",
}
OWN = [
    "os.kill(os.getpid(), signal.SIGCONT)",
    "os.kill(0, signal.SIGCONT)",
    "os.kill(os.getppid(), 0)",
    "resource.prlimit(os.getppid(), resource.RLIMIT_CORE)",
    "resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE))",
    "p = subprocess.Popen(['cat'], stdin=-1); p.kill(); p.communicate()",
    "p = subprocess.Popen(['cat'], stdin=-1, start_new_session=True)\n"
    "    os.killpg(p.pid, signal.SIGKILL); p.communicate()",
    "p = subprocess.Popen(['true'], start_new_session=True); p.wait()\n"
    "    try: os.killpg(p.pid, signal.SIGKILL)\n"
    "    except OSError: pass",
    "daemon = 'setsid sleep 99 >/dev/null & echo $!'\n"
    "    p = subprocess.Popen(['sh', '-c', daemon], stdout=-1, start_new_session=True)\n"
    "    os.kill(int(p.communicate()[0]), signal.SIGKILL)",
]


def told(tree: Path, lines: Iterable[str]) -> list[str]:
    """What was told of outside, when each line is a test."""
    tests = [f"def test_{n}():\n    {line}\n" for n, line in enumerate(lines)]
    plant(tree, {"test_it.py": HEAD + "".join(tests)})
    asked = FileRequest(tree=tree, path="test_it.py", python=PYTHON, timeout_s=60, plugins=())
    answer = observe_file(asked)
    assert isinstance(answer, FileObservation), answer
    assert (answer.passed, answer.failed) == (len(tests), 0), answer.failed_ids
    return [effect.what for effect in answer.effects if effect.kind == "outside"]


@pytest.fixture
def alien() -> Iterator[int]:
    """A process that nobody of ours is above."""
    start = "setsid sleep 300 >/dev/null 2>&1 & echo $!"
    pid = int(subprocess.run(["sh", "-c", start], capture_output=True, check=True).stdout)
    yield pid
    os.kill(pid, signal.SIGKILL)


def test_what_reaches_another_process_is_told(tmp_path: Path, alien: int) -> None:
    lines = [line.replace("ALIEN", str(alien)) for line in ALIEN]
    assert told(tmp_path, lines) == list(ALIEN.values())


def test_what_reaches_the_runs_own_is_not_told(tmp_path: Path) -> None:
    assert told(tmp_path, OWN) == []


# --- a parent that is stopped

WITNESS = """
import json, sys
from pathlib import Path
from freezegate.witness.process import observe_run
from freezegate.witness.run_requests import RunRequest
answer = observe_run(RunRequest(tree=Path(sys.argv[1]), test_id="test_it.py::test_it",
                                python=Path(sys.executable), timeout_s=3, plugins=()))
print(json.dumps([answer.word, answer.got]))
"""
STOPS = [
    pytest.param("stop()", "disturbed", id="stops_its_judge"),
    pytest.param("stop(); time.sleep(99)", "timed_out", id="stops_its_judge_and_waits"),
    pytest.param("stop(); hold()", "disturbed", id="stops_its_judge_again_and_again"),
]
STOPPING = """
import os, signal, subprocess, time
JUDGE = os.getppid()
def stop():
    os.kill(JUDGE, signal.SIGSTOP)
def hold():
    again = f"while kill -STOP {JUDGE}; do sleep 0.05; done"
    subprocess.Popen(["sh", "-c", again], start_new_session=True)
def test_it():
    LINE
"""


@pytest.mark.parametrize(("line", "word"), STOPS)
def test_a_run_cannot_hold_its_judge(tmp_path: Path, line: str, word: str) -> None:
    tree = plant(tmp_path, {"test_it.py": STOPPING.replace("LINE", line)})
    ended = subprocess.run(
        [sys.executable, "-c", WITNESS, str(tree)], capture_output=True, check=True, timeout=60
    )
    assert json.loads(ended.stdout)[0] == word
