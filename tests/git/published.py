"""Published sources of projects that are not ours, pinned by hash, fetched once for a session."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FETCH_S = 120  # an index that answers needs a few seconds


def fetched(folder: Path, pins: Mapping[str, str]) -> Path:
    """Return a folder with the archives of requirements, given with their SHA-256.

    Skips the test where no index answers; an archive with another hash is a failure.
    """
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:  # workers of pytest-xdist fetch once
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not all(_archives(folder, each) for each in pins):
            _fetch(folder, pins)
    return folder


def unpacked(folder: Path, requirement: str, target: Path) -> Path:
    """Unpack an archive and return the project's top folder."""
    (archive,) = _archives(folder, requirement)
    # Debian's Python 3.11.2 has no filters for archives yet.
    target.mkdir(exist_ok=True)
    command = ["tar", "--no-same-owner", "-xzf", str(archive), "-C", str(target)]
    subprocess.run(command, check=True)
    (root,) = target.iterdir()
    return root


def _archives(folder: Path, requirement: str) -> list[Path]:
    name, _, version = requirement.partition("==")
    return list(folder.glob(f"{name.replace('-', '_')}-{version}.tar.gz"))


def _fetch(folder: Path, pins: Mapping[str, str]) -> None:
    lines = [f"{requirement} --hash=sha256:{sha256}\n" for requirement, sha256 in pins.items()]
    (folder / "wanted.txt").write_text("".join(lines))
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:"]
    command += ["--retries", "1", "--require-hashes", "-r", "wanted.txt", "-d", "."]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=FETCH_S
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"no package index answered in {FETCH_S} s, so there are no foreign projects")
    assert "DO NOT MATCH THE HASHES" not in done.stderr, done.stderr
    if done.returncode:
        why = [line for line in done.stderr.splitlines() if line.startswith("ERROR")][-1:]
        pytest.skip(f"no package index gave the sources, so there are no foreign projects: {why}")
