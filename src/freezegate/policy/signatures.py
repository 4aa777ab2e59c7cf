"""How a run failed, as one line that stays the same in other processes (SPEC section 3).

`TYPE | PLACE | SOURCE | MESSAGE`, always four parts, `-` where one has nothing to say:

- TYPE: the exception that was reported, the last one raised of a chain, as `module.Name`
  (builtins without module). Of a group also the set of its leaves, sorted, each with the
  repository's function that it comes from: `ExceptionGroup[KeyError at src/a.py:load; OSError]`.
  What a thread or a finalizer raised is the leaf of the warning that pytest makes of it.
- PLACE: `PATH:QUALNAME` of the innermost frame in a file that base and candidate have in common,
  so that both sides can agree on it; without one, the innermost frame in the repository. Where the
  failure comes from deeper in the repository, ` => PATH:QUALNAME` of that frame follows: bugs in
  two functions of a changed file never look like one. No line numbers anywhere.
- SOURCE: that frame's statement, behind the outermost common statement that led there
  (`check(total) => assert value >= 0`): two calls of one helper are two failures. A watchdog
  (pytest-timeout) strikes at whatever line runs, so its failures have no source.
- MESSAGE: the exception's text, folded, and behind a group's those of its leaves: numbers (a row
  of them as one), durations, dates and times, addresses, uuids and opaque ids, folders of the run
  and temporary paths become placeholders; what pytest explains below an `assert` line, the example
  that Hypothesis found, difference listings, half words where a representation was cut, and
  colours go; white space collapses. Quoted texts stay.

Folded into one, therefore: the same failure of the same line with other values, and failures that
differ in nothing but the cause of the reported exception or frames outside the repository. Where
it is in doubt the text stays: a signature too many refuses a freeze, one too few hides a bug.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.digests import Blake3
from freezegate.policy.messages import fold_message, one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from freezegate.model.observation import Failure, Frame, Leaf
    from freezegate.policy.messages import Folders

MIN_SIGNATURE_CHARS = 400  # below that the four parts have no room
_NOTHING = "-"
_PARTS = " | "
_THEN = " => "  # no Python outside of strings


def fail_signature(
    failure: Failure, *, equal_paths: Collection[str], folders: Folders, max_chars: int
) -> str:
    """Return the signature of a failure: one line of at most `max_chars`, without controls.

    `equal_paths` are the files that are equal at base and candidate; the frozen test's own module
    counts as equal, as its function is judged by AST. A part that is too long ends in a digest of
    the whole, so that it still tells two failures apart; of a message the beginning counts.
    """
    if max_chars < MIN_SIGNATURE_CHARS:
        msg = f"a signature needs {MIN_SIGNATURE_CHARS} characters, not {max_chars}"
        raise ValueError(msg)
    type_part = _field(_type_part(failure), max_chars // 8)
    place = _field(_place(failure.frames, equal_paths), max_chars // 4)
    source = _field(_source(failure, equal_paths), max_chars // 4)
    head = _PARTS.join((type_part, place, source, ""))
    message = _message(failure, folders) or _NOTHING
    return head + _cut(message, max_chars - len(head))


# --- type, place and source


def _type_part(failure: Failure) -> str:
    name = _plain_type(failure.type_name)
    leaves = sorted({_shown_leaf(leaf) for leaf in failure.leaves})
    return f"{name}[{'; '.join(leaves)}]" if leaves else name


def _plain_type(name: str) -> str:
    return name.removeprefix("builtins.")


def _last_name(name: str) -> str:
    return name.rpartition(".")[2]


def _shown_leaf(leaf: Leaf) -> str:
    place = _shown_place(_in_repository(leaf.frames)[-1:])
    return f"{_plain_type(leaf.type_name)} at {place}" if place else _plain_type(leaf.type_name)


def _place(frames: tuple[Frame, ...], equal_paths: Collection[str]) -> str:
    ours = _in_repository(frames)
    common = _common(frames, equal_paths)
    if not common or common[-1] is ours[-1]:
        return _shown_place(ours[-1:])
    return _shown_place([common[-1], ours[-1]])


def _source(failure: Failure, equal_paths: Collection[str]) -> str:
    if _struck_by_watchdog(failure):
        return ""
    common = _common(failure.frames, equal_paths)
    inner = (common or _in_repository(failure.frames))[-1:]
    outer = common[:1] if len(common) > 1 else []
    return _THEN.join(one_line(frame.source) for frame in (*outer, *inner))


def _in_repository(frames: Iterable[Frame]) -> list[Frame]:
    return [frame for frame in frames if frame.path is not None]


def _common(frames: Iterable[Frame], equal_paths: Collection[str]) -> list[Frame]:
    return [frame for frame in frames if frame.path is not None and frame.path in equal_paths]


def _shown_place(frames: Iterable[Frame]) -> str:
    return _THEN.join(f"{frame.path}:{frame.qualname}" for frame in frames)


def _struck_by_watchdog(failure: Failure) -> bool:
    """Say whether pytest-timeout ended the run: the line where it struck is chance."""
    return _last_name(failure.type_name) == "Failed" and failure.message.startswith(
        ("Timeout >", "Timeout (>")
    )


def _field(text: str, max_chars: int) -> str:
    """Return a part that holds no separator; one that is too long ends in its whole's digest."""
    clean = one_line(text).replace(_PARTS, "|") or _NOTHING
    if len(clean) <= max_chars:
        return clean
    end = f"…{Blake3.of(clean.encode()).hex[:16]}"
    return clean[: max_chars - len(end)] + end


def _cut(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"


def _message(failure: Failure, folders: Folders) -> str:
    own = fold_message(failure, folders)
    leaves = sorted({fold_message(leaf, folders) for leaf in failure.leaves} - {""})
    return f"{own} [{'; '.join(leaves)}]" if leaves else own
