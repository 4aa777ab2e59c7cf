"""What the host's log knows: whether a commit ever was a ref's tip, what was said about a push."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from freezegate.errors import DecodeError
from freezegate.formats.host_log import parse_entry
from freezegate.ledger.host_log import read_log, read_log_backwards
from freezegate.model.host import LogEvent, RefUpdate

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from freezegate.hooks.host_place import HostPlace
    from freezegate.model.digests import ObjectId
    from freezegate.model.host import LogEntry

_MAX_LOOKED_AT = 100_000  # a push lands within seconds of its decision; a log may hold years
_OID = re.compile(rb'"([0-9a-f]{40})"')


def landed_in(place: HostPlace) -> Callable[[str, ObjectId], bool]:
    """Return the question whether a ref of this repository ever came to hold a commit."""

    def landed(ref: str, rev: ObjectId) -> bool:
        entries = entries_of(place, read_log(place.log), mention=rev)
        return any(e.event is LogEvent.LANDED and (e.ref, e.new) == (ref, rev) for e in entries)

    return landed


def decisions_on(place: HostPlace, updates: Collection[RefUpdate]) -> Mapping[RefUpdate, LogEntry]:
    """Return the latest decision on each update that has one in the log's last part."""
    found: dict[RefUpdate, LogEntry] = {}
    waiting = set(updates)
    mentions = {(each.new or each.old or "").encode() for each in updates}
    lines = islice(read_log_backwards(place.log), _MAX_LOOKED_AT)
    near = (line for line in lines if not mentions.isdisjoint(_OID.findall(line)))
    for entry in entries_of(place, near):
        update = RefUpdate(entry.ref, entry.old, entry.new)
        if entry.event is LogEvent.DECIDED and update in waiting:
            waiting.remove(update)
            found[update] = entry
        if not waiting:
            break
    return found


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
