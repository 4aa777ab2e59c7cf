"""What one witness run saw: an observation, or the reason why there is none (SPEC section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from freezegate.model.evidence import Environment
    from freezegate.model.sample import PropertySeen


class NoObservation(StrEnum):
    """Why a run counts neither as passed nor as failed."""

    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"
    NOT_COLLECTED = "not_collected"
    SEVERAL_COLLECTED = "several_collected"
    COLLECTION_ERROR = "collection_error"
    IMPORT_ERROR = "import_error"
    SET_UP_ERROR = "set_up_error"
    TEAR_DOWN_ERROR = "tear_down_error"
    GENERATION_ERROR = "generation_error"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    EXITED_EARLY = "exited_early"
    OUTCOME_CONTRADICTED = "outcome_contradicted"
    RERUN_IN_PROCESS = "rerun_in_process"
    WRONG_TREE_IMPORTED = "wrong_tree_imported"
    SHADOWED_PYTEST = "shadowed_pytest"
    PYTEST_MISSING = "pytest_missing"
    OUTER_CONFIGURATION = "outer_configuration"
    USAGE_ERROR = "usage_error"
    DISTURBED = "disturbed"
    UNWATCHED = "unwatched"
    INTERNAL_ERROR = "internal_error"
    NOT_STARTED = "not_started"
    NO_PROPERTY = "no_property"
    BAD_INPUT = "bad_input"
    UNDECLARED = "undeclared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A frame of a traceback: path from the tree's top, or None outside of it.

    `source` is the stripped text of the statement, empty where there is no file to read it from.
    """

    path: str | None
    qualname: str
    source: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One of the exceptions in a group, at any depth, that is no group itself.

    Of a warning of pytest's about a thread or a finalizer: what was raised there.
    """

    type_name: str
    message: str
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """How the test failed; of a chain the exception that was raised last.

    `type_name` is `module.qualname`, builtins without module. Frames start at the test function,
    the innermost last. `leaves` are those of an exception group.
    """

    type_name: str
    message: str
    frames: tuple[Frame, ...] = ()
    leaves: tuple[Leaf, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What reached out of a run: a word of `EffectKind`, and an address, program or path."""

    kind: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What every run that ended by itself saw, whatever its outcome.

    `started_at` is UTC, `2026-11-30T10:37:24.123Z`. Paths count from the tree's top, sorted.
    """

    exit_status: int
    started_at: str
    duration_ms: int
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    effects: tuple[Effect, ...]
    environment: Environment


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(Seen):
    """One test, collected alone, that ran in its own process and passed or failed.

    `property_seen` is there where a property was sampled, or replayed on one input.
    """

    passed: bool
    failure: Failure | None
    collected: int = 1
    property_seen: PropertySeen | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileObservation(Seen):
    """A whole test file in one process; errors of set-up and tear-down count as failed.

    `other` are tests without an outcome: skipped, xfailed, xpassed. `deselected` are left out.
    """

    passed: int
    failed: int
    other: int
    deselected: int
    failed_ids: tuple[str, ...]
    passed_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unobserved:
    """No observation: the word for it, what was got, what was expected, what to do."""

    word: NoObservation
    got: str
    expected: str
    remedy: str
    exit_status: int | None = None
    output: str = ""
