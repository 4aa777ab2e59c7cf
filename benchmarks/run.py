"""`make bench`: what the documents promise, measured here and now, as ratios."""

from __future__ import annotations

import argparse
import platform
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from benchmarks.fixtures import lock_cases
from benchmarks.hosts import MANY_REFS, host_commands
from benchmarks.ledger import fold_commands
from benchmarks.mutes import CHANGED, TEST_FILES, line_commands, suite_commands
from benchmarks.pairs import Command, Pairs, max_mib, measure_pairs, median_ms
from benchmarks.plugin_sessions import FREEZES, plugin_commands
from benchmarks.pytest_suite import make_pytest_repository
from benchmarks.repositories import LONG, git, make_repository, plain_environment
from benchmarks.samples import SEEDS, sample_commands
from benchmarks.windows import tree_commands, window_commands

_MAIN = "refs/remotes/origin/main"
_SHIPPED = Path(__file__).resolve().parents[1] / "hooks" / "pre-commit"
# A hook that does nothing: what is left is the manager's own time.
_TRIVIAL = """\
repos:
- repo: local
  hooks:
    - {id: trivial, name: trivial, language: system, entry: "true", always_run: true,
       pass_filenames: false}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """One promise: a command costs at most so many times its yardstick; None only compares."""

    name: str
    measured: Command
    yardstick: Command
    at_most: float | None


def main() -> int:
    """Measure every goal and print the table."""
    parser = argparse.ArgumentParser(description="paired measurements, printed as ratios")
    parser.add_argument("--rounds", type=int, default=21, help="pairs that count (default: 21)")
    rounds: int = parser.parse_args().rounds
    print(f"Python {platform.python_version()}, {rounds} pairs each; ratios of wall-clock time")
    print(f"{'what':<66} {'min':>5} {'median':>6} {'max':>5}  goal   {'cpu':>5}    ms  MiB")
    with tempfile.TemporaryDirectory(prefix="freezegate-bench-") as folder:
        root = make_repository(Path(folder))
        suite = Path(folder) / "suite"
        suite.mkdir()
        for goal in chain(
            _goals(root),
            _host_goals(root),
            _domain_goals(suite),
            _window_goals(suite),
            _sample_goals(suite),
            _ledger_goals(suite),
            _plugin_goals(suite),
            _lock_goals(Path(folder)),
            _beside_managers(root),
        ):
            if isinstance(goal, str):
                print(goal)
            else:
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
        long = _push(root, "long", to=target)
        for name, branch in (("one of one line", "short"), ("the same in one", "squashed")):
            what = f"hook pre-push to {target}, {LONG:,} commits : {name}"
            yield _goal(what, long, _push(root, branch, to=target))


def _host_goals(root: Path) -> Iterator[Goal]:
    """Yield what a host waits for at a push; two processes, of which one imports pygit2."""
    of = host_commands(root)
    what = "hooks/pre-receive, one commit : import pygit2"
    yield replace(_goal(what, of["one"], of["import"]), at_most=2.0)
    what = f"hooks/pre-receive, {LONG:,} commits of one line : the same line in one"
    yield replace(_goal(what, of["undecided"], of["one"]), at_most=1.3)
    what = f"hooks/pre-receive, {LONG:,} commits in many files : the same in one"
    yield replace(_goal(what, of["long"], of["squashed"]), at_most=1.3)
    what = f"hooks/pre-receive, one commit, {MANY_REFS:,} refs : no other refs"
    yield replace(_goal(what, of["crowded"], of["one"]), at_most=1.3)


def _domain_goals(folder: Path) -> Iterator[Goal | str]:
    """Yield what a freeze and its domain cost on pytest's own repository."""
    root = make_pytest_repository(folder)
    if root is None:
        yield "pytest's source could not be fetched: no rows on its suite"
        return
    plain = _ask(root, "check", "--rev", "plain")
    for branch, name in (("asks", "a freeze"), ("marks", "a freeze and its marker")):
        asked = _ask(root, "check", "--rev", branch)
        what = f"check on pytest's suite, {name} : none"
        yield replace(_goal(what, asked, plain), at_most=3.0)
    what = f"check, {CHANGED} test modules of pytest changed : both sides parsed"
    yield replace(_goal(what, *suite_commands(root, folder)), at_most=3.0)
    what = f"check, a line of {TEST_FILES:,} test modules : mutes off"
    yield replace(_goal(what, *line_commands(folder)), at_most=1.3)


def _window_goals(folder: Path) -> Iterator[Goal]:
    """Yield what a window costs beside the plain loop of as many runs, and its trees alone."""
    everything, listed, loop = window_commands(folder)
    yield replace(_goal("a window of 7 + 7 runs : the plain loop", everything, loop), at_most=1.1)
    yield replace(_goal("the same with a plugin list : the plain loop", listed, loop), at_most=0.6)
    both, one = tree_commands(folder)
    yield _goal("both trees of 10,000 files : git worktree add", both, one)


def _sample_goals(folder: Path) -> Iterator[Goal]:
    """Yield what a sampled run costs: what it reads of inputs is read at the last call alone."""
    for fails, name in ((False, "that holds"), (True, "that fails and shrinks")):
        measured, plain = sample_commands(folder, fails=fails)
        what = f"{SEEDS} sampled runs of a property {name} : plain pytest"
        yield replace(_goal(what, measured, plain), at_most=1.2)


def _ledger_goals(folder: Path) -> Iterator[Goal]:
    fold, loads = fold_commands(folder)
    yield replace(_goal("100,000 ledger lines folded : json.loads", fold, loads), at_most=3)


def _plugin_goals(folder: Path) -> Iterator[Goal]:
    """Yield what the pytest plugin costs a session; where a freeze was, it only compares."""
    for name, measured, without in plugin_commands(folder):
        what = f"pytest, one test {name}, {FREEZES} ledger lines : no plugin"
        most = None if name.startswith("frozen") else 1.05
        yield replace(_goal(what, measured, without), at_most=most)


def _lock_goals(folder: Path) -> Iterator[Goal]:
    """Yield what the lock costs beside plain hashing: one large file, many small ones."""
    for case in lock_cases(folder):
        yield replace(_goal(case.name, case.measured, case.yardstick), at_most=case.at_most)


def _beside_managers(root: Path) -> Iterator[Goal | str]:
    """Yield what git waits for at a commit, beside what hook managers take for themselves."""
    git(root, "config", "freezegate.python", sys.executable)
    shipped = Command(arguments=[str(_SHIPPED)], folder=root, environ=plain_environment())
    asked = _ask(root, "hook", "pre-commit")
    yield _goal(
        "hooks/pre-commit as a whole : import pygit2", shipped, _python(root, "-c", "import pygit2")
    )
    yield _beside("hooks/pre-commit as a whole : hook pre-commit alone", shipped, asked)
    for name in ("pre-commit", "prek"):
        manager = _trivial(root, name)
        if manager is None:
            yield f"{name} is not installed here: no rows beside it (pip install {name})"
            continue
        yield _beside(f"hook pre-commit : a trivial hook under {name}", asked, manager)
        yield _beside(f"hooks/pre-commit as a whole : the same under {name}", shipped, manager)


def _trivial(root: Path, name: str) -> Command | None:
    """Return the manager's run of a hook that does nothing; None where it is not installed."""
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if found is None:
        return None
    own = root.parent / name
    own.mkdir()
    config = own / "config.yaml"
    config.write_text(_TRIVIAL)
    homes = {"HOME": str(own), "PRE_COMMIT_HOME": str(own), "PREK_HOME": str(own)}
    environ = plain_environment() | homes
    return Command(arguments=[found, "run", "-c", str(config)], folder=root, environ=environ)


def _beside(name: str, measured: Command, yardstick: Command) -> Goal:
    return replace(_goal(name, measured, yardstick), at_most=None)


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
    word = "" if goal.at_most is None else "ok" if middle <= goal.at_most else "ABOVE"
    most = "" if goal.at_most is None else f"<={goal.at_most}"
    return (
        f"{goal.name:<66} {low:5.2f} {middle:6.2f} {high:5.2f}  {most:<6} "
        f"{pairs.cpu_ratios[1]:5.2f} {median_ms(pairs.measured):5.0f} "
        f"{max_mib(pairs.measured):4.0f}  {word}"
    ).rstrip()


if __name__ == "__main__":
    sys.exit(main())
