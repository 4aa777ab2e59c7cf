"""The record decodes, and exactly one added ledger line asks for the same (SPEC section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.policy.claims import differing_keys
from freezegate.policy.guards import LEDGER_PATH, RECORD_PATH
from freezegate.policy.lifetimes import frozen_lines
from freezegate.policy.rules.faults import fault_finding
from freezegate.policy.settings import Preset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.ledger import LedgerEntry
    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts

_PATH = RECORD_PATH.decode()


def judge_record(facts: Facts) -> Iterator[Finding]:
    """Refuse a changed record that does not decode or that no single request repeats."""
    fault = facts.record.fault if facts.record else None
    if fault is not None:
        yield fault_finding(RECORD_PATH, fault)
    if facts.record and facts.record.value and not any(c.record for c in facts.claims):
        yield _landed()
    for claim in facts.claims:
        if claim.record and claim.request is None and not facts.ledger.has_bad_lines:
            yield _not_in_ledger(facts, claim)
        elif claim.record is None and claim.request and fault is None:
            yield from _without_record(facts, claim.request)


def _landed() -> Finding:
    return Finding(
        code="record.not_in_ledger",
        severity=Severity.ERROR,
        path=_PATH,
        got="the record of a request that has landed already, over the base's own",
        expected="the base's record, or that of a request of this patch",
        remedy="freezegate ledger rebase",
    )


def _not_in_ledger(facts: Facts, claim: Claim) -> Finding:
    record = claim.record
    assert record is not None  # noqa: S101 - the caller's own question
    requests = [entry for entry, _ in frozen_lines(facts.ledger.added)]
    remedy = ""
    if not requests:
        got = "no added `frozen` line"
        remedy = _base_record(facts)
    else:
        differing = min((differing_keys(record, entry) for entry in requests), key=len)
        near = ", ".join(differing)
        got = f"no added line with equal values; the nearest differs in {near}"
        if not near:
            got = f"{len(requests)} added lines with the record's values: keep one of them"
    return Finding(
        code="record.not_in_ledger",
        severity=Severity.ERROR,
        path=_PATH,
        got=got,
        expected="exactly one added `frozen` line with the record's values",
        remedy=remedy,
    )


def _base_record(facts: Facts) -> str:
    """Return what brings the record back, where the base has one: it was edited by hand."""
    change = facts.changes.get(RECORD_PATH)
    if change is None or change.old is None or facts.base.rev is None:
        return ""
    return (
        f"git checkout {facts.base.rev[:12]} -- ':/{_PATH}', or to ask for a freeze: freezegate "
        "witness --help"
    )


def _without_record(facts: Facts, request: LedgerEntry) -> Iterator[Finding]:
    policy = facts.judges.policy.value
    if policy and policy.preset is not Preset.BASIC:
        return
    yield Finding(
        code="record.missing",
        severity=Severity.ERROR,
        path=LEDGER_PATH.decode(),
        line=request.number,
        got="a `frozen` line, and a record that is the base's, byte for byte, or none"
        if facts.record is None
        else "a `frozen` line that the patch's record does not repeat",
        expected="one `frozen` line, and a changed .freeze/record.json with its values",
        remedy="Write .freeze/record.json anew with what this request saw; where that is the same "
        'as before, tell the runs apart by "started_at" or "notes".'
        if facts.record is None
        else "Keep one `frozen` line for the record, and remove the others of this patch.",
    )
