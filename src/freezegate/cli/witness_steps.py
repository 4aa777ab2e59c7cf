"""What the single steps `replay` and `classify` share: a case that asks for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.witness_case import gather_case, open_setting
from freezegate.cli.witness_runner import find_runner
from freezegate.errors import InvalidValue, Unanswerable, UsageError
from freezegate.git.repository import git_faults_refuse
from freezegate.git.session import Session
from freezegate.model.reasons import REASONS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from freezegate.cli.witness_case import Case
    from freezegate.witness.window_run import Runner


class OpenCase(NamedTuple):
    """A case that nothing will be written for, and with what it is run."""

    case: Case
    runner: Runner


def open_case(options: argparse.Namespace, environ: Mapping[str, str]) -> OpenCase:
    """Return HEAD's case; raises UsageError where there is no answer."""
    options.mark, options.refresh = False, False
    options.owner = options.expires_on = options.expires_after_commits = None
    try:
        with git_faults_refuse():
            setting = open_setting(Session.open(environ), options, environ)
            if setting is None:
                msg = "no policy that decodes at the trusted base; freezegate check says why"
                raise UsageError(msg)
            case = gather_case(setting, options)
            config = setting.view.config(case.wanted[0].test_id.path)
            runner = find_runner(setting.session, setting.policy, config, options.python, environ)
    except Unanswerable as stop:
        msg = f"{stop.got}; expected {stop.expected}; {stop.remedy or REASONS[stop.code].remedy}"
        raise UsageError(msg) from None
    except InvalidValue as fault:
        msg = f"{fault.got} ({fault.code}); expected {fault.expected}"
        raise UsageError(msg) from None
    for about in case.subjects:
        if about.fixture_sha256 not in case.snapshots:
            msg = f"{about.fixture_path} is no regular file in HEAD; expected the fixture"
            raise UsageError(msg)
    return OpenCase(case, runner)
