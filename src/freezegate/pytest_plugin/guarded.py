"""The guarded repository that a test lies in, and what a glance at its ledger shows."""

from __future__ import annotations

import json
import os
import re
import stat
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from freezegate.ledger.regular_file import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    import pytest

LEDGER = ".freeze/ledger.jsonl"
VERIFY = "freezegate ledger verify"
CATALOG = ".freeze/catalog.toml"
POLICY = ".freeze/policy.toml"
EVENTS = ("classified", "frozen", "lifted", "void", "expired")


class Glance(NamedTuple):
    """Which properties the ledger ever froze, and what of it is damaged at first sight.

    `last_days` has the last day of each, as text; under None that of freezes without a property.
    """

    properties: frozenset[str]
    damage: str | None
    last_days: Mapping[str | None, str] = MappingProxyType({})


def by_repository(items: Iterable[pytest.Item]) -> dict[Path, list[pytest.Item]]:
    """Return tests by the guarded repository that they lie in; others are left out."""
    tops: dict[Path, Path | None] = {}
    found: dict[Path, list[pytest.Item]] = {}
    for item in items:
        folder = item.path.parent
        if folder not in tops:
            tops[folder] = guarded_top(folder)
        top = tops[folder]
        if top is not None:
            found.setdefault(top, []).append(item)
    return found


def guarded_top(folder: Path) -> Path | None:
    """Return the top of the guarded repository that a folder lies in.

    Only a repository's own `.freeze/` is judged by the gate: one further down counts for nothing,
    and one around another repository does not govern it. Without any `.git` (an export, an image)
    the innermost counts.
    """
    found = None
    for each in (folder, *folder.parents):
        if found is None and _is_folder(each / ".freeze"):
            found = each
        if os.path.lexists(each / ".git"):
            return each if _is_folder(each / ".freeze") else None
    return found


def distrusted(top: Path, folders: Iterable[Path]) -> str | None:
    """Return why the `.freeze/` over these folders is not to be trusted: others may write it."""
    try:
        info = (top / ".freeze").lstat()
        ledger = (top / LEDGER).lstat() if os.path.lexists(top / LEDGER) else info
        owners = {folder.lstat().st_uid for folder in folders}
    except OSError as error:
        return unskipped(f".freeze cannot be read: {error.strerror}", "ls -ld .freeze")
    if info.st_mode & stat.S_IWOTH:
        return unskipped(".freeze can be written by everybody", "chmod o-w .freeze")
    if stat.S_ISREG(ledger.st_mode) and ledger.st_mode & stat.S_IWOTH:
        return unskipped(f"{LEDGER} can be written by everybody", f"chmod o-w {LEDGER}")
    if owners <= {info.st_uid} and ledger.st_uid == info.st_uid:
        return None
    return unskipped(".freeze belongs to another user than its tests", "ls -ld .freeze")


def unskipped(fault: str, command: str) -> str:
    """Return a warning of the summary: what is wrong, what follows, and the next command."""
    return f"{fault}; no test is skipped by it; see: {command}"


def glance_at_ledger(top: Path) -> Glance:
    """Read the ledger without any of freezegate's types: most sessions need no more of it.

    Strict decoding follows where a collected test claims a property that was frozen.
    """
    try:
        data = read_regular(top / LEDGER)
    except OSError as error:
        return Glance(
            frozenset(), unskipped(f"{LEDGER} cannot be read: {error.strerror or error}", VERIFY)
        )
    names: dict[str | None, str] = {}
    for number, line in enumerate((data or b"").splitlines(), 1):
        try:
            value = json.loads(line)
            event = EVENTS.index(value["event"])
            if EVENTS[event] == "frozen":
                name = _property_of(value)
                names[name] = max(names.get(name, ""), str(value.get("expires_on")))
        except (ValueError, TypeError, KeyError, RecursionError):
            return Glance(frozenset(), unskipped(f"{LEDGER} is damaged in line {number}", VERIFY))
    return Glance(frozenset(name for name in names if name is not None), None, names)


def _property_of(value: dict[str, object]) -> str | None:
    name = value.get("property_id")
    if name is not None and not isinstance(name, str):
        raise TypeError(name)
    return name


def catalogue_may_name(top: Path, test_ids: AbstractSet[str], properties: AbstractSet[str]) -> bool:
    """Return whether decoding the catalogue may show that one of the tests checks a property.

    Without escapes both names stand in one entry as they are; where they may not, or the file
    cannot be read, the answer is yes.
    """
    try:
        text = (read_regular(top / CATALOG) or b"").decode()
    except (OSError, UnicodeDecodeError):
        return True
    if any(mark in text for mark in ("\\", '"""', "'''")):
        return True
    return any(
        not test_ids.isdisjoint((*entry.split('"'), *entry.split("'")))
        and any(
            name in entry and re.search(re.escape(name) + "(?![a-z0-9_-])", entry)
            for name in properties
        )
        for entry in text.split("\n[prop")  # of `property` and `proposed`
    )


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except (OSError, ValueError):
        return False
