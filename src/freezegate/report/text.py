"""A verdict as lines of plain ASCII: first the answer, then a block a finding."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.reasons import REASONS
from freezegate.model.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.verdict import Transition, Verdict

# With five lines each, more blocks than this are no screen; --format json has them all.
MAX_BLOCKS = 4
MAX_NOTES = 3
# Where one of these stands, everything else follows from it.
_ROOTS = frozenset(("judge.no_policy", "judge.repair", "base.stale", "judge.changed_with_freeze"))
_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}
_SHORT = 12


def verdict_lines(verdict: Verdict, *, colour: bool = False) -> Iterator[str]:
    """Yield the lines of a verdict; `colour` adds terminal colours to its key words."""
    several = len(verdict.transitions) > 1
    for transition in verdict.transitions:
        lines = _transition_lines(transition, colour)
        yield from islice(lines, 1) if several and _is_quiet(transition) else lines
    if several:
        yield _total(verdict)


def escaped(text: str) -> str:
    """Return a text as printable ASCII, everything else escaped."""
    shown = text.encode("ascii", "backslashreplace").decode("ascii")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)


def named(finding: Finding) -> str:
    """Return a finding's code, with the detector that found it, and whether a person must look."""
    detector = f" [{finding.detector}]" if finding.detector else ""
    return f"{finding.code}{detector}{' needs human' if finding.needs_human else ''}"


def _transition_lines(transition: Transition, colour: bool) -> Iterator[str]:
    word = painted(str(transition.outcome), "1", colour)
    yield f"freezegate: {word} {escaped(transition.ref)}{_against(transition)}"
    for freeze in transition.freezes:
        does = (
            "asks to freeze"
            if freeze.status == "requested"
            else f"ends ({freeze.status}) the freeze of"
        )
        yield f"  {does} {escaped(freeze.test_id)} as {freeze.freeze}"
    grave = [f for f in transition.findings if f.severity is not Severity.NOTE]
    notes = [f for f in transition.findings if f.severity is Severity.NOTE]
    for finding in grave[:MAX_BLOCKS]:
        yield ""
        yield from _block(finding, colour)
    if grave:
        yield ""
    yield from (_note(finding, colour) for finding in notes[:MAX_NOTES])
    if transition.base is not None or transition.findings or transition.freezes:
        hidden = max(len(grave) - MAX_BLOCKS, 0) + max(len(notes) - MAX_NOTES, 0)
        yield from _summary(transition, hidden)


def _against(transition: Transition) -> str:
    if transition.base is None:
        return ""
    candidate = transition.candidate[:_SHORT] if transition.candidate else "index"
    base = transition.base.rev[:_SHORT] if transition.base.rev else "empty"
    return f" ({candidate}) against {escaped(transition.base.source)} ({base})"


def _is_quiet(transition: Transition) -> bool:
    return not transition.freezes and all(f.severity is Severity.NOTE for f in transition.findings)


def _total(verdict: Verdict) -> str:
    stopped = [t for t in verdict.transitions if t.outcome is not Outcome.ACCEPTED]
    refs = ", ".join(f"{escaped(t.ref)} {t.outcome}" for t in stopped[:MAX_BLOCKS])
    return f"freezegate: {len(verdict.transitions)} refs judged: {refs or 'all accepted'}"


def _block(finding: Finding, colour: bool) -> Iterator[str]:
    yield _heading(finding, colour)
    yield f"  got:      {escaped(finding.got)}"
    yield f"  expected: {escaped(finding.expected)}"
    yield f"  remedy:   {escaped(finding.remedy)}"


def _note(finding: Finding, colour: bool) -> str:
    own = finding.remedy not in (REASONS[finding.code].remedy, "Nothing.")
    remedy = f" ({escaped(finding.remedy)})" if own else ""
    return f"{_heading(finding, colour)}: {escaped(finding.got)}{remedy}"


def _heading(finding: Finding, colour: bool) -> str:
    severity = painted(str(finding.severity), _COLOURS[finding.severity], colour)
    place = escaped(finding.path or "")
    if finding.line:
        place += f":{finding.line}"
    about = f" {escaped(finding.about)}" if finding.about else ""
    return f"{severity} {named(finding)}  {place}{about}".rstrip()


def _summary(transition: Transition, hidden: int) -> Iterator[str]:
    """What an agent can act on alone: how it stands, which codes, and the first thing to do."""
    counts = Counter(finding.severity for finding in transition.findings)
    words = ", ".join(
        f"{counts[s]} {s}{'s' if counts[s] != 1 else ''}" for s in Severity if counts[s]
    )
    errors = [f for f in transition.findings if f.severity is Severity.ERROR]
    codes = ", ".join(dict.fromkeys(finding.code for finding in errors))
    more = f" ({hidden} not shown: --format json)" if hidden else ""
    claimed = "; evidence: claimed" if transition.freezes else ""
    assurance = f"; assurance: {', '.join(transition.assurance)}" if transition.base else ""
    said = f"{words or 'no findings'}{more}{assurance}{claimed}"
    yield f"{transition.outcome}: {f'{codes}; ' if codes else ''}{said}"
    if errors:
        first = next((f for f in errors if f.code in _ROOTS), errors[0])
        yield f"next: {escaped(first.remedy)}"


def painted(text: str, code: str, colour: bool) -> str:
    """Return a text in a terminal colour, where colours are wanted."""
    return f"\x1b[{code}m{text}\x1b[0m" if colour else text
