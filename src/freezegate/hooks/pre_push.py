"""Before a push: judge every ref that git is about to send, each against its own trusted base."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from freezegate.errors import Unanswerable
from freezegate.git.base import TrustedBase
from freezegate.git.candidate import Candidate, commit_candidate
from freezegate.git.documents import read_policy
from freezegate.git.session import Session
from freezegate.git.trees import Snapshot
from freezegate.hooks.pushed_refs import (
    PushedRef,
    _shown_ref,
    deleted,
    nothing_to_judge,
    parse_pushed_ref,
    refused,
    rewound,
)
from freezegate.hooks.walk import answer, judge_step, named_base
from freezegate.model.digests import ObjectId
from freezegate.model.finding import Finding, Severity
from freezegate.model.verdict import Transition, Verdict
from freezegate.policy.facts import Place
from freezegate.policy.globs import ref_matches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

# githooks(5), pre-push. The first field is what the user typed where that was no ref, and may
# hold spaces (`HEAD@{1 day ago}`); ref names and ids never do.
# What the pre-commit framework and prek tell of the one ref that they show (MECHANICS: stdin is
# drained by then, and other refs of the same push are never shown).
_MANAGER_LOCAL = "PRE_COMMIT_LOCAL_BRANCH"
_MANAGER_OID = "PRE_COMMIT_TO_REF"
_MANAGER_REMOTE = "PRE_COMMIT_REMOTE_BRANCH"
_MANAGER_NAME = "PRE_COMMIT_REMOTE_NAME"


def judge_push(data: bytes, environ: Mapping[str, str], now: datetime) -> Verdict:
    """Return the verdict on all refs that git named on standard input, in their order.

    Without any, the one ref that a hook manager tells of, or HEAD, is judged. `now` is an aware
    UTC time.
    """
    push = _Push(environ, now)
    lines = [line for line in data.decode("utf-8", "surrogateescape").split("\n") if line]
    if lines:
        return Verdict(transitions=tuple(push.judge_lines(lines)))
    if environ.get(_MANAGER_LOCAL) or environ.get(_MANAGER_OID):
        return Verdict(transitions=(push.judge_managed(),))
    return Verdict(transitions=(push.judge_head(),))


class _Push:
    """One run of the hook: the repository is opened once, for the first ref."""

    def __init__(self, environ: Mapping[str, str], now: datetime) -> None:
        self._environ = environ
        self._now = now
        self._bases: dict[str | None, TrustedBase] = {}

    @cached_property
    def _session(self) -> Session:
        return Session.open(self._environ)

    def judge_lines(self, lines: list[str]) -> Iterator[Transition]:
        for line in lines:
            yield answer(_shown_ref(line), partial(self._judge_line, line))

    def judge_head(self) -> Transition:
        return answer("HEAD", self._judge_head)

    def judge_managed(self) -> Transition:
        told = (self._environ.get(key) for key in (_MANAGER_REMOTE, _MANAGER_LOCAL, _MANAGER_OID))
        return answer(next(name for name in told if name), self._judge_managed)

    def _judge_line(self, line: str) -> Transition:
        # Opened first: of a SHA-256 repository the reason is told, not the form of its longer ids.
        session = self._session
        return self._judge_pushed(session, parse_pushed_ref(line))

    def _judge_pushed(self, session: Session, pushed: PushedRef) -> Transition:
        if pushed.oid is None:
            return self._judge_deletion(pushed)
        rev = session.store.peel(pushed.oid)
        if rev is None and self._is_target(self._old_commit(pushed), pushed.remote):
            return refused(pushed, None, rewound(pushed))
        if rev is None:
            return nothing_to_judge(pushed.remote, f"the object {pushed.oid}, which is no commit")
        candidate = commit_candidate(session.store, session.history, rev)
        base, place = self._base(pushed, candidate)
        if pushed.old and place is Place.PRE_PUSH_TARGET and not self._descends(candidate, pushed):
            return refused(pushed, rev, rewound(pushed))
        return self._judge(candidate, base, pushed.remote, place)

    def _judge_deletion(self, pushed: PushedRef) -> Transition:
        old = self._old_commit(pushed)
        if self._is_target(old, pushed.remote):
            return refused(pushed, None, deleted(pushed))
        return nothing_to_judge(pushed.remote, "a ref that is deleted")

    def _descends(self, candidate: Candidate, pushed: PushedRef) -> bool:
        """Whether the pushed commit keeps all that the target holds: a force push may not."""
        old = self._old_commit(pushed)
        if old is None or candidate.rev is None:
            return True
        return self._session.history.is_ancestor(old, candidate.rev)

    def _judge_managed(self) -> Transition:
        environ = self._environ
        local = environ.get(_MANAGER_LOCAL) or environ.get(_MANAGER_OID, "")
        remote = environ.get(_MANAGER_REMOTE) or local
        oid = self._session.named_base(environ.get(_MANAGER_OID) or local, local).rev
        tracking = f"refs/remotes/{environ.get(_MANAGER_NAME)}/{remote.removeprefix('refs/heads/')}"
        old = self._session.tip(tracking)
        pushed = PushedRef(local=local, oid=oid, remote=remote, old=old)
        judged = self._judge_pushed(self._session, pushed)
        return replace(judged, findings=(*judged.findings, _JUDGED_ONE))

    def _judge_head(self) -> Transition:
        session = self._session
        branch = session.branch(None)
        candidate = session.candidate(None, staged=False)
        base = self._named() or session.trusted_base(candidate, branch)
        judged = self._judge(candidate, base, branch or "HEAD", Place.PRE_PUSH)
        return replace(judged, findings=(*judged.findings, _JUDGED_HEAD))

    def _judge(self, candidate: Candidate, base: TrustedBase, ref: str, place: Place) -> Transition:
        return judge_step(self._session, candidate, base, ref=ref, now=self._now, place=place)

    def _base(self, pushed: PushedRef, candidate: Candidate) -> tuple[TrustedBase, Place]:
        """T and the place (SPEC 6.1): a target's old value judges what replaces it.

        A ref that T lists is a target from its first push on.
        """
        old = self._old_commit(pushed)
        is_target = self._is_target(old, pushed.remote)
        base = self._named()
        if base is None and is_target:
            source = f"{pushed.remote} at the remote"
            base = TrustedBase(rev=old, source=source, name=pushed.remote)
        if base is None:
            base = self._trusted(candidate, self._branch(pushed.local))
        if base.parent_only and old is not None:  # no target is known: what the remote has is more
            base = TrustedBase(rev=old, source=f"{pushed.remote} at the remote")
        is_new = old is None and base.rev is not None
        if is_target or (is_new and self._may_be_target(base.rev, pushed.remote)):
            return base, Place.PRE_PUSH_TARGET
        return base, Place.PRE_PUSH

    def _trusted(self, candidate: Candidate, branch: str | None) -> TrustedBase:
        """The search does not depend on what is pushed, unless it comes down to the parent."""
        if branch not in self._bases:
            base = self._session.trusted_base(candidate, branch)
            if base.parent_only:
                return base
            self._bases[branch] = base
        return self._bases[branch]

    def _named(self) -> TrustedBase | None:
        named = named_base(None, self._environ)
        return self._session.named_base(*named) if named else None

    def _branch(self, local: str) -> str | None:
        if local == "HEAD":
            return self._session.branch(None)
        return local if local.startswith("refs/heads/") else None

    def _old_commit(self, pushed: PushedRef) -> ObjectId | None:
        if pushed.old is None:
            return None
        try:
            return self._session.store.peel(pushed.old)
        except Unanswerable as missing:
            if missing.code != "repository.object_missing":
                raise
            raise Unanswerable(
                missing.code,
                got=f"{pushed.remote} is {pushed.old} at the remote, which is not here",
                expected="the commit that this push would replace",
                remedy="git fetch",
            ) from None

    def _is_target(self, old: ObjectId | None, ref: str) -> bool:
        """Whether a ref that stands is a target: by its own policy, and by that of the target here.

        A branch that lists itself alone is an ordinary branch, or it would judge itself.
        """
        if not self._may_be_target(old, ref):
            return False
        voice = self._voice
        return voice is None or voice == old or self._may_be_target(voice, ref)

    @cached_property
    def _voice(self) -> ObjectId | None:
        """The target that a detached HEAD would have; None where nobody or several could be."""
        try:
            found = self._session.target()
        except Unanswerable:
            return None
        return found.rev if found else None

    def _may_be_target(self, old: ObjectId | None, ref: str) -> bool:
        """Whether the ref's own policy lists it; a policy that does not decode lists every ref."""
        if old is None:
            return False
        store = self._session.store
        policy = read_policy(store, Snapshot(store, store.commit(old).tree))
        if policy.value is None:
            return policy.is_damaged
        return ref_matches(policy.value.targets, ref)


_JUDGED_ONE = Finding(
    code="base.unverified",
    severity=Severity.NOTE,
    got="the hook manager shows one ref of a push only: others of the same push were not judged",
    expected="a line for every ref, as git writes it for pre-push",
    remedy="install the native hooks, which see every ref: freezegate install",
)
_JUDGED_HEAD = Finding(
    code="base.unverified",
    severity=Severity.NOTE,
    got="no ref on standard input (nothing to push, or a hook manager kept it): HEAD was judged",
    expected="a line for every ref, as git writes it for pre-push",
    remedy="nothing, where HEAD is what is pushed; else: freezegate check --rev BRANCH",
)
