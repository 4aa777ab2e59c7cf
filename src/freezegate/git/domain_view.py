"""The domain of an oracle as people ask for it: at a revision, and between two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.git.documents import read_judges
from freezegate.git.domain_tree import DomainTree, ReadBlobs
from freezegate.git.trees import Snapshot, compare_trees
from freezegate.model.entries import EMPTY_TREE
from freezegate.policy.domain.changes import changed_in
from freezegate.policy.domain.config import resolve_config
from freezegate.policy.domain.resolve import resolve_domain

if TYPE_CHECKING:
    from freezegate.git.session import Session
    from freezegate.model.catalog import Property
    from freezegate.model.digests import ObjectId
    from freezegate.model.domain import Domain, DomainChange
    from freezegate.model.paths import RepoPath
    from freezegate.policy.domain.config import Config
    from freezegate.policy.facts import Judges
    from freezegate.policy.settings import Policy


class DomainView:
    """One revision's judges and tree, from which domains are resolved; None for the empty tree."""

    def __init__(self, session: Session, rev: ObjectId | None) -> None:
        """Read the judges of a revision; raises Unanswerable where objects are missing."""
        self._session = session
        self.root = session.store.commit(rev).tree if rev else EMPTY_TREE
        self._read = ReadBlobs({}, {})
        self._snapshot = Snapshot(session.store, self.root)
        self.judges: Judges = read_judges(session.store, self._snapshot)

    def is_file(self, path: RepoPath) -> bool:
        """Say whether a regular file stands at a path."""
        entry = self._snapshot.entry(path.raw)
        return entry is not None and entry.is_regular

    def file_id(self, path: RepoPath) -> str:
        """Return what tells a file from another one: its mode and blob, empty where none stands."""
        entry = self._snapshot.entry(path.raw)
        return f"{entry.mode:o} {entry.hex}" if entry else ""

    def domain(
        self, policy: Policy, oracle: RepoPath, entry: Property | None, fixture: RepoPath | None
    ) -> Domain:
        """Return the domain of an oracle in this revision."""
        tree = DomainTree(self._session.store, self._snapshot, self._read)
        return resolve_domain(tree, policy, oracle, entry, fixture)

    def config(self, path: RepoPath) -> Config:
        """Return pytest's configuration for a test file in this revision."""
        tree = DomainTree(self._session.store, self._snapshot, self._read)
        return resolve_config(tree, path.rpartition("/")[0])

    def changes_since(
        self, base: DomainView, domain: Domain, policy: Policy
    ) -> tuple[DomainChange, ...]:
        """Return what this revision changes of a domain that was resolved at `base`."""
        patch = compare_trees(
            self._session.store, base.root, self.root, max_changes=policy.max_changed_entries
        )
        tree = DomainTree(self._session.store, self._snapshot, self._read)
        return changed_in(domain, patch, tree, policy)
