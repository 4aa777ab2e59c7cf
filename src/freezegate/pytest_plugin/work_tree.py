"""What lies in the work tree, as git would name it: modes and blob ids, links not followed."""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING, Any

from freezegate.errors import DecodeError
from freezegate.formats.strict_toml import load_toml
from freezegate.model.digests import Sha256
from freezegate.model.entries import SYMLINK_MODE, TREE_MODE, Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from freezegate.model.evidence import DomainEntry

# A larger file is no source: reading it would only cost the session its memory.
MAX_FILE_BYTES = 64 * 1024 * 1024
_PARTED = (".toml", ".ini", ".cfg")  # elsewhere a `#` belongs to the file's name


class WorkTree:
    """A checked-out repository, read by path from its top; each file is read anew."""

    def __init__(self, top: Path) -> None:
        """Read below a folder."""
        self._top = os.fsencode(top)
        self._sources: dict[bytes, bytes] = {}

    def digest(self, path: str) -> Sha256 | None:
        """Return the SHA-256 of a regular file, None for all else; raises OSError, as all here."""
        if not self._is_regular(path):
            return None
        with open(self._whole(path), "rb") as file:
            return Sha256(hashlib.file_digest(file, "sha256").hexdigest())

    def entry(self, path: str) -> Entry | None:
        """Return what stands at a path as git would store it; a folder's id means nothing."""
        if not self._has_real_parents(path):
            return None
        try:
            info = os.lstat(self._whole(path))
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISDIR(info.st_mode):
            return Entry(TREE_MODE, bytes(20))
        if stat.S_ISLNK(info.st_mode):
            return self._blob(SYMLINK_MODE, os.readlink(self._whole(path)))
        if not stat.S_ISREG(info.st_mode):
            raise OSError(None, "no regular file", path)
        if info.st_size > MAX_FILE_BYTES:
            raise _too_large(path)
        mode = 0o100755 if info.st_mode & stat.S_IXUSR else 0o100644
        with open(self._whole(path), "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise _too_large(path)
        return self._blob(mode, data)

    def source(self, entry: Entry) -> bytes:
        """Return the bytes of a file that was asked for before."""
        return self._sources[entry.oid]

    def toml(self, entry: Entry) -> Mapping[str, Any] | None:
        """Return a TOML file's tables, None where it does not decode."""
        try:
            return load_toml(self.source(entry))
        except DecodeError:
            return None

    def differing(self, domain: Iterable[DomainEntry]) -> str | None:
        """Return the first path of a recorded domain that is not as it was recorded."""
        return next((each.path for each in domain if not self._is_as_recorded(each)), None)

    def _is_as_recorded(self, each: DomainEntry) -> bool:
        file, mark, key = each.path.rpartition("#")
        if mark and (not key or file.endswith(_PARTED)):
            found = self._part(file, key)
        else:
            found = self.entry(each.path)
        if each.blob is None:
            return found is None or (found.mode == TREE_MODE and _is_file_name(each.path))
        return found == Entry(each.mode, bytes.fromhex(each.blob))

    def _part(self, file: str, key: str) -> Entry | None:
        from freezegate.policy.domain.parts import PRESENT, PRESENT_ENTRY, parts_of

        whole = self.entry(file)
        if whole is None:
            return None
        if key == PRESENT and whole.mode == TREE_MODE:  # part of a namespace package
            return None if _is_file_name(file) else PRESENT_ENTRY
        tree: Any = self  # of the port, parts ask for entry, source and toml alone
        return next(entry for _, entry in parts_of(tree, file, whole, (key,)))

    def _blob(self, mode: int, data: bytes) -> Entry:
        blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).digest()
        self._sources[blob] = data
        return Entry(mode, blob)

    def _whole(self, path: str) -> bytes:
        return self._top + b"/" + path.encode("utf-8", "surrogateescape")

    def _is_regular(self, path: str) -> bool:
        try:
            info = os.lstat(self._whole(path))
        except (FileNotFoundError, NotADirectoryError):
            return False
        return stat.S_ISREG(info.st_mode) and self._has_real_parents(path)

    def _has_real_parents(self, path: str) -> bool:
        """Whether no folder above a path is a link: git has nothing behind links."""
        above = path.rpartition("/")[0]
        while above:
            try:
                if not stat.S_ISDIR(os.lstat(self._whole(above)).st_mode):
                    return False
            except (FileNotFoundError, NotADirectoryError):
                return False
            above = above.rpartition("/")[0]
        return True


def _too_large(path: str) -> OSError:
    return OSError(None, f"{path} is larger than {MAX_FILE_BYTES} bytes", path)


def _is_file_name(path: str) -> bool:
    """Whether a folder of this name could be no package: for the domain, it is absent."""
    return "." in path.rpartition("/")[2]
