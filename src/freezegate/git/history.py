"""Parents, ancestors and merge bases, or the plain word that they cannot be known here."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pygit2

from freezegate.errors import Unanswerable
from freezegate.git.repository import common_dir
from freezegate.model.digests import ObjectId

if TYPE_CHECKING:
    from freezegate.git.store import ObjectStore


class History:
    """The commits of one repository."""

    def __init__(self, repository: pygit2.Repository, store: ObjectStore) -> None:
        """Read parents through the store, ancestry through libgit2's walks."""
        self._repository = repository
        self._store = store
        self._cut = _shallow_commits(repository)
        # A push asks twice about the same pair; each answer walks everything in between.
        self._descends: dict[tuple[ObjectId, ObjectId], bool] = {}

    def parents(self, rev: ObjectId) -> tuple[ObjectId, ...]:
        """Return a commit's parents as the commit object lists them.

        Raises Unanswerable where the repository holds or shows others (shallow clones).
        """
        parents = self._store.commit(rev).parents
        try:
            shown = tuple(str(oid) for oid in self._repository[rev].peel(pygit2.Commit).parent_ids)
        except KeyError:
            raise self._unavailable(rev, parents) from None
        if shown != parents or not all(p in self._repository for p in parents):
            raise self._unavailable(rev, parents)
        return parents

    def is_ancestor(self, older: ObjectId, newer: ObjectId) -> bool:
        """Say whether `older` is `newer` or reachable from it; False may mean "cut off"."""
        if older == newer or older in self._store.commit(newer).parents:
            return True
        pair = newer, older
        if pair not in self._descends:
            self._descends[pair] = self._repository.descendant_of(newer, older)
        return self._descends[pair]

    def merge_base(self, one: ObjectId, other: ObjectId) -> ObjectId | None:
        """Return the only best common ancestor; None where there are several or none.

        Raises Unanswerable where a shallow clone hides what would decide.
        """
        base: pygit2.Oid | None = self._repository.merge_base(one, other)
        if base is None:
            if self._cut:
                raise self._unavailable(one, ())
            return None
        first, second = self._since(base, one), self._since(base, other)
        if self._cut & (first | second):
            raise self._unavailable(one, ())
        return None if first & second else ObjectId(str(base))

    def distance(self, older: ObjectId, newer: ObjectId, *, cap: int) -> int | None:
        """Return the number of commits in `older..newer`, counted to `cap` + 1.

        None where `older` is no ancestor of `newer`, or no commit here. Raises Unanswerable
        where a shallow clone hides which.
        """
        if not self._is_commit(older) or not self.is_ancestor(older, newer):
            if self._cut:
                raise self._unavailable(newer, ())
            return None
        walker = self._repository.walk(newer)
        walker.hide(older)
        count = 0
        for _ in walker:
            count += 1
            if count > cap:
                break
        return count

    def _is_commit(self, rev: ObjectId) -> bool:
        return isinstance(self._repository.get(rev), pygit2.Commit)

    def _since(self, base: pygit2.Oid, rev: ObjectId) -> frozenset[str]:
        walker = self._repository.walk(rev)
        walker.hide(base)
        return frozenset(str(commit.id) for commit in walker)

    def _unavailable(self, rev: ObjectId, parents: tuple[ObjectId, ...]) -> Unanswerable:
        missing = f" (its parents are {', '.join(parents)})" if parents else ""
        return Unanswerable(
            "base.history_unavailable",
            got=f"history cut off at or below {rev}{missing}",
            expected="the commits from the candidate down to the trusted base",
            remedy="git fetch --unshallow (in CI: a checkout with full depth, fetch-depth: 0)",
        )


def _shallow_commits(repository: pygit2.Repository) -> frozenset[str]:
    path = os.path.join(common_dir(repository), "shallow")
    if not os.path.exists(path):
        return frozenset()
    with open(path, encoding="ascii", errors="replace") as file:
        return frozenset(file.read().split())
