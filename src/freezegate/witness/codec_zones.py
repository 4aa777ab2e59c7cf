"""The zone of a time as JSON has it: none, a fixed offset, or a key of the zone database.

Executed inside the guarded project's interpreter as well: standard library alone, Python 3.8 and
later.
"""

from __future__ import annotations

import datetime

from .codec_classes import unknown

TYPE_CHECKING = False  # as in child/
if TYPE_CHECKING:
    from typing import Any


def write_zone(zone: Any, place: str) -> Any:
    """Return a time's zone as JSON has it; raises CodecError for one of no kind known."""
    if zone is None:
        return None
    if type(zone) is datetime.timezone:
        offset = zone.utcoffset(None)
        given = zone.__getinitargs__()  # type: ignore[attr-defined]  # as pickle asks it
        return {"$timezone": [write_span(offset), given[1] if len(given) > 1 else None]}
    if type(zone).__module__.partition(".")[0] in ("zoneinfo", "backports") and _is_keyed(zone):
        return {"$zone": zone.key}
    raise unknown(type(zone), place + ".tzinfo")


def _is_keyed(zone: Any) -> bool:
    """Say whether the key alone makes the zone: a file's own may stand under another's key."""
    try:
        return bool(zone.key) and zone.__reduce__()[1][0] == zone.key
    except Exception:  # pickle.PicklingError, without importing it
        return False


def write_span(value: datetime.timedelta) -> list[int]:
    """Return a timedelta's parts."""
    return [value.days, value.seconds, value.microseconds]


def read_zone(document: Any) -> Any:
    """Return the zone that `write_zone` wrote."""
    if document is None:
        return None
    if "$zone" in document:
        return _zone(document["$zone"])
    span, name = document["$timezone"]
    offset = datetime.timedelta(*span)
    if name is None:
        return datetime.timezone(offset)  # without offset that is `timezone.utc` itself
    return datetime.timezone(offset, name)


def _zone(key: str) -> Any:
    try:
        import zoneinfo
    except ImportError:  # before Python 3.9
        from backports import zoneinfo  # type: ignore[import-not-found, no-redef]
    return zoneinfo.ZoneInfo(key)
