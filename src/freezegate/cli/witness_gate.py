"""The gate on HEAD's tree plus files that are not written yet: before the runs, and after them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.witness_setting import base_record
from freezegate.formats.evidence import dump_evidence
from freezegate.formats.ledger import dump_line, parse_ledger
from freezegate.formats.record import dump_record
from freezegate.git.candidate import witness_candidate
from freezegate.hooks.walk import judge_step
from freezegate.model.digests import Blake3
from freezegate.model.evidence import Environment, Evidence, OracleRun, Plan
from freezegate.model.finding import Severity
from freezegate.model.ledger import (
    Frozen,
    LineReason,
    LineStatus,
    VarianceClass,
    freeze_key,
)
from freezegate.model.run import EvidenceRun
from freezegate.model.verdict import judged
from freezegate.policy.facts import Place
from freezegate.policy.guards import LEDGER_PATH, RECORD_PATH
from freezegate.policy.lifetimes import frozen_lines
from freezegate.policy.renewals import renewed_by
from freezegate.policy.variance import Variance
from freezegate.policy.window import planned_order
from freezegate.report.ticket import ticket_lines
from freezegate.witness.request import Terms, build_line, build_record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from freezegate.cli.witness_case import Case
    from freezegate.model.entries import Entry
    from freezegate.model.finding import Finding
    from freezegate.model.verdict import Transition
    from freezegate.policy.lifetimes import Landed
    from freezegate.witness.request import Subject

# What runs alone decide, so that it says nothing before there are any.
_BY_RUNS = frozenset(
    {
        "evidence.missing",
        "evidence.mismatch",
        "evidence.incomplete",
        "fixture.not_read",
        "oracle.failed_on_snapshot",
        "oracle.not_independent",
    }
)
# What asks for owner and end, of which nothing was said yet.
_BY_TERMS = frozenset(
    {
        "budget.exceeded",
        "budget.expiry_missing",
        "budget.expiry_too_far",
        "budget.owner_missing",
        "budget.refreeze_without_new_evidence",
    }
)
_CLOCK = datetime(2000, 1, 1, tzinfo=UTC)
FREEZABLE = Variance(
    VarianceClass.ENV_UNSTABLE,
    may_freeze=True,
    status=LineStatus.FREEZE_CANDIDATE,
    reason=LineReason.INTERMITTENT,
    next_step="",
)


class Files(NamedTuple):
    """What a request brings: path to bytes, None where a file goes; in the order of writing."""

    files: Mapping[bytes, bytes | None]


def request_files(case: Case, evidence: Sequence[tuple[Evidence, Variance]]) -> Files:
    """Return the files of a request with its evidence: evidence, snapshot, ledger, record."""
    named = [(e, Blake3.of(dump_evidence(e)), answer) for e, answer in evidence]
    files: dict[bytes, bytes | None] = dict.fromkeys(sorted(case.ledger.dropped))
    for each, digest, _ in named:
        files[f".freeze/evidence/{digest.hex}.json".encode()] = dump_evidence(each)
    for sha256, data in case.snapshots.items():
        files[f".freeze/snapshots/{sha256}".encode()] = data
    lines = [
        build_line(each, digest, answer, _terms(case, each), renewed_freeze(case, each))
        for each, digest, answer in named
    ]
    files[LEDGER_PATH] = case.ledger.kept + b"".join(dump_line(li) + b"\n" for li in lines)
    asked = [(e, li) for (e, _, _), li in zip(named, lines, strict=True) if isinstance(li, Frozen)]
    files |= _record_file(case, asked)
    return Files(files)


def _terms(case: Case, evidence: Evidence) -> Terms | None:
    """Return owner and end of the test that was witnessed."""
    named = (evidence.property_id, evidence.test_id, evidence.fixture_path)
    asked = zip(case.subjects, case.terms, strict=True)
    return next(t for s, t in asked if (s.property_id, s.test_id, s.fixture_path) == named)


def renewed_freeze(case: Case, evidence: Evidence) -> Blake3 | None:
    """Return the landed freeze that a request on this evidence renews."""
    key = freeze_key(evidence.property_id, evidence.test_id, evidence.fixture_sha256)
    older = renewed_by(case.ledger.landed, key)
    return older[0].freeze_id if older else None


def tickets(case: Case, files: Files) -> tuple[str, ...]:
    """Return the text of a ticket for each freeze that the new ledger lines ask for."""
    return tuple(
        "\n".join(ticket_lines(line, entry.freeze_id)) for entry, line in requests(case, files)
    )


def requests(case: Case, files: Files) -> tuple[Landed, ...]:
    """Return the freezes that the new ledger lines ask for."""
    ledger = files.files[LEDGER_PATH] or b""
    return frozen_lines(parse_ledger(ledger.removeprefix(case.ledger.kept)))


def judge_request(case: Case, files: Files) -> Transition:
    """Return the gate's verdict on HEAD with the marked sources and these files."""
    store = case.setting.session.store
    every = {**case.sources, **files.files}
    overlay: dict[bytes, Entry | None] = {
        path: None if data is None else store.lay(data) for path, data in every.items()
    }
    return judge_step(
        case.setting.session,
        witness_candidate(store, case.setting.head, overlay),
        case.setting.base,
        ref=case.setting.ref,
        now=datetime.now(UTC),
        place=Place.CHECK,
    )


def judge_before(case: Case, size: int) -> Transition:
    """Return what the gate says of a request that no runs could change any more.

    Budgets of which no owner was named yet are warnings: evidence may still be taken.
    """
    today = datetime.now(UTC).date().isoformat()
    least = Terms(owner="freezegate", expires_on=today, expires_after_commits=1)
    asked = [_placeholder(about, size) for about in case.subjects]
    lines = [
        build_line(each, None, FREEZABLE, terms or least, renewed_freeze(case, each))
        for each, terms in zip(asked, case.terms, strict=True)
    ]
    pairs = [(e, li) for e, li in zip(asked, lines, strict=True) if isinstance(li, Frozen)]
    files: dict[bytes, bytes | None] = dict.fromkeys(sorted(case.ledger.dropped))
    for sha256, data in case.snapshots.items():
        files[f".freeze/snapshots/{sha256}".encode()] = data
    files[LEDGER_PATH] = case.ledger.kept + b"".join(dump_line(li) + b"\n" for li in lines)
    files |= _record_file(case, pairs)
    transition = judge_request(case, Files(files))
    open_findings = [f for f in transition.findings if _is_open(f, case)]
    later = [replace(f, severity=Severity.WARNING) for f in open_findings if _is_budget(f, case)]
    shut = [f for f in transition.findings if f not in open_findings]
    findings = (*shut, *later)
    return replace(transition, findings=findings, outcome=judged(findings), freezes=())


def _is_open(finding: Finding, case: Case) -> bool:
    """Whether the runs, or an owner and an end, may still change what a finding says."""
    if finding.severity is not Severity.ERROR:
        return True
    if not _is_of_new_lines(finding, case):
        return False
    open_by_terms = not any(case.terms) and finding.code in _BY_TERMS
    return finding.code.startswith("runs.") or finding.code in _BY_RUNS or open_by_terms


def _is_budget(finding: Finding, case: Case) -> bool:
    return finding.code == "budget.exceeded" and _is_of_new_lines(finding, case)


def _is_of_new_lines(finding: Finding, case: Case) -> bool:
    """Whether it is about what would be written: not about files and lines that stand already."""
    if finding.path == LEDGER_PATH.decode():
        return finding.line is None or finding.line > case.ledger.kept.count(b"\n")
    return finding.path in (None, RECORD_PATH.decode())


def judge_standing(case: Case) -> Transition:
    """Return what the gate says of HEAD without anything new: no run could change that."""
    files: dict[bytes, bytes | None] = dict.fromkeys(sorted(case.ledger.dropped))
    if case.ledger.kept or case.ledger.before:
        files[LEDGER_PATH] = case.ledger.kept
    return judge_request(case, Files({**files, **_record_file(case, ())}))


def _record_file(case: Case, asked: Sequence[tuple[Evidence, Frozen]]) -> dict[bytes, bytes | None]:
    """The record of the last request; without one, --refresh brings back the base's."""
    if asked:
        return {RECORD_PATH: dump_record(build_record(*asked[-1]))}
    if not case.refresh:
        return {}
    entry = base_record(case.setting)
    if entry is None or not entry.is_regular:
        return {RECORD_PATH: None}
    return {RECORD_PATH: case.setting.session.store.blob(entry.oid, max_bytes=2**16)}


def _placeholder(about: Subject, size: int) -> Evidence:
    """Evidence of runs that nobody made, as good as any could be."""
    return Evidence(
        tool="",
        property_id=about.property_id,
        test_id=about.test_id,
        fixture_path=about.fixture_path,
        fixture_sha256=about.fixture_sha256,
        oracle_path=about.oracle_path,
        oracle_blob=about.oracle_blob,
        base_rev=about.base_rev,
        candidate_rev=about.candidate_rev,
        patch_digest=about.patch_digest,
        domain_digest=about.domain.digest,
        domain=(),
        reads=(),
        candidate_reads=(),
        effects=(),
        plan=Plan(
            runs_per_side=size,
            timeout_s=1,
            pythonhashseed=0,
            hypothesis_seed=0,
            planned_at=_instant(0),
        ),
        runs=tuple(
            EvidenceRun(
                index=index,
                side=side,
                started_at=_instant(index),
                duration_ms=0,
                passed=index % 4 < 2,
                exit_status=int(index % 4 >= 2),
                collected=1,
                signature=None if index % 4 < 2 else "to be seen",
                sha256_before=about.fixture_sha256,
                sha256_after=about.fixture_sha256,
            )
            for index, side in planned_order(size)
        ),
        oracle_run=OracleRun(passed=1, failed=0, independent=True),
        environment=Environment(python="", platform="", pytest="", hypothesis=None, isolation=""),
    )


def _instant(second: int) -> str:
    return (_CLOCK + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
