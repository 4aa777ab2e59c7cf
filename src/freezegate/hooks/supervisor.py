"""Run the judge of a push in a child that can be killed, starve and crash without being believed.

The child is forked, not started anew: it brings what is imported already and pays no second
interpreter. Whatever parses pushed bytes runs there alone.
"""

from __future__ import annotations

import os
import resource
import signal
from typing import TYPE_CHECKING, NamedTuple, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from freezegate.model.host import HostLimits

    Judge = Callable[[], tuple[int, bytes]]

MAX_SAID_BYTES = 64 * 1024 * 1024  # a line and a log entry for each of a million refs
NO_MEMORY = 70
FAULT = 71
_MIB = 1024 * 1024
_CHUNK = 65_536


class Ended(NamedTuple):
    """How a child ended: its exit status, the signal that killed it, and all that it said.

    `timed_out` says that the wall limit was over before it ended.
    """

    status: int | None
    signal: int | None
    said: bytes
    timed_out: bool = False


def run_limited(judge: Judge, limits: HostLimits, accept: bytes) -> Ended:
    """Run a judge in a limited child and return how it ended.

    The judge returns its exit status and what it says. Behind a status of 0 the child writes
    `accept`, the word by which the caller knows that the judge came to its end.
    """
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        _be_child(judge, limits, accept, write)
    os.close(write)
    try:
        return _watch(pid, read, limits.wall_s)
    finally:
        os.close(read)


def _watch(pid: int, pipe: int, wall_s: int) -> Ended:
    said = bytearray()
    before = signal.signal(signal.SIGALRM, _raise_timeout)
    signal.setitimer(signal.ITIMER_REAL, wall_s)
    try:
        while len(said) <= MAX_SAID_BYTES and (chunk := os.read(pipe, _CHUNK)):
            said += chunk
        if len(said) > MAX_SAID_BYTES:
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    except TimeoutError:
        _kill(pid)
        return Ended(None, None, bytes(said), timed_out=True)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    if os.WIFSIGNALED(status):
        return Ended(None, os.WTERMSIG(status), bytes(said))
    return Ended(os.WEXITSTATUS(status), None, bytes(said))


def _raise_timeout(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise TimeoutError


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):  # it ended in the same moment
        return


def _be_child(judge: Judge, limits: HostLimits, accept: bytes, pipe: int) -> NoReturn:
    """Never return into the supervisor's code, whatever happens."""
    status = FAULT
    try:
        _be_limited(limits)
        status, said = judge()
        _write(pipe, said + (accept if status == 0 else b""))
    except MemoryError:
        status = NO_MEMORY
    except BaseException as fault:  # the supervisor tells it, and refuses
        status = FAULT
        _write(pipe, ascii(f"{type(fault).__name__}: {fault}").encode())
    finally:
        os._exit(status)


def _be_limited(limits: HostLimits) -> None:
    """Take away what no judge needs: time, memory, files to write, the pusher's terminal."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(limits.wall_s + 1)  # should the supervisor be killed, nothing stays behind
    for kind, most in (
        (resource.RLIMIT_AS, limits.memory_mib * _MIB),
        (resource.RLIMIT_CPU, limits.cpu_s),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, hard if kind == resource.RLIMIT_CPU else most))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def _write(pipe: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(pipe, view) :]
