"""On a host no path comes in that steers terminals or hides from readers (THREATS, "On a host")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import is_blank_letter, is_hidden_character, shown_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.facts import Facts

_JOINERS = "\u200c\u200d"  # Persian, Indic scripts and emoji are written with them


def judge_names(facts: Facts) -> Iterator[Finding]:
    """Refuse what the patch adds or changes under such a path; bytes that are no text may stand."""
    for path, change in facts.changes.items():
        if change.new is not None and _steers(path):
            yield Finding(
                code="path.bad_char",
                severity=Severity.ERROR,
                path=shown_path(path[:200]),
                got="characters that steer a terminal or hide",
                expected="a path without control, format and separator characters",
            )


def _steers(path: bytes) -> bool:
    if path.isascii():
        return not path.decode().isprintable()
    text = path.decode("utf-8", "replace")
    return any(
        is_blank_letter(char) or (is_hidden_character(char) and char not in _JOINERS)
        for char in text
    )
