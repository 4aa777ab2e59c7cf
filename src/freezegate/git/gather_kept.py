"""Changed files under `.freeze/`, and whether their names fit their bytes."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from freezegate.errors import DecodeError
from freezegate.git.documents import read_bounded
from freezegate.git.limits import MAX_FIXTURE_BYTES
from freezegate.model.digests import Blake3
from freezegate.policy.facts import KeptFile
from freezegate.policy.guards import EVIDENCE, FOLDER, SNAPSHOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.git.store import ObjectStore
    from freezegate.model.entries import Change, Entry


def gather_kept_files(store: ObjectStore, changes: Mapping[bytes, Change]) -> Iterator[KeptFile]:
    """Yield each changed path under `.freeze/`, its digest compared where its name is one."""
    for path, change in changes.items():
        if path.split(b"/", 1)[0] != FOLDER:
            continue
        fits, fault = None, None
        if change.new and change.new.is_regular:
            fits, fault = _named_by_digest(store, path, change.new)
        yield KeptFile(path=path, old=change.old, new=change.new, digest_fits=fits, fault=fault)


def _named_by_digest(
    store: ObjectStore, path: bytes, entry: Entry
) -> tuple[bool | None, DecodeError | None]:
    if snapshot := SNAPSHOT.fullmatch(path):
        data = store.blob(entry.oid, max_bytes=MAX_FIXTURE_BYTES)
        return hashlib.sha256(data).hexdigest().encode() == snapshot[1], None
    if evidence := EVIDENCE.fullmatch(path):
        from freezegate.formats.evidence import MAX_EVIDENCE_BYTES, parse_evidence

        try:
            data = read_bounded(store, entry, MAX_EVIDENCE_BYTES)
            parse_evidence(data)
        except DecodeError as fault:
            return None, fault
        return Blake3.of(data).hex.encode() == evidence[1], None
    return None, None
