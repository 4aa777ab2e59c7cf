"""The evidence file that a claim names: read in N, its reads compared with T and the patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.errors import DecodeError
from freezegate.formats.evidence import MAX_EVIDENCE_BYTES, parse_evidence
from freezegate.git.documents import read_bounded
from freezegate.model.digests import Blake3
from freezegate.policy.claim import ClaimedEvidence
from freezegate.policy.globs import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.git.candidate import Step
    from freezegate.git.store import ObjectStore
    from freezegate.model.catalog import Property
    from freezegate.model.evidence import Evidence
    from freezegate.model.paths import RepoPath
    from freezegate.policy.settings import Policy


def gather_evidence(
    store: ObjectStore, step: Step, policy: Policy, entry: Property | None, digest: Blake3
) -> ClaimedEvidence:
    """Return what the evidence file of this digest says, as far as it can be read.

    Raises Unanswerable where an object is missing.
    """
    path = f".freeze/evidence/{digest.hex}.json"
    found = step.tree.entry(path.encode())
    evidence, fault, fits = None, None, False
    if found is not None:
        try:
            data = read_bounded(store, found, MAX_EVIDENCE_BYTES)
            fits = Blake3.of(data) == digest
            evidence = parse_evidence(data)
        except DecodeError as error:
            fault = error
    return ClaimedEvidence(
        path=path,
        evidence=evidence,
        fault=fault,
        digest_fits=fits,
        stale_reads=tuple(_stale(step, evidence)) if evidence else (),
        changed_reads=tuple(_changed(step, evidence, policy, entry)) if evidence else (),
    )


def _stale(step: Step, evidence: Evidence) -> Iterator[RepoPath]:
    for read in evidence.reads:
        entry = step.base_tree.entry(read.path.raw)
        if entry is None or entry.hex != read.blob:
            yield read.path


def _changed(
    step: Step, evidence: Evidence, policy: Policy, entry: Property | None
) -> Iterator[RepoPath]:
    declared = {*(entry.fixtures if entry else ()), evidence.fixture_path}
    paths = (*(read.path for read in evidence.reads), *evidence.candidate_reads)
    for path in dict.fromkeys(paths):
        if path.raw not in step.changes or path in declared:
            continue
        if not matches(policy.subject_paths, path.raw):
            yield path
