"""A damaged judge at T lets exactly one kind of patch pass: its repair (SPEC 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.ledger import BadLine, LedgerEntry
from freezegate.model.paths import shown_path
from freezegate.model.verdict import Outcome, judged
from freezegate.policy.damage import damaged_judges
from freezegate.policy.guards import LEDGER_PATH
from freezegate.policy.lifetimes import frozen_lines
from freezegate.policy.rules.faults import fault_finding
from freezegate.policy.rules.judges import undecodable

if TYPE_CHECKING:
    from freezegate.policy.facts import Facts


def decide_repair(facts: Facts) -> tuple[Outcome, tuple[Finding, ...]]:
    """Return the answer where T is damaged: a repair is judged, everything else cannot be."""
    damaged = damaged_judges(facts)
    foreign = sorted(path for path in facts.changes if path not in damaged)
    touched = [path for path in damaged if path in facts.changes]
    if foreign or not touched:
        return Outcome.UNDECIDED, tuple(_unjudged(facts, path) for path in damaged)
    faults = (*_still_damaged(facts), *_lost_lines(facts), *_asked(facts))
    shown = tuple(_repairs(path) for path in damaged)
    return judged(faults), (*shown, *faults)


def _unjudged(facts: Facts, path: bytes) -> Finding:
    return Finding(
        code="judge.repair",
        severity=Severity.ERROR,
        path=shown_path(path),
        about=_fault_of(facts, path),
        got=f"a file at the trusted base ({facts.base.source}) that does not decode",
        expected="a patch that repairs it and changes nothing else; no other patch can be judged",
    )


def _fault_of(facts: Facts, path: bytes) -> str | None:
    for document in facts.judges.all:
        if document.path == path and document.fault:
            return str(document.fault)
    for entry in facts.ledger.landed:
        if isinstance(entry, BadLine):
            return f"line {entry.number}: {entry.error}"
    return None


def _repairs(path: bytes) -> Finding:
    return Finding(
        code="judge.repair",
        severity=Severity.NOTE,
        path=shown_path(path),
        got="a file that does not decode at the trusted base, changed by this patch",
        expected="a file that decodes; a reviewer should see the change",
    )


def _still_damaged(facts: Facts) -> tuple[Finding, ...]:
    judges = tuple(undecodable(doc) for doc in facts.new_judges.all if doc.is_damaged)
    gone = tuple(
        Finding(
            code="judge.invalid_new_policy",
            severity=Severity.ERROR,
            path=shown_path(old.path),
            got="removed by the patch",
            expected="the file repaired",
        )
        for old, new in zip(facts.judges.all, facts.new_judges.all, strict=True)
        if old.is_damaged and new.entry is None and not new.is_damaged
    )
    ledger = facts.ledger.landed if LEDGER_PATH not in facts.changes else facts.ledger.added
    return (*judges, *gone, *(_bad_line(entry) for entry in ledger if isinstance(entry, BadLine)))


def _bad_line(entry: BadLine) -> Finding:
    return fault_finding(LEDGER_PATH, entry.error, line=entry.number)


def _lost_lines(facts: Facts) -> tuple[Finding, ...]:
    """Every intact line of T's ledger stands in N's, in the same order."""
    if LEDGER_PATH not in facts.changes:
        return ()
    left = iter(facts.ledger.candidate_lines)
    lost = [e for e in facts.ledger.landed if isinstance(e, LedgerEntry) and e.raw not in left]
    return tuple(
        Finding(
            code="ledger.not_append_only",
            severity=Severity.ERROR,
            path=LEDGER_PATH.decode(),
            line=entry.number,
            got="an intact line of the base's ledger that is gone or stands elsewhere",
            expected="every intact line kept, in its order",
        )
        for entry in lost[:1]
    )


def _asked(facts: Facts) -> tuple[Finding, ...]:
    """A `frozen` line that was not intact at T is a request, and a repair asks for none."""
    landed = {entry.raw for entry in facts.ledger.landed}
    return tuple(
        Finding(
            code="judge.changed_with_freeze",
            severity=Severity.ERROR,
            path=LEDGER_PATH.decode(),
            line=entry.number,
            got="a `frozen` line that the base's ledger did not hold whole",
            expected="a repair without any freeze",
        )
        for entry, _ in frozen_lines(facts.ledger.added)
        if entry.raw not in landed
    )
