"""The candidate: a commit or the index, and N, as it would stand on T (SPEC 6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pygit2
from pygit2.ffi import C

from freezegate.errors import Unanswerable
from freezegate.git.trees import Snapshot, compare_trees
from freezegate.model.digests import ObjectId
from freezegate.model.entries import EMPTY_TREE, Change, Entry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from freezegate.git.history import History
    from freezegate.git.store import ObjectStore

_EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
_INTENT_TO_ADD = 1 << 13  # git's index-format documentation, "extended flags"


class Candidate(NamedTuple):
    """What is judged: `rev` is None for the index; `parents` are those that N has or would have.

    Its tree is `root` with `overlay` laid over it.
    """

    rev: ObjectId | None
    parents: tuple[ObjectId, ...]
    root: bytes
    overlay: Mapping[bytes, Entry | None]


class Step(NamedTuple):
    """The step from T to N: the patch, and what made it less than clear."""

    base_tree: Snapshot
    merge_base_tree: Snapshot
    candidate_tree: Snapshot
    tree: Snapshot
    changes: Mapping[bytes, Change]
    moved: Mapping[bytes, Change]
    divided: bool
    nothing_new: bool


def commit_candidate(store: ObjectStore, history: History, rev: ObjectId) -> Candidate:
    """Return a commit as the candidate."""
    return Candidate(rev=rev, parents=history.parents(rev), root=store.commit(rev).tree, overlay={})


def index_candidate(repository: pygit2.Repository, store: ObjectStore) -> Candidate:
    """Return the index as the candidate, a commit to be whose first parent is HEAD."""
    parents: tuple[ObjectId, ...] = ()
    root = EMPTY_TREE
    if not repository.head_is_unborn:
        head = ObjectId(str(repository.head.target))
        parents = (head, *(ObjectId(str(oid)) for oid in repository.listall_mergeheads()))
        root = store.commit(head).tree
    return Candidate(rev=None, parents=parents, root=root, overlay=_staged(repository, root))


def witness_candidate(
    store: ObjectStore, head: ObjectId, overlay: Mapping[bytes, Entry | None]
) -> Candidate:
    """Return HEAD's tree with files laid over it, as the commit that would follow HEAD."""
    root = store.commit(head).tree
    return Candidate(rev=None, parents=(head,), root=root, overlay=overlay)


def _staged(repository: pygit2.Repository, root: bytes) -> dict[bytes, Entry | None]:
    """Return what the index lays over HEAD's tree; nothing is written."""
    try:
        index = repository.index
        conflicts = index.conflicts
        tree = repository[pygit2.Oid(raw=root)]
        diff = index.diff_to_tree(tree.peel(pygit2.Tree))
    except KeyError:
        raise Unanswerable(
            "repository.object_missing",
            got=f"the tree of HEAD, {root.hex()}, or a tree below it is not here",
            expected="every tree of HEAD",
            remedy="git fetch --refetch",
        ) from None
    except (pygit2.GitError, OSError) as error:
        raise Unanswerable(
            "repository.index_unreadable",
            got=str(error),
            expected="an index that libgit2 reads: neither split nor sparse",
            remedy="git update-index --no-split-index; git sparse-checkout reapply "
            "--no-sparse-index",
        ) from None
    if conflicts is not None:
        first = next(iter(conflicts))
        path = next(entry.path for entry in first if entry)
        raise Unanswerable(
            "repository.index_unreadable",
            path=path,
            got="merge conflicts in the index",
            expected="an index without conflicts",
        )
    staged: dict[bytes, Entry | None] = {}
    for delta in diff.deltas:
        for side in (delta.old_file, delta.new_file):
            staged.setdefault(side.raw_path, None)
        new = delta.new_file
        if new.mode and not _is_only_intended(index, new):
            staged[new.raw_path] = Entry(int(new.mode), bytes.fromhex(str(new.id)))
    return staged


def _is_only_intended(index: pygit2.Index, new: pygit2.DiffFile) -> bool:
    """Whether `git add -N` put an entry there: git commits none for it, libgit2 shows one.

    No public name of pygit2 tells; the entry is asked for only where its blob is the empty one.
    """
    if str(new.id) != _EMPTY_BLOB:
        return False
    entry = C.git_index_get_bypath(index._index, new.raw_path, 0)  # noqa: SLF001 - see above
    return bool(entry) and bool(entry.flags_extended & _INTENT_TO_ADD)


def find_merge_base(
    history: History, candidate: Candidate, base: ObjectId | None
) -> tuple[ObjectId | None, bool]:
    """Return the merge base of candidate and T, and whether there is exactly one.

    T itself where the candidate descends from it.
    """
    tips = (candidate.rev,) if candidate.rev else candidate.parents
    if base is None:
        return None, True
    if any(history.is_ancestor(base, tip) for tip in tips):
        return base, True
    found = {history.merge_base(tip, base) for tip in tips}
    if None in found or not found:
        return None, False
    known = [rev for rev in found if rev is not None]
    best = [a for a in known if not any(a != b and history.is_ancestor(a, b) for b in known)]
    return (best[0], True) if len(best) == 1 else (None, False)


def step_on_base(
    store: ObjectStore,
    candidate: Candidate,
    base: ObjectId | None,
    merge_base: ObjectId | None,
    *,
    single: bool,
    max_changes: int,
) -> Step:
    """Return the step from T to N, entry by entry against the merge base.

    Where the candidate has the merge base's entry, N has T's; else N has the candidate's. Without
    a single merge base the candidate is compared with T, and the step is `divided`.
    """
    base_root = store.commit(base).tree if base else EMPTY_TREE
    against = merge_base if merge_base and single else base
    against_root = store.commit(against).tree if against else EMPTY_TREE
    base_tree = Snapshot(store, base_root)
    moved = _moved(store, candidate, against_root, max_changes)
    changes: dict[bytes, Change] = {}
    for path, change in moved.items():
        old = change.old if against_root == base_root else base_tree.entry(path)
        old = None if old and old.kind == "a folder" else old
        if old != change.new:
            changes[path] = Change(path, old, change.new)
    return Step(
        base_tree=base_tree,
        merge_base_tree=Snapshot(store, against_root),
        candidate_tree=Snapshot(store, candidate.root, candidate.overlay),
        tree=Snapshot(store, base_root, {path: change.new for path, change in changes.items()}),
        changes=changes,
        moved=moved,
        divided=not single,
        nothing_new=not changes,
    )


def _moved(
    store: ObjectStore, candidate: Candidate, against: bytes, max_changes: int
) -> dict[bytes, Change]:
    """Return the entries in which the candidate differs from the tree `against`."""
    moved = compare_trees(store, against, candidate.root, max_changes=max_changes)
    old_tree = Snapshot(store, against)
    for path, new in candidate.overlay.items():
        old = moved[path].old if path in moved else old_tree.entry(path)
        old = None if old and old.kind == "a folder" else old
        if old == new:
            moved.pop(path, None)
        else:
            moved[path] = Change(path, old, new)
    return moved
