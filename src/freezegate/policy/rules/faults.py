"""A document that does not decode, as a finding that names the file, the line and the place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import shown_path

if TYPE_CHECKING:
    from freezegate.errors import DecodeError


def fault_finding(path: bytes, fault: DecodeError, *, line: int | None = None) -> Finding:
    """Return the finding for a fault; `line` counts where the fault itself knows none."""
    return Finding(
        code=fault.code,
        severity=Severity.ERROR,
        path=shown_path(path),
        line=line or fault.line,
        about=fault.place or None,
        got=fault.got,
        expected=fault.expected,
    )
