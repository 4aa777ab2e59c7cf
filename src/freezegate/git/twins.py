"""Added paths beside which another spelling of theirs stands: one file, for some file systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.errors import HostileObject
from freezegate.model.paths import fold, shown_path
from freezegate.policy.guards import FOLDER, KEPT_FILES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.git.trees import Snapshot
    from freezegate.model.entries import Change

# Ten folders with two spellings each are a thousand of a path below them; no honest tree is so.
_MAX_SPELLINGS = 64
_LOOKED_FOR = frozenset(
    {b"conftest.py", b"pytest.ini", b".pytest.ini", b"pytest.toml", b".pytest.toml", b"tox.ini"}
    | {b"pyproject.toml", b"setup.cfg", b"sitecustomize.py", b"usercustomize.py"}
)


def gather_twins(tree: Snapshot, changes: Mapping[bytes, Change]) -> Iterator[tuple[bytes, bytes]]:
    """Yield each added path with the path that it would be under each other spelling in N.

    Every changed path that stands for `.freeze/` or a file in it comes with that one.
    """
    spellings = _Spellings(tree)
    for path, change in changes.items():
        if change.new is None:
            continue
        yield from ((path, kept) for kept in _twins_of_freeze(path))
        if change.old is None:
            yield from ((path, other) for other in spellings.others(path))
            yield from ((path, other) for other in _twins_of_absent(path))


def _twins_of_freeze(path: bytes) -> Iterator[bytes]:
    folded = fold(path)
    if path.split(b"/")[0] != FOLDER:
        if folded.split("/")[0] == FOLDER.decode():
            yield FOLDER
    else:
        yield from (kept for kept in KEPT_FILES - {path} if folded == kept.decode())


def _twins_of_absent(path: bytes) -> Iterator[bytes]:
    """What pytest and Python look for under its own name, there or not."""
    folder, slash, name = path.rpartition(b"/")
    meant = fold(name).encode("utf-8", "surrogateescape")
    if meant in _LOOKED_FOR and meant != name:
        yield folder + slash + meant


class _Spellings:
    """How else paths of one tree may be spelled; each folder is read once."""

    def __init__(self, tree: Snapshot) -> None:
        self._tree = tree
        self._names: dict[bytes, dict[str, list[bytes]]] = {}
        self._folders = {b"": frozenset({b""})}

    def others(self, path: bytes) -> Iterator[bytes]:
        """Yield the path under each other spelling of which a part stands, up to that part."""
        above = b""
        for part in path.split(b"/"):
            folder, above = above, above + part + b"/"
            if above not in self._folders:
                self._folders[above] = self._continued(self._folders[folder], part, path)
        yield from sorted(each[:-1] for each in self._folders[above] if each[:-1] != path)

    def _continued(self, folders: frozenset[bytes], part: bytes, path: bytes) -> frozenset[bytes]:
        """Spellings of a folder's part; where none of them stands the part is as it is."""
        found = {
            folder + name + b"/"
            for folder in folders
            for name in (part, *self._in(folder).get(fold(part), ()))
        }
        if len(found) > _MAX_SPELLINGS:
            raise HostileObject(
                "path.fold_collision",
                path=shown_path(path[:200]),
                got=f"more than {_MAX_SPELLINGS} spellings of one path",
                expected="names that differ in more than spelling",
            )
        return frozenset(found)

    def _in(self, folder: bytes) -> dict[str, list[bytes]]:
        if folder not in self._names:
            names = self._names[folder] = {}
            for name in self._tree.names(folder[:-1]):
                names.setdefault(fold(name), []).append(name)
        return self._names[folder]
