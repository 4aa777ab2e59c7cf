"""Both sides of a step in memory, behind the port through which detectors read trees."""

from __future__ import annotations

from hashlib import sha1
from typing import TYPE_CHECKING, Any

from freezegate.errors import DecodeError
from freezegate.formats.strict_toml import load_toml
from freezegate.model.entries import EMPTY_TREE, REGULAR_TYPE, SYMLINK_MODE, TREE_MODE, Entry
from freezegate.policy.domain.imports import ModuleFacts, read_module
from freezegate.policy.mutes.find import find_mutes
from freezegate.policy.mutes.mute import Certainty
from freezegate.policy.mutes.step import MuteStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.policy.mutes.mute import Mute

PATH = "tests/test_it.py"
_WORDS = {Certainty.CLEAR: "refuses", Certainty.DOUBTFUL: "warns", Certainty.TOLD: "notes"}


class Link(str):
    """Where a symbolic link leads."""

    __slots__ = ()


class MemoryTree:
    """The port `freezegate.policy.domain.tree.Tree` over texts."""

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        """Hold files by path."""
        self._links = {path for path, text in files.items() if isinstance(text, Link)}
        self._files = {p: t if isinstance(t, bytes) else t.encode() for p, t in files.items()}

    def entry(self, path: str) -> Entry | None:
        """Return what stands at a path."""
        if path in self._files:
            oid = sha1(self._files[path], usedforsecurity=False).digest()
            return Entry(SYMLINK_MODE if path in self._links else REGULAR_TYPE | 0o644, oid)
        inside = any(each.startswith(f"{path}/") for each in self._files)
        return Entry(TREE_MODE, EMPTY_TREE) if inside else None

    def names(self, folder: str) -> frozenset[str]:
        """Return the names in a folder."""
        prefix = f"{folder}/" if folder else ""
        below = (p[len(prefix) :] for p in self._files if p.startswith(prefix))
        return frozenset(path.split("/")[0] for path in below)

    def files(self, folder: str) -> Iterator[tuple[str, Entry]]:
        """Yield every file below a folder."""
        for path in self._files:
            if not folder or path.startswith(f"{folder}/"):
                found = self.entry(path)
                assert found
                yield path, found

    def module(self, entry: Entry) -> ModuleFacts:
        """Return what a module says of imports."""
        return read_module(self.source(entry))

    def source(self, entry: Entry) -> bytes:
        """Return a file's bytes."""
        return next(
            data
            for data in self._files.values()
            if sha1(data, usedforsecurity=False).digest() == entry.oid
        )

    def toml(self, entry: Entry) -> dict[str, Any] | None:
        """Return a TOML file's tables."""
        try:
            return load_toml(self.source(entry))
        except DecodeError:
            return None


def step_between(old: Mapping[str, str | bytes], new: Mapping[str, str | bytes]) -> MuteStep:
    """Return the step from some files to others."""
    changed = [path for path in {**old, **new} if old.get(path) != new.get(path)]
    return MuteStep(MemoryTree(old), MemoryTree(new), changed)


def mutes_between(
    old: Mapping[str, str | bytes] | str, new: Mapping[str, str | bytes] | str
) -> tuple[Mute, ...]:
    """Return what all detectors find; a plain text is the one test module."""
    before = {PATH: old} if isinstance(old, str) else old
    after = {PATH: new} if isinstance(new, str) else new
    return find_mutes(step_between(before, after))


def verdict_between(
    old: Mapping[str, str | bytes] | str,
    new: Mapping[str, str | bytes] | str,
    detector: str | None = None,
) -> str:
    """Return `refuses`, `warns`, `notes` or `accepts`: the gravest answer, of one detector."""
    found = [m for m in mutes_between(old, new) if detector in (None, m.detector)]
    return _WORDS[max(m.certainty for m in found)] if found else "accepts"
