"""Fifty pushes at once, each to a repository of its own: how many does a busy host let in?"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.hosts import make_host
from benchmarks.repositories import LONG, git, make_repository, plain_environment

_BRANCHES = {"short": "one commit", "long": f"{LONG:,} commits"}


def main() -> int:
    """Push each branch everywhere at once, and say how many pushes landed."""
    parser = argparse.ArgumentParser(description="concurrent pushes to different repositories")
    parser.add_argument("--pushes", type=int, default=50, help="at once (default: 50)")
    parser.add_argument("--wall-s", type=int, default=30, help="the hosts' wall_s (default: 30)")
    options = parser.parse_args()
    lost = 0
    with tempfile.TemporaryDirectory(prefix="freezegate-pushes-") as folder:
        root = make_repository(Path(folder))
        target = _only_target(root)
        for branch, name in _BRANCHES.items():
            hosts = [
                make_host(target, Path(folder) / f"{branch}-{n}.git", wall_s=options.wall_s)
                for n in range(options.pushes)
            ]
            started = time.monotonic()
            landed = _push_everywhere(root, branch, hosts)
            print(
                f"pushes of {name} that landed: {landed} of {len(hosts)} at once, on"
                f" {os.cpu_count()} processors, wall_s = {options.wall_s}; all in"
                f" {time.monotonic() - started:.1f} s"
            )
            lost += len(hosts) - landed
    return 1 if lost else 0


def _only_target(root: Path) -> Path:
    """Make a repository that holds the target and nothing else, so that pushes send all."""
    target = root.parent / "target.git"
    git(root, "init", "-q", "--bare", "-b", "main", str(target))
    git(root, "push", "-q", str(target), "refs/remotes/origin/main:refs/heads/main")
    return target


def _push_everywhere(root: Path, branch: str, hosts: list[Path]) -> int:
    """Return how many hosts hold the branch's tip as their `main` afterwards."""
    pushes = [_start(root, branch, host) for host in hosts]
    for push in pushes:
        _, said = push.communicate()
        if push.returncode:
            print(said.decode("ascii", "backslashreplace"), file=sys.stderr)
    tip = git(root, "rev-parse", branch)
    return sum(git(host, "rev-parse", "refs/heads/main") == tip for host in hosts)


def _start(root: Path, branch: str, host: Path) -> subprocess.Popen[bytes]:
    command = ["git", "-c", "core.hooksPath=/dev/null", "push", "-q", str(host)]
    return subprocess.Popen(
        [*command, f"{branch}:refs/heads/main"],
        cwd=root,
        env=plain_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


if __name__ == "__main__":
    sys.exit(main())
