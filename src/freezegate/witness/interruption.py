"""Ctrl-C and the signals that end a process, told as one exception so that all is tidied up."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ending_signals_raise() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise KeyboardInterrupt as Ctrl-C does, in the main thread."""
    with _handled_by(_raise):
        yield


@contextmanager
def ending_signals_wait() -> Iterator[None]:
    """Hold back every ending signal until the block is done; the last one then has its effect."""
    came: list[int] = []
    with _handled_by(lambda number, _frame: came.append(number)):
        yield
    if came:
        os.kill(os.getpid(), came[-1])


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that runs left in it, whatever its permissions are."""
    shutil.rmtree(folder, onerror=_make_writable_and_retry)


def _raise(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in _ENDING}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _make_writable_and_retry(
    function: Callable[[str], object], path: str, _info: tuple[object, object, object]
) -> None:
    for place in (os.path.dirname(path), path):
        if os.path.isdir(place) and not os.path.islink(place):
            os.chmod(place, stat.S_IRWXU)
    if function is os.unlink or function is os.rmdir:
        function(path)
    elif os.path.isdir(path):
        shutil.rmtree(path, ignore_errors=True)
