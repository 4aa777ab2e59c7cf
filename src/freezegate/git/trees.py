"""How two trees differ, by object id; and a tree as it would be with changes laid over it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from freezegate.errors import HostileObject, Unanswerable
from freezegate.model.entries import EMPTY_TREE, TREE_MODE, Change, Entry
from freezegate.model.paths import MAX_PATH_BYTES, shown_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from freezegate.git.store import ObjectStore

# NAME_MAX is 255 bytes on most systems, 255 UTF-16 units (765 bytes of UTF-8) on others.
MAX_NAME_BYTES = 1024


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
            if len(name) > MAX_NAME_BYTES or len(path) > MAX_PATH_BYTES:
                raise _too_long(path)
            was_tree, now_tree = _tree_id(was), _tree_id(now)
            if was_tree or now_tree:
                waiting.append((path + b"/", was_tree, now_tree))
            was, now = _leaf(was), _leaf(now)
            if was or now:
                changes[path] = Change(path, was, now)
    return changes


def _too_long(path: bytes) -> HostileObject:
    return HostileObject(
        "path.too_long",
        path=shown_path(path[:80]) + "...",
        got=f"a path of {len(path)} bytes",
        expected=f"at most {MAX_PATH_BYTES} bytes, {MAX_NAME_BYTES} in a name: no file system "
        "holds longer ones",
    )


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
        self._folders: dict[bytes, Entry | None] = {}

    def entry(self, path: bytes) -> Entry | None:
        """Return what stands at a path; a folder is an entry of mode 40000 without a true id."""
        laid = self._overlay.get(path)
        if laid is not None:
            return laid
        if self._under_laid_file(path):
            return None
        if path in self._laid_folders.alive:
            return _FOLDER
        found = None if path in self._overlay else self._stored(path)
        if found is None or found.mode != TREE_MODE:
            return found
        return _FOLDER if self._keeps_anything(path, found) else None

    def names(self, folder: bytes) -> frozenset[bytes]:
        """Return the names in a folder, `b""` for the top; none where it is no folder."""
        found = self._stored(folder) if folder else Entry(TREE_MODE, self._root)
        stored = self._store.tree(found.oid, folder) if found and found.mode == TREE_MODE else {}
        prefix = folder + b"/" if folder else b""
        touched = self._laid_folders.names.get(folder, frozenset())
        untouched = stored.keys() - touched
        return frozenset(untouched | {name for name in touched if self.entry(prefix + name)})

    def files(self) -> Iterator[tuple[bytes, Entry]]:
        """Yield every file, link and submodule with its path; the whole tree is walked."""
        waiting = [(b"", Entry(TREE_MODE, self._root))]
        while waiting:
            prefix, folder = waiting.pop()
            for name, entry in self._store.tree(folder.oid, prefix).items():
                path = prefix + name
                if entry.mode != TREE_MODE:
                    if path not in self._overlay:
                        yield path, entry
                elif not self._overlay.get(path):  # a file laid there hides the folder
                    waiting.append((path + b"/", entry))
        for path, laid in self._overlay.items():
            if laid is not None:
                yield path, laid

    @cached_property
    def _laid_folders(self) -> _LaidFolders:
        return _laid_folders(self._overlay)

    def _stored(self, path: bytes) -> Entry | None:
        folder, slash, name = path.rpartition(b"/")
        if folder not in self._folders:
            top = Entry(TREE_MODE, self._root)
            self._folders[folder] = self._walked(folder) if slash else top
        found = self._folders[folder]
        if found is None or found.mode != TREE_MODE:
            return None
        return self._store.tree(found.oid, folder + slash).get(name)

    def _walked(self, path: bytes) -> Entry | None:
        entry: Entry | None = Entry(TREE_MODE, self._root)
        where = b""
        for part in path.split(b"/"):
            if entry is None or entry.mode != TREE_MODE:
                return None
            entry = self._store.tree(entry.oid, where).get(part)
            where += part + b"/"
        return entry

    def _keeps_anything(self, path: bytes, found: Entry) -> bool:
        """Whether a stored folder still holds a file that no laid change took away."""
        waiting = [(path, found)]
        while waiting:
            folder, entry = waiting.pop()
            touched = self._laid_folders.names.get(folder)
            if not touched:
                return True
            stored = self._store.tree(entry.oid, folder + b"/")
            if stored.keys() - touched:
                return True
            waiting += [
                (folder + b"/" + name, each)
                for name, each in stored.items()
                if each.mode == TREE_MODE
            ]
        return False

    def _under_laid_file(self, path: bytes) -> bool:
        parts = path.split(b"/")
        return any(self._overlay.get(b"/".join(parts[:end])) for end in range(1, len(parts)))


_FOLDER = Entry(TREE_MODE, EMPTY_TREE)


class _LaidFolders(NamedTuple):
    """Of laid changes: the names they touch in each folder, the folders in which they lay files."""

    names: Mapping[bytes, AbstractSet[bytes]]
    alive: AbstractSet[bytes]


def _laid_folders(overlay: Mapping[bytes, Entry | None]) -> _LaidFolders:
    names: dict[bytes, set[bytes]] = {}
    alive: set[bytes] = set()
    for path, laid in overlay.items():
        folder, _, name = path.rpartition(b"/")
        while True:
            names.setdefault(folder, set()).add(name)
            if laid is not None and folder:
                alive.add(folder)
            if not folder:
                break
            folder, _, name = folder.rpartition(b"/")
    return _LaidFolders(names, alive)
