"""The ledger at N begins with the ledger at T, and each added line is whole (SPEC 6.2, 1)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.ids import names_nobody
from freezegate.model.ledger import BadLine, Ended, Ending, Frozen, LedgerEntry
from freezegate.policy.guards import LEDGER_PATH
from freezegate.policy.ledger_mending import lf_command, mending
from freezegate.policy.lifetimes import (
    active_freezes,
    day_has_passed,
    ended_ids,
    frozen_lines,
)
from freezegate.policy.rules.faults import fault_finding

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from freezegate.model.digests import Blake3
    from freezegate.policy.facts import Facts

_PATH = LEDGER_PATH.decode()


def judge_ledger_step(facts: Facts) -> Iterator[Finding]:
    """Refuse a rewritten ledger, bad lines, lines twice, and ends of freezes that are not there."""
    if not facts.ledger.appends:
        yield _rewritten(facts)
        yield from _conflict_markers(facts.ledger.candidate_lines)
        return
    landed = {entry.raw for entry in facts.ledger.landed}
    seen = set(landed)
    known = {entry.freeze_id: line for entry, line in frozen_lines(facts.ledger.landed)}
    landed_ends = ended_ids(facts.ledger.landed)
    over = set(landed_ends)
    expired = _expired_ids(facts)
    for entry in facts.ledger.added:
        if isinstance(entry, BadLine):
            remedy = mending(entry, "HEAD" if facts.candidate is None else str(facts.base.rev))
            yield replace(fault_finding(LEDGER_PATH, entry.error, line=entry.number), remedy=remedy)
        elif entry.raw in seen:
            yield _twice(entry, landed=entry.raw in landed)
        elif isinstance(entry.line, Ended):
            yield from _judge_end(facts, entry, entry.line, known, over)
            over.add(entry.line.freeze)
        elif isinstance(entry.line, Frozen) and entry.line.renews:
            if entry.line.renews in over and entry.line.renews not in expired:
                yield _renews_what_is_over(entry, entry.line.renews, landed_ends)
            over.add(entry.line.renews)
        seen.add(entry.raw)


def _expired_ids(facts: Facts) -> frozenset[Blake3]:
    """Freezes that a line let expire: those alone may be renewed behind their end."""
    lines = (
        e.line for e in (*facts.ledger.landed, *facts.ledger.added) if isinstance(e, LedgerEntry)
    )
    ends = [line for line in lines if isinstance(line, Ended)]
    closed = {end.freeze for end in ends if end.event is not Ending.EXPIRED}
    return frozenset(end.freeze for end in ends) - closed


def _rewritten(facts: Facts) -> Finding:
    return Finding(
        code="ledger.not_append_only",
        severity=Severity.ERROR,
        path=_PATH,
        got="removed" if facts.ledger.entry is None else "other bytes where the base's lines stand",
        expected="the base's ledger byte for byte, new lines below it",
        remedy=lf_command(_PATH)
        if any(line.endswith(b"\r") for line in facts.ledger.candidate_lines)
        else "put the own lines behind the base's: freezegate ledger rebase",
    )


def _conflict_markers(lines: tuple[bytes, ...]) -> Iterator[Finding]:
    for number, line in enumerate(lines, 1):
        if line.startswith((b"<<<<<<<", b">>>>>>>", b"|||||||")):
            yield Finding(
                code="ledger.conflict_markers",
                severity=Severity.ERROR,
                path=_PATH,
                line=number,
                got="a merge conflict marker",
                expected="ledger lines alone",
                remedy="drop the markers, and put the own lines behind the base's: freezegate "
                "ledger rebase",
            )


def _twice(entry: LedgerEntry, *, landed: bool) -> Finding:
    return Finding(
        code="ledger.duplicate_row",
        severity=Severity.ERROR,
        path=_PATH,
        line=entry.number,
        got="a line that has landed already" if landed else "a line that stands above already",
        expected="each line once",
        remedy="freezegate ledger rebase" if landed else "",
    )


def _judge_end(
    facts: Facts,
    entry: LedgerEntry,
    line: Ended,
    known: Mapping[Blake3, Frozen],
    over: set[Blake3],
) -> Iterator[Finding]:
    freeze = known.get(line.freeze)
    if freeze is None or line.freeze in over:
        why = "is over already" if freeze else "no landed line opened"
        yield _bad_end(
            entry,
            "freeze",
            f"{line.event} of {line.freeze}, which {why}",
            "the id of a freeze that landed and still stands",
        )
    elif names_nobody(line.owner):
        yield _bad_end(entry, "owner", ascii(line.owner), "the name of who ends it")
    elif line.fixture_sha256 != freeze.fixture_sha256:
        yield _bad_end(entry, "fixture_sha256", line.fixture_sha256, freeze.fixture_sha256)
    elif not line.reason.strip():
        yield _bad_end(entry, "reason", ascii(line.reason), "why it ends, in one line")
    elif line.event is Ending.EXPIRED and _still_runs(facts, freeze):
        yield _bad_end(
            entry,
            "event",
            f"expired, while the freeze runs to {freeze.expires_on}",
            "lifted, or a freeze past its end",
        )


def _still_runs(facts: Facts, freeze: Frozen) -> bool:
    policy = facts.judges.policy.value
    if policy is None:
        return not day_has_passed(freeze.expires_on, facts.now)
    active = active_freezes(facts.ledger.landed, facts.now, facts.age_commits, policy.freeze)
    return any(line == freeze for _, line in active)


def _renews_what_is_over(entry: LedgerEntry, older: Blake3, landed: Collection[Blake3]) -> Finding:
    """Refuse to end a freeze and to go on with it in one patch."""
    found = _bad_end(
        entry,
        "renews",
        f"a renewal of {older}, which is over already",
        "a freeze that stands, or null for a new chain once its end has landed",
    )
    if older in landed:
        return replace(found, remedy="freezegate witness --refresh, which begins a new chain")
    return replace(
        found,
        got=f"a renewal of {older}, which this patch itself ends",
        remedy="land the line that ends it first (git push, then merge), and ask anew on a branch "
        "from there",
    )


def _bad_end(entry: LedgerEntry, about: str, got: str, expected: str) -> Finding:
    return Finding(
        code="ledger.bad_row",
        severity=Severity.ERROR,
        path=_PATH,
        line=entry.number,
        about=about,
        got=got,
        expected=expected,
    )
