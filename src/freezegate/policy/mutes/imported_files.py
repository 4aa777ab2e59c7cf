"""Which file of the repository an import comes to, where it is one of the repository's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.domain.finder import find_module, joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Side

_PYTHON = "3.12"  # of the suffixes of compiled modules alone


class ImportedFiles:
    """Files of one side by the imports that lead to them, each looked for once."""

    def __init__(self, side: Side) -> None:
        """Look in the tree of a side."""
        self._side = side
        self._known: dict[tuple[str, str, int], str | None] = {}

    def of(self, path: str, module: str, level: int = 0) -> str | None:
        """Return the file that an import in a module comes to, None for one of others."""
        key = (path.rpartition("/")[0], module, level)
        if key not in self._known:
            self._known[key] = self._find(*key)
        return self._known[key]

    def _find(self, folder: str, module: str, level: int) -> str | None:
        parts = module.split(".") if module else []
        if level:
            above = folder.split("/") if folder else []
            if level - 1 > len(above):
                return None
            folders: tuple[str, ...] = ("/".join(above[: len(above) - level + 1]),)
            if not parts:
                return self._package(folders[0])
        else:
            folders = tuple(_roots(folder))
        for place, part in enumerate(parts):
            found = find_module(self._side.tree, folders, part, _PYTHON).found
            if found is None:
                return None
            if place == len(parts) - 1:
                return found.path if found.path and found.path.endswith(".py") else None
            folders = found.folders or ()
        return None

    def _package(self, folder: str) -> str | None:
        path = joined(folder, "__init__.py")
        return path if self._side.entry(path) else None


def _roots(folder: str) -> Iterator[str]:
    """Where absolute imports are looked for: the module's own folder, those above it, `src`."""
    parts = folder.split("/") if folder else []
    for end in range(len(parts), -1, -1):
        yield "/".join(parts[:end])
    yield from ("src", "lib")
