"""What the gate says of keys of record and ledger, said of the options that they come from."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from freezegate.policy.guards import LEDGER_PATH, RECORD_PATH

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping

    from freezegate.model.finding import Finding
    from freezegate.policy.settings import FreezeSettings

_OPTIONS: Mapping[str, str] = {
    "owner": "--owner",
    "expires_on": "--expires-on",
    "expires_after_commits": "--expires-after-commits",
    "property_id": "--property",
    "test_id": "TEST_ID",
    "fixture_path": "--fixture",
    "oracle_path": "--oracle",
}
_SPELLED = (
    ("--property", "property"),
    ("--fixture", "fixture"),
    ("--oracle", "oracle"),
    ("--owner", "owner"),
    ("--expires-on", "expires_on"),
    ("--expires-after-commits", "expires_after_commits"),
    ("--runs", "runs"),
    ("--base", "base"),
    ("--python", "python"),
    ("--side", "side"),
)


_YEAR_FIRST = re.compile(r"(?P<year>[0-9]{4})[-/.]?(?P<month>[0-9]{1,2})[-/.]?(?P<day>[0-9]{1,2})")
_DAY_FIRST = re.compile(r"(?P<day>[0-9]{1,2})\. ?(?P<month>[0-9]{1,2})\. ?(?P<year>[0-9]{4})")
_BUDGETS: Mapping[str, str] = {
    "max_active": "in all",
    "max_active_per_property": "of one property",
    "max_active_per_test": "of one test",
    "max_active_per_file": "of one test file",
}


# What witness writes by itself of a key that was frozen before: there is no option for it.
_OF_RENEWALS: Mapping[str, str] = {"renews": "the renewal", "max_renewals": "the renewal"}


def same_again(options: argparse.Namespace, **changed: str | list[str] | bool) -> str:
    """Return the command line as it was typed, with some options changed."""
    values = {**vars(options), **changed}
    words = ["freezegate", values["verb"], *values["test_ids"]]
    for option, key in _SPELLED:
        value = values.get(key)
        for each in value if isinstance(value, list) else [value]:
            words += [] if each is None else [option, str(each)]
    words += [f"--{key}" for key in ("mark", "refresh") if values.get(key)]
    return shlex.join(words)


def meant_day(text: str) -> str | None:
    """Return the day of a date in another form; None where day and month could be swapped."""
    found = _YEAR_FIRST.fullmatch(text) or _DAY_FIRST.fullmatch(text)
    if found is None:
        return None
    day = {key: int(value) for key, value in found.groupdict().items()}
    try:
        return date(**day).isoformat()
    except ValueError:
        return None


def latest_day(settings: FreezeSettings) -> str:
    """Return the last day that a freeze may end on which is asked for today (UTC)."""
    return str(datetime.now(UTC).date() + timedelta(days=settings.max_lifetime_days))


def before_runs(
    findings: Iterable[Finding], options: argparse.Namespace, settings: FreezeSettings
) -> tuple[Finding, ...]:
    """Return the findings on a request that is not written yet, each cause once and in options."""
    said = [in_options(finding, options, settings) for finding in findings]
    codes = {finding.code for finding in said}
    if "fixture.changed_in_patch" in codes:
        said = [finding for finding in said if finding.about != "fixture_sha256"]
    return tuple(dict.fromkeys(said))


def in_options(finding: Finding, options: argparse.Namespace, settings: FreezeSettings) -> Finding:
    """Return a finding on a key of record or ledger line as one on its option.

    Neither file has been written yet: only what was typed can be corrected.
    """
    files = (RECORD_PATH.decode(), LEDGER_PATH.decode())
    key = (finding.about or "").removesuffix(f" of {files[0]}")
    option = _OPTIONS.get(key)
    if finding.path in files and finding.about in _BUDGETS:
        return _budget(finding, options, settings)
    if finding.path in files and finding.about in _OF_RENEWALS:
        return replace(finding, path=None, line=None, about=_OF_RENEWALS[str(finding.about)])
    if option is None:
        return finding
    if finding.path not in files:
        return replace(finding, about=option) if key != finding.about else finding
    said = replace(finding, path=None, line=None, about=option)
    match finding.about:
        case "owner":
            remedy = f"name a person or a team: {same_again(options, owner='NAME')}"
        case "expires_on":
            day = latest_day(settings)
            remedy = f"{day} is the latest day: {same_again(options, expires_on=day)}"
        case "expires_after_commits":
            most = str(settings.max_lifetime_commits)
            again = same_again(options, expires_after_commits=most)
            remedy = f"1 is the least and {most} the most: {again}"
        case _:
            return said
    got = f"no {said.about}" if finding.got == "null" else finding.got
    return replace(said, got=got, remedy=remedy)


def _budget(finding: Finding, options: argparse.Namespace, settings: FreezeSettings) -> Finding:
    """Return that too many tests are asked for, or stand frozen already."""
    key = str(finding.about)
    most = f"at most {getattr(settings, key)} active freezes {_BUDGETS[key]}"
    names = [*options.test_ids, *(getattr(options, "property", None) or ())]
    fewer = f"name fewer of {', '.join(names)}; or " if len(names) > 1 else ""
    return replace(
        finding,
        path=None,
        line=None,
        about="TEST_ID",
        expected=f"{most} ([freeze] {key})",
        remedy=f"{fewer}end one that is no longer needed: freezegate ledger list, then "
        "freezegate ledger lift FREEZE",
    )
