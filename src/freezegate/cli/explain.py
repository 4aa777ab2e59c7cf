"""`freezegate explain`: what a reason code means and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.errors import UsageError
from freezegate.model.reasons import REASONS, Reason

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

SUMMARY = "say what a reason code means and what to do about it"
EXAMPLES = """\
examples:
  freezegate explain oracle.changed
  freezegate explain weakened_check       what a detector of mutes looks for
  freezegate explain                      every code
  freezegate explain --format markdown    the text of docs/reasons.md
"""
_INTRODUCTION = """\
# Reason codes

Every finding carries one of these codes. They are stable; where one must be named for many, the
first of this list is. This page is made by `freezegate explain --format markdown`.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument("code", nargs="?", metavar="CODE", help="a reason code or a detector")
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:  # noqa: ARG001
    """Print the explanation, return the exit status."""
    reasons = _selected(options.code)
    if options.format == "json":
        import json

        print(json.dumps([reason._asdict() for reason in reasons], indent=2))
    elif options.format == "markdown":
        print(markdown(reasons), end="")
    else:
        print("\n\n".join(f"{r.code}\n  {r.sentence}\n  remedy: {r.remedy}" for r in reasons))
    return 0


def markdown(reasons: tuple[Reason, ...]) -> str:
    """Return the page that docs/reasons.md holds."""
    lines = [_INTRODUCTION]
    group = ""
    for reason in reasons:
        if reason.code.partition(".")[0] != group:
            group = reason.code.partition(".")[0]
            lines.append(f"## {group}\n\n| code | meaning | remedy |\n|---|---|---|")
        lines.append(f"| `{reason.code}` | {reason.sentence} | {reason.remedy} |")
        if _ends_group(reason, reasons):
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _ends_group(reason: Reason, reasons: tuple[Reason, ...]) -> bool:
    group = reason.code.partition(".")[0] + "."
    return reason == [r for r in reasons if r.code.startswith(group)][-1]


def _selected(code: str | None) -> tuple[Reason, ...]:
    if code is None:
        return tuple(REASONS.values())
    if code in REASONS:
        return (REASONS[code],)
    from difflib import get_close_matches

    from freezegate.policy.mutes.detectors import DETECTORS

    if code in DETECTORS:
        return (DETECTORS[code],)

    family = tuple(r for c, r in REASONS.items() if c.startswith(code.rstrip(".") + "."))
    if family:
        return family
    near = get_close_matches(code, [*REASONS, *DETECTORS], n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "freezegate explain lists them all"
    msg = f"no reason code and no detector {code!a}; {hint}"
    raise UsageError(msg)
