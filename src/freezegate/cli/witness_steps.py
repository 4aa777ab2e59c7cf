"""What the single steps `replay` and `classify` share: a case that asks for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.witness_case import gather_case
from freezegate.cli.witness_named import unknown_tests, wrong_files
from freezegate.cli.witness_runner import find_python, find_runners, tell_python
from freezegate.cli.witness_setting import open_setting
from freezegate.errors import Unanswerable, UsageError
from freezegate.git.repository import git_faults_refuse
from freezegate.git.session import Session

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from freezegate.cli.witness_case import Case
    from freezegate.model.finding import Finding
    from freezegate.witness.window_run import Runner


class OpenCase(NamedTuple):
    """A case that nothing will be written for, and with what each of its tests is run."""

    case: Case
    runners: tuple[Runner, ...]


def open_case(options: argparse.Namespace, environ: Mapping[str, str]) -> OpenCase:
    """Return HEAD's case; raises UsageError, InvalidValue or Unanswerable without an answer."""
    options.mark, options.refresh = False, False
    options.owner = options.expires_on = options.expires_after_commits = None
    with git_faults_refuse():
        setting = open_setting(Session.open(environ), options, environ)
        if setting is None:
            msg = "no policy that decodes at the trusted base; freezegate check says why"
            raise UsageError(msg)
        _refuse_faults(unknown_tests(setting, options, environ))
        case = gather_case(setting, options)
        _refuse_faults(wrong_files(case, options))
        python = find_python(case.setting.session, options.python, environ)
        runners = find_runners(case, python)
    tell_python(python)
    return OpenCase(case, runners)


def _refuse_faults(findings: Sequence[Finding]) -> None:
    if findings:
        first = findings[0]
        raise Unanswerable(
            first.code, got=first.got, expected=first.expected, remedy=first.remedy or None
        )
