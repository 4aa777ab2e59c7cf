"""One opened repository with all that reads from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from freezegate.errors import Unanswerable
from freezegate.git.base import TargetSearch, TrustedBase, parent_base, resolve_commit
from freezegate.git.candidate import Candidate, commit_candidate, index_candidate
from freezegate.git.gather import Gatherer
from freezegate.git.history import History
from freezegate.git.repository import open_repository
from freezegate.git.store import ObjectStore
from freezegate.git.trees import compare_trees
from freezegate.model.entries import EMPTY_TREE
from freezegate.policy.guards import is_request_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    import pygit2

    from freezegate.policy.facts import Facts, Place


class Session(NamedTuple):
    """The repository as one command sees it."""

    repository: pygit2.Repository
    store: ObjectStore
    history: History

    @classmethod
    def open(cls, environ: Mapping[str, str]) -> Session:
        """Open the repository that git means here; raises Unanswerable."""
        repository = open_repository(environ)
        store = ObjectStore(repository)
        return cls(repository, store, History(repository, store))

    def branch(self, revision: str | None) -> str | None:
        """Return the full name of the branch that a revision names, HEAD's for None."""
        if revision is None or revision == "HEAD":
            head = self.repository.lookup_reference("HEAD").target
            return head if isinstance(head, str) else None
        for name in (revision, f"refs/heads/{revision}"):
            if name.startswith("refs/heads/") and self._has_ref(name):
                return name
        return None

    def candidate(self, revision: str | None, *, staged: bool) -> Candidate:
        """Return the index, or the commit that a revision names (HEAD for None)."""
        if staged:
            return index_candidate(self.repository, self.store)
        if revision is None and self.repository.head_is_unborn:
            raise Unanswerable(
                "repository.bad_revision",
                got="a branch without commits",
                expected="a commit, or --staged to check what will be the first one",
                remedy="freezegate check --staged",
            )
        rev = resolve_commit(self.repository, self.store, "HEAD" if revision is None else revision)
        return commit_candidate(self.store, self.history, rev)

    def trusted_base(self, candidate: Candidate, branch: str | None) -> TrustedBase:
        """Return the target's tip as T, or HEAD^ where no target is known."""
        found = TargetSearch(self.repository, self.store, self.history).find(branch)
        if found:
            return found
        return parent_base(
            self.history,
            candidate.parents,
            one_further=self._only_asks(candidate),
            staged=candidate.rev is None,
        )

    def named_base(self, revision: str, source: str) -> TrustedBase:
        """Return T as somebody named it."""
        rev = resolve_commit(self.repository, self.store, revision)
        return TrustedBase(rev=rev, source=source)

    def gather(
        self, candidate: Candidate, base: TrustedBase, *, now: datetime, place: Place
    ) -> Facts:
        """Return the facts of the step from T to the candidate."""
        return Gatherer(self.store, self.history).gather(candidate, base, now=now, place=place)

    def _has_ref(self, name: str) -> bool:
        try:
            return name in self.repository.references
        except ValueError:  # a name that git refuses, or bytes that are no text
            return False

    def _only_asks(self, candidate: Candidate) -> bool:
        """Whether the last commit, or the index, changes nothing but the files of a request."""
        changed: Iterable[bytes] = candidate.overlay
        if candidate.rev is not None:
            parent = candidate.parents[0] if candidate.parents else None
            old = self.store.commit(parent).tree if parent else EMPTY_TREE
            changed = compare_trees(self.store, old, candidate.root, max_changes=100_000)
        return bool(changed) and all(is_request_file(path) for path in changed)
