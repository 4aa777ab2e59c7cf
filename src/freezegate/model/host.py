"""What the administrator of a git host says, once for all who push there (SPEC 6.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
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

    `parents` are pairs of a glob and the full name of the ref that new refs like it start from;
    a relative `log` counts from the repository's git directory.
    """

    protected: tuple[Glob, ...]
    parents: tuple[tuple[Glob, str], ...] = ()
    log: str = "freezegate/log.jsonl"
    limits: HostLimits = HostLimits()
