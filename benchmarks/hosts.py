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
wall_s = 60
cpu_s = 60
"""
_SHIPPED = Path(__file__).resolve().parents[1] / "hooks" / "pre-receive"


def host_commands(root: Path) -> dict[str, Command]:
    """Return the hook as a whole and its yardstick in bare copies of the repository, by name.

    `crowded` is the push of one commit into a copy with 20,000 refs.
    """
    plain = _host(root, "plain.git")
    crowded = _host(root, "crowded.git")
    rev = git(crowded, "rev-parse", "refs/heads/main")
    refs = "".join(f"create refs/heads/many/{n} {rev}\n" for n in range(MANY_REFS))
    git(crowded, "update-ref", "--stdin", data=refs.encode())
    return {
        "import": _command(plain, sys.executable, "-I", "-c", "import pygit2"),
        "one": _pushed(plain, "short"),
        "long": _pushed(plain, "long"),
        "squashed": _pushed(plain, "squashed"),
        "crowded": _pushed(crowded, "short"),
    }


def _host(root: Path, name: str) -> Path:
    """Make a bare copy whose `main` is the target, with the shipped hook's settings."""
    bare = root.parent / name
    git(root.parent, "clone", "-q", "--bare", str(root), str(bare))
    git(bare, "update-ref", "refs/heads/main", git(root, "rev-parse", "refs/remotes/origin/main"))
    settings = root.parent / "host.toml"
    settings.write_text(_SETTINGS)
    git(bare, "config", "freezegate.hostSettings", str(settings))
    git(bare, "config", "freezegate.python", sys.executable)
    return bare


def _pushed(bare: Path, branch: str) -> Command:
    old, new = git(bare, "rev-parse", "refs/heads/main"), git(bare, "rev-parse", branch)
    return _command(bare, str(_SHIPPED), data=f"{old} {new} refs/heads/main\n".encode())


def _command(bare: Path, *arguments: str, data: bytes = b"") -> Command:
    environ = plain_environment() | {"GIT_DIR": "."}
    return Command(arguments=arguments, folder=bare, data=data, environ=environ)
