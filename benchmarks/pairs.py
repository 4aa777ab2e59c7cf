"""Paired whole-process measurements: A B A B ..., so that a noisy machine disturbs both alike."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

WARM_UP_ROUNDS = 2  # file cache, bytecode, the processor's clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A process to measure; it must end with exit status 0."""

    arguments: Sequence[str]
    folder: Path
    data: bytes = b""
    environ: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one process took."""

    wall_s: float
    cpu_s: float
    max_rss_kib: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Costs of the measured command and of its yardstick, round by round."""

    measured: tuple[Cost, ...]
    yardstick: tuple[Cost, ...]

    @property
    def wall_ratios(self) -> tuple[float, float, float]:
        """Minimum, median and maximum of the pairwise wall-clock ratios."""
        return _spread([m.wall_s / y.wall_s for m, y in self._pairs()])

    @property
    def cpu_ratios(self) -> tuple[float, float, float]:
        """The same for processor time, which other programs disturb less."""
        return _spread([m.cpu_s / y.cpu_s for m, y in self._pairs()])

    def _pairs(self) -> list[tuple[Cost, Cost]]:
        return list(zip(self.measured, self.yardstick, strict=True))


def measure_pairs(measured: Command, yardstick: Command, *, rounds: int) -> Pairs:
    """Run both commands in turn, after some rounds that do not count."""
    costs = [(_run(yardstick), _run(measured)) for _ in range(rounds + WARM_UP_ROUNDS)]
    counted = costs[WARM_UP_ROUNDS:]
    return Pairs(measured=tuple(m for _, m in counted), yardstick=tuple(y for y, _ in counted))


def median_ms(costs: Sequence[Cost]) -> float:
    """Return the median wall-clock time in milliseconds."""
    return statistics.median(cost.wall_s for cost in costs) * 1000


def max_mib(costs: Sequence[Cost]) -> float:
    """Return the largest peak of resident memory in MiB."""
    return max(cost.max_rss_kib for cost in costs) / 1024


def _run(command: Command) -> Cost:
    started = time.perf_counter()
    process = subprocess.Popen(
        command.arguments,
        cwd=command.folder,
        env=command.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None  # noqa: S101 - both are pipes, for mypy
    assert process.stderr is not None  # noqa: S101
    process.stdin.write(command.data)
    process.stdin.close()
    said = process.stderr.read()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        msg = f"{command.arguments} ended with {process.returncode}: {said.decode()}"
        raise SystemExit(msg)
    cpu_s = usage.ru_utime + usage.ru_stime
    return Cost(wall_s=wall_s, cpu_s=cpu_s, max_rss_kib=usage.ru_maxrss)


def _spread(ratios: Sequence[float]) -> tuple[float, float, float]:
    return min(ratios), statistics.median(ratios), max(ratios)
