"""Objects by id: parsed by ourselves, sizes asked first, a missing one never taken for absent."""

from __future__ import annotations

import re
from typing import NamedTuple

import pygit2
from pygit2.enums import ObjectType

from freezegate.errors import HostileObject, Unanswerable
from freezegate.model.digests import ObjectId
from freezegate.model.entries import (
    EMPTY_TREE,
    FILE_TYPE,
    KNOWN_MODES,
    REGULAR_TYPE,
    TREE_MODE,
    Entry,
)
from freezegate.model.paths import is_dotgit, shown_path

MAX_TREE_BYTES = 64 * 1024 * 1024  # a million entries
MAX_COMMIT_BYTES = 16 * 1024 * 1024  # messages are not read, but they come with the header
MAX_TAG_DEPTH = 10  # a tag of a tag of a tag; honest releases have one


_ENTRY = re.compile(rb"([0-7]{1,7}) ([^\0]+)\0(.{20})", re.DOTALL)
_MODES = {f"{mode:o}".encode(): mode for mode in KNOWN_MODES}


class Commit(NamedTuple):
    """A commit's own words: its id, its tree, its parents in order."""

    rev: ObjectId
    tree: bytes
    parents: tuple[ObjectId, ...]


class ObjectStore:
    """The repository's objects; trees are parsed once and kept."""

    def __init__(self, repository: pygit2.Repository) -> None:
        """Read through the repository's own object database, quarantine included."""
        self._odb = repository.odb
        self._trees: dict[bytes, dict[bytes, Entry]] = {EMPTY_TREE: {}}
        self._laid: dict[bytes, bytes] = {}

    def lay(self, data: bytes) -> Entry:
        """Keep a blob in memory and return its entry as a plain file; nothing is written.

        What will be committed can so be judged before it is written anywhere.
        """
        from hashlib import sha1  # hooks at every commit lay nothing

        oid = sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).digest()
        self._laid[oid] = data
        return Entry(REGULAR_TYPE | 0o644, oid)

    def size(self, oid: bytes, kind: ObjectType) -> int:
        """Return an object's size in bytes, from its header where the store keeps one."""
        found, size = self._header(oid)
        if found != kind:
            raise _unreadable(oid, f"an object of another type ({ObjectType(found).name.lower()})")
        return size

    def blob(self, oid: bytes, *, max_bytes: int) -> bytes:
        """Return a blob's bytes; raises Unanswerable beyond `max_bytes` or where it is missing."""
        return self._read(oid, ObjectType.BLOB, max_bytes)

    def commit(self, rev: ObjectId) -> Commit:
        """Return what a commit object says of itself, whatever grafts or shallow files say."""
        data = self._read(bytes.fromhex(rev), ObjectType.COMMIT, MAX_COMMIT_BYTES)
        header = data.split(b"\n\n", 1)[0].split(b"\n")
        try:
            tree = bytes.fromhex(header[0].removeprefix(b"tree ").decode())
            parents = tuple(
                ObjectId(line[7:].decode()) for line in header[1:] if line.startswith(b"parent ")
            )
        except ValueError:
            raise HostileObject(
                "path.ambiguous", got=f"the commit {rev} with a damaged header", expected="a commit"
            ) from None
        return Commit(rev, tree, parents)

    def peel(self, rev: ObjectId) -> ObjectId | None:
        """Follow tags to a commit; None where they end in a tree or blob."""
        for _ in range(MAX_TAG_DEPTH + 1):
            kind, _ = self._header(bytes.fromhex(rev))
            if kind == ObjectType.COMMIT:
                return rev
            if kind != ObjectType.TAG:
                return None
            data = self._read(bytes.fromhex(rev), ObjectType.TAG, MAX_COMMIT_BYTES)
            try:
                rev = ObjectId(data.split(b"\n", 1)[0].removeprefix(b"object ").decode("ascii"))
            except ValueError:
                raise HostileObject(
                    "ref.bad", got=f"the tag {rev} with a damaged header", expected="a tag"
                ) from None
        raise HostileObject(
            "ref.bad", got=f"more than {MAX_TAG_DEPTH} nested tags", expected="a tag of a commit"
        )

    def tree(self, oid: bytes, where: bytes = b"", *, trusted: bool = False) -> dict[bytes, Entry]:
        """Return a tree's entries by name.

        Raises HostileObject for what no honest git writes, unless the tree is `trusted`: then the
        first of several entries with one name counts, so that a repair can be compared with it.
        """
        if oid not in self._trees:
            data = self._read(oid, ObjectType.TREE, MAX_TREE_BYTES)
            entries, fault = _parse_tree(data)
            if fault and not trusted:
                raise _hostile_tree(where, fault)
            if fault:
                return entries
            self._trees[oid] = entries
        return self._trees[oid]

    def _header(self, oid: bytes) -> tuple[int, int]:
        if oid in self._laid:
            return int(ObjectType.BLOB), len(self._laid[oid])
        try:
            kind, size = self._odb.read_header(pygit2.Oid(raw=oid))
        except KeyError:
            raise _missing(oid) from None
        except pygit2.GitError as error:
            raise _unreadable(oid, str(error)) from None
        return int(kind), int(size)

    def _read(self, oid: bytes, kind: ObjectType, max_bytes: int) -> bytes:
        size = self.size(oid, kind)
        if size > max_bytes:
            raise Unanswerable(
                "limits.tree_too_large" if kind == ObjectType.TREE else "limits.blob_too_large",
                got=f"the object {oid.hex()} of {size} bytes",
                expected=f"at most {max_bytes} bytes",
            )
        if oid in self._laid:
            return self._laid[oid]
        try:
            return self._odb.read(pygit2.Oid(raw=oid))[1]
        except KeyError:
            raise _missing(oid) from None
        except pygit2.GitError as error:
            raise _unreadable(oid, str(error)) from None


def _parse_tree(data: bytes) -> tuple[dict[bytes, Entry], str]:
    """Return the entries by name (the first of a name) and the first fault, or an empty text."""
    found = _ENTRY.findall(data)
    entries: dict[bytes, Entry] = {}
    for digits, name, oid in found:
        entries.setdefault(name, Entry(_MODES.get(digits) or int(digits, 8), oid))
    return entries, _tree_fault(data, found, entries)


def _tree_fault(
    data: bytes, found: list[tuple[bytes, bytes, bytes]], entries: dict[bytes, Entry]
) -> str:
    if sum(len(digits) + len(name) + 22 for digits, name, _ in found) != len(data):
        return "a damaged entry"
    for name, entry in entries.items():
        if entry.mode not in KNOWN_MODES and entry.mode & FILE_TYPE != REGULAR_TYPE:
            return f"the unknown mode {entry.mode:o} at {shown_path(name)!a}"
        if _may_be_no_name(name) and (name in (b".", b"..") or b"/" in name or is_dotgit(name)):
            return f"the name {shown_path(name)!a}, which no file may have"
    if len(entries) != len(found):
        names = [name for _, name, _ in found]
        twice = next(name for name in entries if names.count(name) > 1)
        return f"the name {shown_path(twice)!a} twice"
    keys = [n + b"/" if entries[n].mode == TREE_MODE else n for _, n, _ in found]
    return "" if keys == sorted(keys) else "entries out of order"


def _may_be_no_name(name: bytes) -> bool:
    """A cheap first question: `.git` and its like begin with `.` or `g`, or are not ASCII."""
    return name[:1] in (b".", b"g", b"G") or b"/" in name or not name.isascii()


def _hostile_tree(where: bytes, fault: str) -> HostileObject:
    code = "path.ambiguous"
    if "'..'" in fault or "'.'" in fault:
        code = "path.dotdot"
    elif "no file may have" in fault:
        code = "path.dotgit"
    return HostileObject(
        code,
        path=shown_path(where) or None,
        got=f"a tree object with {fault}",
        expected="trees as git writes them",
    )


def _missing(oid: bytes) -> Unanswerable:
    return Unanswerable(
        "repository.object_missing",
        got=f"no object {oid.hex()} here",
        expected="every object that the answer needs",
        remedy=f"git cat-file -e {oid.hex()} (fetches it in a partial clone), else: "
        "git fetch --refetch",
    )


def _unreadable(oid: bytes, said: str) -> Unanswerable:
    return Unanswerable(
        "repository.object_missing",
        got=f"the object {oid.hex()} cannot be read: {said}",
        expected="an object that `git fsck` finds whole",
        remedy="git fsck",
    )
