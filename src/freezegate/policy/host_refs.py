"""May a push touch this ref at all? Names first, before any pushed object is read (SPEC 6.3)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import fold, is_blank_letter, is_hidden_character
from freezegate.policy.globs import ref_matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.digests import ObjectId
    from freezegate.model.globs import Glob
    from freezegate.model.host import HostSettings, RefUpdate

_REPLACEMENTS = "refs/replace"
# What starts a command or ends a word where a script forgets to quote a branch's name.
_SHELL = re.compile(r"[`;|&<>\"]|\$[({]")


class RefFacts(NamedTuple):
    """A pushed ref and what the repository holds under its name.

    `alias_of` is the ref that a symbolic one points at, `twin_of` a protected ref or glob that
    some file system takes for the same name, `blocks` one that could not be made beside this one;
    None where there is none.
    """

    update: RefUpdate
    held: ObjectId | None
    alias_of: str | None
    twin_of: str | None
    blocks: str | None = None


def name_findings(update: RefUpdate) -> Iterator[Finding]:
    """Yield why a name may not be pushed, whatever the repository holds under it."""
    ref = update.ref
    folded = fold(ref.encode("utf-8", "surrogateescape"))
    if folded == _REPLACEMENTS or folded.startswith(_REPLACEMENTS + "/"):
        yield _error("ref.replace", ref, "a replacement ref", "refs that hold what they name")
    if not ref.startswith("refs/"):
        yield _error("ref.bad_name", ref, "a name outside refs/", "a full name, refs/heads/main")
    if _is_no_text(ref):
        yield _error("ref.bad_name", ref, "bytes that are no UTF-8", "a name that is text")
    elif update.new is None:
        return  # whatever was let in before may go
    elif any(is_hidden_character(char) or is_blank_letter(char) for char in ref):
        yield _error("ref.bad_name", ref, "characters that steer or hide", "plain letters")
    elif _SHELL.search(ref):
        yield _error("ref.bad_name", ref, "characters that steer a shell", "plain letters")


def ref_findings(facts: RefFacts) -> Iterator[Finding]:
    """Yield why this ref of this repository may not be moved by a push."""
    update = facts.update
    if facts.alias_of is not None:
        got = f"a symbolic ref that points at {facts.alias_of}"
        yield _error("ref.alias", update.ref, got, "a ref that holds an object itself")
    elif facts.held != update.old:
        got = f"{facts.held or 'no such ref'} here, {update.old or 'no such ref'} told by the push"
        yield _error("ref.stale", update.ref, got, "the value that the ref has")
    if facts.twin_of is not None:
        got = f"another spelling of {facts.twin_of}, which is protected"
        yield _error("ref.twin", update.ref, got, "names that differ in more than spelling")

    if facts.blocks is not None:
        got = f"a new ref beside which {facts.blocks} cannot stand, which is protected"
        yield _error("ref.in_the_way", update.ref, got, "a name that leaves protected ones free")


def blocked_by(protected: tuple[Glob, ...], ref: str) -> str | None:
    """Return the protected glob whose refs could not stand beside a ref, None where all could."""
    name = _folded(ref)
    pairs = zip(protected, _folded_globs(protected), strict=True)
    return next(
        (
            glob
            for glob, pattern in pairs
            if pattern.startswith(f"{name}/") or name.startswith(f"{pattern}/")
        ),
        None,
    )


def protected_twin(protected: tuple[Glob, ...], ref: str) -> str | None:
    """Return the glob that matches a name once both are folded, None where none does.

    The name itself is none that is protected.
    """
    name = _folded(ref)
    folded = _folded_globs(protected)
    if not ref_matches(folded, name):
        return None
    pairs = zip(protected, folded, strict=True)
    return next(glob for glob, pattern in pairs if ref_matches((pattern,), name))


def is_same_for_some(one: str, other: str) -> bool:
    """Say whether two different names are one for some file system."""
    return one != other and _folded(one) == _folded(other)


def parent_of(settings: HostSettings, ref: str) -> str | None:
    """Return the ref that a new protected ref starts from, None where the host names none."""
    return next((parent for glob, parent in settings.parents if ref_matches((glob,), ref)), None)


@lru_cache(maxsize=1)
def _folded_globs(protected: tuple[Glob, ...]) -> tuple[Glob, ...]:
    """The folded forms of globs, which need be no globs that anybody may write."""
    return tuple(cast("Glob", _folded(glob)) for glob in protected)


def _folded(ref: str) -> str:
    return fold(ref.encode("utf-8", "surrogateescape"))


def _is_no_text(ref: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in ref)


def _error(code: str, ref: str, got: str, expected: str) -> Finding:
    return Finding(code=code, severity=Severity.ERROR, about=ref, got=got, expected=expected)
