"""On the git host, after refs moved: log what landed. Nothing can be refused any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.formats.host_log import dump_entry, instant_of
from freezegate.hooks.host_place import find_host
from freezegate.hooks.landed import decisions_on
from freezegate.hooks.pre_receive import parse_updates
from freezegate.model.host import LogEntry, LogEvent
from freezegate.policy.globs import ref_matches

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import BinaryIO

    from freezegate.hooks.host_place import HostPlace
    from freezegate.model.host import RefUpdate


def log_landed(stdin: BinaryIO, environ: Mapping[str, str], now: datetime) -> None:
    """Log each ref that git says has moved and that is protected, or was judged.

    What an alias of a protected ref leads to has another name: pre-receive looked at the refs.
    Raises Unanswerable, OSError.
    """
    place = find_host(environ)
    updates = parse_updates(stdin, place.settings.limits.max_refs)
    decided = decisions_on(place, updates)
    lines = [
        dump_entry(_landed(each, decided.get(each), place, now))
        for each in updates
        if each in decided or ref_matches(place.settings.protected, each.ref)
    ]
    if lines:
        place.append(lines)


def _landed(
    update: RefUpdate, decided: LogEntry | None, place: HostPlace, now: datetime
) -> LogEntry:
    return LogEntry(
        event=LogEvent.LANDED,
        time=instant_of(now),
        push=decided.push if decided else None,
        repository=place.repository,
        ref=update.ref,
        old=update.old,
        new=update.new,
        verdict=decided.verdict if decided else None,
        digest=decided.digest if decided else None,
        warnings=decided.warnings if decided else (),
        freezes=decided.freezes if decided else (),
    )
