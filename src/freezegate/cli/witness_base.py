"""Would `check` take evidence that is taken on the base that `--base` names?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.cli.witness_options import same_again
from freezegate.cli.witness_setting import head_step
from freezegate.errors import Unanswerable
from freezegate.hooks.walk import named_base
from freezegate.model.finding import Finding, Severity
from freezegate.policy.digests import patch_digest

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from freezegate.cli.witness_setting import Setting
    from freezegate.git.base import TrustedBase


def outdated_base(
    setting: Setting, options: argparse.Namespace, environ: Mapping[str, str]
) -> Finding | None:
    """Return that the target has gone on since the named base, and the patch is another one there.

    Another target is nobody's older state, and without any there is nothing to compare with.
    """
    if options.base is None:
        return None
    target = _usual_base(setting, environ)
    if target is None or not _is_older(setting, options.base, target):
        return None
    why = _why_refused(setting, target)
    if why is None:
        return None
    return Finding(
        code="evidence.stale_base",
        severity=Severity.ERROR,
        about="--base",
        got=f"{options.base} ({setting.base_rev[:12]}), behind {target.source}: {why}",
        expected=f"the base that freezegate check takes: {target.source} ({target.rev})",
        remedy=same_again(options, base=target.source),
    )


def _usual_base(setting: Setting, environ: Mapping[str, str]) -> TrustedBase | None:
    """Return the base of a `check` without options, None where that is no other commit."""
    session = setting.session
    named = named_base(None, environ)
    try:
        if named:
            found = session.named_base(*named)
        else:
            candidate = session.candidate(None, staged=False)
            found = session.trusted_base(candidate, session.branch(None))
    except Unanswerable:  # several could be: that is why one was named
        return None
    return None if found.parent_only or found.rev in (None, setting.base_rev) else found


def _is_older(setting: Setting, named: str, target: TrustedBase) -> bool:
    other = setting.session.target_called(named)
    if target.rev is None or (other is not None and other.name != target.name):
        return False
    return setting.session.history.is_ancestor(setting.base_rev, target.rev)


def _why_refused(setting: Setting, target: TrustedBase) -> str | None:
    """Return what of the evidence would not fit at the target, None where all may."""
    cap = setting.policy.evidence.max_base_age_commits
    assert target.rev  # noqa: S101 - asked before
    distance = setting.session.history.distance(setting.base_rev, target.rev, cap=cap)
    if distance is None or distance > cap:
        return f"more than {cap} commits ([evidence] max_base_age_commits)"
    there = head_step(setting._replace(base=target))
    if patch_digest(there.changes.values()) != patch_digest(head_step(setting).changes.values()):
        return "the patch against it holds what the target holds already"
    return None
