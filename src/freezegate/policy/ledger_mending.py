"""Which command mends a ledger line that does not decode?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.paths import AT_TOP, shell_path
from freezegate.policy.guards import LEDGER_PATH

if TYPE_CHECKING:
    from freezegate.model.ledger import BadLine


def mending(bad: BadLine, back: str) -> str:
    """Return the command: a union for markers, LF for CRLF, the ledger of a revision for junk.

    `back` is the nearest revision whose ledger is another one.
    """
    if bad.error.code == "ledger.conflict_markers":
        return "freezegate ledger rebase"
    if bad.raw.endswith(b"\r"):
        return lf_command(LEDGER_PATH.decode())
    return f"git checkout {back} -- {shell_path(LEDGER_PATH)}"


def lf_command(path: str) -> str:
    """Return the command that ends a file's lines as git keeps them."""
    return f"{AT_TOP}sed -i 's/\\r$//' {path}"
