"""The freezes of a ledger as people and programs read them: who owns what, and until when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.model.ledger import Frozen, without_property
from freezegate.report.text import escaped, painted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from freezegate.model.digests import Blake3
    from freezegate.model.ledger import Classified

LIST_SCHEMA = "freezegate/freezes/v1"
_STANDING = ("requested", "active")
_COLOURS = {"active": "33", "expired": "31", "void": "31"}


class ShownStanding(NamedTuple):
    """One freeze, or evidence that waits for one.

    `age_days` are those of the evidence, `shaken` is what HEAD changes of its ground. None stands
    for what is not known, or for a limit that it does not have.
    """

    freeze: Blake3 | None
    line: Classified
    state: str
    why: str | None
    age_days: int | None
    days_left: int | None
    age_commits: int | None
    commits_left: int | None
    shaken: str | None


def freezes_document(base: str | None, shown: Iterable[ShownStanding]) -> dict[str, Any]:
    """Return the list as one JSON object."""
    return {"schema": LIST_SCHEMA, "base": base, "freezes": [_document(each) for each in shown]}


def freezes_lines(shown: Iterable[ShownStanding], *, colour: bool = False) -> Iterator[str]:
    """Yield the list as text, three lines or more for each freeze."""
    for each in shown:
        line = each.line
        state = painted(f"{each.state:<9}", _COLOURS.get(each.state, "1"), colour)
        yield f"{state} {escaped(line.property_id or line.test_id)}"
        yield f"          test      {escaped(line.test_id)}"
        yield f"          fixture   {escaped(line.fixture_path)} {line.fixture_sha256}"
        if isinstance(line, Frozen):
            yield f"          owner     {escaped(line.owner or 'nobody')}, {_times(each, line)}"
            yield f"          freeze    {each.freeze}"
        if line.evidence is not None:
            yield f"          evidence  .freeze/evidence/{line.evidence.hex}.json"
        if each.why is not None:
            yield f"          why       {escaped(each.why)}"
        lacking = without_property(line)
        if lacking is not None and each.state in _STANDING:
            yield f"          nothing   {escaped(lacking)}"
        if each.shaken is not None:
            yield f"          HEAD      {escaped(each.shaken)}"


def _times(each: ShownStanding, line: Frozen) -> str:
    told = [f"until {line.expires_on or 'its commits are over'}"]
    if each.days_left is not None:
        over = each.days_left < 0
        told.append(_number(abs(each.days_left), "day") + (" over" if over else " left"))
    if each.commits_left is not None:
        told.append(f"{_number(max(0, each.commits_left), 'commit')} left")
    if each.age_days is not None:
        told.append(f"{_number(each.age_days, 'day')} old")
    if each.age_commits is not None:
        told.append(f"{_number(each.age_commits, 'commit')} from its base to the target")
    return ", ".join(told)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _document(each: ShownStanding) -> dict[str, Any]:
    line = each.line
    frozen = line if isinstance(line, Frozen) else None
    return {
        "freeze": each.freeze,
        "state": each.state,
        "why": each.why,
        "property_id": line.property_id,
        "test_id": line.test_id,
        "fixture_path": line.fixture_path,
        "fixture_sha256": line.fixture_sha256,
        "owner": frozen and frozen.owner,
        "expires_on": frozen and frozen.expires_on,
        "expires_after_commits": frozen and frozen.expires_after_commits,
        "renews": frozen and frozen.renews,
        "evidence": line.evidence,
        "base_rev": line.base_rev,
        "age_days": each.age_days,
        "days_left": each.days_left,
        "age_commits": each.age_commits,
        "commits_left": each.commits_left,
        "shaken": each.shaken,
    }
