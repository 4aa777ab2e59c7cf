"""Judges change in patches of their own, and still work afterwards (SPEC 6.2, 2 and 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from freezegate.model.entries import shown_entry
from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import relock_command, shell_path, shown_path
from freezegate.policy.globs import ref_matches
from freezegate.policy.guards import JUDGE_FILES, is_judge
from freezegate.policy.settings import Preset, Weight

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.entries import Change
    from freezegate.model.paths import RepoPath
    from freezegate.policy.facts import Document, Facts
    from freezegate.policy.settings import Policy

_SEVERITY = {
    Weight.NOTE: Severity.NOTE,
    Weight.WARN: Severity.WARNING,
    Weight.REFUSE: Severity.ERROR,
}


def judge_judges(facts: Facts) -> Iterator[Finding]:
    """Refuse judge changes beside a freeze and judges that would not work; else tell of them."""
    changed = [path for path in facts.changes if is_judge(path, facts.ci_judges)]
    adopting = facts.judges.policy.entry is None and not facts.claims
    for path in sorted(changed):
        if adopting and path in JUDGE_FILES:
            continue  # told by `judge.no_policy`
        yield _with_freeze(facts, path) if facts.claims else _alone(facts, path)
    yield from judge_new_judges(facts)


def judge_new_judges(facts: Facts) -> Iterator[Finding]:
    """Refuse judges that the patch leaves undecodable, gone, or guarding nothing."""
    for old, new in zip(facts.judges.all, facts.new_judges.all, strict=True):
        if new.entry != old.entry and new.fault is not None:
            yield undecodable(new)
    policy = facts.judges.policy
    gone = facts.new_judges.policy.entry is None and not facts.new_judges.policy.is_damaged
    if policy.entry is not None and gone:
        yield Finding(
            code="judge.invalid_new_policy",
            severity=Severity.ERROR,
            path=shown_path(policy.path),
            got="removed by the patch",
            expected="a policy: what judges later patches may change, not disappear",
            remedy=f"git checkout {facts.base.rev} -- {shell_path(policy.path)}",
        )
    yield from _unlisted_targets(facts)
    yield from _stale_locks(facts)
    adopting = policy.entry is None
    for path, where, glob in facts.unmatched:
        yield Finding(
            code="judge.invalid_new_policy",
            severity=Severity.WARNING if adopting else Severity.ERROR,
            path=shown_path(path),
            about=where,
            got=f"{glob!a}, which matches no file in the tree as the patch leaves it",
            expected="globs and paths that guard something",
        )


def _unlisted_targets(facts: Facts) -> Iterator[Finding]:
    """A policy whose targets are no ref here guards nothing, or will in a repository to come."""
    policy = facts.new_judges.policy
    changed = policy.entry != facts.judges.policy.entry
    if not changed or policy.value is None or not facts.known_refs:
        return
    lost = _lost_targets(facts, policy.value)
    if lost:
        yield Finding(
            code="judge.invalid_new_policy",
            severity=Severity.ERROR,
            path=shown_path(policy.path),
            about="base.targets",
            got=f"{', '.join(policy.value.targets)}, without {', '.join(lost)}",
            expected="the target that this patch goes to: without it nothing would judge there",
        )
    elif not any(ref_matches(policy.value.targets, ref) for ref in facts.known_refs):
        yield Finding(
            code="judge.invalid_new_policy",
            severity=Severity.WARNING,
            path=shown_path(policy.path),
            about="base.targets",
            got=f"{', '.join(policy.value.targets)}, which no ref here is called",
            expected=f"a protected ref; here are {', '.join(facts.known_refs[:6])}",
        )


def _lost_targets(facts: Facts, new: Policy) -> tuple[str, ...]:
    """The target itself, or all targets that are here, where the new policy lists them no more."""
    old = facts.judges.policy.value
    if old is None:
        return ()
    if facts.target and ref_matches(old.targets, facts.target):
        return () if ref_matches(new.targets, facts.target) else (facts.target,)
    here = tuple(ref for ref in facts.known_refs if ref_matches(old.targets, ref))
    return () if any(ref_matches(new.targets, ref) for ref in here) else here


def _stale_locks(facts: Facts) -> Iterator[Finding]:
    for path, locked, actual in facts.stale_locks:
        yield Finding(
            code="fixture.lock_stale",
            severity=Severity.ERROR
            if facts.claims or _is_new_line(facts, path)
            else Severity.WARNING,
            path=shown_path(path),
            got=f"{locked} in .freeze/fixtures.sha256 as the patch leaves it",
            expected=f"{actual}, the SHA-256 of the file as the patch leaves it",
            remedy=f"take the change of this fixture out, and land it with its lock line before: "
            f"{relock_command(shown_path(path))}"
            if facts.claims
            else f"in the same patch: {relock_command(shown_path(path))}",
        )


def _is_new_line(facts: Facts, path: bytes) -> bool:
    """Whether the patch writes a file's lock line itself: no older line is as wrong."""
    name = cast("RepoPath", path.decode("utf-8", "replace"))
    old, new = facts.judges.lock.value or {}, facts.new_judges.lock.value or {}
    return bool(old.get(name) != new.get(name))


def undecodable(document: Document[object]) -> Finding:
    """Return the finding for a judge that does not decode as the patch leaves it."""
    fault = document.fault
    assert fault is not None  # noqa: S101 - the caller's own question
    return Finding(
        code="judge.invalid_new_policy",
        severity=Severity.ERROR,
        path=shown_path(document.path),
        line=fault.line,
        about=f"{fault.place} ({fault.code})" if fault.place else fault.code,
        got=fault.got,
        expected=fault.expected,
    )


def _with_freeze(facts: Facts, path: bytes) -> Finding:
    change = facts.changes[path]
    return Finding(
        code="judge.changed_with_freeze",
        severity=Severity.ERROR,
        path=shown_path(path),
        got=shown_entry(change.new),
        expected=f"{shown_entry(change.old)}, as at the trusted base ({facts.base.source}), from "
        "which the policy is taken",
    )


def _alone(facts: Facts, path: bytes) -> Finding:
    policy = facts.judges.policy.value
    weight = policy.judge_change if policy else Weight.NOTE
    strict = policy is not None and policy.preset is Preset.STRICT
    change = facts.changes[path]
    return Finding(
        code="judge.change_unapproved" if strict else "judge.change_alone",
        severity=_SEVERITY[weight],
        path=shown_path(path),
        got=f"{_what_happens(change)} by the patch; until it lands, the base's own judges it",
        expected="a change that a reviewer has seen: later patches are judged by it",
    )


def _what_happens(change: Change) -> str:
    if change.old is None:
        return "added"
    return "removed" if change.new is None else "changed"
