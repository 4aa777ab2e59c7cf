"""How clear the step from T to N is, and what the base it stands on is worth (SPEC 6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import shown_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.facts import Facts


def judge_base(facts: Facts) -> Iterator[Finding]:
    """Refuse steps that the target made unclear by moving on; tell of bases that prove less."""
    severity = Severity.WARNING if facts.place.advises else Severity.ERROR
    target = facts.base.source
    if facts.divided:
        yield Finding(
            code="base.stale",
            severity=severity,
            got=f"no single merge base with {target}",
            expected="a candidate that descends from the target, or one merge base with it",
            remedy=f"git rebase {target}, then check again",
        )
    for path in facts.clashes:
        yield Finding(
            code="base.stale",
            severity=severity,
            path=shown_path(path),
            got="a guarded file that the target and the candidate changed, each in its own way",
            expected=f"a candidate that starts from {target} as it is now",
            remedy=f"git rebase {target}, then check again",
        )
    if facts.parent_only:
        yield Finding(
            code="base.unverified",
            severity=Severity.NOTE,
            got=f"no target found; judged against {target} alone",
            expected="a remote-tracking ref whose policy lists it in [base] targets",
            remedy="git fetch, or: freezegate check --base origin/main",
        )
