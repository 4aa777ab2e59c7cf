"""What a request for a repair is made of: hunks, the assertion, and what fits."""

from __future__ import annotations

from typing import NamedTuple


class FileDiff(NamedTuple):
    """A changed path and its hunks."""

    path: str
    text: str

    @property
    def size(self) -> int:
        """Bytes of the hunks."""
        return len(self.text.encode("utf-8", "backslashreplace"))


class Assertion(NamedTuple):
    """What failed, and where: `source` is the statement, `path` and `line` those of the tree."""

    test_id: str
    path: str
    line: int
    qualname: str
    source: str
    message: str


class Bounded(NamedTuple):
    """What fits, in order, and the changed files that the runs opened and that do not fit."""

    fixture: str | None
    diffs: tuple[FileDiff, ...]
    left_out: tuple[FileDiff, ...]
