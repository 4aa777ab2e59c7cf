"""Repositories of a realistic size, made by `git fast-import` and packed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

FILES = 2_000
FOLDERS = 40
LONG = 10_000
CHANGED = 200  # files that the long branch works on
POLICY = b"""\
version = 1
extends = "basic"

[base]
targets = ["refs/heads/main"]

[subject]
paths = ["src/**"]

[oracle]
paths = ["tests/properties/**/*.py"]

[fixtures]
paths = ["tests/fixtures/**"]
"""


def make_repository(folder: Path) -> Path:
    """Make a repository with a target and four branches off it.

    `short` has one commit of one line, `long` many commits, `squashed` what `long` changes in one
    commit, `undecided` as many commits as `long`, which end at the line of `short`. `short` is
    checked out; its index holds a one-line change.
    """
    root = folder / "repository"
    git(folder, "init", "-q", "-b", "short", str(root))
    stream = b"".join(_stream())
    git(root, "fast-import", "--quiet", data=stream)
    git(root, "repack", "-adq")
    git(root, "pack-refs", "--all")
    git(root, "reset", "-q", "--hard", "short")
    readme = root / _path(FILES - 1)
    readme.write_text(readme.read_text() + "# one line more\n")
    git(root, "add", "-A")
    return root


def git(folder: Path, *arguments: str, data: bytes = b"") -> str:
    """Run git and return what it printed."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=plain_environment(),
        input=data,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


def plain_environment() -> dict[str, str]:
    """Return an environment in which nobody's configuration counts."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
    }


def _stream() -> Iterator[bytes]:
    yield from _commit("refs/remotes/origin/main", _tree())
    yield from _commit("refs/heads/short", [_line(0, 0)], start="refs/remotes/origin/main")
    yield from _commit("refs/heads/long", [_line(0, 0)], start="refs/remotes/origin/main")
    for number in range(1, LONG):
        yield from _commit("refs/heads/long", [_line(number % CHANGED, number)])
    last = [_line(number % CHANGED, number) for number in range(LONG - CHANGED, LONG)]
    yield from _commit("refs/heads/squashed", last, start="refs/remotes/origin/main")
    yield from _commit("refs/heads/undecided", [_line(0, LONG)], start="refs/remotes/origin/main")
    for number in reversed(range(LONG - 1)):
        yield from _commit("refs/heads/undecided", [_line(0, number)])


def _commit(ref: str, files: list[tuple[str, bytes]], start: str = "") -> Iterator[bytes]:
    yield f"commit {ref}\ncommitter A <a@example.org> 1767225600 +0000\n".encode()
    yield b"data 4\nwork\n"
    if start:
        yield f"from {start}\n".encode()
    for path, content in files:
        yield f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n"
    yield b"\n"


def _tree() -> list[tuple[str, bytes]]:
    files = [(_path(number), f"VALUE = {number}\n".encode()) for number in range(FILES)]
    return [(".freeze/policy.toml", POLICY), *files]


def _line(number: int, value: int) -> tuple[str, bytes]:
    return _path(number), f"VALUE = {number}\nCHANGED = {value}\n".encode()


def _path(number: int) -> str:
    return f"src/part_{number % FOLDERS:02}/module_{number:04}.py"
