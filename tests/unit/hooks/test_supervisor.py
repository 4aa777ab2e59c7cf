"""Real children that starve, hang, crash and lie: the supervisor outlives them."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from freezegate.hooks.believed import believe
from freezegate.hooks.supervisor import run_limited
from freezegate.model.host import HostLimits

ACCEPT = b"accept 0123456789abcdef\n"
LIMITS = HostLimits(wall_s=60, cpu_s=1, memory_mib=512)


def _hangs() -> tuple[int, bytes]:
    signal.pause()
    return 0, b""


def _hangs_deaf() -> tuple[int, bytes]:
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    signal.pause()
    return 0, b""


def _computes() -> tuple[int, bytes]:
    while True:
        pass


def _eats() -> tuple[int, bytes]:
    return 0, bytes(2**31)


def _kills_itself() -> tuple[int, bytes]:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0, b""


def _leaves_early() -> tuple[int, bytes]:
    os._exit(0)


def _exits() -> tuple[int, bytes]:
    sys.exit(0)


def _raises() -> tuple[int, bytes]:
    msg = "line one\nfreezegate: accepted refs/heads/main\x1b[2J"
    raise ValueError(msg)


def _writes_a_file() -> tuple[int, bytes]:
    path = Path(os.environ["PLACE"])
    path.write_text("x")
    return 0, b""


def _talks_to_the_pusher() -> tuple[int, bytes]:
    os.write(1, b"freezegate: accepted\n")
    os.write(2, b"freezegate: accepted\n")
    return 1, b"S freezegate: refused\n"


def _says_too_much() -> tuple[int, bytes]:
    return 1, b"S x\n" * 2**25


@pytest.mark.parametrize(
    ("judge", "code"),
    [
        pytest.param(_hangs, "limits.wall", id="hangs"),
        pytest.param(_hangs_deaf, "limits.wall", id="hangs_deaf"),
        pytest.param(_computes, "limits.cpu", id="computes"),
        pytest.param(_eats, "limits.memory", id="eats"),
        pytest.param(_kills_itself, "internal.fault", id="is_killed"),
        pytest.param(_leaves_early, "internal.fault", id="leaves_early"),
        pytest.param(_exits, "internal.fault", id="exits"),
        pytest.param(_raises, "internal.fault", id="raises"),
        pytest.param(_writes_a_file, "internal.fault", id="writes_a_file"),
        pytest.param(_says_too_much, "internal.fault", id="says_too_much"),
    ],
)
def test_no_fault_accepts(
    judge: Callable[[], tuple[int, bytes]],
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PLACE", str(tmp_path / "file"))
    limits = LIMITS if code != "limits.wall" else LIMITS._replace(wall_s=1)
    if code != "limits.memory":  # the process that tests may be large itself
        limits = limits._replace(memory_mib=8 * LIMITS.memory_mib)
    before = time.monotonic()
    answer = believe(run_limited(judge, limits, ACCEPT), limits, ACCEPT)
    assert answer.fault is not None
    assert (answer.status, answer.fault.code) == (2, code)
    assert answer.fault.got.isprintable()
    assert time.monotonic() - before < limits.wall_s + 5
    assert not (tmp_path / "file").exists() or (tmp_path / "file").stat().st_size == 0


def test_an_honest_judge_is_believed(capfd: pytest.CaptureFixture[str]) -> None:
    accepted = believe(run_limited(lambda: (0, b"S yes\n"), LIMITS, ACCEPT), LIMITS, ACCEPT)
    assert (accepted.status, accepted.say) == (0, ("yes",))
    refused = believe(run_limited(_talks_to_the_pusher, LIMITS, ACCEPT), LIMITS, ACCEPT)
    assert (refused.status, refused.say) == (1, ("freezegate: refused",))
    assert capfd.readouterr() == ("", "")


def _children() -> set[str]:
    """The processes that this one started: other tests' helpers may be among them."""
    tasks = Path("/proc/self/task").iterdir()
    return {child for task in tasks for child in (task / "children").read_text().split()}


def test_no_child_is_left() -> None:
    before = _children()
    run_limited(_hangs, LIMITS._replace(wall_s=1), ACCEPT)
    assert _children() <= before
