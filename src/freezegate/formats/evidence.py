"""`.freeze/evidence/*.json`: canonical bytes to Evidence and back (SPEC section 3)."""

from __future__ import annotations

from typing import Any

from freezegate.errors import DecodeError
from freezegate.formats.fields import (
    MAX_SIGNATURE_CHARS,
    Reader,
    array,
    choice,
    constant,
    flag,
    instant,
    integer,
    nullable,
    of,
    read_object,
    text,
)
from freezegate.formats.ledger import MAX_RUNS
from freezegate.formats.strict_json import dump_canonical, line_of, parse_json, plain
from freezegate.model.digests import Blake3, ObjectId, Sha256
from freezegate.model.evidence import (
    EVIDENCE_SCHEMA,
    DomainEntry,
    EffectKind,
    Environment,
    Evidence,
    OracleRun,
    Plan,
    ReadFile,
)
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.paths import RepoPath
from freezegate.model.run import EvidenceRun, Side

MAX_EVIDENCE_BYTES = 4 * 1024 * 1024  # a domain of ten thousand files and a hundred runs
MAX_DOMAIN_ENTRIES = 50_000
_WORD = text(200)


def _object_of(
    kind: type[Any],
    required: dict[str, Reader[Any]],
    optional: dict[str, Reader[Any]] | None = None,
) -> Reader[Any]:
    return lambda value, place: kind(**read_object(value, place, required, optional))


_DOMAIN_ENTRY = {
    "path": text(4096, 1),
    "mode": integer(0, 0o177777),
    "blob": nullable(of(ObjectId)),
}
_READ = {"path": of(RepoPath, "repo-path"), "blob": of(ObjectId)}
_PLAN = {
    "runs_per_side": integer(2, MAX_RUNS),
    "timeout_s": integer(1, 86_400),
    "pythonhashseed": integer(0, 2**32 - 1),
    "hypothesis_seed": nullable(integer(0)),
    "planned_at": instant,
}
_RUN = {
    "index": integer(0),
    "side": choice(Side),
    "started_at": instant,
    "duration_ms": integer(0),
    "passed": flag,
    "exit_status": integer(),
    "collected": integer(0),
    "signature": nullable(text(MAX_SIGNATURE_CHARS)),
    "sha256_before": of(Sha256),
    "sha256_after": of(Sha256),
}
_ORACLE_RUN = {"passed": integer(0), "failed": integer(0), "independent": flag}
_ENVIRONMENT = {
    "python": _WORD,
    "platform": _WORD,
    "pytest": _WORD,
    "hypothesis": nullable(_WORD),
    "isolation": _WORD,
    "plugins": nullable(array(_WORD, 0, 200)),
}
_EVIDENCE = {
    "schema": constant(EVIDENCE_SCHEMA),
    "tool": _WORD,
    "property_id": nullable(of(PropertyId)),
    "test_id": of(TestId, "test-id"),
    "fixture_path": of(RepoPath, "repo-path"),
    "fixture_sha256": of(Sha256),
    "oracle_path": of(RepoPath, "repo-path"),
    "oracle_blob": of(ObjectId),
    "base_rev": of(ObjectId),
    "candidate_rev": nullable(of(ObjectId)),
    "patch_digest": of(Blake3),
    "domain_digest": of(Blake3),
    "domain": array(_object_of(DomainEntry, _DOMAIN_ENTRY), 0, MAX_DOMAIN_ENTRIES),
    "reads": array(_object_of(ReadFile, _READ), 0, MAX_DOMAIN_ENTRIES),
    "candidate_reads": array(of(RepoPath, "repo-path"), 0, MAX_DOMAIN_ENTRIES),
    "effects": array(choice(EffectKind), 0, len(EffectKind)),
    "plan": _object_of(Plan, _PLAN),
    "runs": array(_object_of(EvidenceRun, _RUN), 0, 2 * MAX_RUNS),
    "oracle_run": nullable(_object_of(OracleRun, _ORACLE_RUN)),
    "environment": _object_of(Environment, _ENVIRONMENT),
}


def parse_evidence(data: bytes) -> Evidence:
    """Decode an evidence file; raises DecodeError with place and line."""
    value = parse_json(data, max_bytes=MAX_EVIDENCE_BYTES)
    try:
        values = read_object(value, "", _EVIDENCE)
    except DecodeError as error:
        error.line = line_of(data, error.place)
        raise
    if dump_canonical(value) + b"\n" != data:
        raise DecodeError(
            "record.bad_encoding",
            place="",
            got="another spelling",
            expected="RFC 8785 canonical JSON and one newline",
            rule="canonical",
        )
    del values["schema"]
    return Evidence(**values)


def dump_evidence(evidence: Evidence) -> bytes:
    """Return the canonical bytes of evidence, one newline at the end."""
    return dump_canonical(plain(evidence) | {"schema": EVIDENCE_SCHEMA}) + b"\n"
