"""Samples: a property under one seed on one revision, and the input that made it fail."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from freezegate.model.digests import Blake3, ObjectId
    from freezegate.model.ids import PropertyId, TestId
    from freezegate.model.run import RunOutcome, Side

    Encoded = Mapping[str, object]  # an input as codecs.py writes it: JSON, argument by argument


class TestKind(StrEnum):
    """What kind of test a property's is; only those that Hypothesis calls have inputs."""

    __test__ = False  # pytest would collect a class of this name

    GIVEN = "given"
    ASYNC = "async"
    PLAIN = "plain"
    STATEFUL = "stateful"
    REPRODUCE_FAILURE = "reproduce_failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyAsked:
    """What a run does with a property: without arguments it samples, else it replays them alone."""

    arguments: Encoded | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertySeen:
    """What a run saw of a property's calls.

    `arguments` are the minimal input that failed, `problem` says why there is none although one
    failed. `rejected` counts calls that ended in `assume`. `from_pytest` are arguments that are not
    generated; `settings` are Hypothesis's own, as the test declares them. `unanswered` says why a
    replay tells nothing, whatever its outcome.
    """

    kind: TestKind
    calls: int
    rejected: int
    arguments: Encoded | None
    problem: str | None
    from_pytest: tuple[str, ...]
    settings: Mapping[str, str]
    unanswered: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleKey:
    """What binds a sample before anything runs.

    `candidate_rev` is None on the base: what is seen there holds for every candidate. The digests
    are those of the oracle's file and domain at the base.
    """

    property_id: PropertyId
    seed: int
    side: Side
    base_rev: ObjectId
    candidate_rev: ObjectId | None
    property_test: TestId
    oracle_blob: ObjectId
    domain_digest: Blake3


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRow:
    """What was seen under one key; times are UTC, `…Z`.

    `signatures` are those of the failure and, where several inputs failed in one run, of each.
    """

    key: SampleKey
    outcome: RunOutcome
    signature: str | None
    signatures: tuple[str, ...]
    message: str | None
    arguments: Encoded | None
    problem: str | None
    from_pytest: tuple[str, ...]
    calls: int
    rejected: int
    settings: Mapping[str, str]
    environment: Mapping[str, str | None]
    started_at: str
    duration_ms: int
