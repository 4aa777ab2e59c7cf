"""Which of two policies is the looser one, key by key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from freezegate.policy.settings import MuteFamily, Preset, Weight

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WEIGHTS = [str(each) for each in (Weight.OFF, Weight.NOTE, Weight.WARN, Weight.REFUSE)]
_PRESETS = [str(each) for each in (Preset.BASIC, Preset.STANDARD, Preset.STRICT)]
# More of these allows more freezes, or asks less of one.
_LOOSER_UP = frozenset(
    {"max_active", "max_active_per_property", "max_active_per_test", "max_active_per_file"}
    | {"max_lifetime_days", "max_lifetime_commits", "max_renewals", "grace_days"}
    | {"max_base_age_commits", "max_changed_entries", "wall_s"}
)
_LOOSER_DOWN = frozenset({"runs"})
_LISTS = (
    ("base", "targets"),
    ("subject", "paths"),
    ("oracle", "paths"),
    ("domain", "paths"),
    ("fixtures", "paths"),
    ("protected", "paths"),
    ("protected", "tags"),
)


def looser(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield each key by which the new tables ask for less, with what was and what is.

    A key that is gone falls back to the preset: told as such, whatever that says.
    """
    yield from _ranked("extends", old, new, _PRESETS)
    for section, key in _LISTS:
        before, after = _list(old, section, key), _list(new, section, key)
        lost = [each for each in before if each not in after]
        if lost:
            yield f"{section}.{key}", ", ".join(before), ", ".join(after) or "nothing"
    for name in (*(str(each) for each in MuteFamily), "doubtful"):
        yield from _ranked(name, _table(old, "mutes"), _table(new, "mutes"), _WEIGHTS, "mutes.")
    yield from _ranked("change", _table(old, "judges"), _table(new, "judges"), _WEIGHTS, "judges.")
    for section in ("freeze", "evidence", "limits"):
        yield from _numbers(section, _table(old, section), _table(new, section))
    tags = _table(_table(old, "evidence"), "tags"), _table(_table(new, "evidence"), "tags")
    for tag, runs in tags[0].items():
        if tags[1].get(tag, 0) < runs:
            yield f"evidence.tags.{tag}", str(runs), str(tags[1].get(tag, "gone"))


def _numbers(
    section: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    for key in sorted(old.keys() | new.keys()):
        was, now = old.get(key), new.get(key)
        if not isinstance(was, int) or not isinstance(now, int):
            if was != now and key in _LOOSER_UP | _LOOSER_DOWN:
                yield f"{section}.{key}", _shown(was), _shown(now)
        elif (key in _LOOSER_UP and now > was) or (key in _LOOSER_DOWN and now < was):
            yield f"{section}.{key}", str(was), str(now)


def _ranked(
    key: str, old: Mapping[str, Any], new: Mapping[str, Any], order: list[str], prefix: str = ""
) -> Iterator[tuple[str, str, str]]:
    was, now = old.get(key), new.get(key)
    if was == now:
        return
    ranks = [order.index(str(each)) for each in (was, now) if each in order]
    if now != order[-1] and (len(ranks) < 2 or ranks[1] < ranks[0]):
        yield f"{prefix}{key}", _shown(was), _shown(now)


def _shown(value: Any) -> str:
    return "as the preset has it" if value is None else str(value)


def _table(tables: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = tables.get(key, {})
    return found if isinstance(found, dict) else {}


def _list(tables: Mapping[str, Any], section: str, key: str) -> list[str]:
    found = _table(tables, section).get(key, [])
    return [str(each) for each in found] if isinstance(found, list) else []
