"""On the git host, after refs moved: log what landed. Nothing can be refused any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.formats.host_log import dump_entry, instant_of
from freezegate.hooks.host_place import find_host
from freezegate.hooks.landed import decision_on
from freezegate.hooks.pre_receive import parse_updates
from freezegate.ledger.host_log import append_log
from freezegate.model.host import LogEntry, LogEvent
from freezegate.policy.globs import ref_matches

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import BinaryIO

    from freezegate.hooks.host_place import HostPlace
    from freezegate.model.host import RefUpdate


def log_landed(stdin: BinaryIO, environ: Mapping[str, str], now: datetime) -> None:
    """Log each protected ref that git says has moved; raises Unanswerable, OSError."""
    place = find_host(environ)
    updates = parse_updates(stdin, place.settings.limits.max_refs)
    protected = [each for each in updates if ref_matches(place.settings.protected, each.ref)]
    if protected:
        append_log(place.log, [dump_entry(_landed(each, place, now)) for each in protected])


def _landed(update: RefUpdate, place: HostPlace, now: datetime) -> LogEntry:
    decided = decision_on(place, update)
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
        freezes=decided.freezes if decided else (),
    )
