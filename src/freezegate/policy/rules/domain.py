"""Nothing that decides what the oracle reads or says is in the patch: as far as is known yet.

What imports resolve to is not looked at by this version; every freeze says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.entries import shown_entry
from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import shown_path
from freezegate.policy.attributes import byte_attributes, effective, rewriting
from freezegate.policy.globs import matches
from freezegate.policy.guards import LEDGER_PATH
from freezegate.policy.rules.asked import asked_by, claim_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts


def judge_domain(facts: Facts) -> Iterator[Finding]:
    """Refuse changes under [domain] paths and of attributes that reach guarded files."""
    policy = facts.judges.policy.value
    if not facts.claims:
        return
    for path, change in facts.changes.items():
        if policy and matches(policy.domain_paths, path):
            yield Finding(
                code="domain.changed",
                severity=Severity.ERROR,
                path=shown_path(path),
                got=shown_entry(change.new),
                expected=f"{shown_entry(change.old)}, as at the trusted base",
            )
    for claim in facts.claims:
        yield from _judge_attributes(claim)
    yield Finding(
        code="domain.not_checked",
        severity=Severity.NOTE,
        got="imports, conftest files, pytest configuration and the test's own text not compared",
        expected="a person's look at them where the patch touches any",
    )


def _judge_attributes(claim: Claim) -> Iterator[Finding]:
    asked = asked_by(claim)
    old = [(folder, before) for folder, before, _ in claim.attributes]
    new = [(folder, after) for folder, _, after in claim.attributes]
    for path in (
        asked.fixture_path.raw,
        asked.oracle_path.raw,
        asked.test_id.path.raw,
        LEDGER_PATH,
    ):
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
