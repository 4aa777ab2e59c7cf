"""Skip markers, ours and others, that stand on once frozen tests after a step without a freeze."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from freezegate.errors import DecodeError, Unanswerable
from freezegate.git.documents import read_bounded
from freezegate.git.domain_tree import DomainTree, ReadBlobs
from freezegate.git.limits import MAX_SOURCE_BYTES
from freezegate.git.trees import Snapshot
from freezegate.policy.lifetimes import active_freezes, ended_ids, freezes_over, frozen_lines
from freezegate.policy.marked_tests import MARK, find_mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from freezegate.git.candidate import Step
    from freezegate.git.store import ObjectStore
    from freezegate.model.catalog import Catalog
    from freezegate.model.digests import Blake3, ObjectId
    from freezegate.model.ledger import Frozen
    from freezegate.policy.facts import LedgerStep
    from freezegate.policy.lifetimes import Landed
    from freezegate.policy.marked_tests import Place
    from freezegate.policy.settings import FreezeSettings


class StaleMarkers:
    """Look for the markers of landed freezes; `catalogs` are T's and N's."""

    def __init__(
        self, store: ObjectStore, step: Step, ledger: LedgerStep, catalogs: Iterable[Catalog | None]
    ) -> None:
        """Read nothing yet: most steps touch no test of a freeze."""
        self._store, self._step, self._ledger = store, step, ledger
        self._catalogs = tuple(catalogs)
        self._read: dict[tuple[bytes, str], bytes] = {}

    def gather(
        self, ages: Mapping[ObjectId, int | None], settings: FreezeSettings, now: datetime
    ) -> Mapping[Blake3, Place]:
        """Return the freezes that are over, with the place of a marker that stands for each."""
        return dict(self._found(active_freezes(self._ledger.landed, now, ages, settings)))

    def _found(self, active: tuple[Landed, ...]) -> Iterator[tuple[Blake3, Place]]:
        ended, long_ended = ended_ids(self._ledger.added), ended_ids(self._ledger.landed)
        covered: set[str | None] = {None}
        covered |= {line.property_id for entry, line in active if entry.freeze_id not in ended}
        covered |= {line.property_id for _, line in frozen_lines(self._ledger.added)}
        # Under several names, the last freeze of a property is whose end its marker outlives.
        last = {line.property_id: entry for entry, line in frozen_lines(self._ledger.landed)}
        for entry, line in freezes_over(self._ledger.landed, self._ledger.added, active):
            sources = self._sources(self._step.tree, self._places(line))
            by_property = line.property_id not in covered and entry is last[line.property_id]
            place = find_mark(sources, line, by_property=by_property)
            if place is None and (entry.freeze_id not in long_ended or self._touches(line)):
                place = self._left_skip(line)
            if place is not None:
                yield entry.freeze_id, place

    def _touches(self, line: Frozen) -> bool:
        return line.test_id.path.raw in self._step.changes

    def _left_skip(self, line: Frozen) -> Place | None:
        """Return what skips the test without naming the freeze, which licensed that as well."""
        from freezegate.policy.mutes.left_skips import left_skip

        read = ReadBlobs({}, {})
        try:
            root = self._store.commit(line.base_rev).tree
            witnessed = DomainTree(self._store, Snapshot(self._store, root), read)
        except Unanswerable:  # a base that is not here
            witnessed = None
        old, new = (
            DomainTree(self._store, tree, read) for tree in (self._step.base_tree, self._step.tree)
        )
        return left_skip(line.test_id, witnessed, old, new)

    def _places(self, line: Frozen) -> tuple[str, ...]:
        """Return where a freeze's marker may stand: by its line, the catalogues, and the patch."""
        name = line.property_id
        entries = (each.properties.get(name) for each in self._catalogs if each and name)
        named = (str(entry.test.path) for entry in entries if entry is not None)
        return tuple(dict.fromkeys((str(line.test_id.path), *named, *self._marked)))

    @cached_property
    def _marked(self) -> tuple[str, ...]:
        found = self._sources(self._step.tree, self._changed)
        return tuple(path for path, source in found.items() if MARK in source)

    @cached_property
    def _changed(self) -> tuple[str, ...]:
        paths = (path for path in self._step.changes if path.endswith(b".py"))
        return tuple(path.decode("utf-8", "surrogateescape") for path in paths)

    def _sources(self, tree: Snapshot, paths: Iterable[str]) -> dict[str, bytes]:
        return {path: self._source(tree, path) for path in paths}

    def _source(self, tree: Snapshot, path: str) -> bytes:
        entry = tree.entry(path.encode("utf-8", "surrogateescape"))
        if entry is None or not entry.is_regular:
            return b""
        if (entry.oid, path) not in self._read:
            try:
                source = read_bounded(self._store, entry, MAX_SOURCE_BYTES)
            except DecodeError:  # nobody's test: far larger than what any person wrote
                source = b""
            self._read[entry.oid, path] = source
        return self._read[entry.oid, path]
