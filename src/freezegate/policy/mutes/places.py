"""On which line of a file a finding about a setting or a command stands."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.mute import Mute

_TELLING = 4  # letters of a word that stands in few lines


def line_of(side: Side, path: str, where: str, *needles: str) -> int | None:
    """Return the first line behind a place (`jobs/test`) that says a needle, None where none does.

    The sooner named needle is the better one; a line that installs a tool runs none.
    """
    lines = _lines(side, path)
    start = 0
    for part in filter(None, re.split(r"[/\s]", where)):
        start = _next(lines, part, start)
    for needle in filter(None, needles):
        for number in chain(range(start, len(lines)), range(start)):
            if needle in lines[number] and "install" not in lines[number]:
                return number + 1
    return None


def at_its_line(side: Side, mute: Mute) -> Mute:
    """Return a finding about a setting with the line that says most of what stands there now."""
    words = [word.strip(":,") for word in reversed(mute.now.split())]
    words.append(mute.now.partition(":")[0].rpartition("/")[2])
    told = [word for word in words if len(word) >= _TELLING]
    return mute._replace(line=line_of(side, mute.path, "", *told))


def _lines(side: Side, path: str) -> list[str]:
    entry = side.entry(path)
    return side.tree.source(entry).decode("utf-8", "replace").split("\n") if entry else []


def _next(lines: list[str], part: str, start: int) -> int:
    """The next line that begins a table of that name."""
    key = re.compile(rf"[\s\[-]*(name:\s*)?[\"']?{re.escape(part)}[\"']?\s*(:|=|\]|$)")
    return next((n for n in range(start, len(lines)) if key.match(lines[n])), start)
