"""A timer by which the kernel wakes us where a run stopped us, so that its time is up for it too.

Any process of the same user may send us SIGSTOP, which nobody can hold back. A timer of our own
(timer_create(2)) sends SIGCONT when the run's time is over, and again and again from then on: no
process is needed for it that a run could stop as well. Elsewhere than on Linux there is none.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_EVERY_NS = 100_000_000  # where we are stopped again at once
_SIGEVENT_BYTES = 64  # asm-generic/siginfo.h; the value's and the union's bytes stay zero


@contextmanager
def woken_after(wait_s: float) -> Iterator[None]:
    """Wake this process when so many seconds have gone, for as long as the block goes on."""
    if sys.platform != "linux":
        yield
        return
    with _heard(), _timer() as (libc, timer):
        libc.timer_settime(timer, 0, _times(wait_s), None)
        yield


@contextmanager
def _timer() -> Iterator[tuple[Any, Any]]:
    import ctypes

    libc, timer = ctypes.CDLL(None, use_errno=True), ctypes.c_void_p()
    if libc.timer_create(time.CLOCK_MONOTONIC, _event(), ctypes.byref(timer)):
        raise OSError(ctypes.get_errno(), "timer_create")
    try:
        yield libc, timer
    finally:
        libc.timer_delete(timer)


def _event() -> Any:
    """Return a `struct sigevent`: SIGCONT for the process (SIGEV_SIGNAL is 0)."""
    import ctypes

    pointer = ctypes.sizeof(ctypes.c_void_p)
    data = bytes(pointer) + int(signal.SIGCONT).to_bytes(4, sys.byteorder)
    return ctypes.create_string_buffer(data, _SIGEVENT_BYTES)


def _times(wait_s: float) -> Any:
    """Return a `struct itimerspec`: the interval, then the first time."""
    import ctypes

    whole, part = divmod(wait_s, 1)
    return (ctypes.c_long * 4)(0, _EVERY_NS, int(whole), int(part * 1e9) + 1)


@contextmanager
def _heard() -> Iterator[None]:
    """Give SIGCONT a handler: since Linux 6.13 a timer whose signal is ignored rings once only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGCONT, lambda _number, _frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGCONT, before)
