"""The answer: what was judged, against what, with which findings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from freezegate.model.finding import Finding, Severity, precedence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from freezegate.model.digests import Blake3, ObjectId
    from freezegate.model.ids import PropertyId, TestId
    from freezegate.model.rerun import Rerun


class Outcome(StrEnum):
    """What a gate can say; only `accepted` lets anything through."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNDECIDED = "undecided"

    @property
    def exit_status(self) -> int:
        """0 accepted, 1 refused, 2 could not answer (SPEC section 9)."""
        return {"accepted": 0, "refused": 1, "undecided": 2}[self.value]


class Base(NamedTuple):
    """The trusted base T: its commit (None for the empty tree) and where it was found."""

    rev: ObjectId | None
    source: str


class ShownFreeze(NamedTuple):
    """A freeze that this patch asks for (`status` is `requested`), or ends (lifted, void, expired).

    `domain_digest` is the gate's own, None where it is not known or not asked.
    """

    freeze: Blake3
    property_id: PropertyId | None
    test_id: TestId
    status: str
    domain_digest: Blake3 | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """The verdict on one ref: `candidate` is None where the index was judged."""

    ref: str
    outcome: Outcome
    base: Base | None
    candidate: ObjectId | None
    freezes: tuple[ShownFreeze, ...] = ()
    findings: tuple[Finding, ...] = ()
    assurance: tuple[str, ...] = ("step",)

    def __post_init__(self) -> None:
        """Hold the law that a refusal names an error and an acceptance has none."""
        object.__setattr__(self, "findings", tuple(sorted(self.findings, key=precedence)))
        errors = any(f.severity is Severity.ERROR for f in self.findings)
        if errors is (self.outcome is Outcome.ACCEPTED):
            msg = f"{self.outcome} with {'an' if errors else 'no'} error"
            raise ValueError(msg)

    @property
    def is_judged(self) -> bool:
        """Whether anything was judged: a host only reports on refs that it does not protect."""
        return all(finding.code != "ref.not_protected" for finding in self.findings)


class Verdict(NamedTuple):
    """The verdict on everything that was asked about in one go.

    `reruns` is None where no rerun was asked for; the outcome never looks at it.
    """

    transitions: tuple[Transition, ...]
    reruns: tuple[Rerun, ...] | None = None

    @property
    def outcome(self) -> Outcome:
        """The worst of all transitions; refused outweighs undecided, and nothing is undecided."""
        outcomes = {transition.outcome for transition in self.transitions}
        for worst in (Outcome.REFUSED, Outcome.UNDECIDED):
            if worst in outcomes:
                return worst
        return Outcome.ACCEPTED if outcomes else Outcome.UNDECIDED


def judged(findings: Iterable[Finding]) -> Outcome:
    """Return refused where any finding is an error, else accepted."""
    errors = any(finding.severity is Severity.ERROR for finding in findings)
    return Outcome.REFUSED if errors else Outcome.ACCEPTED
