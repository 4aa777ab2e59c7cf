"""Gitignore-style globs over repository paths; the library is loaded at the first question."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pathspec import GitIgnoreSpec

    from freezegate.model.globs import Glob


def matches(patterns: tuple[Glob, ...], path: bytes) -> bool:
    """Say whether a path matches any of the globs; the last matching `!` glob takes it out."""
    return bool(patterns) and _spec(patterns).match_file(_text(path))


def first_match(patterns: tuple[Glob, ...], paths: Iterable[bytes]) -> bytes | None:
    """Return the first of the paths that a glob matches, None where none does."""
    return next((path for path in paths if matches(patterns, path)), None)


def ref_matches(targets: tuple[Glob, ...], ref: str) -> bool:
    """Say whether a full ref name is one of the targets; the usual forms need no library."""
    rare = tuple(target for target in targets if "*" in target.removesuffix("/*"))
    return any(
        ref == target
        or (target.endswith("/*") and ref.startswith(target[:-1]) and ref != target[:-1])
        for target in targets
        if target not in rare
    ) or matches(rare, ref.encode("utf-8", "surrogateescape"))


@lru_cache(maxsize=256)
def _spec(patterns: tuple[Glob, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns, backend="simple")


def _text(path: bytes) -> str:
    # `.` of a regular expression matches no newline, and no glob holds one: a name with a
    # newline must not slip through `src/**`.
    return path.decode("utf-8", "surrogateescape").replace("\n", "_").replace("\r", "_")
