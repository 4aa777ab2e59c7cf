"""Which bytes are a pointer of git-lfs instead of the file that people mean?"""

from __future__ import annotations

_START = b"version https://git-lfs.github.com/spec/"
_MAX_POINTER_BYTES = 1024  # git-lfs reads no longer ones (docs/spec.md there)


def is_lfs_pointer(data: bytes) -> bool:
    """Say whether these are the bytes of a pointer."""
    return data.startswith(_START) and len(data) < _MAX_POINTER_BYTES
