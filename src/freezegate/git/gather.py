"""Gather the facts of one step: read at T what judges, at N what asks, and decide nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from datetime import datetime

from pygit2.enums import ObjectType

from freezegate.errors import DecodeError
from freezegate.formats.evidence import MAX_EVIDENCE_BYTES, parse_evidence
from freezegate.formats.ledger import MAX_LEDGER_BYTES, parse_ledger
from freezegate.formats.policy import built_in
from freezegate.git.base import TrustedBase
from freezegate.git.candidate import Candidate, Step, find_merge_base, step_on_base
from freezegate.git.documents import read_bounded, read_judges, read_policy, read_record
from freezegate.git.history import History
from freezegate.git.store import ObjectStore
from freezegate.git.trees import Snapshot
from freezegate.model.digests import Blake3, ObjectId, Sha256
from freezegate.model.entries import REGULAR_MODES, Change, Entry
from freezegate.model.globs import Glob
from freezegate.model.ledger import BadLine, Frozen, LedgerEntry
from freezegate.model.paths import RepoPath, fold
from freezegate.model.record import FreezeRecord
from freezegate.model.verdict import Base
from freezegate.policy.claims import pair_claims
from freezegate.policy.digests import patch_digest
from freezegate.policy.facts import Claim, Facts, FileFacts, Judges, KeptFile, LedgerStep, Place
from freezegate.policy.globs import matches
from freezegate.policy.guards import (
    CATALOG_PATH,
    EVIDENCE,
    KEPT_FILES,
    LEDGER_PATH,
    POLICY_PATH,
    RECORD_PATH,
    SNAPSHOT,
    is_guarded,
    may_be_ci_file,
)
from freezegate.policy.lifetimes import open_freezes
from freezegate.policy.settings import Policy, Preset

MAX_FIXTURE_BYTES = 64 * 1024 * 1024  # what may be hashed for one freeze
MAX_SOURCE_BYTES = 2 * 1024 * 1024  # far beyond any test module
MAX_CI_FILE_BYTES = 1024 * 1024
MAX_ATTRIBUTES_BYTES = 1024 * 1024
_LFS = b"version https://git-lfs.github.com/spec/"


class Gatherer:
    """Read the facts of steps in one repository."""

    def __init__(self, store: ObjectStore, history: History) -> None:
        """Read objects through the store and ancestry through the history."""
        self._store = store
        self._history = history

    def gather(
        self, candidate: Candidate, base: TrustedBase, *, now: datetime, place: Place
    ) -> Facts:
        """Return all that a decision on this step may look at; `now` is an aware UTC time.

        Raises Unanswerable where something cannot be read, HostileObject for forged objects.
        """
        limit = self._max_changes(base)
        merge_base, single = find_merge_base(self._history, candidate, base.rev)
        step = step_on_base(
            self._store, candidate, base.rev, merge_base, single=single, max_changes=limit
        )
        judges = read_judges(self._store, step.base_tree)
        policy = judges.policy.value or built_in(Preset.STANDARD)
        ci_judges = frozenset(self._ci_judges(step.changes))
        new_judges = self._new_judges(step, judges)
        ledger = self._ledger(step)
        record = read_record(self._store, step.tree)
        changed = record.entry != step.base_tree.entry(RECORD_PATH)
        pairs = pair_claims(record.value if changed else None, ledger.added)
        return Facts(
            now=now,
            place=place,
            base=Base(rev=base.rev, source=base.source),
            parent_only=base.parent_only,
            candidate=candidate.rev,
            has_parent=bool(candidate.parents),
            nothing_new=step.nothing_new,
            judges=judges,
            new_judges=new_judges,
            ci_judges=ci_judges,
            unmatched=tuple(self._unmatched(step, judges, new_judges)),
            changes=step.changes,
            clashes=tuple(self._clashes(step, policy, ci_judges)),
            divided=step.divided,
            ledger=ledger,
            record=record,
            record_changed=changed,
            kept_files=tuple(self._kept_files(step.changes)),
            twins_of_freeze=tuple(self._twins_of_freeze(step)),
            claims=tuple(
                self._claim(step, candidate, base.rev, policy, record=r, request=q)
                for r, q in pairs
            ),
            age_commits=self._ages(ledger, base.rev, policy, now),
            patch_digest=patch_digest(step.changes.values()),
        )

    def _max_changes(self, base: TrustedBase) -> int:
        """The entry budget stands in T's policy, so it is read before anything is compared."""
        if base.rev is None:
            return built_in(Preset.STANDARD).max_changed_entries
        tree = Snapshot(self._store, self._store.commit(base.rev).tree)
        policy = read_policy(self._store, tree).value
        return (policy or built_in(Preset.STRICT)).max_changed_entries

    def _ci_judges(self, changes: Mapping[bytes, Change]) -> Iterator[bytes]:
        """Changed CI files that call freezegate, before the patch or after it."""
        for path, change in changes.items():
            if not may_be_ci_file(path):
                continue
            for entry in (change.old, change.new):
                if entry and entry.mode in REGULAR_MODES and self._mentions_us(entry):
                    yield path

    def _mentions_us(self, entry: Entry) -> bool:
        size = self._store.size(entry.oid, ObjectType.BLOB)
        if size > MAX_CI_FILE_BYTES:
            return True
        return b"freezegate" in self._store.blob(entry.oid, max_bytes=MAX_CI_FILE_BYTES)

    def _new_judges(self, step: Step, judges: Judges) -> Judges:
        """The judges as the patch leaves them; read anew only where it touches one."""
        touched = any(p in KEPT_FILES or p.split(b"/")[0] == b".freeze" for p in step.changes)
        return read_judges(self._store, step.tree) if touched else judges

    def _unmatched(
        self, step: Step, judges: Judges, new: Judges
    ) -> Iterator[tuple[bytes, str, str]]:
        """Globs of a changed policy and paths of a changed catalogue that match nothing in N."""
        policy, catalog = new.policy.value, new.catalog.value
        if policy and new.policy.entry != judges.policy.entry:
            waiting = dict.fromkeys(_globs(policy))
            for path, _ in step.tree.files():
                for where, glob in [
                    w for w in waiting if matches((Glob(w[1].removeprefix("!")),), path)
                ]:
                    del waiting[where, glob]
                if not waiting:
                    break
            yield from ((POLICY_PATH, where, glob) for where, glob in waiting)
        if catalog and new.catalog.entry != judges.catalog.entry:
            for entry in catalog.properties.values():
                for named in (entry.oracle, entry.test.path, *entry.fixtures):
                    found = step.tree.entry(named.raw)
                    if found is None or not found.is_regular:
                        yield CATALOG_PATH, f"property.{entry.property_id}", named

    def _clashes(self, step: Step, policy: Policy, ci_judges: frozenset[bytes]) -> Iterator[bytes]:
        """Guarded paths in which candidate, T and merge base all differ."""
        for path, change in step.changes.items():
            at_merge_base = step.moved[path].old
            if at_merge_base != change.old and is_guarded(path, policy, ci_judges):
                yield path

    def _ledger(self, step: Step) -> LedgerStep:
        """T's ledger, and what the candidate adds behind the ledger that it started from."""
        landed = self._ledger_bytes(step.base_tree.entry(LEDGER_PATH))
        landed_lines = (
            (_damaged_ledger(landed),)
            if isinstance(landed, DecodeError)
            else parse_ledger(landed, canonical=False)
        )
        entry = step.candidate_tree.entry(LEDGER_PATH)
        started = step.merge_base_tree.entry(LEDGER_PATH)
        if entry == started:
            return LedgerStep(landed=landed_lines, added=(), appends=True, entry=entry)
        now = self._ledger_bytes(entry)
        before = self._ledger_bytes(started)
        if isinstance(now, DecodeError):
            return LedgerStep(
                landed=landed_lines, added=(_damaged_ledger(now),), appends=True, entry=entry
            )
        lines = tuple(now.split(b"\n"))
        damaged = any(isinstance(line, BadLine) for line in landed_lines)
        if isinstance(before, DecodeError) or isinstance(landed, DecodeError) or damaged:
            return LedgerStep(
                landed=landed_lines,
                added=parse_ledger(now, canonical=False),
                appends=False,
                entry=entry,
                candidate_lines=lines,
            )
        appends = now.startswith(before)
        first = landed.count(b"\n") + 1
        added = parse_ledger(now.removeprefix(before), first_line=first) if appends else ()
        return LedgerStep(
            landed=landed_lines, added=added, appends=appends, entry=entry, candidate_lines=lines
        )

    def _ledger_bytes(self, entry: Entry | None) -> bytes | DecodeError:
        if entry is None:
            return b""
        try:
            return read_bounded(self._store, entry, MAX_LEDGER_BYTES)
        except DecodeError as error:
            return error

    def _kept_files(self, changes: Mapping[bytes, Change]) -> Iterator[KeptFile]:
        """Changed paths under `.freeze/`, and whether their names fit their bytes."""
        for path, change in changes.items():
            if path.split(b"/", 1)[0] != b".freeze":
                continue
            fits, fault = None, None
            if change.new and change.new.is_regular:
                fits, fault = self._named_by_digest(path, change.new)
            yield KeptFile(path=path, old=change.old, new=change.new, digest_fits=fits, fault=fault)

    def _named_by_digest(self, path: bytes, entry: Entry) -> tuple[bool | None, DecodeError | None]:
        if snapshot := SNAPSHOT.fullmatch(path):
            data = self._store.blob(entry.oid, max_bytes=MAX_FIXTURE_BYTES)
            return hashlib.sha256(data).hexdigest().encode() == snapshot[1], None
        if evidence := EVIDENCE.fullmatch(path):
            try:
                data = read_bounded(self._store, entry, MAX_EVIDENCE_BYTES)
                parse_evidence(data)
            except DecodeError as fault:
                return None, fault
            return Blake3.of(data).hex.encode() == evidence[1], None
        return None, None

    def _twins_of_freeze(self, step: Step) -> Iterator[tuple[bytes, bytes]]:
        """Added paths that a case-blind file system takes for `.freeze/` or a file in it."""
        for path, change in step.changes.items():
            if change.new is None:
                continue
            folded = fold(path)
            if path.split(b"/")[0] != b".freeze":
                if folded == ".freeze" or folded.startswith(".freeze/"):
                    yield path, b".freeze"
            else:
                for kept in KEPT_FILES - {path}:
                    if folded == kept.decode():
                        yield path, kept

    def _ages(
        self, ledger: LedgerStep, base: ObjectId | None, policy: Policy, now: datetime
    ) -> dict[ObjectId, int | None]:
        """How many commits T is ahead of the base of each freeze that may still be active."""
        if base is None:
            return {}
        cap = policy.freeze.max_lifetime_commits
        revs = {frozen.base_rev for _, frozen in open_freezes(ledger.landed, now)}
        return {rev: self._history.distance(rev, base, cap=cap) for rev in revs}

    def _claim(
        self,
        step: Step,
        candidate: Candidate,
        base: ObjectId | None,
        policy: Policy,
        *,
        record: FreezeRecord | None,
        request: LedgerEntry | None,
    ) -> Claim:
        asked = record or (request.line if request else None)
        assert isinstance(asked, FreezeRecord | Frozen)  # noqa: S101 - one of both is given
        claimed_base = asked.base_rev or (
            request.line.base_rev if request and isinstance(request.line, Frozen) else None
        )
        distance = None
        if claimed_base and base:
            cap = policy.evidence.max_base_age_commits
            distance = self._history.distance(claimed_base, base, cap=cap)
        oracle = asked.oracle_path
        test = self._file(step.base_tree, asked.test_id.path)
        snapshot = RepoPath(f".freeze/snapshots/{asked.fixture_sha256}")
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
                for rev in candidate.parents
            ),
            test=test,
            test_source=self._source(test),
            base_distance=distance,
            attributes=tuple(self._attributes(step, asked)),
        )

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
            is_lfs_pointer=size < 1024 and data.startswith(_LFS),
            twins=tuple(sorted(twins)),
        )

    def _source(self, test: FileFacts) -> bytes | None:
        if test.entry is None or not test.entry.is_regular:
            return None
        return self._store.blob(test.entry.oid, max_bytes=MAX_SOURCE_BYTES)

    def _attributes(
        self, step: Step, asked: FreezeRecord | Frozen
    ) -> Iterator[tuple[bytes, bytes, bytes]]:
        """Folder, old and new text of each attributes file above fixture, oracle and test."""
        paths = (asked.fixture_path.raw, asked.oracle_path.raw, asked.test_id.path.raw)
        folders = {b""}
        for path in (*paths, LEDGER_PATH):
            parts = path.split(b"/")[:-1]
            folders |= {b"/".join(parts[:end]) for end in range(1, len(parts) + 1)}
        for folder in sorted(folders):
            path = folder + b"/.gitattributes" if folder else b".gitattributes"
            old, new = step.base_tree.entry(path), step.tree.entry(path)
            if old or new:
                yield folder, self._attributes_text(old), self._attributes_text(new)

    def _attributes_text(self, entry: Entry | None) -> bytes:
        if entry is None or not entry.is_regular:
            return b""
        return self._store.blob(entry.oid, max_bytes=MAX_ATTRIBUTES_BYTES)


def _globs(policy: Policy) -> Iterator[tuple[str, str]]:
    for table, globs in (
        ("subject", policy.subject_paths),
        ("oracle", policy.oracle_paths),
        ("domain", policy.domain_paths),
        ("fixtures", policy.fixture_paths),
        ("protected", policy.protected_paths),
    ):
        yield from ((f"{table}.paths", glob) for glob in globs)


def _damaged_ledger(error: DecodeError) -> BadLine:
    return BadLine(number=1, raw=b"", error=error)
