"""Before a commit: judge the index that git named; advice, since git lets anyone pass it by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.git.session import Session
from freezegate.hooks.walk import answer, judge_step, named_base
from freezegate.model.verdict import Transition, Verdict
from freezegate.policy.facts import Place

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


def judge_index(environ: Mapping[str, str], now: datetime) -> Verdict:
    """Return the verdict on the index, as `check --staged` gives it; `now` is an aware UTC time."""
    return Verdict(transitions=(answer("HEAD", lambda: _open_and_judge(environ, now)),))


def _open_and_judge(environ: Mapping[str, str], now: datetime) -> Transition:
    session = Session.open(environ)
    branch = session.branch(None)
    ref = branch or "HEAD"
    return answer(ref, lambda: _judge(session, branch, ref, environ, now))


def _judge(
    session: Session, branch: str | None, ref: str, environ: Mapping[str, str], now: datetime
) -> Transition:
    candidate = session.candidate(None, staged=True)
    named = named_base(None, environ)
    base = session.named_base(*named) if named else session.trusted_base(candidate, branch)
    return judge_step(session, candidate, base, ref=ref, now=now, place=Place.PRE_COMMIT)
