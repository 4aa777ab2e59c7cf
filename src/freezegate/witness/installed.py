"""What an interpreter would load before any test: did a run leave something there?

Only the top of the interpreter's own folders is looked at: start-up files, modules, and the names
of packages. What a run changes deep inside a package is not seen.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from freezegate.witness.inventory import Inventory

_ASK = """\
import os, sys
own = tuple({os.path.join(p, "") for p in (sys.prefix, sys.base_prefix)})
found = [sys.prefix] + [p for p in sys.path if p.startswith(own)]
sys.stdout.buffer.write(b"\\0".join(map(os.fsencode, found)))
"""
_ASK_S = 30
_CACHE = b"__pycache__"  # Python's own to write, and checked against the sources


def take_installed(python: Path) -> Inventory:
    """Return each path at the top of the interpreter's folders with what changes when written."""
    found: Inventory = {}
    for folder in _folders(python):
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name != _CACHE:
                    found[entry.path] = _stand(entry)
    return found


def _stand(entry: os.DirEntry[bytes]) -> tuple[int, ...]:
    if entry.is_dir():
        return ()  # packages write caches of their own
    info = entry.stat(follow_symlinks=False)
    return (info.st_size, info.st_ino, info.st_mtime_ns, info.st_ctime_ns)


@cache
def _folders(python: Path) -> tuple[bytes, ...]:
    """Return the interpreter's own folders on its path; none where it does not start."""
    with suppress(OSError, subprocess.TimeoutExpired):
        told = subprocess.run(
            [python, "-I", "-B", "-c", _ASK],
            env={"PATH": os.defpath},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_ASK_S,
        )
        return tuple(dict.fromkeys(told.stdout.split(b"\0"))) if told.returncode == 0 else ()
    return ()
