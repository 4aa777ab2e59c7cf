"""What a repository's policy says, checked and complete (SPEC section 8)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from freezegate.model.globs import Glob


class Preset(StrEnum):
    """How much a freeze must bring (SPEC section 5)."""

    BASIC = "basic"
    STANDARD = "standard"
    STRICT = "strict"


class Weight(StrEnum):
    """How heavily the policy takes something."""

    REFUSE = "refuse"
    WARN = "warn"
    NOTE = "note"
    OFF = "off"


class MuteFamily(StrEnum):
    """The ways in which a patch silences or weakens a test (SPEC section 7)."""

    MARKER = "marker"
    COLLECTION = "collection"
    ASSERTION = "assertion"
    STRATEGY = "strategy"
    HARNESS = "harness"
    RUNNER = "runner"
    SUBJECT = "subject"
    GATE = "gate"


class RunnerSettings(NamedTuple):
    """Whose import rules the domain follows; `plugins` None loads what is installed."""

    python: str
    pythonpath: tuple[str, ...]
    plugins: tuple[str, ...] | None


class EvidenceSettings(NamedTuple):
    """The window: `runs` on each side, `tags` raises it for properties with that tag."""

    runs: int
    max_runs: int
    timeout_s: int
    max_base_age_commits: int
    tags: Mapping[str, int]


class FreezeSettings(NamedTuple):
    """The budget of freezes and how long one may last."""

    max_active: int
    max_active_per_property: int
    max_active_per_test: int
    max_active_per_file: int
    max_lifetime_days: int
    max_lifetime_commits: int
    max_renewals: int
    grace_days: int


class Policy(NamedTuple):
    """A repository's policy; the paths are gitignore-style globs, `targets` full ref names."""

    preset: Preset
    targets: tuple[Glob, ...]
    subject_paths: tuple[Glob, ...]
    oracle_paths: tuple[Glob, ...]
    domain_paths: tuple[Glob, ...]
    fixture_paths: tuple[Glob, ...]
    protected_paths: tuple[Glob, ...]
    protected_tags: tuple[str, ...]
    runner: RunnerSettings
    evidence: EvidenceSettings
    freeze: FreezeSettings
    judge_change: Weight
    mutes: Mapping[MuteFamily, Weight]
    doubtful_mutes: Weight
    wall_s: int
    max_changed_entries: int
