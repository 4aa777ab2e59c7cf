"""What the host's log knows: whether a commit ever was a ref's tip, what was said about a push."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from freezegate.errors import DecodeError
from freezegate.formats.host_log import parse_entry
from freezegate.ledger.host_log import read_log, read_log_backwards
from freezegate.model.host import LogEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from freezegate.hooks.host_place import HostPlace
    from freezegate.model.digests import ObjectId
    from freezegate.model.host import LogEntry, RefUpdate

_MAX_LOOKED_AT = 100_000  # a push lands within seconds of its decision; a log may hold years


def landed_in(place: HostPlace) -> Callable[[str, ObjectId], bool]:
    """Return the question whether a ref of this repository ever came to hold a commit."""

    def landed(ref: str, rev: ObjectId) -> bool:
        entries = entries_of(place, read_log(place.log), mention=rev)
        return any(e.event is LogEvent.LANDED and (e.ref, e.new) == (ref, rev) for e in entries)

    return landed


def decision_on(place: HostPlace, update: RefUpdate) -> LogEntry | None:
    """Return the latest decision on an update, None where the log has none."""
    mention = update.new or update.old or ""
    wanted = (update.ref, update.old, update.new)
    lines = islice(read_log_backwards(place.log), _MAX_LOOKED_AT)
    for entry in entries_of(place, lines, mention=mention):
        if entry.event is LogEvent.DECIDED and (entry.ref, entry.old, entry.new) == wanted:
            return entry
    return None


def entries_of(
    place: HostPlace, lines: Iterable[bytes], *, mention: str = ""
) -> Iterator[LogEntry]:
    """Yield a repository's entries that mention a text; what does not decode says nothing."""
    needle = mention.encode("utf-8", "surrogateescape")
    for line in lines:
        if needle not in line:
            continue
        try:
            entry = parse_entry(line)
        except DecodeError:
            continue
        if entry.repository == place.repository:
            yield entry
