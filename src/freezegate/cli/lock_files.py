"""Which files the lock is about: found, limited to what was asked for, and hashed."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.lock_drift import Content
from freezegate.errors import InvalidValue, UsageError
from freezegate.formats.lock import dump_lines
from freezegate.git.fixture_hashes import are_unchanged, hash_fixtures, with_folders
from freezegate.git.fixture_walk import Folder, Found, find_fixtures, only_under
from freezegate.git.stat_cache import FIELDS, begin, keep_seen, read_seen
from freezegate.model.paths import RepoPath

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from freezegate.git.fixture_walk import Refused
    from freezegate.git.repository import Repository
    from freezegate.git.stat_cache import Seen
    from freezegate.model.globs import Glob


class Here(NamedTuple):
    """The work tree's fixtures: their digests, what cannot be locked, and lines without a file.

    `locked` are the lines that the question is about, `kept` those of files that a sparse checkout
    leaves out, `others` those of files that stand here and that no glob matches. `lines` is the
    lock that holds these digests and no others, None where it was not needed.
    """

    seen: Seen
    digests: Mapping[str, str]
    refused: tuple[Refused, ...]
    locked: Mapping[str, str]
    kept: frozenset[str]
    others: frozenset[str]
    lines: bytes | None = None

    def contents(self, paths: Iterable[str]) -> dict[str, Content]:
        """Return digests and sizes of the fixtures among some paths."""
        wanted = frozenset(paths)
        sizes = zip(self.seen.paths, self.seen.stats[::FIELDS], strict=True)
        return {path: Content(self.digests[path], size) for path, size in sizes if path in wanted}


def asked_paths(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the paths that were typed, without a slash at their end; raises UsageError."""
    try:
        return tuple(dict.fromkeys(RepoPath(text.rstrip("/")) for text in texts))
    except InvalidValue as fault:
        msg = f"{fault.got} is no path from the repository's top: expected {fault.expected}"
        raise UsageError(msg) from None


def look(
    repository: Repository,
    top: Path,
    patterns: tuple[Glob, ...],
    asked: tuple[str, ...],
    lines: Mapping[str, str],
) -> Here:
    """Return what stands in the work tree; raises UsageError for a path that means nothing."""
    found = find_fixtures(os.fspath(top), patterns)
    locked = lines
    if asked:
        whole, found = found, only_under(found, asked)
        locked = {path: lines[path] for path in lines if _is_under(path, asked)}
        _refuse_unknown(asked, found, locked, whole, top)
    index = repository.index  # read here: the process that helps has it, too
    memory = _memory(repository)
    before, began_ns = read_seen(memory), begin(memory)
    hashed = hash_fixtures(
        os.fspath(top), found.folders, before, lambda each: _ignored(repository, index, each, lines)
    )
    refused = [each for each in found.refused if not _is_ignored(repository, index, each.path)]
    here = _here(repository, top, hashed.seen, (*refused, *hashed.refused), locked)
    if not asked and began_ns:
        # What git ignores, refuses or leaves out of the work tree is looked at anew each time.
        is_all = not (hashed.left_out or found.refused or here.refused or here.kept)
        data = dump_lines(here.digests)
        here = here._replace(lines=data)
        mark = _mark(patterns, data) if is_all else None
        keep_seen(memory, _marked(top, hashed.seen, found.looked_into, mark), began_ns)
    return here


def _marked(top: Path, seen: Seen, folders: Sequence[str], mark: bytes | None) -> Seen:
    return seen if mark is None else with_folders(os.fspath(top), seen, folders, mark)


def is_as_locked(
    repository: Repository, top: Path, patterns: tuple[Glob, ...], lock: bytes
) -> int | None:
    """Return the number of fixtures, if all are as they were when this very lock held them all."""
    before = read_seen(_memory(repository))
    if not before.paths or _mark(patterns, lock) != before.mark:
        return None
    return before.files if are_unchanged(os.fspath(top), before) else None


def _mark(patterns: tuple[Glob, ...], lock: bytes) -> bytes:
    """Return what stands for the globs and a lock together."""
    globs = "\0".join(patterns).encode()
    return hashlib.sha256(hashlib.sha256(globs).digest() + lock).digest()


def _memory(repository: Repository) -> Path:
    """Return a work tree's own file: linked work trees have other files, and other inodes."""
    return Path(repository.path) / "freezegate" / "lock-cache"


def _here(
    repository: Repository,
    top: Path,
    seen: Seen,
    refused: tuple[Refused, ...],
    locked: Mapping[str, str],
) -> Here:
    hexes = seen.digests.hex()
    starts = range(0, len(hexes), 64)
    digests = {path: hexes[at : at + 64] for path, at in zip(seen.paths, starts, strict=True)}
    gone = locked.keys() - digests.keys()
    absent = {path for path in gone if not os.path.lexists(top / path)}
    return Here(
        seen=seen,
        digests=digests,
        refused=refused,
        locked=locked,
        kept=frozenset(_left_out(repository, absent)),
        others=frozenset(gone - absent),
    )


def _left_out(repository: Repository, absent: set[str]) -> Iterable[str]:
    """Return the absent files that a sparse checkout may have left out: they are tracked still."""
    if not absent or "core.sparsecheckout" not in repository.config:
        return ()
    if not repository.config.get_bool("core.sparsecheckout"):
        return ()
    return [path for path in absent if path in repository.index]


def _ignored(
    repository: Repository, index: Container[str], folder: Folder, lines: Mapping[str, str]
) -> Container[str]:
    """Return a folder's files that are in no line of the lock and that git would not add."""
    prefix = f"{folder.path}/" if folder.path else ""
    return {
        name
        for name in folder.names
        if prefix + name not in lines and _is_ignored(repository, index, prefix + name)
    }


def _is_ignored(repository: Repository, index: Container[str], path: str) -> bool:
    try:
        return path not in index and repository.path_is_ignored(path)
    except UnicodeEncodeError:  # a name that is no text is refused by name
        return False


def _is_under(path: str, asked: tuple[str, ...]) -> bool:
    return any(path == each or path.startswith(f"{each}/") for each in asked)


def _refuse_unknown(
    asked: tuple[str, ...], found: Found, locked: Mapping[str, str], whole: Found, top: Path
) -> None:
    known = [*_paths(found), *locked, *(each.path for each in found.refused)]
    for each in asked:
        if not any(path == each or path.startswith(f"{each}/") for path in known):
            raise UsageError(_unknown(each, [*_paths(whole)], top))


def _unknown(path: str, fixtures: list[str], top: Path) -> str:
    from freezegate.cli.witness_nearest import nearest_paths

    stands = os.path.lexists(top / path)
    got = "matches no [fixtures] paths of the policy" if stands else "is no file of the work tree"
    near = nearest_paths(path, fixtures)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"{path} {got}; expected a fixture by its path from the repository's top{hint}"


def _paths(found: Found) -> Iterable[str]:
    for folder in found.folders:
        for name in folder.names:
            yield f"{folder.path}/{name}" if folder.path else name
