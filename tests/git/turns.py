"""What a test does in its n-th run: letters in a named pipe, of which each run takes one.

A run that counted in a file would write outside of its tree, which is an effect of its own.
"""

from __future__ import annotations

import array
import fcntl
import os
import termios
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_LETTERS = 2000  # more than any window has runs, and the least that a pipe holds is 4096
_held: dict[Path, int] = {}  # what is in a pipe stays there as long as somebody has it open


def lay_out(pipe: Path, pattern: str) -> Path:
    """Fill a pipe with a pattern, again and again; it lasts as long as this process."""
    pipe.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(pipe)
    _held[pipe] = os.open(pipe, os.O_RDWR)
    os.write(_held[pipe], (pattern * _LETTERS)[:_LETTERS].encode())
    return pipe


def taken(pipe: Path) -> int:
    """How many runs there were."""
    left = array.array("i", [0])
    fcntl.ioctl(_held[pipe], termios.FIONREAD, left)
    return _LETTERS - left[0]
