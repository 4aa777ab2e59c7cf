"""Where the shipped `hooks/` and `policy/` lie: in the wheel, or in the checkout."""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_CHECKOUT = os.path.dirname(os.path.dirname(_PACKAGE))


def read_shipped(folder: str, name: str) -> bytes:
    """Return the bytes of a shipped file, `policy/strict.toml` for example.

    Raises FileNotFoundError where the installation lost it.
    """
    with open(shipped_path(folder, name), "rb") as file:
        return file.read()


def shipped_path(folder: str, name: str = "") -> str:
    """Return the path of a shipped folder or file; the wheel's copy wins over the checkout's."""
    for root in (os.path.join(_PACKAGE, "share"), _CHECKOUT):
        path = os.path.join(root, folder, name)
        if os.path.exists(path):
            return path
    raise FileNotFoundError(os.path.join(folder, name))
