"""The port through which a domain is resolved: one tree, read by path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.model.entries import Entry
    from freezegate.policy.domain.imports import ModuleFacts


class Tree(Protocol):
    """One tree of the repository; paths are relative to its top, `""` is the top itself."""

    def entry(self, path: str) -> Entry | None:
        """Return what stands at a path; a folder has the mode of a tree, its id means nothing."""
        ...

    def names(self, folder: str) -> frozenset[str]:
        """Return the names in a folder; none where there is no such folder."""
        ...

    def files(self, folder: str) -> Iterator[tuple[str, Entry]]:
        """Yield every file, link and submodule below a folder with its path."""
        ...

    def module(self, entry: Entry) -> ModuleFacts:
        """Return what a module's source says of imports; read once for each blob."""
        ...

    def source(self, entry: Entry) -> bytes:
        """Return a file's bytes."""
        ...

    def toml(self, entry: Entry) -> Mapping[str, Any] | None:
        """Return a TOML file's tables, None where it does not decode."""
        ...
