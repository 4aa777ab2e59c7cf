"""End what a run left behind: daemons with sessions and environments of their own too, on Linux.

While a run goes on we are the one whom the kernel gives its orphans to (prctl(2),
PR_SET_CHILD_SUBREAPER). When the run is over, whatever it started is a child of ours, or below one.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROCESSES = "/proc"
_SET_SUBREAPER, _GET_SUBREAPER = 36, 37  # linux/prctl.h
_MAX_ROUNDS = 1000  # one that forks all the time is killed again and again, but not for ever


@contextmanager
def ended_orphans() -> Iterator[list[int]]:
    """Kill what the block started and left running, in whatever session or environment.

    Yields a list that holds the processes, ended ones too, once the block is left. Elsewhere than
    on Linux it stays empty: there is nothing to look in.
    """
    found: list[int] = []
    if sys.platform != "linux":
        yield found
        return
    with _adopting():
        known = _children()
        try:
            yield found
        finally:
            for _ in range(_MAX_ROUNDS):
                orphans = {pid for pid in _children() - known if _is_elsewhere(pid)}
                if not orphans:
                    break
                found += orphans
                for pid in orphans:
                    _end(pid)


def end_strays(folder: str) -> None:
    """Kill every process whose first environment names a folder: a killed witness' own ones."""
    marker = os.fsencode(folder) + b"/"
    for pid in _processes():
        with suppress(OSError):
            if marker in _read(f"{_PROCESSES}/{pid}/environ"):
                os.kill(pid, signal.SIGKILL)


@contextmanager
def _adopting() -> Iterator[None]:
    import ctypes

    before = ctypes.c_int()
    _prctl()(_GET_SUBREAPER, ctypes.byref(before), 0, 0, 0)
    _prctl()(_SET_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        _prctl()(_SET_SUBREAPER, before.value, 0, 0, 0)


@cache
def _prctl() -> Any:
    import ctypes

    return ctypes.CDLL(None).prctl


def _children() -> set[int]:
    try:  # mostly there are none, which is known without a look at every process
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return set()
    own = str(os.getpid()).encode()
    return {pid for pid in _processes() if _parent(pid) == own}


def _parent(pid: int) -> bytes | None:
    with suppress(OSError, IndexError):
        return _read(f"{_PROCESSES}/{pid}/stat").rpartition(b")")[2].split()[1]
    return None


def _is_elsewhere(pid: int) -> bool:
    """Say whether a process has another session than we: a run starts in one of its own."""
    with suppress(ProcessLookupError):
        return os.getsid(pid) != os.getsid(0)
    return False


def _end(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)


def _processes() -> list[int]:
    with suppress(OSError):
        return [int(name) for name in os.listdir(_PROCESSES) if name.isdecimal()]
    return []


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()
