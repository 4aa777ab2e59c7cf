"""One line of the doctor's report."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Health(StrEnum):
    """How a line of the doctor's report stands."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


class Line(NamedTuple):
    """One thing that was looked at, what was seen, and what to do where it is not well."""

    health: Health
    said: str
    remedy: str = ""
