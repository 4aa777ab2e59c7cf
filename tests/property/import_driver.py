"""Run pytest on layouts, each in a child process of its own, and tell which files it ran.

Reads lines of JSON, `{"folder": ..., "pythonpath": [...], "oracle": ...}`, and answers each.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import os
import sys
from pathlib import Path

import pytest


class _Recorder:
    def __init__(self) -> None:
        self.config: list[str | None] = [None, None]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        inipath = session.config.inipath
        self.config = [str(session.config.rootpath), str(inipath) if inipath else None]


def _run(asked: dict[str, object]) -> dict[str, object]:
    folder = Path(str(asked["folder"]))
    os.chdir(folder)
    ran: list[str] = []
    builtins._ran = lambda path: ran.append(str(path))  # type: ignore[attr-defined]  # for layouts
    roots = asked["pythonpath"]
    assert isinstance(roots, list)
    sys.path[0:0] = [str(folder), *(str(folder / root) for root in roots)]
    recorder = _Recorder()
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        arguments = ["-q", "-p", "no:cacheprovider", str(asked["oracle"])]
        status = pytest.main(arguments, plugins=[recorder])
    inside = [os.path.relpath(path, folder) for path in ran]
    return {
        "status": int(status),
        "ran": inside,
        "config": recorder.config,
        "told": told.getvalue(),
    }


def main() -> None:
    """Answer one line after the other."""
    sys.dont_write_bytecode = True
    for line in sys.stdin:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writer, json.dumps(_run(json.loads(line))).encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as answer:
            sys.stdout.write(answer.read().decode() + "\n")
            sys.stdout.flush()
        os.waitpid(child, 0)


main()
