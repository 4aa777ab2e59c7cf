"""freezegate's own files in one tree, decoded or with the reason why not."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from freezegate.errors import DecodeError, Unanswerable
from freezegate.formats.catalog import parse_catalog
from freezegate.formats.lock import MAX_LOCK_BYTES, parse_lock
from freezegate.formats.policy import parse_policy
from freezegate.formats.strict_toml import MAX_TOML_BYTES
from freezegate.model.paths import shown_path
from freezegate.policy.facts import Document, Judges
from freezegate.policy.guards import CATALOG_PATH, LOCK_PATH, POLICY_PATH

if TYPE_CHECKING:
    from collections.abc import Callable

    from freezegate.git.store import ObjectStore
    from freezegate.git.trees import Snapshot
    from freezegate.model.entries import Entry
    from freezegate.policy.settings import Policy

T = TypeVar("T")


def read_judges(store: ObjectStore, tree: Snapshot) -> Judges:
    """Read policy, catalogue and lock of a tree."""
    return Judges(
        policy=read_policy(store, tree),
        catalog=read_document(store, tree, CATALOG_PATH, MAX_TOML_BYTES, parse_catalog),
        lock=read_document(store, tree, LOCK_PATH, MAX_LOCK_BYTES, parse_lock),
    )


def read_policy(store: ObjectStore, tree: Snapshot) -> Document[Policy]:
    """Read the policy of a tree."""
    return read_document(store, tree, POLICY_PATH, MAX_TOML_BYTES, _known_policy)


@lru_cache(maxsize=64)
def _known_policy(data: bytes) -> Policy:
    """Decode a policy once: the search for the target reads it at many tips."""
    return parse_policy(data)


def read_bounded(store: ObjectStore, entry: Entry, max_bytes: int) -> bytes:
    """Return a document's bytes; raises DecodeError where it is no regular file or too large.

    The size comes from the object's header, so that a huge blob is never loaded.
    """
    if not entry.is_regular:
        raise DecodeError(
            "record.not_regular_file", place="", got=entry.kind, expected="a regular file"
        )
    try:
        return store.blob(entry.oid, max_bytes=max_bytes)
    except Unanswerable as error:
        if error.code != "limits.blob_too_large":
            raise
        raise DecodeError(
            "record.too_large", place="", got=error.got, expected=error.expected
        ) from None


def read_document(
    store: ObjectStore,
    tree: Snapshot,
    path: bytes,
    max_bytes: int,
    parse: Callable[[bytes], T],
) -> Document[T]:
    """Read and decode one of freezegate's files; what is wrong with it is part of the answer."""
    entry = tree.entry(path)
    if entry is None:
        return _below_no_folder(tree, path)
    try:
        return Document(path=path, entry=entry, value=parse(read_bounded(store, entry, max_bytes)))
    except DecodeError as fault:
        return Document(path=path, entry=entry, fault=fault)


def _below_no_folder(tree: Snapshot, path: bytes) -> Document[T]:
    """An absent file, unless `.freeze` itself is a link or file: then nothing in it is known."""
    folder = path.split(b"/", 1)[0]
    entry = tree.entry(folder)
    if entry is None or entry.kind == "a folder":
        return Document(path=path, entry=None)
    fault = DecodeError(
        "record.not_regular_file",
        place="",
        got=f"{shown_path(folder)} is {entry.kind}",
        expected="a folder",
    )
    return Document(path=path, entry=None, fault=fault)
