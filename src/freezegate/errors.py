"""What stops us before an answer."""

from __future__ import annotations


class FreezegateError(Exception):
    """Base of all that freezegate raises on purpose; every one of them refuses."""


class InvalidValue(FreezegateError, ValueError):  # noqa: N818 - reads as what it says
    """Say why a text is not the value that it claims to be.

    `code` is a reason code (SPEC section 10), `got` and `expected` are texts for people.
    """

    def __init__(self, code: str, *, got: str, expected: str) -> None:
        super().__init__(f"{code}: got {got}, expected {expected}")
        self.code = code
        self.got = got
        self.expected = expected


class DecodeError(FreezegateError):
    """Say where bytes stop being the document that they should be.

    `place` is a path inside the document (`disagreement[1].exit_status`), `line` counts from 1,
    `rule` names a rule that no JSON Schema can say (policy/schema/RULES.md), else it is None.
    """

    def __init__(
        self,
        code: str,
        *,
        place: str,
        got: str,
        expected: str,
        line: int | None = None,
        rule: str | None = None,
    ) -> None:
        super().__init__(f"{code} at {place or 'the document'}: got {got}, expected {expected}")
        self.code = code
        self.place = place
        self.got = got
        self.expected = expected
        self.line = line
        self.rule = rule


class Unanswerable(FreezegateError):  # noqa: N818 - reads as what it says
    """Say why no answer is possible: environment, damaged input, usage (exit status 2)."""

    def __init__(
        self,
        code: str,
        *,
        got: str,
        expected: str,
        remedy: str | None = None,
        path: str | None = None,
    ) -> None:
        super().__init__(f"{code}: got {got}, expected {expected}")
        self.code = code
        self.got = got
        self.expected = expected
        self.remedy = remedy
        self.path = path


class HostileObject(Unanswerable):
    """Say which git object no honest tool writes: it was read, and is refused (exit status 1)."""


class UsageError(FreezegateError):
    """Say what is wrong with the command line (exit status 2)."""
