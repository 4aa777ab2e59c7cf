"""When the workflows that run tests are started: events, branches and paths that are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.plain_yaml import YamlError, load_yaml
from freezegate.policy.mutes.run_places import runs_in
from freezegate.policy.mutes.runs import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.policy.mutes.modules import Side
    from freezegate.policy.mutes.step import MuteStep

_DETECTOR = "gate"
_TRIGGERS = frozenset({"push", "pull_request", "pull_request_target", "merge_group"})
_REMEDY = "Leave the guard as it is, or let a person who owns it make the change on its own."


def narrowed_triggers(step: MuteStep, path: str) -> Iterator[Mute]:
    """Yield when a workflow that runs tests is started no more."""
    old, new = _workflow(step.old, path), _workflow(step.new, path)
    if old is None or new is None:
        return
    before, after = _events(old), _events(new)
    lost = sorted((before.keys() & _TRIGGERS) - after.keys())
    if lost:
        left = ", ".join(sorted(after)) or "nothing"
        yield guard_told(path, f"runs on {', '.join(sorted(before))}", f"runs on {left} alone")
    for event in sorted(before.keys() & after.keys() & _TRIGGERS):
        yield from _narrowed(path, event, before[event], after[event])


def _narrowed(
    path: str, event: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[Mute]:
    for key in ("paths-ignore", "branches-ignore", "tags-ignore"):
        more = [each for each in _list(new.get(key)) if each not in _list(old.get(key))]
        if more:
            yield guard_told(path, f"{event} without them", f"{event}: {key} {', '.join(more)}")
    for key in ("paths", "branches", "types"):
        before, after = _list(old.get(key)), _list(new.get(key))
        lost = [each for each in before if each not in after]
        if after and (lost or not before) and (key != "branches" or before):
            was = f"{event}: {key} {', '.join(before) or 'all'}"
            yield guard_told(path, was, f"{event}: {key} {', '.join(after)}")


def _workflow(side: Side, path: str) -> Mapping[str, Any] | None:
    entry = side.entry(path)
    if entry is None or not path.endswith((".yml", ".yaml")):
        return None
    try:
        runs = runs_in(side.tree, path, entry)
        found = load_yaml(side.tree.source(entry))
    except (UnreadableError, YamlError):
        return None
    return found if runs and isinstance(found, dict) and "on" in found else None


def _events(workflow: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    on = workflow["on"]
    if isinstance(on, dict):
        return {str(k): v if isinstance(v, dict) else {} for k, v in on.items()}
    return {str(each): {} for each in (on if isinstance(on, list) else [on])}


def _list(value: Any) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [value] if value else []


def guard_told(path: str, was: str, now: str, certainty: Certainty = Certainty.CLEAR) -> Mute:
    """Return the finding about a guard."""
    return Mute(
        family=MuteFamily.GATE,
        detector=_DETECTOR,
        certainty=certainty,
        path=path,
        line=None,
        was=was,
        now=now,
        remedy=_REMEDY,
        before=was,
        after=now,
    )
