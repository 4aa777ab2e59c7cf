"""How clear the step from T to N is, and what the base it stands on is worth (SPEC 6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import shell_word, shown_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.verdict import Base
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
            remedy=f"{rebase_command(facts.base)}, then check again",
        )
    for path in facts.clashes:
        yield Finding(
            code="base.stale",
            severity=severity,
            path=shown_path(path),
            got="a guarded file that the target and the candidate changed, each in its own way",
            expected=f"a candidate that starts from {target} as it is now",
            remedy=f"{rebase_command(facts.base)}, then check again",
        )
    if facts.behind:
        yield Finding(
            code="base.moved_on",
            severity=Severity.NOTE,
            got=f"a candidate that does not hold all of {target}; judged as it would stand on it",
            expected="a merge or a rebase; a forced push would take the target's work away",
        )
    if facts.parent_only:
        yield _unverified(facts)


def rebase_command(base: Base) -> str:
    """Return what refreshes a candidate; a base that is told in words is named by its commit."""
    if base.source.startswith("refs/") and " " not in base.source:
        return f"git rebase {shell_word(base.source)}"
    return f"git fetch && git rebase {base.rev}"


def _unverified(facts: Facts) -> Finding:
    """No target: nothing but the parent judges, which a patch of several commits wrote itself."""
    policy = facts.judges.policy.value
    lists = f"; the policy lists {', '.join(policy.targets)}" if policy else ""
    here = f"; here are {', '.join(facts.known_refs[:6])}" if facts.known_refs else ""
    return Finding(
        code="base.unverified",
        severity=Severity.WARNING if policy else Severity.NOTE,
        got=f"no target found, so {facts.base.source} alone judged{lists}{here}",
        expected="a ref whose own policy lists it in [base] targets",
        remedy=_before_first_push(facts)
        or "git fetch; git remote set-head origin -a; or name the ref that your work goes to: "
        "freezegate check --base REF; or correct [base] targets in a patch of its own",
    )


def _before_first_push(facts: Facts) -> str:
    """Say what makes the target, where the policy lists a branch that is here and judges nobody.

    On that branch itself, no remote has shown it with its policy yet.
    """
    policy = facts.judges.policy.value or facts.new_judges.policy.value
    here = [ref for ref in facts.known_refs if policy and ref in policy.targets]
    if not here:
        return ""
    name = here[0].removeprefix("refs/heads/")
    return (
        f"nothing, until {name} stands at the remote with its policy and judges from then on: git "
        f"push -u origin {shell_word(name)}; where it does already: git fetch"
    )
