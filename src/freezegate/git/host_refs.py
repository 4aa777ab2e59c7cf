"""What a host's repository holds under a pushed name; nothing is written."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from freezegate.model.digests import ObjectId
from freezegate.model.paths import fold
from freezegate.policy.globs import ref_matches
from freezegate.policy.host_refs import RefFacts, blocked_by, is_same_for_some, protected_twin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.git.repository import Repository
    from freezegate.model.globs import Glob
    from freezegate.model.host import RefUpdate


class Held(NamedTuple):
    """A ref as it stands: the object that it holds, or the ref at which it points."""

    oid: ObjectId | None
    alias_of: str | None


class HostRefs:
    """The refs of one repository, seen by the host's list of protected ones."""

    def __init__(self, repository: Repository, protected: tuple[Glob, ...]) -> None:
        """Read refs as they stand before the push."""
        self._repository = repository
        self._protected = protected
        self._listed: dict[str, bool] = {}
        self._folders: dict[str, str] = {}

    def gather(self, update: RefUpdate) -> RefFacts:
        """Return what stands behind a pushed name that is text."""
        held = self.held(update.ref)
        if self._is_listed(update.ref):
            twin, blocks = self._beside(update)
        else:
            blocks = blocked_by(self._protected, update.ref) if update.old is None else None
            twin = protected_twin(self._protected, update.ref) or self._twin_behind(update.ref)
        return RefFacts(update, held.oid, held.alias_of, twin, blocks)

    def held(self, ref: str) -> Held:
        """Return what a ref holds; a symbolic one holds nothing itself."""
        try:
            target = self._repository.lookup_reference(ref).target
        except (KeyError, ValueError):  # libgit2 takes no other names than git
            return Held(None, None)
        return Held(None, target) if isinstance(target, str) else Held(ObjectId(str(target)), None)

    def is_protected(self, ref: str) -> bool:
        """Say whether a push to a ref moves a protected one: by its name, or by an alias of it."""
        return self._is_listed(ref) or ref in self._behind_aliases

    def _is_listed(self, ref: str) -> bool:
        if ref not in self._listed:
            self._listed[ref] = ref_matches(self._protected, ref)
        return self._listed[ref]

    @cached_property
    def _behind_aliases(self) -> frozenset[str]:
        """Every ref that a protected name leads to: git follows one alias to the next."""
        behind: set[str] = set()
        waiting = set(self._standing())
        while waiting:
            target = self.held(waiting.pop()).alias_of
            if target is not None and target not in behind:
                behind.add(target)
                waiting.add(target)
        return frozenset(behind)

    def _twin_behind(self, ref: str) -> str | None:
        """What a protected alias leads to, where some file system takes the name for it."""
        if ref in self._behind_aliases:
            return None
        return next((each for each in self._behind_aliases if is_same_for_some(each, ref)), None)

    def any_protected(self) -> bool:
        """Say whether any protected ref exists."""
        return any(True for _ in self._standing())

    def _beside(self, update: RefUpdate) -> tuple[str | None, str | None]:
        """A protected ref that a new one would be, or stand below, where case is not told apart.

        What this push brings besides counts as well: none of it stands yet.
        """
        if update.old is not None or update.new is None:
            return None, None
        folded = _folded(update.ref)
        same = self._known.get(folded)
        way = self._folders.get(folded) or next(
            (self._known[each] for each in _folders_of(folded) if each in self._known), None
        )
        self._add(update.ref)
        return (None, way) if same in (None, update.ref) else (same, None)

    @cached_property
    def _known(self) -> dict[str, str]:
        """The protected refs by their folded names; `_folders` has the folders that they need."""
        known: dict[str, str] = {}
        for ref in self._standing():
            known[_folded(ref)] = ref
            self._folders |= dict.fromkeys(_folders_of(_folded(ref)), ref)
        return known

    def _add(self, ref: str) -> None:
        self._known.setdefault(_folded(ref), ref)
        self._folders |= dict.fromkeys(_folders_of(_folded(ref)), ref)

    def _standing(self) -> Iterator[str]:
        for raw in self._repository.raw_listall_references():
            name = raw.decode("utf-8", "surrogateescape")
            if ref_matches(self._protected, name):
                yield name


def _folded(ref: str) -> str:
    return fold(ref.encode("utf-8", "surrogateescape"))


def _folders_of(ref: str) -> Iterator[str]:
    """Yield the names that a ref's file lies below."""
    parts = ref.split("/")
    yield from ("/".join(parts[:end]) for end in range(2, len(parts)))
