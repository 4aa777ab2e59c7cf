"""Judge all refs of a push on the git host, each protected one against what it held before."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from freezegate.errors import Unanswerable
from freezegate.git.base import TrustedBase
from freezegate.git.candidate import Candidate, commit_candidate
from freezegate.git.host_refs import HostRefs
from freezegate.git.session import Session
from freezegate.hooks.walk import answer, judge_step
from freezegate.model.finding import Finding, Severity
from freezegate.model.verdict import Base, Outcome, Transition, Verdict
from freezegate.policy.facts import Place
from freezegate.policy.host_refs import name_findings, parent_of, ref_findings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from freezegate.model.digests import ObjectId
    from freezegate.model.host import HostSettings, RefUpdate

    Landed = Callable[[str, ObjectId], bool]


def judge_received(
    updates: Iterable[RefUpdate],
    settings: HostSettings,
    landed: Landed,
    environ: Mapping[str, str],
    now: datetime,
) -> Verdict:
    """Return the verdict on a push as a whole; without any update it is undecided.

    `landed` says whether a protected ref ever came to hold a commit by a push; `now` is an aware
    UTC time. Nothing is written.
    """
    host = _Host(settings, landed, environ, now)
    return Verdict(transitions=tuple(map(host.answer, updates)))


class _Host:
    """One push: the repository is opened once, quarantine included."""

    def __init__(
        self, settings: HostSettings, landed: Landed, environ: Mapping[str, str], now: datetime
    ) -> None:
        self._settings = settings
        self._landed = landed
        self._environ = environ
        self._now = now

    @cached_property
    def _session(self) -> Session:
        return Session.open(self._environ)

    @cached_property
    def _refs(self) -> HostRefs:
        return HostRefs(self._session.repository, self._settings.protected)

    def answer(self, update: RefUpdate) -> Transition:
        return answer(update.ref, partial(self._judge, update))

    def _judge(self, update: RefUpdate) -> Transition:
        findings = tuple(name_findings(update))
        if not findings:
            findings = tuple(ref_findings(self._refs.gather(update)))
        if findings:
            return _refused(update, findings)
        if not self._refs.is_protected(update.ref):
            return _accepted(update, _not_protected(update))
        if update.new is None:
            return _refused(update, (_deleted(update),))
        rev = self._session.store.peel(update.new)
        if rev is None:
            return _refused(update, (_no_commit(update),))
        return self._judge_protected(update, rev)

    def _judge_protected(self, update: RefUpdate, rev: ObjectId) -> Transition:
        candidate = commit_candidate(self._session.store, self._session.history, rev)
        if update.old is None:
            return self._judge_creation(update, rev, candidate)
        old = self._session.store.peel(update.old)
        if old is None:
            raise Unanswerable(
                "ref.not_a_commit",
                got=f"{update.ref} holds {update.old}, which is no commit",
                expected="a commit that could judge",
                remedy="ask the host's administrator to set it: git update-ref",
            )
        if not self._session.history.is_ancestor(old, rev):
            return _refused(update, (_rewound(update, old),))
        base = TrustedBase(rev=old, source=f"{update.ref} before this push", name=update.ref)
        return self._step(update, candidate, base)

    def _judge_creation(self, update: RefUpdate, rev: ObjectId, candidate: Candidate) -> Transition:
        parent = parent_of(self._settings, update.ref)
        tip = self._session.tip(parent) if parent else None
        if tip is None or parent is None:
            return self._judge_first(update, candidate, parent)
        if rev == tip or self._landed(parent, rev):
            return _accepted(update, _from_parent(parent, rev))
        if not self._session.history.is_ancestor(tip, rev):
            return _refused(update, (_off_parent(update, parent, tip),))
        return self._step(update, candidate, TrustedBase(rev=tip, source=parent, name=update.ref))

    def _judge_first(
        self, update: RefUpdate, candidate: Candidate, parent: str | None
    ) -> Transition:
        """Without a parent: only while nothing is protected yet, and no freeze may be in it."""
        if self._refs.any_protected():
            return _refused(update, (_no_parent(update, parent),))
        base = TrustedBase(rev=None, source="the empty tree", name=update.ref)
        judged = self._step(update, candidate, base)
        return replace(judged, findings=(*judged.findings, _BOOTSTRAP))

    def _step(self, update: RefUpdate, candidate: Candidate, base: TrustedBase) -> Transition:
        return judge_step(
            self._session,
            candidate,
            base,
            ref=update.ref,
            now=self._now,
            place=Place.PRE_RECEIVE,
            max_changes=self._settings.limits.max_changed_entries,
        )


def _accepted(update: RefUpdate, note: Finding) -> Transition:
    return Transition(
        ref=update.ref,
        outcome=Outcome.ACCEPTED,
        base=None,
        candidate=update.new,
        findings=(note,),
    )


def _refused(update: RefUpdate, findings: tuple[Finding, ...]) -> Transition:
    return Transition(
        ref=update.ref,
        outcome=Outcome.REFUSED,
        base=Base(rev=update.old, source=f"{update.ref} before this push"),
        candidate=update.new,
        findings=findings,
    )


def _note(code: str, got: str, expected: str) -> Finding:
    return Finding(code=code, severity=Severity.NOTE, got=got, expected=expected)


def _error(code: str, update: RefUpdate, got: str, expected: str) -> Finding:
    return Finding(code=code, severity=Severity.ERROR, about=update.ref, got=got, expected=expected)


_BOOTSTRAP = _note(
    "base.bootstrap", "the first protected ref here", "a first push, judged by nothing before it"
)


def _not_protected(update: RefUpdate) -> Finding:
    return _note("ref.not_protected", f"{update.ref} is moved", "nothing: it is not protected")


def _from_parent(parent: str, rev: ObjectId) -> Finding:
    got = f"{rev}, which {parent} holds or held"
    return _note("base.nothing_to_judge", got, "a commit that was judged when it came in")


def _deleted(update: RefUpdate) -> Finding:
    return _error("ref.deleted", update, "the deletion of a protected ref", "refs that stay")


def _no_commit(update: RefUpdate) -> Finding:
    return _error(
        "ref.not_a_commit", update, f"the object {update.new}", "a commit, or a tag of one"
    )


def _rewound(update: RefUpdate, old: ObjectId) -> Finding:
    got = f"{update.new}, which does not descend from what the ref holds"
    return _error("ref.rewound", update, got, f"a commit on top of {old}")


def _off_parent(update: RefUpdate, parent: str, tip: ObjectId) -> Finding:
    got = f"{update.new}, which neither was a tip of {parent} nor descends from it"
    return _error("ref.off_parent", update, got, f"{tip}, or a commit on top of it")


def _no_parent(update: RefUpdate, parent: str | None) -> Finding:
    got = f"a new protected ref, whose parent {parent} does not exist" if parent else ""
    got = got or "a new protected ref for which the host names no parent"
    return _error("ref.no_parent", update, got, "a parent ref that stands here")
