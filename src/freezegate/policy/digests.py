"""The digests that freezegate defines itself (SPEC section 2, docs/digests.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.digests import Blake3
from freezegate.model.entries import Change, Entry
from freezegate.policy.guards import is_request_file

if TYPE_CHECKING:
    from collections.abc import Iterable

PATCH_CONTEXT = "freezegate 2026-11 patch v1"
DOMAIN_CONTEXT = "freezegate 2026-11 domain v1"
_ABSENT = Entry(0, bytes(20))


def patch_digest(changes: Iterable[Change]) -> Blake3:
    """Return the digest of a patch: its entries as they are in N, request files left out."""
    entries = {c.path: c.new for c in changes if not is_request_file(c.path)}
    return entries_digest(PATCH_CONTEXT, entries.items())


def entries_digest(context: str, entries: Iterable[tuple[bytes, Entry | None]]) -> Blake3:
    """Return BLAKE3 in derive-key mode over a count and the entries in raw path order.

    Each entry is u32 length and bytes of the path, u32 mode, 20 bytes object id, big-endian;
    None stands for absence, mode 0 and zeros.
    """
    from blake3 import blake3

    ordered = sorted(entries)
    parts = [len(ordered).to_bytes(4, "big")]
    for path, found in ordered:
        entry = found or _ABSENT
        parts += (len(path).to_bytes(4, "big"), path, entry.mode.to_bytes(4, "big"), entry.oid)
    hasher = blake3(derive_key_context=context)
    hasher.update(b"".join(parts))
    return Blake3(f"blake3:{hasher.hexdigest()}")
