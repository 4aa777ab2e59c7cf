"""Line endings that are not as they were: seen as a whole, told with what mends them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from freezegate.model.paths import AT_TOP
from freezegate.policy.ledger_mending import lf_command

if TYPE_CHECKING:
    from collections.abc import Iterable


def is_crlf(data: bytes) -> bool:
    """Say whether lines end as on Windows; neither ledger nor lock has a CR of its own."""
    return b"\r\n" in data


def crlf_remedy(path: str) -> str:
    """Return what to do about it, and what keeps it so."""
    return (
        f"LF: {lf_command(path)}; to keep it so: git config core.autocrlf false, and "
        "`.freeze/** -text` in .gitattributes"
    )


def keep_bytes_command(globs: Iterable[str]) -> str:
    """Return the command by which git leaves `.freeze/` and these files as they are."""
    adding = [glob for glob in globs if not glob.startswith("!")]
    lines = shlex.join([f"{glob} -text" for glob in dict.fromkeys([".freeze/**", *adding])])
    return f"{AT_TOP}printf '%s\\n' {lines} >> .gitattributes && git add .gitattributes"
