"""In what do the signatures of one window differ, where only quoted texts of a message do?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_PARTS = " | "  # TYPE | PLACE | SOURCE | MESSAGE, see signatures.py


def differing_quotes(signatures: Iterable[str]) -> tuple[str, str] | None:
    """Return the first two quoted texts that differ; None where anything else differs too."""
    different = [signature.split(_PARTS, 3) for signature in dict.fromkeys(signatures)]
    if len({(*parts[:-1], _QUOTED.sub("''", parts[-1])) for parts in different}) != 1:
        return None
    rows = zip(*(_QUOTED.findall(parts[-1]) for parts in different), strict=True)
    row = next((row for row in rows if len(set(row)) > 1), None)
    if row is None:
        return None
    first, second, *_ = dict.fromkeys(row)
    return first, second
