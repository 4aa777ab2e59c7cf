"""Nothing that decides what the oracle says is in the patch, and it is known what does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.domain import Why
from freezegate.model.entries import shown_entry
from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import shell_path, shown_path
from freezegate.policy.attributes import byte_attributes, effective, rewriting
from freezegate.policy.domain.words import change_reason, code_of
from freezegate.policy.guards import LEDGER_PATH
from freezegate.policy.rules.asked import asked_by, claim_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.domain import DomainChange
    from freezegate.policy.claim import Claim, ClaimedDomain
    from freezegate.policy.facts import Facts

_OTHERWISE = "or land the change in a patch of its own"


def judge_domain(facts: Facts) -> Iterator[Finding]:
    """Refuse domains that cannot be known, and changes of what oracle and test resolve to."""
    for claim in facts.claims:
        if claim.domain:
            yield from _judge_faults(claim.domain)
            yield from _judge_changes(facts, claim.domain)
        yield from _judge_attributes(claim)


def _judge_faults(domain: ClaimedDomain) -> Iterator[Finding]:
    """Faults of the test's own imports count too: what it reaches could not be compared."""
    oracle, test = domain.domain, domain.reach
    faults = dict.fromkeys(oracle.faults, f"domain of {oracle.oracle}")
    for fault in test.faults:
        faults.setdefault(fault, f"what the test in {test.oracle} imports")
    for fault, about in faults.items():
        yield Finding(
            code=fault.code,
            severity=Severity.ERROR,
            path=shown_path(fault.path.encode("utf-8", "surrogateescape")),
            line=fault.line,
            about=about,
            got=fault.got,
            expected=fault.expected,
        )


def _judge_changes(facts: Facts, domain: ClaimedDomain) -> Iterator[Finding]:
    told = set()
    for change in domain.changes:
        told.add(change.path)
        yield _changed(facts, change, of=f"the oracle {domain.domain.oracle}")
    for change in domain.reach_changes:
        itself = change.reached.over == domain.reach.oracle  # a package in the test's own place
        if (itself or change.reached.why is Why.CONFIG) and change.path not in told:
            yield _changed(facts, change, of=f"the test in {domain.reach.oracle}")


def _changed(facts: Facts, change: DomainChange, *, of: str) -> Finding:
    """Return the finding on a changed path of a domain, with the reason why it counts."""
    old = change.reached.entry
    path = change.reached.file.encode("utf-8", "surrogateescape")
    back = f"git checkout {facts.base.rev} -- {shell_path(path)}"
    return Finding(
        code=code_of(change),
        severity=Severity.ERROR,
        path=shown_path(change.path.encode("utf-8", "surrogateescape")),
        about=f"{change_reason(change.reached)}; it decides what {of} says",
        got=shown_entry(change.new),
        expected=f"{shown_entry(old)}, as at the trusted base",
        remedy=f"{back}, and commit that before the freeze; {_OTHERWISE}" if old else "",
    )


def _judge_attributes(claim: Claim) -> Iterator[Finding]:
    asked = asked_by(claim)
    old = [(folder, before) for folder, before, _ in claim.attributes]
    new = [(folder, after) for folder, _, after in claim.attributes]
    paths = [asked.fixture_path.raw, asked.oracle_path.raw, asked.test_id.path.raw, LEDGER_PATH]
    if old != new and claim.domain:
        present = (*claim.domain.domain.present, *claim.domain.reach.present)
        paths += [path.encode("utf-8", "surrogateescape") for path in present]
    for path in dict.fromkeys(paths):
        before, after = effective(old, path), effective(new, path)
        if byte_attributes(before) != byte_attributes(after):
            yield Finding(
                code="domain.config_changed",
                severity=Severity.ERROR,
                path=".gitattributes",
                about=shown_path(path),
                got=_shown(after),
                expected=f"{_shown(before)}, as at the trusted base",
            )
    rewritten = rewriting(effective(old, asked.fixture_path.raw))
    if rewritten:
        yield claim_error(
            claim,
            "path.filtered",
            "fixture_path",
            got=f"attributes {', '.join(rewritten)} on {asked.fixture_path}",
            expected="a fixture whose checkout has the blob's bytes",
            severity=Severity.WARNING,
        )


def _shown(attributes: dict[str, str]) -> str:
    part = byte_attributes(attributes)
    return ", ".join(f"{name}={value}" for name, value in sorted(part.items())) or "no attributes"
