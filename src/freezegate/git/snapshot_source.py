"""The port `freezegate.witness.trees.TreeSource` over a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.git.limits import MAX_FILE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.git.store import ObjectStore
    from freezegate.git.trees import Snapshot
    from freezegate.model.entries import Entry


class SnapshotSource:
    """One tree's files for the runs; laid files are among them."""

    def __init__(self, store: ObjectStore, snapshot: Snapshot) -> None:
        """Read the files of a snapshot through the store."""
        self._store, self._snapshot = store, snapshot

    def files(self) -> Iterator[tuple[bytes, Entry]]:
        """Yield every file, link and submodule with its path."""
        return self._snapshot.files()

    def blob(self, entry: Entry) -> bytes:
        """Return a file's bytes; raises Unanswerable where they are missing."""
        return self._store.blob(entry.oid, max_bytes=MAX_FILE_BYTES)
