"""`.freeze/` holds what SPEC section 3 lists, regular files whose names fit, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.entries import GITLINK_MODE, SYMLINK_MODE
from freezegate.model.finding import Finding, Severity
from freezegate.model.ledger import Classified, Frozen, LedgerEntry
from freezegate.model.paths import shell_path, shown_path
from freezegate.policy.guards import EVIDENCE, JUDGE_FILES, SNAPSHOT, is_kept_file
from freezegate.policy.lifetimes import active_freezes
from freezegate.policy.rules.faults import fault_finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.digests import Sha256
    from freezegate.policy.facts import Facts, KeptFile

_KNOWN = (
    "nothing but policy.toml, catalog.toml, fixtures.sha256, record.json, ledger.jsonl, "
    "snapshots/SHA256 and evidence/BLAKE3.json under .freeze/"
)


def judge_kept_files(facts: Facts) -> Iterator[Finding]:
    """Refuse strangers, links, names that do not fit, and losses of what active freezes need."""
    named = _named_by_added_lines(facts)
    needed = _needed_by_active_freezes(facts)
    for file in facts.kept_files:
        if file.new is None:
            if file.path in needed:
                yield _lost(facts, file, needed[file.path])
        elif not is_kept_file(file.path):
            yield _unexpected(file, _KNOWN)
        elif not file.new.is_regular:
            yield _not_regular(file)
        elif not _is_named_by_digest(file.path):
            continue
        elif file.fault is not None:
            yield fault_finding(file.path, file.fault)
        elif not file.digest_fits:
            yield _misnamed(file)
        elif file.path not in named and not facts.ledger.has_bad_lines:
            yield _unexpected(file, "a file that an added ledger line names")


def _is_named_by_digest(path: bytes) -> bool:
    return bool(SNAPSHOT.fullmatch(path) or EVIDENCE.fullmatch(path))


def _named_by_added_lines(facts: Facts) -> frozenset[bytes]:
    lines = (e.line for e in facts.ledger.added if isinstance(e, LedgerEntry))
    return frozenset(p for line in lines if isinstance(line, Classified) for p in _files_of(line))


def _needed_by_active_freezes(facts: Facts) -> dict[bytes, Frozen]:
    policy = facts.judges.policy.value
    if policy is None:
        return {}
    active = active_freezes(facts.ledger.landed, facts.now, facts.age_commits, policy.freeze)
    return {path: line for _, line in active for path in _files_of(line)}


def _files_of(line: Classified) -> Iterator[bytes]:
    yield snapshot_path(line.fixture_sha256)
    if line.evidence:
        yield f".freeze/evidence/{line.evidence.hex}.json".encode()


def snapshot_path(digest: Sha256) -> bytes:
    """Return where the snapshot of a fixture with this digest lies."""
    return f".freeze/snapshots/{digest}".encode()


def _lost(facts: Facts, file: KeptFile, line: Frozen) -> Finding:
    return Finding(
        code="fixture.missing" if SNAPSHOT.fullmatch(file.path) else "evidence.missing",
        severity=Severity.ERROR,
        path=shown_path(file.path),
        got="removed by the patch",
        expected=f"kept while the freeze of {line.test_id} is active",
        remedy=f"git checkout {facts.base.rev} -- {shell_path(file.path)}",
    )


def _unexpected(file: KeptFile, expected: str) -> Finding:
    return Finding(
        code="path.unexpected",
        severity=Severity.ERROR,
        path=shown_path(file.path),
        got=file.new.kind if file.new else "nothing",
        expected=expected,
        remedy=f"git rm -q -f -- {shell_path(file.path)}",
    )


def _not_regular(file: KeptFile) -> Finding:
    mode = file.new.mode if file.new else 0
    code = "record.not_regular_file"
    if file.path in JUDGE_FILES or _is_named_by_digest(file.path):
        links = {SYMLINK_MODE: "path.symlink", GITLINK_MODE: "path.gitlink"}
        code = links.get(mode, "path.not_regular")
    return Finding(
        code=code,
        severity=Severity.ERROR,
        path=shown_path(file.path),
        got=file.new.kind if file.new else "nothing",
        expected="a regular file",
    )


def _misnamed(file: KeptFile) -> Finding:
    return Finding(
        code="digest.mismatch",
        severity=Severity.ERROR,
        path=shown_path(file.path),
        got="bytes with another digest than the name says",
        expected="a file named by the digest of its bytes",
    )
