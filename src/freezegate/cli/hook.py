"""`freezegate hook NAME`: what the git hooks in `hooks/` call."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from freezegate.model.verdict import Verdict

SUMMARY = "answer a git hook"
EXAMPLES = """\
examples:
  freezegate hook pre-commit              what `git commit` would ask
  git push --dry-run                      runs pre-push without pushing
  git config core.hooksPath CHECKOUT/hooks
                                          lets git call it

exit status: 0 accepted or nothing to judge, 1 refused, 2 could not answer; git stops at 1 and 2
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("name", choices=tuple(_HOOKS), metavar="NAME", help=", ".join(_HOOKS))
    parser.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="...", help="what git gives to the hook"
    )


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Judge, tell on standard error (JSON: on standard output), return the exit status."""
    verdict = _HOOKS[options.name](environ, datetime.now(UTC))
    _tell(verdict, options.format)
    return verdict.outcome.exit_status


def _pre_commit(environ: Mapping[str, str], now: datetime) -> Verdict:
    from freezegate.hooks.pre_commit import judge_index

    return judge_index(environ, now)


def _pre_push(environ: Mapping[str, str], now: datetime) -> Verdict:
    from freezegate.hooks.pre_push import judge_push

    return judge_push(_read_input(), environ, now)


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
