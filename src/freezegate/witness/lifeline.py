"""A pipe by which the kernel ends a run's processes when we end, even by SIGKILL (Linux).

The child inherits the reading end; we hold the only writing end. When that closes, the kernel
signals the owner of the reading end, which is the child's process group: fcntl(2), F_SETOWN and
F_SETSIG. Nothing of it runs in the child, whose threads and signals are the test's own. A group
that closed the reading end, or left for a session of its own, is not reached.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def lifeline() -> Iterator[int | None]:
    """Yield the reading end for a child to inherit; None where the kernel does no such thing."""
    if sys.platform != "linux":
        yield None
        return
    reading, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        yield reading
    finally:
        os.close(reading)
        os.close(writing)


def tie(group: int, reading: int) -> None:
    """Let the kernel kill a process group once the writing end is closed.

    Should we be killed before, the child finds the pipe closed when it starts.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError):
        fcntl.fcntl(reading, fcntl.F_SETOWN, -group)
        with suppress(OSError):  # without it SIGIO, which ends a process as well
            fcntl.fcntl(reading, fcntl.F_SETSIG, signal.SIGKILL)
        flags = fcntl.fcntl(reading, fcntl.F_GETFL)
        fcntl.fcntl(reading, fcntl.F_SETFL, flags | os.O_ASYNC)
