"""A server on a free port of loopback, from a configuration of its own, stopped in any case."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

LOOPBACK = "127.0.0.1"
_START_S = 20
_STOP_S = 5
_PAUSE_S = 0.02
_WHERE_SERVERS_LIE = "/usr/sbin:/sbin"


def program(name: str) -> str:
    """Return the absolute path of a program; a test without it fails, and is not skipped."""
    path = os.environ.get("PATH", os.defpath) + os.pathsep + _WHERE_SERVERS_LIE
    found = shutil.which(name, path=path)
    if found is None:
        pytest.fail(f"{name} is missing; install it: sudo sh scripts/host-packages", pytrace=False)
    return found


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as asked:
        asked.bind((LOOPBACK, 0))
        port: int = asked.getsockname()[1]
        return port


@contextlib.contextmanager
def running(
    command: Sequence[str], port: int, environ: Mapping[str, str], log: Path
) -> Iterator[None]:
    """Run a server that stays in the foreground, from the time it answers on."""
    with log.open("wb") as said:
        server = subprocess.Popen(
            command,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    try:
        _await(server, port, log)
        yield
    finally:
        _stop(server)


def _await(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Return once the port answers; a server that ended, or never listens, is a failure."""
    until = time.monotonic() + _START_S
    while time.monotonic() < until:
        with (
            contextlib.suppress(ConnectionRefusedError),
            socket.create_connection((LOOPBACK, port)),
        ):
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = server.wait(_PAUSE_S)
            pytest.fail(f"{server.args!r} ended with {status}: {log.read_text()}", pytrace=False)
    pytest.fail(
        f"{server.args!r} answers not within {_START_S} s: {log.read_text()}", pytrace=False
    )


def _stop(server: subprocess.Popen[bytes]) -> None:
    """End the whole group: what the server started goes with it."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(_STOP_S)
