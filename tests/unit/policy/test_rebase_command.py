"""The command that refreshes a candidate can be pasted, whatever its base is called."""

from __future__ import annotations

import pytest

from freezegate.model.digests import ObjectId
from freezegate.model.verdict import Base
from freezegate.policy.rules.base import rebase_command

_REV = ObjectId("1" * 40)


@pytest.mark.parametrize(
    ("source", "command"),
    [
        ("refs/remotes/origin/main", "git rebase refs/remotes/origin/main"),
        ("refs/remotes/origin/a;b$(id)", "git rebase 'refs/remotes/origin/a;b$(id)'"),
        ("refs/heads/main before this push", f"git fetch && git rebase {_REV}"),
        ("--base HEAD~1", f"git fetch && git rebase {_REV}"),
    ],
)
def test_it_is_one_command(source: str, command: str) -> None:
    assert rebase_command(Base(rev=_REV, source=source)) == command
