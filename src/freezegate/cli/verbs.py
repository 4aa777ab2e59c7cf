"""The list of verbs; only the one that is asked for is imported."""

from __future__ import annotations

import argparse
import io
import sys
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn, TextIO

from freezegate import __version__
from freezegate.errors import FreezegateError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

VERBS: Mapping[str, str] = {
    "init": "write .freeze/ with this repository's paths, guessed and explained",
    "install": "put the git hooks in place, or undo that",
    "doctor": "say what is proved about the hooks here, and refuse a bad patch to prove it",
    "check": "judge a commit, or the index, against the trusted base",
    "catalog": "add, list, check and accept properties",
    "lock": "write the digests of all fixtures, or say where they differ",
    "domain": "show what decides an oracle's answer, and what a revision changes of that",
    "witness": "take evidence for a freeze: runs on base and candidate, judged before written",
    "freeze": "ask for the freeze for which evidence was taken before",
    "ledger": "list freezes, lift or void one, rebase a branch's lines, verify the files",
    "sample": "run a property under one recorded seed, or under many, on base and candidate",
    "shrink": "lock the minimal input of a miss that only the candidate has",
    "replay": "run one test, or a property on one locked input, on one side and show the row",
    "classify": "say the variance class of a window, or of one locked input; never a freeze",
    "brief": "print the bounded request for whoever repairs a patch, or look at a repair",
    "plan": "say how many runs a flake needs before both sides are mixed",
    "hook": "answer a git hook: pre-commit, pre-merge-commit, pre-push, pre-receive",
    "log": "say, on a git host, which freeze came in by which push",
    "explain": "say what a reason code means and what to do about it",
    "demo": "show the whole story on a throw-away repository",
}
_USAGE = "freezegate VERB [options]"
_CANNOT_ANSWER = 2
_LAST_STANDARD = 2  # the descriptor of standard error


def run_command(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run a command line (without the program's name) and return its exit status."""
    _open_standard_descriptors()
    if sys.stdout is None:  # `>&-`: the exit status is the answer then
        sys.stdout = io.StringIO()
    if sys.stderr is None:
        sys.stderr = io.StringIO()
    try:
        return _run_arguments(arguments, environ)
    except OSError:  # not even the words why there is no answer can be written
        return _CANNOT_ANSWER
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except OSError:
                _silence(stream)


def _open_standard_descriptors() -> None:
    """Put nothing where a caller closed 0, 1 or 2: else the next file opened would take its place.

    What a started program says would be written into that file.
    """
    import os

    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _LAST_STANDARD:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def _run_arguments(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    verb = arguments[0] if arguments else ""
    if verb in VERBS:
        return _run_verb(verb, arguments[1:], environ)
    if verb in ("-h", "--help", "help"):
        print(_help(), flush=True)
        return 0
    if verb in ("-V", "--version"):
        print(f"freezegate {__version__}", flush=True)
        return 0
    print(f"freezegate: {_unknown(verb)}\n\n{_help()}", file=sys.stderr)
    return _CANNOT_ANSWER


def _run_verb(verb: str, arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    as_json = _wants_json(arguments)
    try:
        module = import_module(f"freezegate.cli.{verb}")
        status: int = module.run(_options(verb, module, arguments, as_json=as_json), environ)
        sys.stdout.flush()
    except (FreezegateError, KeyboardInterrupt) as stop:
        return _no_answer(verb, stop, as_json=as_json)
    except OSError as error:
        if isinstance(error, BrokenPipeError) or not as_json:
            _silence(sys.stdout)
        return _no_answer(verb, error, as_json=as_json)
    except Exception as fault:
        _print_fault(verb)
        return _no_answer(verb, fault, as_json=as_json)
    return status


def _no_answer(verb: str, stop: BaseException, *, as_json: bool) -> int:
    """Say on standard error why there is no answer; with `--format json` one object says it too."""
    from freezegate.cli.no_answer import print_undecided, words_of

    words = words_of(stop)
    if words:
        try:
            print(f"freezegate {verb}: {words}", file=sys.stderr, flush=True)
        except OSError:
            _silence(sys.stderr)
    if as_json and not isinstance(stop, BrokenPipeError):
        try:
            print_undecided(stop)
        except OSError:  # standard output itself may be what was refused
            _silence(sys.stdout)
    return _CANNOT_ANSWER


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether a command line asks for JSON: known even where the rest of it is not understood."""
    return "--format=json" in arguments or ("--format", "json") in pairwise(arguments)


def _options(
    verb: str, module: ModuleType, arguments: Sequence[str], *, as_json: bool
) -> argparse.Namespace:
    parser = _Parser(
        prog=f"freezegate {verb}",
        description=VERBS[verb],
        epilog=module.EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.as_json = as_json
    parser.set_defaults(verb=verb)
    module.add_arguments(parser)
    return parser.parse_args(arguments)


class _Parser(argparse.ArgumentParser):
    """A parser that repeats what was typed without the characters that steer a terminal."""

    as_json = False

    def error(self, message: str) -> NoReturn:
        """Say the fault in one line, as one object too where asked; exit status 2."""
        from freezegate.model.paths import shown_text

        shown = shown_text(message)
        if self.as_json:
            from freezegate.cli.no_answer import print_undecided

            print_undecided(UsageError(shown))
        print(f"{self.prog}: {shown}; see {self.prog} --help", file=sys.stderr)
        self.exit(_CANNOT_ANSWER)


def _help() -> str:
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {name:<{width}}  {summary}" for name, summary in VERBS.items())
    return (
        f"usage: {_USAGE}\n\n"
        "A git gate: a test may be frozen only on witnessed evidence that the patch did not "
        f"write.\n\nverbs:\n{verbs}\n\n"
        "example:\n  freezegate check --base origin/main\n\n"
        "freezegate VERB --help tells more, freezegate --version which one this is\n"
        "exit status: 0 accepted, 1 refused, 2 no answer"
    )


def _unknown(verb: str) -> str:
    if not verb:
        return "no verb given"
    from difflib import get_close_matches

    near = get_close_matches(verb, list(VERBS), n=1)
    return f"no verb {verb!a}" + (f"; did you mean `{near[0]}`?" if near else "")


def _silence(stream: TextIO) -> None:
    """Keep the interpreter from failing once more when it flushes a pipe that is closed or full."""
    import os

    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):  # no file stands behind it
        return


def _print_fault(verb: str) -> None:
    import platform
    import traceback

    print(
        f"freezegate: undecided (internal.fault in {verb}): closed by default, nothing passes.\n"
        f"freezegate {__version__}, Python {platform.python_version()}. Please report this:",
        file=sys.stderr,
    )
    traceback.print_exc()
