"""What an interpreter would load before any test: did a run leave something there?

Only the top of the interpreter's own folders is looked at: start-up files, modules and their
bytecode, archives, the names of packages; and the interpreter's program with the links that lead
to it. What a run changes deep inside a package is not seen.
"""

from __future__ import annotations

import os
import stat
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
_CACHE = b"__pycache__"
_OPTIMIZED = b".opt-"  # bytecode for python -O, which no run is
_MAX_LINKS = 40  # as many as Linux follows


def take_installed(python: Path) -> Inventory:
    """Return each path at the top of the interpreter's folders with what changes when written."""
    found: Inventory = {}
    for place in (*_links(os.fsencode(python)), *_places(python)):
        found[place] = _own_stand(place)
    for folder in _places(python):
        _take_folder(folder, found)
    return found


def _take_folder(folder: bytes, found: Inventory) -> None:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == _CACHE:  # bytecode of these modules: one with a forged time would load
                _take_folder(entry.path, found)
            elif _OPTIMIZED not in entry.name:
                found[entry.path] = _stand(entry)


def _stand(entry: os.DirEntry[bytes]) -> tuple[int, ...]:
    if entry.is_dir():
        return ()  # packages write caches of their own
    info = entry.stat(follow_symlinks=False)
    return (info.st_size, info.st_ino, info.st_mtime_ns, info.st_ctime_ns)


def _own_stand(place: bytes) -> tuple[int, ...]:
    """Return what a place is: an archive, a folder, nothing yet, or the interpreter's program."""
    with suppress(OSError):
        info = os.lstat(place)
        folder = stat.S_ISDIR(info.st_mode)
        times = () if folder else (info.st_size, info.st_mtime_ns, info.st_ctime_ns)
        return (info.st_mode, info.st_ino, *times)
    return ()


def _links(program: bytes) -> list[bytes]:
    """Return a program's path and every link on the way to the file that is run."""
    found = [os.path.abspath(program)]
    while len(found) < _MAX_LINKS and os.path.islink(found[-1]):
        found.append(os.path.join(os.path.dirname(found[-1]), os.readlink(found[-1])))
    return found


@cache
def _places(python: Path) -> tuple[bytes, ...]:
    """Return what of the interpreter's own is on its path; nothing where it does not start."""
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
