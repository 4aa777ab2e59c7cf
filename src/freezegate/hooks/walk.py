"""The walk that `check` and every hook take: gather, decide, and refuse where no answer is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.errors import HostileObject, Unanswerable
from freezegate.git.repository import git_faults_refuse
from freezegate.model.finding import Finding, Severity
from freezegate.model.verdict import Outcome, Transition
from freezegate.policy.gate import decide

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from freezegate.git.base import TrustedBase
    from freezegate.git.candidate import Candidate
    from freezegate.git.session import Session
    from freezegate.policy.facts import Place

BASE_VARIABLE = "FREEZEGATE_BASE"


def answer(ref: str, walk: Callable[[], Transition]) -> Transition:
    """Return the walk's transition, or the undecided or refused one that stopped it."""
    try:
        with git_faults_refuse():
            return walk()
    except Unanswerable as stop:
        return unanswered(ref, stop)


def unanswered(ref: str, stop: Unanswerable) -> Transition:
    """Return the transition that says why there is no answer; forged objects are refused."""
    hostile = isinstance(stop, HostileObject)
    finding = Finding(
        code=stop.code,
        severity=Severity.ERROR,
        path=stop.path,
        got=stop.got,
        expected=stop.expected,
        remedy=stop.remedy or "",
    )
    return Transition(
        ref=ref,
        outcome=Outcome.REFUSED if hostile else Outcome.UNDECIDED,
        base=None,
        candidate=None,
        findings=(finding,),
    )


def judge_step(
    session: Session,
    candidate: Candidate,
    base: TrustedBase,
    *,
    ref: str,
    now: datetime,
    place: Place,
    max_changes: int | None = None,
) -> Transition:
    """Return the transition from T to a candidate; `max_changes` is a host's own limit."""
    facts = session.gather(candidate, base, now=now, place=place, max_changes=max_changes)
    return decide(facts, ref)


def named_base(option: str | None, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the base that the command line or FREEZEGATE_BASE names, with its source.

    An empty name is a name too, and names nothing: a variable that CI left unset is no base.
    """
    if option is not None:
        return option, f"--base {option}"
    from_environ = environ.get(BASE_VARIABLE)
    return None if from_environ is None else (from_environ, f"{BASE_VARIABLE}={from_environ}")
