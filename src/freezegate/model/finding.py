"""One thing that was looked at: its reason code, where it is, what was got and expected."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from freezegate.model.reasons import REASONS


class Severity(StrEnum):
    """How much a finding weighs: an error refuses, a warning and a note only tell."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fact that a person or an agent can act on.

    `code` is in the catalogue of reasons; `path` is relative to the repository's top, unprintable
    bytes escaped; `line` counts from 1; `about` names the place inside the file or the thing
    meant; `remedy` is the next command or edit, the catalogue's where nothing better is known;
    `before` and `after` are the smallest pieces of source that show it, for those who ask.
    """

    code: str
    severity: Severity
    got: str
    expected: str
    path: str | None = None
    line: int | None = None
    about: str | None = None
    detector: str | None = None
    remedy: str = ""
    before: str = ""
    after: str = ""

    def __post_init__(self) -> None:
        """Refuse a code that nobody could look up; fill in the catalogue's remedy."""
        reason = REASONS[self.code]
        if not self.remedy:
            object.__setattr__(self, "remedy", reason.remedy)

    @property
    def needs_human(self) -> bool:
        """Whether nothing but a person can tell if a test was weakened: listed before the rest."""
        return self.severity is Severity.WARNING and self.code.startswith("mute.")


_ORDER = {code: place for place, code in enumerate(REASONS)}
_WEIGHT = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}


def precedence(finding: Finding) -> tuple[int, bool, int, str, int, str]:
    """Sort key: severity, what needs a human, the order of SPEC section 10, the place."""
    return (
        _WEIGHT[finding.severity],
        not finding.needs_human,
        _ORDER[finding.code],
        finding.path or "",
        finding.line or 0,
        finding.about or "",
    )
