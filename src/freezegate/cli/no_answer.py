"""Why a verb has no answer: a sentence for people, and the verdict `undecided` for programs."""

from __future__ import annotations

import sys

from freezegate.errors import InvalidValue, Unanswerable, UsageError
from freezegate.hooks.walk import unanswered
from freezegate.model.paths import shown_text
from freezegate.model.reasons import REASONS
from freezegate.model.verdict import Verdict
from freezegate.report.document import dump_verdict

_CLOSED = "no answer, so nothing passes"


def words_of(stop: BaseException) -> str:
    """Return what stands on standard error; nothing where it was said already."""
    match stop:
        case UsageError():
            return "\n".join(map(shown_text, str(stop).split("\n")))
        case Unanswerable():
            remedy = stop.remedy or REASONS[stop.code].remedy
            return f"{stop.got}; expected {stop.expected}; {remedy}"
        case InvalidValue():
            return f"{stop.got} ({stop.code}); expected {stop.expected}"
        case BrokenPipeError():
            return ""
        case OSError():
            return f"{stop}; {_CLOSED}"
        case KeyboardInterrupt():
            return f"interrupted; {_CLOSED}"
        case _:
            return ""  # a fault of ours: its traceback is printed


def print_undecided(stop: BaseException) -> None:
    """Print one object of policy/schema/verdict.schema.json with the finding that stopped us."""
    transition = unanswered("HEAD", _as_unanswerable(stop))
    sys.stdout.write(dump_verdict(Verdict(transitions=(transition,))))
    sys.stdout.flush()


def _as_unanswerable(stop: BaseException) -> Unanswerable:
    match stop:
        case Unanswerable():  # a forged object, too, is no answer to what was asked
            return Unanswerable(
                stop.code, got=stop.got, expected=stop.expected, remedy=stop.remedy, path=stop.path
            )
        case InvalidValue():
            return Unanswerable(stop.code, got=stop.got, expected=stop.expected)
        case UsageError():
            return _usage(str(stop))
        case KeyboardInterrupt():
            code, expected = "internal.interrupted", "a run to the end"
        case OSError():
            code, expected = "internal.system", "files that can be read and written"
        case _:
            code, expected = "internal.fault", "an answer"
    return Unanswerable(code, got=str(stop) or type(stop).__name__, expected=expected)


def _usage(words: str) -> Unanswerable:
    """Return a fault of the command line; the command that it ends in is the remedy."""
    fault, sep, rest = words.rpartition(": freezegate ")
    command = f"freezegate {rest}" if sep else ""
    told, semicolon, when = fault.rpartition("; ")  # when it helps stays with the command
    return Unanswerable(
        "usage.error",
        got=told if semicolon else fault or words,
        expected="a command line that can be acted upon",
        remedy=f"{when}: {command}" if semicolon else command or None,
    )
