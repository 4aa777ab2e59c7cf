"""A tree in memory: the port that domains are resolved through, without git."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from freezegate.formats.policy import parse_policy
from freezegate.model.entries import SYMLINK_MODE, TREE_MODE, Change, Entry
from freezegate.policy.domain.imports import ModuleFacts, read_module
from freezegate.policy.settings import Policy

_FOLDER = Entry(TREE_MODE, bytes(20))
LINK = "-> elsewhere"  # the content that stands for a symbolic link


class MemoryTree:
    """Files by path; a content of LINK is a symbolic link."""

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        """Hold these files."""
        self._bytes = {p: c.encode() if isinstance(c, str) else c for p, c in files.items()}
        self._blobs = {_oid(data): data for data in self._bytes.values()}

    def entry(self, path: str) -> Entry | None:
        """Return what stands at a path."""
        if path in self._bytes:
            data = self._bytes[path]
            return Entry(SYMLINK_MODE if data == LINK.encode() else 0o100644, _oid(data))
        inside = f"{path}/" if path else ""
        return _FOLDER if any(p.startswith(inside) for p in self._bytes) else None

    def names(self, folder: str) -> frozenset[str]:
        """Return the names in a folder."""
        inside = f"{folder}/" if folder else ""
        below = (p.removeprefix(inside) for p in self._bytes if p.startswith(inside))
        return frozenset(path.split("/")[0] for path in below)

    def files(self, folder: str) -> Iterator[tuple[str, Entry]]:
        """Yield every file below a folder."""
        inside = f"{folder}/" if folder else ""
        for path in self._bytes:
            entry = self.entry(path)
            if path.startswith(inside) and entry:
                yield path, entry

    def module(self, entry: Entry) -> ModuleFacts:
        """Return what a module says."""
        return read_module(self.source(entry))

    def source(self, entry: Entry) -> bytes:
        """Return a blob's bytes."""
        return self._blobs[entry.oid]

    def toml(self, entry: Entry) -> dict[str, Any] | None:
        """Return a TOML file's tables."""
        try:
            return tomllib.loads(self.source(entry).decode())
        except ValueError:
            return None


def patch(old: MemoryTree, new: MemoryTree) -> dict[bytes, Change]:
    """Return the entries in which two trees differ."""
    before, after = dict(old.files("")), dict(new.files(""))
    paths = [p for p in before.keys() | after.keys() if before.get(p) != after.get(p)]
    return {p.encode(): Change(p.encode(), before.get(p), after.get(p)) for p in sorted(paths)}


def policy(*, subject: str = "src/**", pythonpath: str = "src", more: str = "") -> Policy:
    """Return a policy with these paths."""
    return parse_policy(
        f'version = 1\nextends = "basic"\n[base]\ntargets = ["refs/heads/main"]\n'
        f'[subject]\npaths = ["{subject}"]\n[oracle]\npaths = ["tests/props/*.py"]\n'
        f'[runner]\npython = "3.12"\npythonpath = ["{pythonpath}"]\n{more}'.encode()
    )


def _oid(data: bytes) -> bytes:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).digest()
