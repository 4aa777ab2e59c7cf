"""Each mute of a verdict as the smallest piece of source before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.report.text import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.finding import Finding
    from freezegate.model.verdict import Verdict


def mute_lines(verdict: Verdict) -> Iterator[str]:
    """Yield the lines of `check --explain-mutes`: `-` what stood there, `+` what stands there."""
    found = [f for each in verdict.transitions for f in each.findings if f.detector]
    yield ""
    yield f"mutes: {len(found)}, each with what stood there (-) and what stands there now (+)"
    for finding in found:
        yield ""
        yield _place(finding)
        yield from _piece("-", finding.before or "nothing")
        yield from _piece("+", finding.after or "nothing")


def _place(finding: Finding) -> str:
    line = f":{finding.line}" if finding.line else ""
    about = f" {escaped(finding.about)}" if finding.about else ""
    return f"{finding.severity} [{finding.detector}] {escaped(finding.path or '')}{line}{about}"


def _piece(sign: str, text: str) -> Iterator[str]:
    yield from (f"  {sign} {escaped(line)}" for line in text.split("\n"))
