"""What `freezegate witness` stands on: HEAD, the trusted base, and what that base says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from freezegate.errors import Unanswerable
from freezegate.git.candidate import witness_candidate
from freezegate.git.domain_view import DomainView
from freezegate.git.trees import Snapshot
from freezegate.git.work_tree import work_tree
from freezegate.hooks.walk import named_base
from freezegate.policy.guards import FOLDER, RECORD_PATH

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path

    from freezegate.git.base import TrustedBase
    from freezegate.git.candidate import Step
    from freezegate.git.session import Session
    from freezegate.model.digests import ObjectId
    from freezegate.model.entries import Entry
    from freezegate.policy.settings import Policy


class Setting(NamedTuple):
    """The repository: HEAD, the trusted base, and what that base says."""

    session: Session
    top: Path
    ref: str
    head: ObjectId
    base: TrustedBase
    base_rev: ObjectId
    view: DomainView
    policy: Policy


def find_base(
    session: Session, options: argparse.Namespace, environ: Mapping[str, str]
) -> TrustedBase:
    """Return the base that is named, else the target's; raises Unanswerable for none."""
    named = named_base(options.base, environ)
    if named:
        return session.named_base(*named)
    return session.trusted_base(session.candidate(None, staged=False), session.branch(None))


def open_setting(
    session: Session, options: argparse.Namespace, environ: Mapping[str, str]
) -> Setting | None:
    """Return HEAD, base and policy; None where the base has no policy that decodes."""
    if session.repository.head_is_unborn:
        raise Unanswerable(
            "base.none",
            got="a branch without commits",
            expected="a patch on a branch: runs are made on commits",
            remedy="git commit, then run the same again",
        )
    branch = session.branch(None)
    candidate = session.candidate(None, staged=False)
    base = find_base(session, options, environ)
    if base.rev is None or candidate.rev is None:
        raise Unanswerable(
            "base.none",
            got="a first commit, which has no parent",
            expected="a base on which the test and its oracle stood before the patch",
            remedy="land the oracle first; then witness the patch on top of it",
        )
    view = DomainView(session, base.rev)
    policy = view.judges.policy.value
    if policy is None:
        return None
    return Setting(
        session=session,
        top=work_tree(session),
        ref=branch or "HEAD",
        head=candidate.rev,
        base=base,
        base_rev=base.rev,
        view=view,
        policy=policy,
    )


def patch_paths(setting: Setting) -> frozenset[bytes]:
    """Return what HEAD changes against the trusted base, freezegate's own files left out."""
    own = FOLDER + b"/"
    return frozenset(path for path in head_step(setting).changes if not path.startswith(own))


def head_step(setting: Setting) -> Step:
    """Return the step from the trusted base to HEAD."""
    return step_with(setting, {})


def head_tree(setting: Setting) -> Snapshot:
    """Return HEAD's tree."""
    return Snapshot(setting.session.store, setting.session.store.commit(setting.head).tree)


def step_with(setting: Setting, overlay: Mapping[bytes, Entry | None]) -> Step:
    """Return the step to HEAD with other entries laid over it."""
    candidate = witness_candidate(setting.session.store, setting.head, overlay)
    limit = setting.policy.max_changed_entries
    return setting.session.step(candidate, setting.base, max_changes=limit)


def base_record(setting: Setting) -> Entry | None:
    """Return the record at the trusted base."""
    return Snapshot(setting.session.store, setting.view.root).entry(RECORD_PATH)
