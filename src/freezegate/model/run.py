"""Runs: one fresh process, one test id, one observed outcome (SPEC sections 2 and 4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from freezegate.model.digests import Sha256


class RunOutcome(StrEnum):
    """What a run saw; anything else is no observation."""

    PASS = "pass"  # noqa: S105 - an outcome, not a password
    FAIL = "fail"


class Side(StrEnum):
    """The revision that a run was made on."""

    BASE = "base"
    CANDIDATE = "candidate"


def outcomes_of(passed: Iterable[bool]) -> tuple[RunOutcome, ...]:
    """Return a row of outcomes."""
    return tuple(RunOutcome.PASS if each else RunOutcome.FAIL for each in passed)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRun:
    """A run of the candidate as the record shows it; `started_at` is UTC, milliseconds, `…Z`."""

    index: int
    passed: bool
    exit_status: int
    collected: int
    fixture_sha256: Sha256
    signature: str | None
    started_at: str | None = None
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRun:
    """A run as the evidence keeps it, the fixture's digest before and after."""

    index: int
    side: Side
    started_at: str
    duration_ms: int
    passed: bool
    exit_status: int
    collected: int
    signature: str | None
    sha256_before: Sha256
    sha256_after: Sha256
