"""Line endings of Windows in a file of `.freeze/`: seen as a whole, told with what mends them."""

from __future__ import annotations


def is_crlf(data: bytes) -> bool:
    """Say whether lines end as on Windows; neither ledger nor lock has a CR of its own."""
    return b"\r\n" in data


def crlf_remedy(path: str) -> str:
    """Return what to do about it, and what keeps it so."""
    return (
        f"LF: sed -i 's/\\r$//' {path}; to keep it so: git config core.autocrlf false, and "
        "`.freeze/** -text` in .gitattributes"
    )
