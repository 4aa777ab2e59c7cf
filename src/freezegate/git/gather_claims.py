"""What is read for each freeze that a patch asks for."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from pygit2.enums import ObjectType

from freezegate.formats.ledger import MAX_LEDGER_BYTES
from freezegate.formats.record import MAX_RECORD_BYTES, parse_record
from freezegate.git.documents import read_document
from freezegate.git.gather_evidence import gather_evidence
from freezegate.git.lfs import is_lfs_pointer
from freezegate.git.limits import MAX_ATTRIBUTES_BYTES, MAX_FIXTURE_BYTES, MAX_SOURCE_BYTES
from freezegate.git.trees import Snapshot
from freezegate.model.digests import Blake3, Sha256
from freezegate.model.ledger import Frozen
from freezegate.model.paths import RepoPath, fold
from freezegate.model.record import FreezeRecord
from freezegate.policy.claim import Claim, FileFacts
from freezegate.policy.claims import pair_claims
from freezegate.policy.guards import LEDGER_PATH, RECORD_PATH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.git.candidate import Candidate, Step
    from freezegate.git.gather_domains import DomainGatherer
    from freezegate.git.history import History
    from freezegate.git.store import ObjectStore
    from freezegate.model.digests import ObjectId
    from freezegate.model.entries import Entry
    from freezegate.model.evidence import Evidence
    from freezegate.model.ids import PropertyId
    from freezegate.model.ledger import LedgerEntry, LedgerLine
    from freezegate.policy.claim import ClaimedDomain, ClaimedEvidence
    from freezegate.policy.facts import Document, LedgerStep
    from freezegate.policy.settings import Policy


def read_record(store: ObjectStore, tree: Snapshot) -> Document[FreezeRecord]:
    """Read the record of a tree."""
    return read_document(store, tree, RECORD_PATH, MAX_RECORD_BYTES, parse_record)


class ClaimGatherer:
    """Read the facts of the claims in one step."""

    def __init__(
        self,
        store: ObjectStore,
        history: History,
        step: Step,
        candidate: Candidate,
        base: ObjectId | None,
        domains: DomainGatherer,
    ) -> None:
        """Read for the step from `base` to a candidate."""
        self._domains = domains
        self._store = store
        self._history = history
        self._step = step
        self._candidate = candidate
        self._base = base

    def gather(
        self, record: FreezeRecord | None, ledger: LedgerStep, policy: Policy
    ) -> tuple[Claim, ...]:
        """Return the claims of a changed record and of the added `frozen` lines."""
        pairs = pair_claims(record, ledger.added, ledger.landed)
        return tuple(self._claim(policy, record=one, request=other) for one, other in pairs)

    def _claim(
        self, policy: Policy, *, record: FreezeRecord | None, request: LedgerEntry | None
    ) -> Claim:
        step = self._step
        asked = record or (request.line if request else None)
        assert isinstance(asked, FreezeRecord | Frozen)  # noqa: S101 - one of both is given
        claimed_base = asked.base_rev or (
            request.line.base_rev if request and isinstance(request.line, Frozen) else None
        )
        distance = None
        if claimed_base and self._base:
            cap = policy.evidence.max_base_age_commits
            distance = self._history.distance(claimed_base, self._base, cap=cap)
        oracle = asked.oracle_path
        test = self._file(step.base_tree, asked.test_id.path)
        snapshot = RepoPath(f".freeze/snapshots/{asked.fixture_sha256}")
        line = request.line if request else None
        property_id = (isinstance(line, Frozen) and line.property_id) or asked.property_id
        domain = self._domains.claimed(oracle, asked.fixture_path, property_id, asked.test_id)
        return Claim(
            record=record,
            request=request,
            fixture=self._file(step.tree, asked.fixture_path, content=True),
            snapshot=self._file(step.tree, snapshot, content=True),
            oracle=self._file(step.tree, oracle),
            oracle_at_base=self._file(step.base_tree, oracle),
            oracle_at_merge_base=step.merge_base_tree.entry(oracle.raw),
            oracle_at_parents=tuple(
                Snapshot(self._store, self._store.commit(rev).tree).entry(oracle.raw)
                for rev in self._candidate.parents
            ),
            test=test,
            test_twins=self._file(step.tree, asked.test_id.path).twins,
            test_source=self._source(test),
            base_distance=distance,
            attributes=tuple(self._attributes(asked, domain)),
            domain=domain,
            evidence=self._evidence(asked, line, property_id, policy),
        )

    def _evidence(
        self,
        asked: FreezeRecord | Frozen,
        line: LedgerLine | None,
        property_id: PropertyId | None,
        policy: Policy,
    ) -> ClaimedEvidence | None:
        digest = (line.evidence if isinstance(line, Frozen) else None) or asked.evidence
        if digest is None:
            return None
        entry = self._domains.property(property_id)
        found = gather_evidence(self._store, self._step, policy, entry, digest)
        renews = line.renews if isinstance(line, Frozen) else None
        return replace(found, knows_renewed=self._knows(renews, found.evidence))

    def _knows(self, freeze: Blake3 | None, evidence: Evidence | None) -> bool:
        """Whether the evidence's base, which must lie behind T, has a freeze in its ledger."""
        if freeze is None or evidence is None or self._base is None:
            return False
        if self._history.distance(evidence.base_rev, self._base, cap=0) is None:
            return False
        tree = Snapshot(self._store, self._store.commit(evidence.base_rev).tree)
        entry = tree.entry(LEDGER_PATH)
        if entry is None or not entry.is_regular:
            return False
        data = self._store.blob(entry.oid, max_bytes=MAX_LEDGER_BYTES)
        return any(Blake3.of(raw) == freeze for raw in data.split(b"\n"))

    def _file(self, tree: Snapshot, path: RepoPath, *, content: bool = False) -> FileFacts:
        """What stands at a path, with links on the way, twins beside it and its digest if asked."""
        parts = path.raw.split(b"/")
        twins: list[bytes] = []
        for end in range(len(parts)):
            folder = b"/".join(parts[:end])
            above = tree.entry(folder) if folder else None
            if above and above.kind != "a folder":
                link = (folder.decode(), above)
                return FileFacts(path=path, entry=None, link=link)
            own = fold(parts[end])
            prefix = folder + b"/" if folder else b""
            others = tree.names(folder) - {parts[end]}
            twins += [prefix + name for name in others if fold(name) == own]
        entry = tree.entry(path.raw)
        if not content or entry is None or not entry.is_regular:
            return FileFacts(path=path, entry=entry, twins=tuple(sorted(twins)))
        size = self._store.size(entry.oid, ObjectType.BLOB)
        data = self._store.blob(entry.oid, max_bytes=MAX_FIXTURE_BYTES)
        return FileFacts(
            path=path,
            entry=entry,
            sha256=Sha256(hashlib.sha256(data).hexdigest()),
            size=size,
            is_lfs_pointer=is_lfs_pointer(data),
            twins=tuple(sorted(twins)),
        )

    def _source(self, test: FileFacts) -> bytes | None:
        if test.entry is None or not test.entry.is_regular:
            return None
        return self._store.blob(test.entry.oid, max_bytes=MAX_SOURCE_BYTES)

    def _attributes(
        self, asked: FreezeRecord | Frozen, domain: ClaimedDomain | None
    ) -> Iterator[tuple[bytes, bytes, bytes]]:
        """Folder, old and new text of each attributes file above what a freeze stands on."""
        paths = [asked.fixture_path.raw, asked.oracle_path.raw, asked.test_id.path.raw]
        if domain and any(path.endswith(b".gitattributes") for path in self._step.changes):
            present = (*domain.domain.present, *domain.reach.present)
            paths += [path.encode("utf-8", "surrogateescape") for path in present]
        folders = {b""}
        for path in (*paths, LEDGER_PATH):
            parts = path.split(b"/")[:-1]
            folders |= {b"/".join(parts[:end]) for end in range(1, len(parts) + 1)}
        for folder in sorted(folders):
            path = folder + b"/.gitattributes" if folder else b".gitattributes"
            old = self._step.base_tree.entry(path)
            new = self._step.tree.entry(path)
            if old or new:
                yield folder, self._attributes_text(old), self._attributes_text(new)

    def _attributes_text(self, entry: Entry | None) -> bytes:
        if entry is None or not entry.is_regular:
            return b""
        return self._store.blob(entry.oid, max_bytes=MAX_ATTRIBUTES_BYTES)
