"""Where a claim's values stand, so that each finding names the file that a person must edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.ledger import Frozen
from freezegate.model.paths import shell_path
from freezegate.policy.guards import LEDGER_PATH, RECORD_PATH

if TYPE_CHECKING:
    from freezegate.model.catalog import Catalog, Property
    from freezegate.model.ids import PropertyId
    from freezegate.model.paths import RepoPath
    from freezegate.model.record import FreezeRecord
    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Facts


def asked_by(claim: Claim) -> FreezeRecord | Frozen:
    """Return the document whose values count: the record, else the ledger line."""
    if claim.record:
        return claim.record
    line = frozen_line(claim)
    assert line is not None  # noqa: S101 - a claim has one of both
    return line


def property_of(claim: Claim) -> PropertyId | None:
    """Return the property that is to be frozen: a record may leave it to the ledger line."""
    line = frozen_line(claim)
    if line and line.property_id:
        return line.property_id
    return claim.record.property_id if claim.record else None


def entries_of(claim: Claim, catalog: Catalog | None) -> tuple[Property, ...]:
    """Return the catalogue entries that a claim is about: its property's, and its test's."""
    if catalog is None:
        return ()
    asked, property_id = asked_by(claim), property_of(claim)
    return tuple(
        entry
        for entry in catalog.properties.values()
        if entry.property_id == property_id or entry.speaks_of(asked.test_id)
    )


def frozen_line(claim: Claim) -> Frozen | None:
    """Return the claim's ledger line, None where only the record asks."""
    line = claim.request.line if claim.request else None
    return line if isinstance(line, Frozen) else None


def claim_error(
    claim: Claim,
    code: str,
    about: str,
    *,
    got: str,
    expected: str,
    remedy: str = "",
    severity: Severity = Severity.ERROR,
) -> Finding:
    """Return a finding on a key of the record, or of the ledger line where there is no record."""
    path, line = _place(claim)
    return Finding(
        code=code,
        severity=severity,
        path=path,
        line=line,
        about=about,
        got=got,
        expected=expected,
        remedy=remedy,
    )


def file_error(
    claim: Claim, code: str, file: RepoPath, key: str, *, got: str, expected: str, remedy: str = ""
) -> Finding:
    """Return a finding on a file of the repository that a key of the claim names."""
    path, line = _place(claim)
    return Finding(
        code=code,
        severity=Severity.ERROR,
        path=file,
        about=f"{key} of {path}{f':{line}' if line else ''}",
        got=got,
        expected=expected,
        remedy=remedy,
    )


def _place(claim: Claim) -> tuple[str, int | None]:
    if claim.record or claim.request is None:
        return RECORD_PATH.decode(), None
    return LEDGER_PATH.decode(), claim.request.number


def line_error(
    claim: Claim,
    code: str,
    about: str,
    *,
    got: str,
    expected: str,
    remedy: str = "",
    severity: Severity = Severity.ERROR,
) -> Finding:
    """Return a finding on a key that only the ledger line has to have."""
    return Finding(
        code=code,
        severity=severity,
        path=(LEDGER_PATH if claim.request else RECORD_PATH).decode(),
        line=claim.request.number if claim.request else None,
        about=about,
        got=got,
        expected=expected,
        remedy=remedy,
    )


def witness_command(claim: Claim) -> str:
    """Return the command that takes a claim's evidence, with the values that it has."""
    import shlex

    asked, line = asked_by(claim), frozen_line(claim)
    name = property_of(claim)
    words = ["--property", name] if name else [asked.test_id, "--fixture", asked.fixture_path]
    words += [] if name else ["--oracle", asked.oracle_path]
    owner = asked.owner or (line.owner if line else None) or "NAME"
    day = asked.expires_on or (line.expires_on if line else None) or "DATE"
    return f"freezegate witness {shlex.join([*words, '--owner', owner, '--expires-on', day])}"


def adding(facts: Facts, path: str) -> str:
    """Return the command that brings a file of the work tree into the candidate."""
    staged = facts.candidate is None
    return f"git add {shell_path(path.encode())}{'' if staged else ' && git commit'}"
