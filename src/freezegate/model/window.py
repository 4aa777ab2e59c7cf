"""A window as it was observed: planned runs on both sides, and the oracle's own run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from freezegate.model.run import outcomes_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from freezegate.model.digests import Sha256
    from freezegate.model.evidence import Plan
    from freezegate.model.observation import FileObservation, Observation, Unobserved
    from freezegate.model.run import RunOutcome, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRun:
    """An observed run, with the fixture's digest before and after; None where it was no file."""

    index: int
    side: Side
    observation: Observation
    sha256_before: Sha256 | None
    sha256_after: Sha256 | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """Why a window ended before its last run: no observation, or (None) the fixture drifted.

    `index` is None for the oracle's own run.
    """

    index: int | None
    side: Side
    unobserved: Unobserved | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What was observed of a plan; `stopped` is None where all of it was.

    `oracle` is None where it was not asked: a side's runs agreed, so there is nothing to freeze.
    """

    plan: Plan
    fixture_sha256: Sha256
    runs: tuple[WindowRun, ...]
    oracle: FileObservation | None
    stopped: Stopped | None

    def outcomes(self, side: Side) -> tuple[RunOutcome, ...]:
        """Return a side's row of outcomes."""
        return outcomes_of(run.observation.passed for run in self.runs if run.side is side)

    @property
    def first_effects(self) -> Mapping[str, str]:
        """Of each kind that reached out of a run, what did so first."""
        effects = [effect for run in self.runs for effect in run.observation.effects]
        return {effect.kind: effect.what for effect in reversed(effects)}

    @property
    def digests_match(self) -> bool:
        """Whether the fixture had its digest before and after every run."""
        return all(
            run.sha256_before == run.sha256_after == self.fixture_sha256 for run in self.runs
        )
