"""All that a decision may look at: one step from T to N, read and decoded."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from freezegate.errors import DecodeError
    from freezegate.model.catalog import Catalog
    from freezegate.model.digests import Blake3, ObjectId, Sha256
    from freezegate.model.domain import DomainChange
    from freezegate.model.entries import Change, Entry
    from freezegate.model.ledger import BadLine, LedgerEntry
    from freezegate.model.paths import RepoPath
    from freezegate.model.record import FreezeRecord
    from freezegate.model.verdict import Base
    from freezegate.policy.claim import Claim
    from freezegate.policy.domain.surface import Difference
    from freezegate.policy.marked_tests import Place as MarkedPlace
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.settings import Policy

T = TypeVar("T")


class Place(Enum):
    """Where the question comes from: some places only advise (SPEC 6.1)."""

    CHECK = "check"
    PRE_COMMIT = "pre-commit"
    PRE_PUSH = "pre-push"
    PRE_PUSH_TARGET = "pre-push to a target"
    PRE_RECEIVE = "pre-receive"

    @property
    def advises(self) -> bool:
        """Whether work may go on here between a freeze and its landing."""
        return self in (Place.PRE_COMMIT, Place.PRE_PUSH)


class Document(NamedTuple, Generic[T]):
    """A file of freezegate's in one tree: absent, decoded, or damaged and why."""

    path: bytes
    entry: Entry | None
    value: T | None = None
    fault: DecodeError | None = None

    @property
    def is_damaged(self) -> bool:
        """Whether it stands there and does not decode."""
        return self.fault is not None


class Judges(NamedTuple):
    """Policy, catalogue and lock of one tree."""

    policy: Document[Policy]
    catalog: Document[Catalog]
    lock: Document[Mapping[RepoPath, Sha256]]

    @property
    def all(self) -> tuple[Document[Any], ...]:
        """The three in the order in which people write them."""
        return (self.policy, self.catalog, self.lock)


class LedgerStep(NamedTuple):
    """The ledger at T and what the patch adds to it.

    `landed` are T's lines; `added` the candidate's lines behind them, empty where the candidate
    does not keep T's bytes (`appends` is False then).
    """

    landed: tuple[LedgerEntry | BadLine, ...]
    added: tuple[LedgerEntry | BadLine, ...]
    appends: bool
    entry: Entry | None
    candidate_lines: tuple[bytes, ...] = ()

    @property
    def has_bad_lines(self) -> bool:
        """Whether an added line does not decode; what it would have named is not known then."""
        return any(line.is_damaged for line in self.added)


class KeptFile(NamedTuple):
    """A changed path under `.freeze/`; `digest_fits` is None where its name is no digest."""

    path: bytes
    old: Entry | None
    new: Entry | None
    digest_fits: bool | None = None
    fault: DecodeError | None = None


class Voided(NamedTuple):
    """What the patch changes of the ground of an active freeze: its domain, and its own test."""

    domain: tuple[DomainChange, ...] = ()
    test: tuple[Difference, ...] = ()


class Facts(NamedTuple):
    """One step from T to N.

    `changes` is the patch; `clashes` are guarded paths in which candidate, T and merge base all
    differ, `divided` says that there is no single merge base, `behind`
    that the candidate does not descend from T; `unmatched` are globs and paths of
    the new judges that match nothing; `target` is the full name of T's ref at its remote,
    None where that is not known; `known_refs` are the refs here, by their names at their
    remotes; `stale_locks` are changed fixtures whose lock line says another digest than their
    bytes have (path, locked, actual); `record` is None where the patch leaves it alone;
    `age_commits` tells how many commits ago a freeze's base was, None where that is no ancestor
    of T; `patch_digest` is None where nothing is asked; `voided` tells what the patch changes of
    the ground of active freezes, by their ids; `twins` are added paths, each with another spelling
    of itself of which at least a folder stands; `stale_markers` are freezes that are over, with the
    place of a skip marker of ours that stands for each; `mutes` are the ways in which the patch
    silences or weakens tests, and `standard` judges them where T has no policy;
    `left_out` are files of the work tree that the candidate lacks: what a claim names, and the
    claimed test's, where a marker of ours stands in the work tree alone.
    """

    now: datetime
    place: Place
    base: Base
    parent_only: bool
    candidate: ObjectId | None
    has_parent: bool
    nothing_new: bool
    judges: Judges
    new_judges: Judges
    ci_judges: frozenset[bytes]
    unmatched: tuple[tuple[bytes, str, str], ...]
    target: str | None
    known_refs: tuple[str, ...]
    stale_locks: tuple[tuple[bytes, Sha256, Sha256], ...]
    changes: Mapping[bytes, Change]
    clashes: tuple[bytes, ...]
    divided: bool
    behind: bool
    ledger: LedgerStep
    record: Document[FreezeRecord] | None
    kept_files: tuple[KeptFile, ...]
    twins: tuple[tuple[bytes, bytes], ...]
    claims: tuple[Claim, ...]
    age_commits: Mapping[ObjectId, int | None]
    patch_digest: Blake3 | None
    voided: Mapping[Blake3, Voided]
    stale_markers: Mapping[Blake3, MarkedPlace]
    mutes: tuple[Mute, ...]
    standard: Policy
    left_out: frozenset[str] = frozenset()
