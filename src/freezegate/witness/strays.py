"""End what a run left behind outside of its session (daemons that called setsid), on Linux."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

_PROCESSES = Path("/proc")


def end_strays(folder: str) -> None:
    """Kill every process whose first environment names a run's own folder.

    A process that was started with another environment is not found; elsewhere than on Linux
    there is nothing to look in.
    """
    marker = os.fsencode(folder) + b"/"
    for entry in _PROCESSES.glob("[0-9]*/environ"):
        with suppress(OSError):
            if marker in entry.read_bytes():
                os.kill(int(entry.parent.name), signal.SIGKILL)
