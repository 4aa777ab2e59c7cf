"""One opened repository with all that reads from it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pygit2 import GitError

from freezegate.errors import Unanswerable
from freezegate.git.base import TargetSearch, TrustedBase, parent_base
from freezegate.git.candidate import (
    Candidate,
    Step,
    commit_candidate,
    find_merge_base,
    index_candidate,
    step_on_base,
)
from freezegate.git.documents import read_judges, read_policy
from freezegate.git.gather import Gatherer
from freezegate.git.history import History
from freezegate.git.limits import MAX_ATTRIBUTES_BYTES, MAX_FIXTURE_BYTES
from freezegate.git.repository import open_repository
from freezegate.git.revisions import resolve_commit
from freezegate.git.store import ObjectStore
from freezegate.git.trees import Snapshot, compare_trees
from freezegate.ledger.regular_file import read_regular
from freezegate.model.digests import ObjectId
from freezegate.model.entries import EMPTY_TREE
from freezegate.policy.guards import is_request_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    import pygit2

    from freezegate.model.digests import Sha256
    from freezegate.model.paths import RepoPath
    from freezegate.policy.facts import Document, Facts, Place
    from freezegate.policy.settings import Policy


class TrackedFile(NamedTuple):
    """A file of the index: its path and its blob."""

    path: str
    oid: bytes


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
        return self._branch_at_head(revision)

    def _branch_at_head(self, revision: str) -> str | None:
        """HEAD's branch where a revision is another spelling of HEAD: `@`, `HEAD~0`, its id."""
        try:
            if resolve_commit(self.repository, self.store, revision) == str(
                self.repository.head.target
            ):
                return self.branch(None)
        except (Unanswerable, GitError):
            return None
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

    def target(self) -> TrustedBase | None:
        """Return the target, whatever HEAD is on; raises Unanswerable where several could be."""
        return TargetSearch(self.repository, self.store, self.history).find(None)

    def target_called(self, revision: str) -> TrustedBase | None:
        """Return the target that somebody names by its ref, None for all other revisions."""
        return TargetSearch(self.repository, self.store, self.history).called(revision)

    def named_base(self, revision: str, source: str) -> TrustedBase:
        """Return T as somebody named it."""
        rev = resolve_commit(self.repository, self.store, revision, source=source)
        return TrustedBase(rev=rev, source=source)

    def tip(self, ref: str) -> ObjectId | None:
        """Return the commit that a full ref name stands for, None where there is no such ref."""
        if not self._has_ref(ref):
            return None
        target = self.repository.lookup_reference(ref).resolve().target
        return self.store.peel(ObjectId(str(target)))

    def is_behind(self, candidate: Candidate, base: TrustedBase) -> bool:
        """Say whether a commit is T or one of its ancestors."""
        if candidate.rev is None or base.rev is None:
            return False
        return self.history.is_ancestor(candidate.rev, base.rev)

    def gather(
        self,
        candidate: Candidate,
        base: TrustedBase,
        *,
        now: datetime,
        place: Place,
        max_changes: int | None = None,
    ) -> Facts:
        """Return the facts of the step from T to the candidate; `max_changes` is a host's limit."""
        gatherer = Gatherer(self.store, self.history, max_changes=max_changes)
        search = TargetSearch(self.repository, self.store, self.history)
        facts = gatherer.gather(candidate, base, now=now, place=place, known_refs=search.known_refs)
        if not facts.claims or not self._is_checked_out(candidate):
            return facts
        from freezegate.git.left_out import left_out

        return facts._replace(left_out=left_out(Path(self.repository.workdir), facts, self.store))

    def _is_checked_out(self, candidate: Candidate) -> bool:
        """Whether the work tree is the candidate's own."""
        if not self.repository.workdir or self.repository.head_is_unborn:
            return False
        return candidate.rev is None or candidate.rev == str(self.repository.head.target)

    def step(self, candidate: Candidate, base: TrustedBase, *, max_changes: int) -> Step:
        """Return the step from T to the candidate, as the gate compares both."""
        merge_base, single = find_merge_base(self.history, candidate, base.rev)
        return step_on_base(
            self.store, candidate, base.rev, merge_base, single=single, max_changes=max_changes
        )

    def tracked_files(self) -> tuple[TrackedFile, ...]:
        """Return the regular files of the index whose names are text, in order."""
        tree = self._staged_tree()
        return tuple(
            sorted(
                TrackedFile(path.decode(), entry.oid)
                for path, entry in tree.files()
                if entry.is_regular and _is_text(path)
            )
        )

    def bytes_of(self, file: TrackedFile) -> bytes:
        """Return a tracked file's bytes; raises Unanswerable beyond the limit for fixtures."""
        return self.store.blob(file.oid, max_bytes=MAX_FIXTURE_BYTES)

    def policy_at(self, base: TrustedBase) -> Document[Policy]:
        """Return the policy at a trusted base."""
        root = self.store.commit(base.rev).tree if base.rev else EMPTY_TREE
        return read_policy(self.store, Snapshot(self.store, root))

    def staged_lock(self) -> Document[Mapping[RepoPath, Sha256]]:
        """Return the index's lock, decoded or with the reason why not."""
        return read_judges(self.store, self._staged_tree()).lock

    def fixture_attributes(self) -> Iterator[tuple[str, tuple[tuple[bytes, bytes], ...]]]:
        """Yield each fixture that the index's lock holds, with the attributes files above it."""
        tree = self._staged_tree()
        lock = read_judges(self.store, tree).lock.value or {}
        for path in lock:
            parts = path.split("/")[:-1]
            folders = ["/".join(parts[:end]) for end in range(len(parts) + 1)]
            found = (
                (f.encode(), tree.entry(f"{f}/.gitattributes".lstrip("/").encode()))
                for f in folders
            )
            yield (
                path,
                tuple(
                    (folder, self.store.blob(entry.oid, max_bytes=MAX_ATTRIBUTES_BYTES))
                    for folder, entry in found
                    if entry and entry.is_regular
                ),
            )

    def trees_here(self) -> tuple[Snapshot, ...]:
        """Return the trees of the index and of HEAD, where there is one."""
        if self.repository.head_is_unborn:
            return (self._staged_tree(),)
        head = self.store.commit(ObjectId(str(self.repository.head.target)))
        return (self._staged_tree(), Snapshot(self.store, head.tree))

    def differs_from_head(self, path: str) -> bool:
        """Say whether a file of the work tree is another than HEAD's, or is not there at all."""
        if not self.repository.workdir or self.repository.head_is_unborn:
            return False
        head = self.store.commit(ObjectId(str(self.repository.head.target)))
        entry = Snapshot(self.store, head.tree).entry(path.encode())
        file = Path(self.repository.workdir) / path
        try:
            stands = read_regular(file)
        except OSError:  # a link, a folder or another thing in its place
            return True
        if entry is None or not entry.is_regular:
            return stands is not None
        return stands is None or stands != self.store.blob(entry.oid, max_bytes=MAX_FIXTURE_BYTES)

    def is_in_head(self, path: str) -> bool:
        """Say whether HEAD has anything at a path."""
        if self.repository.head_is_unborn:
            return False
        head = self.store.commit(ObjectId(str(self.repository.head.target)))
        return Snapshot(self.store, head.tree).entry(os.fsencode(path)) is not None

    def is_ignored(self, path: str) -> bool:
        """Say whether git would leave an untracked file out of `git add`."""
        return bool(self.repository.path_is_ignored(path))

    def default_target(self) -> str:
        """Return the full name of the ref that most looks like the one to protect."""
        search = TargetSearch(self.repository, self.store, self.history)
        return search.likely_target(self.branch(None)) or "refs/heads/main"

    def _staged_tree(self) -> Snapshot:
        staged = index_candidate(self.repository, self.store)
        return Snapshot(self.store, staged.root, staged.overlay)

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


def _is_text(path: bytes) -> bool:
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    return True
