"""How far the runs are: dots on a terminal, elsewhere a line a run that names its test."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from freezegate.model.observation import FileObservation, Observation
from freezegate.model.run import Side

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from freezegate.witness.window_run import RunTold

_PASS, _FAIL, _NONE, _OPEN = ".", "F", "?", "\u00b7"


@contextmanager
def progress(
    test_id: str, runs_per_side: int, *, one: Side | None = None
) -> Iterator[Callable[[RunTold], None]]:
    """Give what is to be called after each run of one window, or of `one` side alone."""
    sides = (Side.BASE, Side.CANDIDATE) if one is None else (one,)
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda told: _print(told, test_id, len(sides) * runs_per_side)
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    strips = _Strips(test_id, runs_per_side, sides)
    with Live(
        get_renderable=lambda: Text(strips.text()),
        console=Console(stderr=True, highlight=False),
        refresh_per_second=4,
        transient=True,
    ):
        yield strips.add


class _Strips:
    """A line a side that fills with dots, and the time that went by and that is left."""

    def __init__(self, test_id: str, runs_per_side: int, sides: tuple[Side, ...]) -> None:
        self._title, self._size = ascii(test_id)[1:-1], runs_per_side
        self._seen: dict[Side, str] = dict.fromkeys(sides, "")
        self._started = time.monotonic()
        self._done = 0

    def add(self, told: RunTold) -> None:
        """Take in what was seen of one run."""
        self._done += 1
        if told.side is not None:
            self._seen[told.side] += _letter(told)

    def text(self) -> str:
        """Return what stands on the terminal now."""
        gone = time.monotonic() - self._started
        total = len(self._seen) * self._size
        left = gone / self._done * max(total - self._done, 0) if self._done else None
        times = f"{gone:.0f} s" + (f", about {left:.0f} s to go" if left is not None else "")
        lines = [f"{side:<10} {dots:{_OPEN}<{self._size}}" for side, dots in self._seen.items()]
        return "\n".join([self._title, *lines, times])


def _print(told: RunTold, test_id: str, total: int) -> None:
    place = f"run {told.number} of {total}, {told.side}" if told.side else "the oracle's own run"
    about = ascii(test_id)[1:-1]
    print(f"freezegate: {place} of {about}: {_words(told)}", file=sys.stderr, flush=True)


def _words(told: RunTold) -> str:
    seen: Any = told.seen
    if isinstance(seen, Observation):
        word = "passed" if seen.passed else "failed"
        return f"{word} in {seen.duration_ms / 1000:.2f} s"
    if isinstance(seen, FileObservation):
        return f"{seen.passed} passed, {seen.failed} failed in {seen.duration_ms / 1000:.2f} s"
    return f"no observation ({seen.word})"


def _letter(told: RunTold) -> str:
    if not isinstance(told.seen, Observation):
        return _NONE
    return _PASS if told.seen.passed else _FAIL
