"""A patch that takes the ground from an active freeze ends it in the ledger (SPEC 6.2, 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.entries import shown_entry
from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import shown_path
from freezegate.policy.domain.words import reason_of
from freezegate.policy.lifetimes import active_freezes, ended_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.ledger import Frozen, LedgerEntry
    from freezegate.policy.facts import Facts


def judge_voids(facts: Facts) -> Iterator[Finding]:
    """Refuse changes of an active freeze's oracle, fixture or domain without its `void` line."""
    policy = facts.judges.policy.value
    if policy is None or not facts.ledger.appends:
        return
    ended = ended_ids(facts.ledger.added)
    for entry, line in active_freezes(
        facts.ledger.landed, facts.now, facts.age_commits, policy.freeze
    ):
        if entry.freeze_id not in ended:
            yield from _judge(facts, entry, line)


def _judge(facts: Facts, entry: LedgerEntry, line: Frozen) -> Iterator[Finding]:
    for path in (line.oracle_path, line.fixture_path):
        change = facts.changes.get(path.raw)
        if change is None:
            continue
        yield Finding(
            code="freeze.void",
            severity=Severity.ERROR,
            path=shown_path(path.raw),
            about=entry.freeze_id,
            got=f"{shown_entry(change.new)}, while {line.test_id} is frozen on it",
            expected=f"{shown_entry(change.old)}, or a `void` line for that freeze",
            remedy=f"append to .freeze/ledger.jsonl: {void_line(entry, line, path)}",
        )
        return
    yield from _judge_domain(facts, entry, line)


def _judge_domain(facts: Facts, entry: LedgerEntry, line: Frozen) -> Iterator[Finding]:
    """One finding for each changed path, since each may be somebody else's to take back."""
    for change in facts.voided.get(entry.freeze_id, ()):
        path = shown_path(change.path.encode("utf-8", "surrogateescape"))
        yield Finding(
            code="freeze.void",
            severity=Severity.ERROR,
            path=path,
            about=entry.freeze_id,
            got=f"{shown_entry(change.new)}; {reason_of(change.reached)}; it decides what "
            f"{line.oracle_path} says, by which {line.test_id} is frozen",
            expected=f"{shown_entry(change.reached.entry)}, or a `void` line for that freeze",
            remedy=f"append to .freeze/ledger.jsonl: {void_line(entry, line, path)}",
        )


def void_line(entry: LedgerEntry, line: Frozen, path: str) -> str:
    """Return the canonical `void` line for a freeze, ready to be appended."""
    from json import dumps

    value = {
        "base_rev": line.base_rev,
        "event": "void",
        "fixture_sha256": line.fixture_sha256,
        "freeze": entry.freeze_id,
        "owner": line.owner,
        "reason": f"{path} changed",
    }
    return dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
