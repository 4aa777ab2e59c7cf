"""What a request for a repair holds, bounded in bytes: the rest is named, not shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.brief import Assertion, Bounded, FileDiff
from freezegate.model.ledger import VarianceClass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from freezegate.model.observation import Failure, Frame

# Before one of these there is nothing that an edit could repair (the second document, step 6).
BRIEFED = frozenset({VarianceClass.DETERMINISTIC_MISS, VarianceClass.SEED_UNSTABLE})
MIN_BRIEF_BYTES, USUAL_BRIEF_BYTES, MAX_BRIEF_BYTES = 2_048, 16_384, 1_048_576
_MAX_MESSAGE_BYTES = 2_000


def find_assertion(failure: Failure, test_id: str, oracle_path: str) -> Assertion:
    """Return the innermost statement of the oracle that failed, else the innermost of the tree."""
    frames = [*failure.frames, *(frame for leaf in failure.leaves for frame in leaf.frames)]
    here = [frame for frame in frames if frame.path is not None]
    own = [frame for frame in here if frame.path == oracle_path]
    message = f"{failure.type_name}: {failure.message}"
    return _assertion((own or here)[-1:], test_id, oracle_path, _cut(message, _MAX_MESSAGE_BYTES))


def _assertion(frames: Sequence[Frame], test_id: str, path: str, message: str) -> Assertion:
    if not frames:  # raised where no file of the tree is: in a signal, or in a library
        return Assertion(test_id, path, 0, "", "", message)
    frame = frames[0]
    return Assertion(test_id, frame.path or path, frame.line, frame.qualname, frame.source, message)


def bound_brief(
    fixture: str, diffs: Iterable[FileDiff], involved: frozenset[str], max_bytes: int
) -> Bounded:
    """Keep what fits into so many bytes: the fixture, then hunks whole, files of the failure first.

    `involved` are the files that the failure's traceback names. A large file never keeps a small
    one out.
    """
    room = max_bytes - len(fixture.encode())
    shown = fixture if room >= 0 else None
    room = max_bytes if shown is None else room
    kept, left_out = list[FileDiff](), list[FileDiff]()
    for each in sorted(diffs, key=lambda each: (each.path not in involved, each.path)):
        cost = each.size + len(each.path)
        (kept if cost <= room else left_out).append(each)
        room -= cost if cost <= room else 0
    return Bounded(shown, tuple(kept), tuple(left_out))


def _cut(text: str, most: int) -> str:
    data = text.encode("utf-8", "backslashreplace")
    return text if len(data) <= most else data[:most].decode("utf-8", "ignore") + " [...]"
