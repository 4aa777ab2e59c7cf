"""How settings are read from texts, and how a finding about one is told."""

from __future__ import annotations

import re
import shlex

from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily

YES = frozenset({"true", "1", "yes", "on"})
_DETECTOR = "runner"
_REMEDY = "Keep the setting, or say in the pull request why less is checked; a person must look."


def words_in(value: object) -> list[str]:
    """Return the words of a setting."""
    if isinstance(value, list | tuple):
        return [str(each) for each in value]
    try:
        return shlex.split(str(value))
    except ValueError:
        return str(value).split()


def lines_in(value: object) -> list[str]:
    """Return the entries of a setting that is written in lines."""
    lines = value if isinstance(value, list | tuple) else re.split(r"[\n,]", str(value or ""))
    return [str(line).strip() for line in lines if str(line).strip()]


def number_in(value: object) -> float:
    """Return a number, 0 where none is written."""
    try:
        return float(str(value))
    except ValueError:
        return 0.0


def setting_told(
    path: str, key: str, was: object, now: str, certainty: Certainty = Certainty.DOUBTFUL
) -> Mute:
    """Return the finding about one setting."""
    before = " ".join(was) if isinstance(was, tuple) else str(was or "nothing of that kind")
    return Mute(
        family=MuteFamily.RUNNER,
        detector=_DETECTOR,
        certainty=certainty,
        path=path,
        line=None,
        was=f"{key}: {before}",
        now=f"{key}: {now}",
        remedy=_REMEDY,
        before=f"{key}: {before}",
        after=f"{key}: {now}",
    )
