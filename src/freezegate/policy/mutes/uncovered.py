"""Production code that coverage no longer counts: `pragma: no cover` on lines that it counted."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.modules import Module
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "uncovered"
_WORDS = (b"cover", b"branch")
_PRAGMA = re.compile(rb"#\s*pragma\s*:?\s*no\s*(?:cover|branch)\b.*", re.IGNORECASE)
_REMEDY = "Test the line, or say in the pull request why no test can reach it; a person must look."


def find_uncovered(step: MuteStep) -> Iterator[Mute]:
    """Yield lines that got such a comment; code that comes with one lowers nothing that was."""
    for pair in step.subject_files:
        if pair.old is None or pair.new is None or not _may_say(pair.new.source):
            continue
        counted = Counter(_code(line) for line in pair.old.lines if not _PRAGMA.search(line))
        kept = Counter(_code(line) for line in pair.new.lines if not _PRAGMA.search(line))
        gone = counted - kept
        for number in _excluded(pair.new):
            line = pair.new.lines[number]
            if gone[_code(line)]:
                gone[_code(line)] -= 1
                yield _mute(pair.path, number + 1, line)


def _may_say(source: bytes) -> bool:
    return b"pragma" in source.lower() and any(word in source.lower() for word in _WORDS)


def _excluded(module: Module) -> Iterator[int]:
    yield from (n for n, line in enumerate(module.lines) if _PRAGMA.search(line))


def _code(line: bytes) -> bytes:
    return b" ".join(_PRAGMA.sub(b"", line).split())


def _mute(path: str, number: int, line: bytes) -> Mute:
    text = line.decode("utf-8", "replace").strip()[:120]
    return Mute(
        family=MuteFamily.RUNNER,
        detector=_DETECTOR,
        certainty=Certainty.DOUBTFUL,
        path=path,
        line=number,
        was=_code(line).decode("utf-8", "replace")[:120],
        now=f"coverage does not count it: {text}",
        remedy=_REMEDY,
        before=_code(line).decode("utf-8", "replace")[:200],
        after=text,
    )
