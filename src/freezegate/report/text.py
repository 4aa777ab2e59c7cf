"""A verdict as lines of plain ASCII: first the answer, then a block a finding."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.verdict import Transition, Verdict

# More blocks than this are no page that anybody reads; --format json has them all.
MAX_BLOCKS = 12
_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}
_SHORT = 12


def verdict_lines(verdict: Verdict, *, colour: bool = False) -> Iterator[str]:
    """Yield the lines of a verdict; `colour` adds terminal colours to its key words."""
    for transition in verdict.transitions:
        yield from _transition_lines(transition, colour)


def escaped(text: str) -> str:
    """Return a text as printable ASCII, everything else escaped."""
    shown = text.encode("ascii", "backslashreplace").decode("ascii")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)


def _transition_lines(transition: Transition, colour: bool) -> Iterator[str]:
    word = _paint(str(transition.outcome), "1", colour)
    yield f"freezegate: {word} {escaped(transition.ref)}{_against(transition)}"
    for freeze in transition.freezes:
        yield f"  asks to freeze {escaped(freeze.test_id)} as {freeze.freeze}"
    for finding in transition.findings[:MAX_BLOCKS]:
        yield ""
        yield from _block(finding, colour)
    yield ""
    yield _summary(transition)


def _against(transition: Transition) -> str:
    if transition.base is None:
        return ""
    candidate = transition.candidate[:_SHORT] if transition.candidate else "index"
    base = transition.base.rev[:_SHORT] if transition.base.rev else "empty"
    return f" ({candidate}) against {escaped(transition.base.source)} ({base})"


def _block(finding: Finding, colour: bool) -> Iterator[str]:
    severity = _paint(str(finding.severity), _COLOURS[finding.severity], colour)
    detector = f" [{finding.detector}]" if finding.detector else ""
    place = escaped(finding.path or "")
    if finding.line:
        place += f":{finding.line}"
    about = f" {escaped(finding.about)}" if finding.about else ""
    yield f"{severity} {finding.code}{detector}  {place}{about}".rstrip()
    yield f"  got:      {escaped(finding.got)}"
    yield f"  expected: {escaped(finding.expected)}"
    yield f"  remedy:   {escaped(finding.remedy)}"


def _summary(transition: Transition) -> str:
    counts = Counter(finding.severity for finding in transition.findings)
    words = ", ".join(
        f"{counts[s]} {s}{'s' if counts[s] != 1 else ''}" for s in Severity if counts[s]
    )
    hidden = len(transition.findings) - MAX_BLOCKS
    more = f" ({hidden} not shown: --format json)" if hidden > 0 else ""
    assurance = ", ".join(transition.assurance)
    claimed = "; evidence: claimed" if transition.freezes else ""
    judged = f"; assurance: {assurance}{claimed}" if transition.base else ""
    return f"{words or 'no findings'}{more}{judged}"


def _paint(text: str, code: str, colour: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colour else text
