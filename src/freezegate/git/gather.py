"""Gather the facts of one step: read at T what judges, at N what asks, and decide nothing."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, cast

from pygit2.enums import ObjectType

from freezegate.formats.policy import built_in
from freezegate.git.candidate import find_merge_base, step_on_base
from freezegate.git.documents import read_judges, read_policy
from freezegate.git.limits import MAX_CI_FILE_BYTES, MAX_FIXTURE_BYTES
from freezegate.git.trees import Snapshot
from freezegate.git.twins import gather_twins
from freezegate.model.digests import Sha256
from freezegate.model.entries import REGULAR_MODES
from freezegate.model.globs import Glob
from freezegate.model.verdict import Base
from freezegate.policy.digests import patch_digest
from freezegate.policy.facts import Facts, LedgerStep
from freezegate.policy.globs import matches
from freezegate.policy.guards import (
    CATALOG_PATH,
    FOLDER,
    LEDGER_PATH,
    POLICY_PATH,
    RECORD_PATH,
    is_guarded,
    may_be_ci_file,
    may_mute,
)
from freezegate.policy.settings import Preset, Weight

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from freezegate.git.base import TrustedBase
    from freezegate.git.candidate import Candidate, Step
    from freezegate.git.history import History
    from freezegate.git.store import ObjectStore
    from freezegate.model.digests import Blake3, ObjectId
    from freezegate.model.entries import Change, Entry
    from freezegate.model.paths import RepoPath
    from freezegate.model.record import FreezeRecord
    from freezegate.policy.claim import Claim
    from freezegate.policy.facts import Document, Judges, KeptFile, Place, Voided
    from freezegate.policy.marked_tests import Place as MarkedPlace
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.settings import Policy

_MAX_RELOCKED = 1000  # a first lock may have a hundred thousand lines


class Gatherer:
    """Read the facts of steps in one repository."""

    def __init__(
        self, store: ObjectStore, history: History, *, max_changes: int | None = None
    ) -> None:
        """Read objects through the store and ancestry through the history.

        `max_changes` stands in for T's entry budget: on a host the administrator's alone counts.
        """
        self._store = store
        self._history = history
        self._own_limit = max_changes

    def gather(
        self,
        candidate: Candidate,
        base: TrustedBase,
        *,
        now: datetime,
        place: Place,
        known_refs: Callable[[], tuple[str, ...]],
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
        record, claims = self._asked(step, candidate, base, ledger, judges)
        ages = self._ages(ledger, base.rev, policy, now)
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
            target=base.name,
            # Thousands of refs are looked through only where their names are told.
            known_refs=known_refs() if base.parent_only or POLICY_PATH in step.changes else (),
            stale_locks=tuple(self._stale_locks(step, judges, new_judges)),
            changes=step.changes,
            clashes=tuple(self._clashes(step, policy, ci_judges)),
            divided=step.divided,
            behind=single and merge_base != base.rev,
            ledger=ledger,
            record=record,
            kept_files=self._kept_files(step.changes),
            twins=tuple(gather_twins(step.tree, step.changes)),
            claims=claims,
            age_commits=ages,
            patch_digest=patch_digest(step.changes.values()) if claims else None,
            voided=self._voided(step, ledger, (judges, new_judges), now),
            stale_markers=self._stale_markers(step, ledger, (judges, new_judges), ages, now),
            mutes=self._mutes(step, policy) if base.rev else (),  # the first tests mute none
            standard=built_in(Preset.STANDARD),
        )

    def _max_changes(self, base: TrustedBase) -> int:
        """The entry budget stands in T's policy, so it is read before anything is compared."""
        if self._own_limit is not None:
            return self._own_limit
        if base.rev is None:
            return built_in(Preset.STANDARD).max_changed_entries
        tree = Snapshot(self._store, self._store.commit(base.rev).tree)
        policy = read_policy(self._store, tree).value
        return (policy or built_in(Preset.STRICT)).max_changed_entries

    def _ci_judges(self, changes: Mapping[bytes, Change]) -> Iterator[bytes]:
        """Changed CI files that call freezegate, or a hook manager that may, before or after."""
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
        text = self._store.blob(entry.oid, max_bytes=MAX_CI_FILE_BYTES)
        return any(word in text for word in (b"freezegate", b"pre-commit", b"prek"))

    def _new_judges(self, step: Step, judges: Judges) -> Judges:
        """The judges as the patch leaves them; read anew only where it touches one."""
        touched = any(p.split(b"/")[0] == FOLDER for p in step.changes)
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

    def _stale_locks(
        self, step: Step, judges: Judges, new: Judges
    ) -> Iterator[tuple[bytes, Sha256, Sha256]]:
        """Files that the lock, as the patch leaves it, holds under another digest.

        Only those whose bytes or whose line the patch changes; of lines, the first thousand.
        """
        locked, limit = new.lock.value or {}, MAX_FIXTURE_BYTES
        before = judges.lock.value or {}
        relocked = (path.raw for path, digest in locked.items() if before.get(path) != digest)
        paths = dict.fromkeys((*step.changes, *islice(relocked, _MAX_RELOCKED)))
        for path in paths:
            claimed = locked.get(cast("RepoPath", path.decode("utf-8", "replace")))
            entry = step.tree.entry(path) if claimed is not None else None
            if claimed is None or entry is None or not entry.is_regular:
                continue
            if self._store.size(entry.oid, ObjectType.BLOB) > limit:
                continue  # a warning is no reason to give no answer on a patch with a huge file
            data = self._store.blob(entry.oid, max_bytes=MAX_FIXTURE_BYTES)
            actual = _digest(data)
            if actual != claimed:
                yield path, claimed, actual

    def _clashes(self, step: Step, policy: Policy, ci_judges: frozenset[bytes]) -> Iterator[bytes]:
        """Guarded paths in which candidate, T and merge base all differ."""
        for path, change in step.changes.items():
            at_merge_base = step.moved[path].old
            if at_merge_base != change.old and is_guarded(path, policy, ci_judges):
                yield path

    # What most patches do not touch is not even imported: a hook runs at every commit.

    def _ledger(self, step: Step) -> LedgerStep:
        entry = step.candidate_tree.entry(LEDGER_PATH)
        if entry is None and step.base_tree.entry(LEDGER_PATH) is None:
            started = step.merge_base_tree.entry(LEDGER_PATH)
            return LedgerStep(landed=(), added=(), appends=started is None, entry=None)
        from freezegate.git.gather_ledger import gather_ledger

        return gather_ledger(self._store, step)

    def _ages(
        self, ledger: LedgerStep, base: ObjectId | None, policy: Policy, now: datetime
    ) -> dict[ObjectId, int | None]:
        if not ledger.landed:
            return {}
        from freezegate.git.gather_ledger import gather_ages

        cap = policy.freeze.max_lifetime_commits
        return gather_ages(self._history, ledger.landed, base, now, cap=cap)

    def _asked(
        self,
        step: Step,
        candidate: Candidate,
        base: TrustedBase,
        ledger: LedgerStep,
        judges: Judges,
    ) -> tuple[Document[FreezeRecord] | None, tuple[Claim, ...]]:
        """The record, None where the patch leaves it as it is, and all that asks for a freeze."""
        changed = step.tree.entry(RECORD_PATH) != step.base_tree.entry(RECORD_PATH)
        if not changed and not ledger.added:
            return None, ()
        from freezegate.git.gather_claims import ClaimGatherer, read_record
        from freezegate.git.gather_domains import DomainGatherer

        policy = judges.policy.value or built_in(Preset.STANDARD)
        domains = DomainGatherer(self._store, step, policy, judges.catalog.value)
        record = read_record(self._store, step.tree) if changed else None
        gatherer = ClaimGatherer(self._store, self._history, step, candidate, base.rev, domains)
        return record, gatherer.gather(record.value if record else None, ledger, policy)

    def _voided(
        self,
        step: Step,
        ledger: LedgerStep,
        judges: tuple[Judges, Judges],
        now: datetime,
    ) -> dict[Blake3, Voided]:
        policy = judges[0].policy.value
        if not ledger.landed or policy is None:
            return {}
        from freezegate.git.gather_domains import DomainGatherer, gather_voids

        domains = DomainGatherer(self._store, step, policy, judges[0].catalog.value)
        return gather_voids(domains, step, ledger, judges, now)

    def _stale_markers(
        self,
        step: Step,
        ledger: LedgerStep,
        judges: tuple[Judges, Judges],
        ages: Mapping[ObjectId, int | None],
        now: datetime,
    ) -> Mapping[Blake3, MarkedPlace]:
        policy = judges[0].policy.value
        if not ledger.landed or policy is None:
            return {}
        from freezegate.git.gather_stale_markers import StaleMarkers

        catalogs = [each.catalog.value for each in judges]
        gatherer = StaleMarkers(self._store, step, ledger, catalogs)
        return gatherer.gather(ages, policy.freeze, now)

    def _mutes(self, step: Step, policy: Policy) -> tuple[Mute, ...]:
        asked = any(weight is not Weight.OFF for weight in policy.mutes.values())
        if step.divided or not asked or not any(may_mute(path) for path in step.changes):
            return ()
        from freezegate.git.gather_mutes import gather_mutes

        return gather_mutes(self._store, step, policy)

    def _kept_files(self, changes: Mapping[bytes, Change]) -> tuple[KeptFile, ...]:
        if not any(path.startswith(FOLDER) for path in changes):
            return ()
        from freezegate.git.gather_kept import gather_kept_files

        return tuple(gather_kept_files(self._store, changes))


def _globs(policy: Policy) -> Iterator[tuple[str, str]]:
    for table, globs in (
        ("subject", policy.subject_paths),
        ("oracle", policy.oracle_paths),
        ("domain", policy.domain_paths),
        ("fixtures", policy.fixture_paths),
        ("protected", policy.protected_paths),
    ):
        yield from ((f"{table}.paths", glob) for glob in globs)


def _digest(data: bytes) -> Sha256:
    from hashlib import sha256

    return Sha256(sha256(data).hexdigest())
