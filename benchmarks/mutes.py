"""What looking for mutes costs: a line in a large suite, and many test modules at once."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support import Story

from benchmarks.pairs import Command
from benchmarks.repositories import POLICY, git, plain_environment

TEST_FILES = 1_000
CHANGED = 112  # test files of pytest's own suite
_FAMILIES = (
    "marker",
    "collection",
    "assertion",
    "strategy",
    "harness",
    "runner",
    "subject",
    "gate",
)
_OFF = "\n[mutes]\n" + "".join(f'{family} = "off"\n' for family in _FAMILIES)
_PARSE = """\
import ast, pathlib, sys
for side in sys.argv[1:]:
    for path in pathlib.Path(side).rglob("*.py"):
        ast.parse(path.read_bytes())
"""


_MORE = b"\n\ndef test_one_more():\n    assert 1 + 1 == 2\n"
_TEST = "def test_{0}():\n    assert {0} + {1} == {2}\n\n\n"


def line_commands(folder: Path) -> tuple[Command, Command]:
    """Return a check of one changed line in a suite of 1,000 modules, and it with mutes off."""
    commands = []
    for name, more in (("looked-for", ""), ("off", _OFF)):
        root = folder / name
        root.mkdir()
        _write_suite(Story(root), POLICY.decode() + more)
        commands.append(_check(root))
    return commands[0], commands[1]


def suite_commands(root: Path, folder: Path) -> tuple[Command, Command]:
    """Return a check of 112 changed modules of pytest's suite, and `ast.parse` of both sides."""
    story = Story(root).on("main").branch("modules")
    files = sorted((root / "testing").rglob("test_*.py"), key=lambda f: -f.stat().st_size)
    for file in files[:CHANGED]:
        name = file.relative_to(root)
        _keep(folder / "old" / name, file.read_bytes())
        story.write(str(name), file.read_bytes() + _MORE)
        _keep(folder / "new" / name, file.read_bytes())
    story.commit("more tests")
    sides = [str(folder / "old"), str(folder / "new")]
    parse = Command(
        arguments=[sys.executable, "-I", "-c", _PARSE, *sides],
        folder=root,
        environ=plain_environment(),
    )
    return _check(root, "--rev", "modules"), parse


def _write_suite(story: Story, policy: str) -> None:
    story.git("init", "-q", "-b", "main", ".")
    story.write(".freeze/policy.toml", policy)
    for number in range(TEST_FILES):
        story.write(
            f"tests/part{number % 20}/test_{number}.py",
            "".join(_TEST.format(n, number, n + number) for n in range(20)),
        )
    story.commit("a suite")
    story.git("update-ref", "refs/remotes/origin/main", "HEAD")
    story.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    path = "tests/part7/test_7.py"
    story.branch("topic").write(path, story.read(path).replace(b"assert 3", b"assert 0 + 3"))
    story.commit("one line")
    git(story.root, "repack", "-adq")


def _keep(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def _check(root: Path, *more: str) -> Command:
    command = [sys.executable, "-I", "-m", "freezegate", "check", *more]
    return Command(arguments=command, folder=root, environ=plain_environment())
