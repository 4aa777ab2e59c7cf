"""Fixtures to lock: one large file, and many small ones, new and unchanged."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.pairs import Command
from benchmarks.repositories import POLICY, git, plain_environment

SMALL_FILES = 100_000
IN_A_FOLDER = 200
LARGE_MIB = 2048
_FIXTURES = "tests/fixtures"
_LARGE = f"""
import hashlib
with open({f"{_FIXTURES}/large"!r}, "rb") as file:
    hashlib.file_digest(file, "sha256")
"""
_SMALL = f"""
import hashlib, pathlib
for path in pathlib.Path({_FIXTURES!r}).rglob("*"):
    if path.is_file():
        hashlib.sha256(path.read_bytes())
"""
# Each round starts without lock and memory; removing them costs the measured side a little.
_ANEW = """
import os, sys
for name in (".freeze/fixtures.sha256", ".git/freezegate/lock-cache"):
    if os.path.exists(name):
        os.unlink(name)
from freezegate.cli.verbs import run_command
sys.exit(run_command(["lock"], os.environ))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LockCase:
    """One promise about the lock."""

    name: str
    measured: Command
    yardstick: Command
    at_most: float


def lock_cases(folder: Path) -> Iterator[LockCase]:
    """Make the repositories, one after the other, and yield what to measure in each."""
    large = _repository(folder / "large")
    with open(large / _FIXTURES / "large", "wb") as file:
        file.writelines(os.urandom(2**20) for _ in range(LARGE_MIB))
    yield LockCase(
        name=f"lock, one file of {LARGE_MIB} MiB : hashlib.file_digest",
        measured=_python(large, _ANEW),
        yardstick=_python(large, _LARGE),
        at_most=1.1,
    )
    (large / _FIXTURES / "large").unlink()
    small = _repository(folder / "small")
    _write_small(small / _FIXTURES)
    git(small, "add", "-A")
    what = f"{SMALL_FILES:,} small files"
    loop = _python(small, _SMALL)
    yield LockCase(
        name=f"lock, {what} : a pathlib loop",
        measured=_python(small, _ANEW),
        yardstick=loop,
        at_most=0.3,
    )
    check = [sys.executable, "-I", "-m", "freezegate", "lock", "--check"]
    yield LockCase(
        name=f"lock --check, {what}, unchanged : the same",
        measured=Command(arguments=check, folder=small, environ=plain_environment()),
        yardstick=loop,
        at_most=0.15,
    )


def _repository(root: Path) -> Path:
    (root / _FIXTURES).mkdir(parents=True)
    (root / ".freeze").mkdir()
    git(root, "init", "-q", "-b", "main", ".")
    (root / ".freeze" / "policy.toml").write_bytes(POLICY)
    return root


def _write_small(folder: Path) -> None:
    for number in range(SMALL_FILES):
        inside = folder / f"{number // IN_A_FOLDER:03d}"
        if number % IN_A_FOLDER == 0:
            inside.mkdir()
        (inside / f"{number:06d}.json").write_text(f'{{"number": {number}}}\n' * 10)


def _python(root: Path, program: str) -> Command:
    command = [sys.executable, "-I", "-c", program]
    return Command(arguments=command, folder=root, environ=plain_environment())
