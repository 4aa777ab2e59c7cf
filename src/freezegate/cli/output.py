"""Verdicts on standard output: JSON for programs, text for people, colour on terminals only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from freezegate.model.verdict import Verdict


def print_verdict(verdict: Verdict, form: str, environ: Mapping[str, str]) -> None:
    """Print a verdict in the form asked, `text` or `json`."""
    if form == "json":
        from freezegate.report.document import dump_verdict

        sys.stdout.write(dump_verdict(verdict))
        return
    from freezegate.report.text import verdict_lines

    for line in verdict_lines(verdict, colour=wants_colour(environ)):
        print(line)


def wants_colour(environ: Mapping[str, str]) -> bool:
    """Say whether standard output is a terminal that takes colours (no-color.org)."""
    plain = environ.get("NO_COLOR") or environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain
