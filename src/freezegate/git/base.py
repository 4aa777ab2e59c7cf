"""The trusted base T: the target that may judge this candidate (SPEC 6.1)."""

from __future__ import annotations

from enum import Enum
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import pygit2

from freezegate.errors import Unanswerable
from freezegate.git.documents import read_policy
from freezegate.git.trees import Snapshot
from freezegate.model.digests import ObjectId
from freezegate.model.paths import shell_word
from freezegate.policy.globs import ref_matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from freezegate.git.history import History
    from freezegate.git.store import ObjectStore
    from freezegate.model.globs import Glob

TARGET_KEY = "freezegate.target"
MAX_REFS = 100  # what a person would still look through
_ORIGIN_HEAD = "refs/remotes/origin/HEAD"


class Listing(Enum):
    """What a ref's own tip says about whether the ref is a target."""

    LISTED = "its policy lists it"
    OTHER = "its policy lists others"
    DAMAGED = "its policy does not decode"
    NO_POLICY = "it has no policy"


class TrustedBase(NamedTuple):
    """T as a commit (None: the empty tree), the place where it was found, how far to trust it.

    `name` is the target's full name at its remote, None where nobody knows it.
    """

    rev: ObjectId | None
    source: str
    parent_only: bool = False
    name: str | None = None


class _Candidate(NamedTuple):
    ref: str
    name: str
    rev: ObjectId
    listing: Listing
    targets: tuple[Glob, ...]


class TargetSearch:
    """Look for the target of a branch, in SPEC 6.1's order."""

    def __init__(self, repository: pygit2.Repository, store: ObjectStore, history: History) -> None:
        """Look in this repository's configuration and refs."""
        self._repository = repository
        self._store = store
        self._history = history

    def find(self, branch: str | None) -> TrustedBase | None:
        """Return T for a branch (`refs/heads/…`, None for a detached HEAD); None without target.

        Raises Unanswerable where a configured target is no target, or several refs could be T.
        """
        configured = self._configured()
        if configured:
            return configured
        origin = _listed(self._origin_head())
        upstream = _listed(self._upstream(branch, own_copy=True))
        # Where origin/HEAD has a voice, the other refs are not even read: there may be thousands.
        tracking = [] if origin else _listed(self._remote_tracking())
        found = _only(_vouched(upstream, origin or tracking)) or _only(origin)
        if found:
            return found
        # Listed by themselves alone: several are no answer, one is its own voice.
        found = _only(_vouched(tracking, tracking) or tracking)
        if found:
            return found
        local = _listed(self._local(branch))
        return _only(_vouched(local, local) or local) or self._without_listing(branch)

    def likely_target(self, branch: str | None) -> str | None:
        """Return the name, at its remote, of the ref that a new policy should list first."""
        usual = self._candidates(("refs/remotes/origin/main", "refs/remotes/origin/master"))
        upstream = self._upstream(branch, own_copy=True)
        candidate = next(chain(self._origin_head(), usual, upstream), None)
        return candidate.name if candidate else branch

    def called(self, revision: str) -> TrustedBase | None:
        """Return the target that a ref's name means; None for other revisions and refs."""
        try:
            ref = self._repository.lookup_reference_dwim(revision).name
        except (KeyError, ValueError, pygit2.GitError):
            return None
        return _only(_listed(tuple(self._candidates([ref]))))

    def known_refs(self) -> tuple[str, ...]:
        """Return the refs here by the names that their remotes give them, at most a hundred."""
        names = islice(chain(self._names("refs/remotes/"), self._names("refs/heads/")), MAX_REFS)
        return tuple(dict.fromkeys(map(self._name_at_remote, names)))

    def _without_listing(self, branch: str | None) -> TrustedBase | None:
        """No ref lists itself: a damaged target is still T; without any policy, the upstream is."""
        upstream = self._upstream(branch, own_copy=False)
        for candidates in (upstream, self._origin_head(), self._remote_tracking()):
            found = _only([c for c in candidates if c.listing is Listing.DAMAGED])
            if found:
                return found
        for candidates in (upstream, self._origin_head()):
            found = _only([c for c in candidates if c.listing is Listing.NO_POLICY])
            if found:
                return found
        return None

    def _configured(self) -> TrustedBase | None:
        config = self._repository.config
        if TARGET_KEY not in config:
            return None
        try:
            name = str(config[TARGET_KEY])
        except UnicodeDecodeError:
            name = "\ufffd"  # bytes that are no text name no ref
        candidate = next(self._candidates([name]), None)
        if candidate is None:
            raise Unanswerable(
                "base.mismatch",
                got=f"git config {TARGET_KEY} names {name!a}, which is no ref here",
                expected="the full name of a ref, refs/remotes/origin/main for example",
                remedy=self._remedy_for(name),
            )
        if candidate.listing is Listing.OTHER:
            raise Unanswerable(
                "base.mismatch",
                got=f"git config {TARGET_KEY} names {name}, whose policy does not list it",
                expected="a ref that [base] targets of its own policy lists",
                remedy=f"git config --unset {TARGET_KEY}",
            )
        return TrustedBase(rev=candidate.rev, source=name, name=candidate.name)

    def _remedy_for(self, name: str) -> str:
        """What to do about a configured target that is no ref: a remote to fetch, a longer name."""
        full = name if name.startswith("refs/heads/") else f"refs/heads/{name}"
        tracking = (
            ref for ref in self._names("refs/remotes/") if self._name_at_remote(ref) == full
        )
        longer = next(self._candidates(chain([f"refs/remotes/{name}"], tracking, [full])), None)
        if longer:
            return f"git config {TARGET_KEY} {shell_word(longer.ref)}"
        parts = name.split("/")
        is_remote = name.startswith("refs/remotes/") and len(parts) > 3
        fetched = f" {shell_word(parts[2])}" if is_remote else ""
        return f"git fetch{fetched}, then look for it: git for-each-ref refs/remotes"

    def _upstream(self, branch: str | None, *, own_copy: bool) -> tuple[_Candidate, ...]:
        """The branch's upstream; without `own_copy` none that is this branch under its own name."""
        if not branch:
            return ()
        try:
            name = self._repository.lookup_branch(branch.removeprefix("refs/heads/")).upstream_name
        except (KeyError, ValueError, AttributeError, pygit2.GitError):
            return ()
        if not own_copy and self._name_at_remote(name) == branch:
            return ()
        return tuple(self._candidates([name]))

    def _origin_head(self) -> tuple[_Candidate, ...]:
        try:
            ref = self._repository.lookup_reference(_ORIGIN_HEAD)
        except KeyError:
            return ()
        return tuple(self._candidates([str(ref.target)])) if isinstance(ref.target, str) else ()

    def _remote_tracking(self) -> tuple[_Candidate, ...]:
        return tuple(self._candidates(self._names("refs/remotes/")))

    def _local(self, branch: str | None) -> tuple[_Candidate, ...]:
        return tuple(self._candidates(n for n in self._names("refs/heads/") if n != branch))

    def _names(self, prefix: str) -> Iterator[str]:
        for raw in self._repository.raw_listall_references():
            name = raw.decode("utf-8", "surrogateescape")
            if name.startswith(prefix) and not name.endswith("/HEAD"):
                yield name

    def _candidates(self, names: Iterable[str]) -> Iterator[_Candidate]:
        """Yield the refs that exist and end in a commit, with what their policy says of them."""
        for name in names:
            try:
                target = self._repository.lookup_reference(name).resolve().target
            except (KeyError, ValueError, pygit2.GitError, UnicodeEncodeError):
                continue
            rev = self._store.peel(ObjectId(str(target)))
            if rev is not None:
                yield self._candidate(name, rev)

    def _candidate(self, ref: str, rev: ObjectId) -> _Candidate:
        name = self._name_at_remote(ref)
        policy = read_policy(self._store, Snapshot(self._store, self._store.commit(rev).tree))
        if policy.value is None:
            listing = Listing.DAMAGED if policy.is_damaged else Listing.NO_POLICY
            return _Candidate(ref, name, rev, listing, ())
        targets = policy.value.targets
        listing = Listing.LISTED if ref_matches(targets, name) else Listing.OTHER
        return _Candidate(ref, name, rev, listing, targets)

    def _name_at_remote(self, ref: str) -> str:
        """Return the name that a tracking ref's remote gives it; other refs keep their own."""
        if not ref.startswith("refs/remotes/"):
            return ref
        if not _is_text(ref):  # libgit2's refspecs take text alone
            return "refs/heads/" + ref.removeprefix("refs/remotes/").partition("/")[2]
        for remote in self._repository.remotes:
            for place in range(remote.refspec_count):
                spec = remote.get_refspec(place)
                if spec.dst_matches(ref):
                    return str(spec.rtransform(ref))
        return "refs/heads/" + ref.removeprefix("refs/remotes/").partition("/")[2]


def parent_base(
    history: History, parents: tuple[ObjectId, ...], *, one_further: bool, staged: bool
) -> TrustedBase:
    """Return HEAD^ as T where there is no target, or its own parent (SPEC 6.1).

    Of the index, whose parent HEAD would be, HEAD is what a commit calls HEAD^.
    """
    rev = parents[0] if parents else None
    source = "HEAD" if staged else "HEAD^"
    if rev and one_further:
        above = history.parents(rev)
        rev, source = (above[0] if above else None), f"{source}^"
    return TrustedBase(rev=rev, source=source if rev else "the empty tree", parent_only=True)


def _is_text(ref: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in ref)


def _listed(candidates: tuple[_Candidate, ...]) -> list[_Candidate]:
    return [candidate for candidate in candidates if candidate.listing is Listing.LISTED]


def _vouched(candidates: list[_Candidate], voices: list[_Candidate]) -> list[_Candidate]:
    """Return the candidates that every voice lists.

    Anybody can push a branch whose policy lists that branch itself, and would then be judged by
    what it wrote: origin/HEAD has to list it too, or, without one, everybody who lists himself.
    """
    return [c for c in candidates if all(ref_matches(v.targets, c.name) for v in voices)]


def _only(candidates: list[_Candidate]) -> TrustedBase | None:
    """Return the one base among equals; several different ones are no answer."""
    refs = sorted((c.ref for c in candidates), key=lambda ref: (not _is_origins(ref), ref))
    if len({candidate.rev for candidate in candidates}) > 1:
        choices = " | ".join(refs)
        raise Unanswerable(
            "base.none",
            got=f"several targets that could judge: {', '.join(refs)}",
            expected="one: the ref of the repository that your work goes to",
            remedy=f"git config {TARGET_KEY} REF, REF being one of {choices}; once for one "
            "question: freezegate check --base REF",
        )
    if not candidates:
        return None
    first = next(candidate for candidate in candidates if candidate.ref == refs[0])
    return TrustedBase(rev=first.rev, source=first.ref, name=first.name)


def _is_origins(ref: str) -> bool:
    return ref.startswith("refs/remotes/origin/")
