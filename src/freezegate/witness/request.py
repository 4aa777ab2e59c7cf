"""From a finished window to what a patch brings: evidence, ledger line and record, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from freezegate.errors import UsageError
from freezegate.formats.fields import MAX_SIGNATURE_CHARS
from freezegate.model.digests import ObjectId
from freezegate.model.evidence import DomainEntry, EffectKind, Evidence, OracleRun, ReadFile
from freezegate.model.ledger import Classified, Frozen, LineStatus
from freezegate.model.paths import RepoPath
from freezegate.model.record import SHARED_KEYS, FreezeRecord
from freezegate.model.run import EvidenceRun, RecordRun, RunOutcome, Side
from freezegate.policy.signatures import fail_signature
from freezegate.policy.variance import judge_variance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from freezegate.model.catalog import Property
    from freezegate.model.digests import Blake3, Sha256
    from freezegate.model.domain import Domain
    from freezegate.model.entries import Entry
    from freezegate.model.ids import PropertyId, TestId
    from freezegate.model.observation import Failure, FileObservation
    from freezegate.model.window import Window, WindowRun
    from freezegate.policy.messages import Folders
    from freezegate.policy.variance import Variance

_OWN_FOLDER = ".freeze/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a window is about; `domain` is the one that the gate resolves at T."""

    property_id: PropertyId | None
    test_id: TestId
    fixture_path: RepoPath
    fixture_sha256: Sha256
    oracle_path: RepoPath
    oracle_blob: ObjectId
    base_rev: ObjectId
    candidate_rev: ObjectId
    patch_digest: Blake3
    domain: Domain


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Who owns a freeze, and when it ends."""

    owner: str | None
    expires_on: str | None
    expires_after_commits: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """How failures of this window become signatures; `is_equal` says what both sides share."""

    test_path: RepoPath
    is_equal: Callable[[str], bool]
    folders: Folders

    def sign(self, failure: Failure) -> str:
        """Return the signature of one failure."""
        frames = (*failure.frames, *(f for leaf in failure.leaves for f in leaf.frames))
        paths = {frame.path for frame in frames if frame.path is not None}
        equal = {path for path in paths if path == self.test_path or self.is_equal(path)}
        return fail_signature(
            failure, equal_paths=equal, folders=self.folders, max_chars=MAX_SIGNATURE_CHARS
        )


def judge_runs(window: Window, signer: Signer) -> Variance:
    """Return class and answer of the tables for what was observed, whole or not."""
    return judge_variance(
        window.outcomes(Side.BASE),
        window.outcomes(Side.CANDIDATE),
        digests_match=window.digests_match,
        signatures=signatures_of(window, signer),
        complete=window.stopped is None,
    )


def signatures_of(window: Window, signer: Signer) -> tuple[str, ...]:
    """Return the signatures of all failing runs, base's first."""
    return tuple(
        signer.sign(run.observation.failure)
        for side in (Side.BASE, Side.CANDIDATE)
        for run in window.runs
        if run.side is side and run.observation.failure is not None
    )


def find_unproven(window: Window, entry: Property | None, test_id: TestId) -> TestId | None:
    """Return the property's own test if it is not among those of the oracle that passed.

    Where it is the frozen test itself there is nothing to ask: that one is left out.
    """
    if entry is None or window.oracle is None:
        return None
    own = entry.property_test
    if own in (test_id, test_id.partition("[")[0]):
        return None
    # Ids count from pytest's root folder, which need not be the tree's top; the file is the oracle.
    name = own.partition("::")[2]
    passed = [each.partition("::")[2] for each in window.oracle.passed_ids]
    return None if any(name in (each, each.partition("[")[0]) for each in passed) else own


def build_evidence(
    about: Subject,
    window: Window,
    signer: Signer,
    files: Mapping[Side, Mapping[bytes, Entry]],
    tool: str,
) -> Evidence:
    """Return the evidence of a whole window; `files` are the entries of both trees."""
    assert window.stopped is None  # noqa: S101 - only whole windows are evidence
    return Evidence(
        tool=tool,
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
        domain=tuple(_domain_entries(about.domain)),
        reads=tuple(_reads(about, window, files[Side.BASE])),
        candidate_reads=tuple(_candidate_reads(about, window, files)),
        effects=_effects(window),
        plan=window.plan,
        runs=tuple(_evidence_run(run, signer, about.fixture_sha256) for run in window.runs),
        oracle_run=None if window.oracle is None else _oracle_run(window.oracle),
        environment=window.runs[0].observation.environment,
    )


def build_line(
    evidence: Evidence,
    named: Blake3 | None,
    answer: Variance,
    terms: Terms | None,
    renews: Blake3 | None = None,
) -> Classified:
    """Return the ledger line: a request where there are terms, else a classified fixture.

    `renews` is the landed freeze of the same key that the request takes the place of.
    """
    base, candidate = evidence.outcomes(Side.BASE), evidence.outcomes(Side.CANDIDATE)
    fails = (*base, *candidate).count(RunOutcome.FAIL)
    values: dict[str, Any] = {
        "property_id": evidence.property_id,
        "test_id": evidence.test_id,
        "fixture_path": evidence.fixture_path,
        "fixture_sha256": evidence.fixture_sha256,
        "oracle_path": evidence.oracle_path,
        "oracle_blob": evidence.oracle_blob,
        "seed": evidence.plan.hypothesis_seed,
        "base_rev": evidence.base_rev,
        "candidate_rev": evidence.candidate_rev,
        "base_runs": base,
        "candidate_runs": candidate,
        "runs": len(evidence.runs),
        "passes": len(evidence.runs) - fails,
        "fails": fails,
        "fail_signatures": evidence.fail_signatures,
        "variance": answer.variance,
        "freeze_eligible": answer.may_freeze,
        "status": answer.status,
        "reason": answer.reason,
        "patch_digest": evidence.patch_digest,
        "domain_digest": evidence.domain_digest,
        "evidence": named,
    }
    if terms is None:
        return Classified(**values)
    return Frozen(
        **{**values, "status": LineStatus.FROZEN},
        owner=terms.owner,
        expires_on=terms.expires_on,
        expires_after_commits=terms.expires_after_commits,
        renews=renews,
    )


def build_record(evidence: Evidence, line: Frozen) -> FreezeRecord:
    """Return the record of a request: the candidate's first run that passed, its first failed."""
    runs = [run for run in evidence.runs if run.side is Side.CANDIDATE]
    passed = next(run for run in runs if run.passed)
    failed = next(run for run in runs if not run.passed)
    shared = {key: getattr(line, key) for key in SHARED_KEYS}
    return FreezeRecord(
        **shared,
        disagreement=(_record_run(passed), _record_run(failed)),
        given=frozenset({*SHARED_KEYS, "disagreement"}),
    )


def _oracle_run(seen: FileObservation) -> OracleRun:
    return OracleRun(
        passed=seen.passed,
        failed=seen.failed + seen.other,  # one that is skipped did not pass
        independent=bool(seen.passed or seen.failed or seen.other),
    )


def _evidence_run(run: WindowRun, signer: Signer, fixture: Sha256) -> EvidenceRun:
    seen = run.observation
    return EvidenceRun(
        index=run.index,
        side=run.side,
        started_at=seen.started_at,
        duration_ms=seen.duration_ms,
        passed=seen.passed,
        exit_status=seen.exit_status,
        collected=seen.collected,
        signature=None if seen.failure is None else signer.sign(seen.failure),
        sha256_before=run.sha256_before or fixture,
        sha256_after=run.sha256_after or fixture,
    )


def _record_run(run: EvidenceRun) -> RecordRun:
    return RecordRun(
        index=run.index,
        passed=run.passed,
        exit_status=run.exit_status,
        collected=run.collected,
        fixture_sha256=run.sha256_before,
        signature=run.signature,
        started_at=run.started_at,
        duration_ms=run.duration_ms,
    )


def _domain_entries(domain: Domain) -> Iterator[DomainEntry]:
    for path, reached in domain.entries.items():
        entry = reached.entry
        blob = ObjectId(entry.hex) if entry else None
        yield DomainEntry(path=path, mode=entry.mode if entry else 0, blob=blob)


def _reads(about: Subject, window: Window, base_files: Mapping[bytes, Entry]) -> Iterator[ReadFile]:
    """Yield what the base runs opened, but for what is judged otherwise (SPEC section 3)."""
    for path in _opened(about, window, Side.BASE):
        entry = base_files.get(path.encode("utf-8", "surrogateescape"))
        if entry is not None:
            yield ReadFile(path=_nameable(path), blob=ObjectId(entry.hex))


def _candidate_reads(
    about: Subject, window: Window, files: Mapping[Side, Mapping[bytes, Entry]]
) -> Iterator[RepoPath]:
    """Yield which files of the patch the candidate's runs opened; the base may not have them."""
    for path in _opened(about, window, Side.CANDIDATE):
        raw = path.encode("utf-8", "surrogateescape")
        entry = files[Side.CANDIDATE].get(raw)
        if entry is not None and entry != files[Side.BASE].get(raw):
            yield _nameable(path)


def _opened(about: Subject, window: Window, side: Side) -> list[str]:
    parts = {reached.file for reached in about.domain.entries.values() if reached.part}
    left_out = {*parts, str(about.test_id.path)}
    opened = {path for run in window.runs if run.side is side for path in run.observation.reads}
    if side is Side.CANDIDATE and window.oracle is not None:
        opened.update(window.oracle.reads)
    return [path for path in sorted(opened - left_out) if not path.startswith(_OWN_FOLDER)]


def _nameable(path: str) -> RepoPath:
    try:
        return RepoPath(path)
    except ValueError as fault:
        msg = f"the runs read {path!a}, which no evidence can name: {fault}; rename that file"
        raise UsageError(msg) from None


def _effects(window: Window) -> tuple[EffectKind, ...]:
    kinds = {effect.kind for run in window.runs for effect in run.observation.effects}
    return tuple(sorted(EffectKind(kind) for kind in kinds))
