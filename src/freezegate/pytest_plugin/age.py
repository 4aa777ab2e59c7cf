"""How many commits ago a freeze's base was, as git counts."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TIMEOUT_S = 30


class AgeUnknown(Exception):  # noqa: N818 - no fault of anybody: the date counts then
    """There is no git, or not the whole history."""


def commits_since(base_rev: str, top: Path) -> int | None:
    """Return the number of commits in `base_rev..HEAD`, None where the base is not known there.

    Raises AgeUnknown without git, outside a repository and in a shallow clone.
    """
    if _git(top, "rev-parse", "--is-shallow-repository") != "false":
        msg = "no whole git history here"
        raise AgeUnknown(msg)
    told = _git(top, "rev-list", "--count", f"{base_rev}..HEAD")
    return int(told) if told and told.isdecimal() else None


def _git(top: Path, *arguments: str) -> str | None:
    environ = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "-C", str(top), *arguments],  # noqa: S607 - the user's own git
            env=environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
