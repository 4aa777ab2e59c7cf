"""`make bench`: what the documents promise, measured here and now, as ratios."""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.pairs import Command, Pairs, max_mib, measure_pairs, median_ms
from benchmarks.repositories import LONG, git, make_repository, plain_environment

_MAIN = "refs/remotes/origin/main"


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """One promise: a command costs at most so many times its yardstick."""

    name: str
    measured: Command
    yardstick: Command
    at_most: float


def main() -> int:
    """Measure every goal and print the table."""
    parser = argparse.ArgumentParser(description="paired measurements, printed as ratios")
    parser.add_argument("--rounds", type=int, default=21, help="pairs that count (default: 21)")
    rounds: int = parser.parse_args().rounds
    print(f"Python {platform.python_version()}, {rounds} pairs each; ratios of wall-clock time")
    print(f"{'what':<66} {'min':>5} {'median':>6} {'max':>5}  goal   {'cpu':>5}    ms  MiB")
    with tempfile.TemporaryDirectory(prefix="freezegate-bench-") as folder:
        for goal in _goals(make_repository(Path(folder))):
            print(_row(goal, measure_pairs(goal.measured, goal.yardstick, rounds=rounds)))
    return 0


def _goals(root: Path) -> Iterator[Goal]:
    pygit2 = _python(root, "-c", "import pygit2")
    checked, committed = _ask(root, "check", "--staged"), _ask(root, "hook", "pre-commit")
    yield _goal("check --staged, one line : import pygit2", checked, pygit2)
    yield _goal("hook pre-commit, one line : import pygit2", committed, pygit2)
    long = _ask(root, "check", "--rev", "long")
    for name, branch in (("a commit of one line", "short"), ("the same in one commit", "squashed")):
        yield _goal(f"check, {LONG:,} commits : {name}", long, _ask(root, "check", "--rev", branch))
    for target in ("a new branch", "the target"):
        long, short = (_push(root, branch, to=target) for branch in ("long", "short"))
        yield _goal(f"hook pre-push to {target}, {LONG:,} commits : one of one line", long, short)


def _goal(name: str, measured: Command, yardstick: Command) -> Goal:
    return Goal(name=name, measured=measured, yardstick=yardstick, at_most=1.5)


def _push(root: Path, branch: str, *, to: str) -> Command:
    new = git(root, "rev-parse", branch)
    old = git(root, "rev-parse", _MAIN) if to == "the target" else "0" * 40
    remote = "main" if to == "the target" else branch
    line = f"refs/heads/{branch} {new} refs/heads/{remote} {old}\n"
    return _ask(root, "hook", "pre-push", "origin", "URL", data=line.encode())


def _ask(root: Path, *arguments: str, data: bytes = b"") -> Command:
    return _python(root, "-I", "-m", "freezegate", *arguments, data=data)


def _python(root: Path, *arguments: str, data: bytes = b"") -> Command:
    command = [sys.executable, *arguments]
    return Command(arguments=command, folder=root, data=data, environ=plain_environment())


def _row(goal: Goal, pairs: Pairs) -> str:
    low, middle, high = pairs.wall_ratios
    word = "ok" if middle <= goal.at_most else "ABOVE"
    return (
        f"{goal.name:<66} {low:5.2f} {middle:6.2f} {high:5.2f}  <={goal.at_most:<4} "
        f"{pairs.cpu_ratios[1]:5.2f} {median_ms(pairs.measured):5.0f} "
        f"{max_mib(pairs.measured):4.0f}  {word}"
    )


if __name__ == "__main__":
    sys.exit(main())
