"""A tree of the repository as the domain's resolver asks for it; each blob is read once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pygit2.enums import ObjectType

from freezegate.errors import DecodeError
from freezegate.formats.strict_toml import load_toml
from freezegate.git.limits import MAX_SOURCE_BYTES
from freezegate.model.entries import TREE_MODE
from freezegate.policy.domain.imports import (
    MAX_MODULE_BYTES,
    TOO_LARGE,
    ModuleFacts,
    read_module,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.git.store import ObjectStore
    from freezegate.git.trees import Snapshot
    from freezegate.model.entries import Entry


class ReadBlobs(NamedTuple):
    """What was read of blobs, by their ids: shared by all trees of one session."""

    modules: dict[bytes, ModuleFacts]
    tables: dict[bytes, dict[str, Any] | None]


class DomainTree:
    """The port `freezegate.policy.domain.tree.Tree` over a snapshot."""

    def __init__(self, store: ObjectStore, tree: Snapshot, read: ReadBlobs) -> None:
        """Read a snapshot's files through the store."""
        self._store, self._tree, self._read = store, tree, read
        self._entries: dict[str, Entry | None] = {}
        self._names: dict[str, frozenset[str]] = {}

    def entry(self, path: str) -> Entry | None:
        """Return what stands at a path, None where nothing does."""
        if path not in self._entries:
            self._entries[path] = self._tree.entry(_raw(path))
        return self._entries[path]

    def names(self, folder: str) -> frozenset[str]:
        """Return the names in a folder; none where there is no such folder."""
        if folder not in self._names:
            self._names[folder] = frozenset(_text(n) for n in self._tree.names(_raw(folder)))
        return self._names[folder]

    def files(self, folder: str) -> Iterator[tuple[str, Entry]]:
        """Yield every file, link and submodule below a folder with its path."""
        waiting = [folder]
        while waiting:
            above = waiting.pop()
            for name in self.names(above):
                path = f"{above}/{name}" if above else name
                entry = self.entry(path)
                if entry and entry.mode == TREE_MODE:
                    waiting.append(path)
                elif entry:
                    yield path, entry

    def module(self, entry: Entry) -> ModuleFacts:
        """Return what a module's source says of imports."""
        if entry.oid not in self._read.modules:
            self._read.modules[entry.oid] = self._read_module(entry.oid)
        return self._read.modules[entry.oid]

    def _read_module(self, oid: bytes) -> ModuleFacts:
        if self._store.size(oid, ObjectType.BLOB) > MAX_MODULE_BYTES:
            return ModuleFacts(fault=TOO_LARGE)
        return read_module(self._store.blob(oid, max_bytes=MAX_MODULE_BYTES))

    def source(self, entry: Entry) -> bytes:
        """Return a file's bytes; raises Unanswerable for one that no person wrote."""
        return self._store.blob(entry.oid, max_bytes=MAX_SOURCE_BYTES)

    def toml(self, entry: Entry) -> dict[str, Any] | None:
        """Return a TOML file's tables, None where it does not decode."""
        if entry.oid not in self._read.tables:
            try:
                self._read.tables[entry.oid] = load_toml(self.source(entry))
            except DecodeError:
                self._read.tables[entry.oid] = None
        return self._read.tables[entry.oid]


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
