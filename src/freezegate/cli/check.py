"""`freezegate check`: judge a commit, or the index, against the trusted base."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from freezegate.cli.output import print_verdict
from freezegate.errors import Unanswerable, UsageError
from freezegate.git.session import Session
from freezegate.hooks.walk import answer, judge_step, named_base
from freezegate.model.verdict import Transition, Verdict
from freezegate.policy.facts import Place

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from freezegate.git.base import TrustedBase
    from freezegate.git.candidate import Candidate

SUMMARY = "judge a commit, or the index, against the trusted base"
EXAMPLES = """\
examples:
  freezegate check                        HEAD against its target
  freezegate check --staged               what `git commit` would make
  freezegate check --base origin/main     in CI: name the base yourself
  freezegate check --rev topic --format json
  freezegate check --rerun                make the runs of each request once more
  freezegate check --explain-mutes        what silences tests, as it was and as it is

--rerun changes neither verdict nor exit status: a flake may well hide from a few runs.

exit status: 0 accepted or nothing to judge, 1 refused, 2 could not answer
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--rev", metavar="REV", help="the commit to judge (default: HEAD)")
    what.add_argument("--staged", action="store_true", help="judge the index instead of a commit")
    parser.add_argument(
        "--base", metavar="REV", help="the trusted base (default: FREEZEGATE_BASE, else the target)"
    )
    parser.add_argument("--rerun", action="store_true", help="repeat the evidence of each request")
    parser.add_argument("--python", metavar="PATH", help="the interpreter for --rerun")
    parser.add_argument(
        "--explain-mutes", action="store_true", help="show each mute before and after"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Judge, print the verdict, repeat evidence where asked, return the verdict's exit status."""
    if options.python is not None and not options.rerun:
        msg = "--python is the interpreter for --rerun; expected both or neither"
        raise UsageError(msg)
    shown = "HEAD" if options.rev is None else options.rev
    transition = answer(shown, lambda: _judge(options, environ, shown))
    verdict = Verdict(transitions=(transition,))
    if options.rerun:
        _print_with_reruns(verdict, options, environ)
    else:
        print_verdict(verdict, options.format, environ)
    if options.explain_mutes and options.format == "text":  # JSON holds them by itself
        _print_mutes(verdict)
    return verdict.outcome.exit_status


def _print_mutes(verdict: Verdict) -> None:
    from freezegate.report.mutes import mute_lines

    for line in mute_lines(verdict):
        print(line)


def _judge(options: argparse.Namespace, environ: Mapping[str, str], shown: str) -> Transition:
    session = Session.open(environ)
    branch = session.branch(options.rev)
    ref = branch or shown

    def judged() -> Transition:
        candidate = session.candidate(options.rev, staged=options.staged)
        base = _base(session, candidate, branch, options.base, environ)
        now = datetime.now(UTC)
        return judge_step(session, candidate, base, ref=ref, now=now, place=Place.CHECK)

    return answer(ref, judged)


def _print_with_reruns(
    verdict: Verdict, options: argparse.Namespace, environ: Mapping[str, str]
) -> None:
    """Print the verdict and what fresh runs show: text as it comes, JSON as one object."""
    from freezegate.cli.check_rerun import Opened, rerun_requests
    from freezegate.report.reruns import rerun_lines

    def opened() -> Opened:
        session = Session.open(environ)
        branch = session.branch(options.rev)
        candidate = session.candidate(options.rev, staged=options.staged)
        base = _base(session, candidate, branch, options.base, environ)
        return Opened(session, candidate, base)

    if options.format == "text":
        print_verdict(verdict, "text", environ)
    reruns = rerun_requests(opened, options.python, environ)
    if options.format == "text":
        for line in rerun_lines(reruns):
            print(line)
    else:
        print_verdict(verdict._replace(reruns=reruns), "json", environ)


def _base(
    session: Session,
    candidate: Candidate,
    branch: str | None,
    option: str | None,
    environ: Mapping[str, str],
) -> TrustedBase:
    named = named_base(option, environ)
    if named:
        return session.named_base(*named)
    base = session.trusted_base(candidate, branch)
    if _in_ci(environ) and (base.parent_only or session.is_behind(candidate, base)):
        raise Unanswerable(
            "base.none",
            got="no target in this checkout, and CI is set"
            if base.parent_only
            else f"nothing that {base.source} does not have yet, and CI is set: after a push the "
            "target is the very commit that should be judged",
            expected="the base of the change that CI runs for",
            remedy="freezegate check --base origin/$GITHUB_BASE_REF (pull requests), "
            "--base ${{ github.event.before }} (pushes), "
            "--base origin/$CI_MERGE_REQUEST_TARGET_BRANCH_NAME (GitLab); docs/ci.md has it whole",
        )
    return base


def _in_ci(environ: Mapping[str, str]) -> bool:
    return environ.get("CI", "").lower() not in ("", "0", "false", "no")
