"""`freezegate hook NAME`: what the git hooks in `hooks/` call."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from freezegate.hooks.believed import Answer, Fault
    from freezegate.model.verdict import Verdict

SUMMARY = "answer a git hook"
EXAMPLES = """\
examples:
  freezegate hook pre-commit              what `git commit` would ask
  git push --dry-run                      runs pre-push without pushing
  git config core.hooksPath CHECKOUT/hooks
                                          lets git call it
  git config freezegate.hostSettings /etc/freezegate/host.toml
                                          on a git host: docs/host.md

exit status: 0 accepted or nothing to judge, 1 refused, 2 could not answer; git stops at 1 and 2
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("name", choices=_NAMES, metavar="NAME", help=", ".join(_NAMES))
    parser.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="...", help="what git gives to the hook"
    )


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Judge, tell on standard error (JSON: on standard output), return the exit status."""
    if options.name == "pre-receive":
        return _pre_receive(environ, as_json=options.format == "json")
    if options.name == "post-receive":
        return _post_receive(environ)
    verdict = _HOOKS[options.name](environ, datetime.now(UTC))
    _tell(verdict, options.format)
    return verdict.outcome.exit_status


def _pre_commit(environ: Mapping[str, str], now: datetime) -> Verdict:
    from freezegate.hooks.pre_commit import judge_index

    return judge_index(environ, now)


def _pre_push(environ: Mapping[str, str], now: datetime) -> Verdict:
    from freezegate.hooks.pre_push import judge_push

    return judge_push(_read_input(), environ, now)


def _pre_receive(environ: Mapping[str, str], *, as_json: bool) -> int:
    answer = _answer_push(environ, as_json=as_json)
    if answer.fault:
        _tell_fault(answer.fault, as_json=as_json)
    for line in answer.show:
        print(line)
    for line in answer.say:
        print(line, file=sys.stderr)
    return answer.status


def _answer_push(environ: Mapping[str, str], *, as_json: bool) -> Answer:
    from freezegate.hooks.believed import Answer, Fault
    from freezegate.hooks.pre_receive import answer_push

    try:
        return answer_push(sys.stdin.buffer, environ, datetime.now(UTC), as_json=as_json)
    except Exception as fault:  # a pusher gets one line, no traceback of the host
        got = _without_paths(fault)
        return Answer(2, fault=Fault("internal.fault", got, "tell the host's administrator"))


def _tell_fault(fault: Fault, *, as_json: bool) -> None:
    from freezegate.report.host import cut

    print(cut(f"undecided ({fault.code}): {fault.remedy} ({fault.got})"), file=sys.stderr)
    if as_json:
        from freezegate.cli.no_answer import print_undecided
        from freezegate.errors import Unanswerable

        expected = "an answer of the judge"
        print_undecided(
            Unanswerable(fault.code, got=fault.got, expected=expected, remedy=fault.remedy)
        )


def _post_receive(environ: Mapping[str, str]) -> int:
    """Log what landed; git looks at no exit status here, so what fails is at least told."""
    from freezegate.errors import Unanswerable
    from freezegate.hooks.post_receive import log_landed
    from freezegate.report.host import cut

    try:
        log_landed(sys.stdin.buffer, environ, datetime.now(UTC))
    except Exception as stop:  # as above: one line
        got = stop.code if isinstance(stop, Unanswerable) else _without_paths(stop)
        said = f"the push is in, but not logged: tell the host's administrator ({got})"
        print(cut(said), file=sys.stderr)
        return 2
    return 0


def _without_paths(fault: Exception) -> str:
    """Where things lie on the host is its administrator's."""
    said = fault.strerror if isinstance(fault, OSError) else str(fault)
    return f"{type(fault).__name__}: {said}"


def _read_input() -> bytes:
    """Return all that git wrote; nothing where a person at a terminal runs the hook."""
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    return sys.stdin.buffer.read()


def _tell(verdict: Verdict, form: str) -> None:
    if form == "json":
        from freezegate.report.document import dump_verdict

        sys.stdout.write(dump_verdict(verdict))
        return
    from freezegate.report.text import verdict_lines

    for line in verdict_lines(verdict):
        print(line, file=sys.stderr)


_HOOKS: Mapping[str, Callable[[Mapping[str, str], datetime], Verdict]] = {
    "pre-commit": _pre_commit,
    "pre-merge-commit": _pre_commit,
    "pre-push": _pre_push,
}
_NAMES = (*_HOOKS, "pre-receive", "post-receive")
