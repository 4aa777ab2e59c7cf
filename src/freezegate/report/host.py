"""A verdict as a git host tells it: each line with our prefix, ASCII, at most 200 characters.

git puts `remote: ` before each line and sends it to the pusher's terminal as it is.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from freezegate.model.finding import Severity
from freezegate.model.verdict import Outcome
from freezegate.report.text import escaped, named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.finding import Finding
    from freezegate.model.verdict import Transition, Verdict

MAX_LINE_CHARS = 200
# What a pusher would still read; --format json and the log have everything.
MAX_LINES = 100
MAX_FINDINGS = 10
_PREFIX = "freezegate: "
_MORE = "freezegate:     | "
_SHORT = 12


def host_lines(verdict: Verdict) -> tuple[str, ...]:
    """Return the lines for the pusher; the last one is the answer to the push as a whole."""
    order = sorted(verdict.transitions, key=lambda each: each.outcome is Outcome.ACCEPTED)
    judged = [each for each in order if each.is_judged]
    lines = (line for each in judged for line in _transition_lines(each))
    shown = tuple(islice(lines, MAX_LINES))
    hidden = ("more lines are not shown",) if next(lines, None) else ()
    return (*shown, *(cut(line) for line in (*hidden, *_totals(verdict, len(judged)))))


def cut(text: str) -> str:
    """Return one line from any text: escaped, prefixed, at most 200 characters."""
    line = _PREFIX + escaped(text)
    return line if len(line) <= MAX_LINE_CHARS else line[: MAX_LINE_CHARS - 3] + "..."


def wrapped(text: str) -> Iterator[str]:
    """Yield the lines of a text that must be whole, a command for example.

    Lines behind the first begin with a mark that no answer begins with.
    """
    start, rest = _PREFIX, escaped(text)
    while len(start) + len(rest) > MAX_LINE_CHARS:
        room = MAX_LINE_CHARS - len(start)
        end = rest.rfind(" ", 1, room + 1)
        end = end if end > 0 else room
        yield start + rest[:end]
        start, rest = _MORE, rest[end:].lstrip(" ")
    yield start + rest


def _transition_lines(transition: Transition) -> Iterator[str]:
    yield cut(f"{transition.outcome} {transition.ref}{_against(transition)}")
    for freeze in transition.freezes:
        yield cut(f"  {freeze.status}: the freeze {freeze.freeze} of {freeze.test_id}")
    for finding in transition.findings[:MAX_FINDINGS]:
        yield from _finding_lines(finding)
    hidden = len(transition.findings) - MAX_FINDINGS
    if hidden > 0:
        yield cut(f"  {hidden} findings are not shown")


def _finding_lines(finding: Finding) -> Iterator[str]:
    place = finding.path or finding.about or ""
    line = f":{finding.line}" if finding.line else ""
    at = f" {place}{line}" if place else ""
    yield cut(f"  {finding.severity} {named(finding)}{at}: {finding.got}")
    if finding.severity is not Severity.NOTE:
        yield from wrapped(f"    expected: {finding.expected}")
        yield from wrapped(f"    remedy: {finding.remedy}")


def _against(transition: Transition) -> str:
    if transition.base is None:
        return ""
    candidate = transition.candidate[:_SHORT] if transition.candidate else "a deletion"
    base = transition.base.rev[:_SHORT] if transition.base.rev else "empty"
    return f" ({candidate}) against {transition.base.source} ({base})"


def _totals(verdict: Verdict, judged: int) -> Iterator[str]:
    others = len(verdict.transitions) - judged
    if others:
        yield f"{others} of the refs pushed are not protected here and were not judged"
    if verdict.outcome is not Outcome.ACCEPTED:
        codes = dict.fromkeys(
            finding.code
            for each in verdict.transitions
            for finding in each.findings
            if finding.severity is Severity.ERROR
        )
        first = next(iter(codes), "CODE")
        yield f"{verdict.outcome}, so no ref of this push moves; freezegate explain {first}"
