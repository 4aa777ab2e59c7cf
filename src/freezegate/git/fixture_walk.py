"""Which files of the work tree are fixtures, by the policy's globs; links are never followed."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from freezegate.errors import InvalidValue
from freezegate.model.paths import RepoPath, are_plain_names
from freezegate.policy.globs import folder_of, literal_folder, many_matcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from freezegate.model.globs import Glob

_NEVER = frozenset({".git", ".freeze"})  # at the top: git's own, and ours


class Refused(NamedTuple):
    """What stands where a fixture should, and cannot be locked; `code` is a reason code."""

    path: str
    code: str
    got: str
    expected: str


class Folder(NamedTuple):
    """A folder's path from the top, "" for the top itself, and the names of fixtures in it."""

    path: str
    names: tuple[str, ...]


class Found(NamedTuple):
    """The fixtures by folder, and what stands among them that is none.

    `looked_into` are the folders whose names decided that: with other names it may be another set.
    """

    folders: tuple[Folder, ...]
    refused: tuple[Refused, ...]
    looked_into: tuple[str, ...] = ()


def find_fixtures(top: str, patterns: tuple[Glob, ...]) -> Found:
    """Walk the folders that the globs can reach, in the order of their names."""
    walk = _Walk(top, patterns)
    for root in _roots(patterns):
        walk.enter(root)
    return Found(tuple(walk.folders), tuple(walk.refused), tuple(walk.looked_into))


def _roots(patterns: tuple[Glob, ...]) -> Iterator[str]:
    """Yield the folders to walk, none of them below another."""
    adding = {literal_folder(pattern) for pattern in patterns if not pattern.startswith("!")}
    for root in sorted(adding):
        if not any(
            root != other and (not other or root.startswith(f"{other}/")) for other in adding
        ):
            yield root


class _Walk:
    """A walk that keeps what it found."""

    def __init__(self, top: str, patterns: tuple[Glob, ...]) -> None:
        self._top = top
        self._whole = _whole_folders(patterns)
        self._matches = many_matcher(patterns)
        self.folders: list[Folder] = []
        self.refused: list[Refused] = []
        self.looked_into: dict[str, None] = {}

    def enter(self, root: str) -> None:
        """Walk a folder and all below it; a link on the way to it is refused."""
        parts = root.split("/") if root else []
        for end in range(1, len(parts) + 1):
            path = "/".join(parts[:end])
            try:
                mode = os.lstat(f"{self._top}/{path}").st_mode
            except (FileNotFoundError, NotADirectoryError):
                self.looked_into.update(dict.fromkeys(["", *_above(path)]))
                return
            if not stat.S_ISDIR(mode):
                # A glob like `data/x*` is looked for in `data`: a file of that name is no fixture.
                if stat.S_ISLNK(mode):
                    self.refused.append(_no_file(path, mode))
                return
        self.looked_into.update(dict.fromkeys(_above(root)))
        self._scan(root, whole=root in self._whole)

    def _scan(self, folder: str, *, whole: bool) -> None:
        self.looked_into[folder] = None
        listed = _listed(f"{self._top}/{folder}")
        if folder and any(".git" in names for names in listed):
            self._foreign(folder, whole=whole)
            return
        prefix = f"{folder}/" if folder else ""
        files, below, others = (sorted(names) for names in listed)
        for name in others:
            if whole or self._matches(prefix + name):
                self.refused.append(
                    _no_file(prefix + name, os.lstat(f"{self._top}/{prefix}{name}").st_mode)
                )
        if not whole:
            files = [name for name in files if self._matches(prefix + name)]
        if not are_plain_names(files):
            files = [name for name in files if self._is_path(prefix + name)]
        if files and self._is_path(prefix + max(files, key=len)):
            self.folders.append(Folder(folder, tuple(files)))
        for name in below:
            if folder or name not in _NEVER:
                path = prefix + name
                self._scan(path, whole=whole or path in self._whole)

    def _foreign(self, folder: str, *, whole: bool) -> None:
        """A repository of its own: what is in it is no file of this one."""
        if whole or self._matches(folder):
            self.refused.append(
                Refused(
                    folder,
                    "path.gitlink",
                    "a submodule (gitlink), or another repository",
                    "regular files of this repository",
                )
            )

    def _is_path(self, path: str) -> bool:
        try:
            RepoPath(path)
        except InvalidValue as fault:
            self.refused.append(Refused(path, fault.code, fault.got, fault.expected))
            return False
        return True


def _listed(folder: str) -> tuple[list[str], list[str], list[str]]:
    """Return the names of files, of folders, and of all else."""
    files, folders, others = list[str](), list[str](), list[str]()
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file(follow_symlinks=False):
                files.append(entry.name)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                others.append(entry.name)
    return files, folders, others


def _whole_folders(patterns: tuple[Glob, ...]) -> frozenset[str]:
    """Return the folders in which no path need be asked about; none where a `!` takes paths out."""
    if any(pattern.startswith("!") for pattern in patterns):
        return frozenset()
    return frozenset(folder for pattern in patterns if (folder := folder_of(pattern)))


def _no_file(path: str, mode: int) -> Refused:
    is_link = stat.S_ISLNK(mode)
    return Refused(
        path,
        "path.symlink" if is_link else "path.not_regular",
        "a symbolic link" if is_link else "a special file",
        "a regular file, whose own bytes tests read",
    )


def _above(path: str) -> Iterator[str]:
    """Yield the folders on the way to a path, the top left out."""
    parts = path.split("/")
    yield from ("/".join(parts[:end]) for end in range(1, len(parts)))


def only_under(found: Found, asked: Iterable[str]) -> Found:
    """Return what is one of these paths, or lies below one."""
    keeps = _keeper(frozenset(asked))
    folders = (
        Folder(each.path, tuple(n for n in each.names if keeps(_join(each.path, n))))
        for each in found.folders
    )
    return Found(
        tuple(each for each in folders if each.names),
        tuple(each for each in found.refused if keeps(each.path)),
    )


def _keeper(asked: frozenset[str]) -> Callable[[str], bool]:
    def keeps(path: str) -> bool:
        parts = path.split("/")
        return any("/".join(parts[:end]) in asked for end in range(1, len(parts) + 1))

    return keeps


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
