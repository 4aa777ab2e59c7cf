"""A branch's own ledger lines put behind the target's: a union, in order, each line once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def put_behind(landed: bytes, before: bytes, ledgers: Iterable[bytes]) -> bytes:
    """Return T's ledger and behind it every line of the others that T's does not hold.

    A line that landed elsewhere is in T's already, and so is dropped; so is one of `before`, the
    ledger that the branch started from: where T does not hold it any more, it is nobody's own.
    """
    seen = {b"", *landed.split(b"\n"), *before.split(b"\n")}
    added: dict[bytes, None] = {}
    for ledger in ledgers:
        added.update(dict.fromkeys(line for line in ledger.split(b"\n") if line not in seen))
    return landed + b"".join(line + b"\n" for line in added)
