"""Hypothesis' table of characters, made once by a process that no project code runs in.

Every run starts from an empty storage directory. `st.text()` then computes this table anew, which
takes longer than most tests; it depends on the interpreter alone, and a table that a run left
behind is never used again (a forged one hides failures: MECHANICS 46).
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = "unicode_data"
_MAKE = """\
from hypothesis.internal import charmap
charmap.charmap()
charmap.intervals_from_codec("utf-8")
"""
_MAKE_S = 60
# Interpreters of which a run made the table: the next runs will want it too.
_wanted: set[Path] = set()


def note_wanted(python: Path, storage: Path) -> None:
    """Note that a run with this interpreter made the table in its own storage directory."""
    if (storage / FOLDER).exists():
        _wanted.add(python)


def provide(python: Path, storage: Path) -> None:
    """Put the table into a run's storage directory, if runs with this interpreter want it."""
    if python in _wanted:
        for name, data in _tables(python).items():
            (storage / name).parent.mkdir(parents=True, exist_ok=True)
            (storage / name).write_bytes(data)


@cache
def _tables(python: Path) -> Mapping[str, bytes]:
    with tempfile.TemporaryDirectory(prefix="witness-") as name:
        storage = Path(name)
        env = {"HYPOTHESIS_STORAGE_DIRECTORY": name, "HOME": name, "PATH": os.defpath}
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(
                [python, "-I", "-B", "-c", _MAKE],
                cwd=name,
                env=env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=_MAKE_S,
            )
        files = [path for path in (storage / FOLDER).rglob("*") if path.is_file()]
        return MappingProxyType({str(p.relative_to(storage)): p.read_bytes() for p in files})
