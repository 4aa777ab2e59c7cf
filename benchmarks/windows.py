"""A window of runs beside the plain loop, and both trees beside `git worktree add`."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support import FIXTURE, ORACLE, POLICY, TEST_ID, start

from benchmarks.pairs import Command
from benchmarks.repositories import git, plain_environment

_BUILD = Path(__file__).with_name("build_trees.py")
RUNS = 7  # on each side
TREE_FILES = 10_000
_LOOP = "for i in $(seq {}); do {} -m pytest -q {} >/dev/null || exit 1; done"


def window_commands(folder: Path) -> tuple[Command, Command, Command]:
    """Return the window with all plugins, the window with none listed, and the plain loop."""
    policy = POLICY.format(preset="standard")
    commands = []
    for name, more in (("all", ""), ("listed", '[runner]\npython = "3.12"\nplugins = []\n')):
        story = start(folder / name, policy=policy + more)
        story.branch("topic").patch()
        asked = ["classify", TEST_ID, "--fixture", FIXTURE, "--oracle", ORACLE]
        commands.append(_python(story.root, "-I", "-m", "freezegate", *asked))
    loop = _LOOP.format(2 * RUNS, sys.executable, TEST_ID)
    plain = Command(
        arguments=["sh", "-c", loop], folder=commands[0].folder, environ=plain_environment()
    )
    return commands[0], commands[1], plain


def tree_commands(folder: Path) -> tuple[Command, Command]:
    """Return the building of both trees of a large repository, and one `git worktree add`."""
    root = folder / "large"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", ".")
    for number in range(TREE_FILES):
        file = root / f"d{number % 100}" / f"s{number % 7}" / f"f{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"x{line} = {number * line % 9973}\n" for line in range(120)))
    git(root, "add", "-A")
    git(root, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "all")
    git(root, "repack", "-adq")
    both = _python(root, "-I", str(_BUILD))
    tree = "T=$(mktemp -d) && git worktree add -q --detach $T/tree HEAD && rm -rf $T && exec {}"
    one = Command(
        arguments=["sh", "-c", tree.format("git worktree prune")],
        folder=root,
        environ=plain_environment(),
    )
    return both, one


def _python(root: Path, *arguments: str) -> Command:
    return Command(arguments=[sys.executable, *arguments], folder=root, environ=plain_environment())
