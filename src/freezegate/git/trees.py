"""How two trees differ, by object id; and a tree as it would be with changes laid over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.errors import Unanswerable
from freezegate.model.entries import EMPTY_TREE, TREE_MODE, Change, Entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.git.store import ObjectStore


def compare_trees(
    store: ObjectStore, old: bytes, new: bytes, *, max_changes: int
) -> dict[bytes, Change]:
    """Return the paths at which two trees differ; equal subtrees are not opened.

    Files, links and submodules are told, folders are not. Raises Unanswerable beyond
    `max_changes` visited entries, HostileObject for new trees that no honest git writes.
    """
    changes: dict[bytes, Change] = {}
    visited = 0
    waiting = [(b"", old, new)]
    while waiting:
        prefix, old_oid, new_oid = waiting.pop()
        before = store.tree(old_oid, prefix, trusted=True) if old_oid else {}
        after = store.tree(new_oid, prefix) if new_oid else {}
        for name in before.keys() | after.keys():
            was, now = before.get(name), after.get(name)
            if was == now:
                continue
            visited += 1
            if visited > max_changes:
                raise _too_many(max_changes)
            path = prefix + name
            was_tree, now_tree = _tree_id(was), _tree_id(now)
            if was_tree or now_tree:
                waiting.append((path + b"/", was_tree, now_tree))
            was, now = _leaf(was), _leaf(now)
            if was or now:
                changes[path] = Change(path, was, now)
    return changes


def _tree_id(entry: Entry | None) -> bytes:
    return entry.oid if entry and entry.mode == TREE_MODE else b""


def _leaf(entry: Entry | None) -> Entry | None:
    return None if entry is None or entry.mode == TREE_MODE else entry


def _too_many(max_changes: int) -> Unanswerable:
    return Unanswerable(
        "limits.too_many_changes",
        got=f"more than {max_changes} changed entries",
        expected=f"at most {max_changes}",
    )


class Snapshot:
    """A tree with changes laid over it; nothing is written."""

    def __init__(
        self, store: ObjectStore, root: bytes, overlay: Mapping[bytes, Entry | None] | None = None
    ) -> None:
        """Lay `overlay` (path to entry, None where the path is gone) over the tree `root`."""
        self._store = store
        self._root = root
        self._overlay = overlay or {}

    def entry(self, path: bytes) -> Entry | None:
        """Return what stands at a path; a folder is an entry of mode 40000 without a true id."""
        if path in self._overlay:
            return self._overlay[path] or self._folder(path)
        if self._under_laid_file(path):
            return None
        found = self._stored(path)
        if found is None or found.mode == TREE_MODE:
            return self._folder(path) or (found if self._keeps_anything(path, found) else None)
        return found

    def names(self, folder: bytes) -> frozenset[bytes]:
        """Return the names in a folder, `b""` for the top; none where it is no folder."""
        found = self._stored(folder) if folder else Entry(TREE_MODE, self._root)
        stored = self._store.tree(found.oid, folder) if found and found.mode == TREE_MODE else {}
        prefix = folder + b"/" if folder else b""
        touched = {
            p[len(prefix) :].split(b"/", 1)[0] for p in self._overlay if p.startswith(prefix)
        }
        untouched = stored.keys() - touched
        return frozenset(untouched | {name for name in touched if self.entry(prefix + name)})

    def files(self) -> Iterator[tuple[bytes, Entry]]:
        """Yield every file, link and submodule with its path; the whole tree is walked."""
        waiting = [(b"", Entry(TREE_MODE, self._root))]
        while waiting:
            prefix, folder = waiting.pop()
            for name, entry in self._store.tree(folder.oid, prefix).items():
                path = prefix + name
                if entry.mode == TREE_MODE:
                    waiting.append((path + b"/", entry))
                elif path not in self._overlay and not self._under_laid_file(path):
                    yield path, entry
        for path, laid in self._overlay.items():
            if laid is not None:
                yield path, laid

    def _stored(self, path: bytes) -> Entry | None:
        entry: Entry | None = Entry(TREE_MODE, self._root)
        where = b""
        for part in path.split(b"/"):
            if entry is None or entry.mode != TREE_MODE:
                return None
            entry = self._store.tree(entry.oid, where).get(part)
            where += part + b"/"
        return entry

    def _folder(self, path: bytes) -> Entry | None:
        inside = path + b"/"
        if any(p.startswith(inside) and laid for p, laid in self._overlay.items()):
            return Entry(TREE_MODE, EMPTY_TREE)
        return None

    def _keeps_anything(self, path: bytes, found: Entry | None) -> bool:
        """Whether a stored folder still holds a file that no laid change took away."""
        if found is None:
            return False
        inside = path + b"/"
        if not any(p.startswith(inside) for p in self._overlay):
            return True
        for name, entry in self._store.tree(found.oid, inside).items():
            below = inside + name
            if entry.mode == TREE_MODE:
                if self._keeps_anything(below, entry):
                    return True
            elif below not in self._overlay:
                return True
        return False

    def _under_laid_file(self, path: bytes) -> bool:
        parts = path.split(b"/")
        return any(self._overlay.get(b"/".join(parts[:end])) for end in range(1, len(parts)))
