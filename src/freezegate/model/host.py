"""What the administrator of a git host says, once for all who push there (SPEC 6.3)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from freezegate.model.digests import ObjectId
    from freezegate.model.globs import Glob

# GitHub Enterprise gives all pre-receive hooks together five seconds (MECHANICS 38).
WALL_S = 4
# The judge's own code takes 120 MiB, packs that are read are mapped in windows beside it.
MEMORY_MIB = 1024
MAX_REFS = 10_000  # a mirror of a large project has about as many tags
MAX_CHANGED_ENTRIES = 100_000


class HostLimits(NamedTuple):
    """What one push may cost; the repository's own [limits] do not count on a host."""

    wall_s: int = WALL_S
    cpu_s: int = WALL_S
    memory_mib: int = MEMORY_MIB
    max_refs: int = MAX_REFS
    max_changed_entries: int = MAX_CHANGED_ENTRIES


class HostSettings(NamedTuple):
    """Which refs are protected, where new ones come from, what a push may cost, where the log is.

    `parents` are pairs of a glob and the full name of the protected ref that new refs like it
    start from; `log` is an absolute path, None for the usual one in the repository.
    """

    protected: tuple[Glob, ...]
    parents: tuple[tuple[Glob, str], ...] = ()
    log: str | None = None
    limits: HostLimits = HostLimits()


class RefUpdate(NamedTuple):
    """One line of a push as git tells the hook: `old` is None for a new ref, `new` for a deletion.

    `ref` may hold any bytes, those that are no text as surrogates.
    """

    ref: str
    old: ObjectId | None
    new: ObjectId | None


class LogEvent(StrEnum):
    """What a line of the host's log tells: what pre-receive said, or what post-receive saw."""

    DECIDED = "decided"
    LANDED = "landed"


class LoggedFreeze(NamedTuple):
    """A freeze that a push asked for, or ended."""

    freeze: str
    test_id: str
    status: str


class LogEntry(NamedTuple):
    """A line of the host's log: one ref of one push.

    `push` is a number drawn for each push, `repository` the path of its git directory; `digest` is
    the plain BLAKE3 of the ref's verdict as `--format json` prints it, null where there was none;
    `codes` are those of errors, `detail` says what was seen where there was no verdict.
    """

    event: LogEvent
    time: str
    push: str | None
    repository: str
    ref: str
    old: ObjectId | None
    new: ObjectId | None
    verdict: str | None
    digest: str | None
    codes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    detail: str | None = None
    freezes: tuple[LoggedFreeze, ...] = ()
