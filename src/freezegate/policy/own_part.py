"""A branch's own ledger lines put behind the target's: a union, in order, each line once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def put_behind(landed: bytes, ledgers: Iterable[bytes]) -> bytes:
    """Return T's ledger and behind it every line of the others that T's does not hold.

    A line that landed elsewhere is in T's already, and so is dropped.
    """
    seen = set(landed.split(b"\n"))
    added: dict[bytes, None] = {}
    for ledger in ledgers:
        added.update(dict.fromkeys(line for line in ledger.split(b"\n") if line not in seen))
    return landed + b"".join(line + b"\n" for line in added)
