"""What a push costs on a host: one commit, a long history, a repository with many refs."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.pairs import Command
from benchmarks.repositories import git, plain_environment

MANY_REFS = 20_000
_SETTINGS = """\
version = 1
protected = ["refs/heads/main"]

[limits]
wall_s = {wall_s}
cpu_s = {wall_s}
"""
_SHIPPED = Path(__file__).resolve().parents[1] / "hooks" / "pre-receive"


def host_commands(root: Path) -> dict[str, Command]:
    """Return the hook as a whole and its yardstick in bare copies of the repository, by name.

    `crowded` is the push of one commit into a copy with 20,000 refs.
    """
    plain = make_host(root, root.parent / "plain.git", wall_s=60)
    crowded = make_host(root, root.parent / "crowded.git", wall_s=60)
    rev = git(root, "rev-parse", "refs/remotes/origin/main")
    for bare in (plain, crowded):
        git(bare, "update-ref", "refs/heads/main", rev)
    refs = "".join(f"create refs/heads/many/{n} {rev}\n" for n in range(MANY_REFS))
    git(crowded, "update-ref", "--stdin", data=refs.encode())
    return {
        "import": _command(plain, sys.executable, "-I", "-c", "import pygit2"),
        "one": _pushed(plain, "short"),
        "long": _pushed(plain, "long"),
        "squashed": _pushed(plain, "squashed"),
        "undecided": _pushed(plain, "undecided"),
        "crowded": _pushed(crowded, "short"),
    }


def make_host(source: Path, bare: Path, *, wall_s: int) -> Path:
    """Make a bare copy of a repository that asks the shipped hooks."""
    git(source, "clone", "-q", "--bare", str(source), str(bare))
    settings = bare / "host.toml"
    settings.write_text(_SETTINGS.format(wall_s=wall_s))
    git(bare, "config", "core.hooksPath", str(_SHIPPED.parent))
    git(bare, "config", "freezegate.hostSettings", str(settings))
    git(bare, "config", "freezegate.python", sys.executable)
    return bare


def _pushed(bare: Path, branch: str) -> Command:
    old, new = git(bare, "rev-parse", "refs/heads/main"), git(bare, "rev-parse", branch)
    return _command(bare, str(_SHIPPED), data=f"{old} {new} refs/heads/main\n".encode())


def _command(bare: Path, *arguments: str, data: bytes = b"") -> Command:
    environ = plain_environment() | {"GIT_DIR": "."}
    return Command(arguments=arguments, folder=bare, data=data, environ=environ)
