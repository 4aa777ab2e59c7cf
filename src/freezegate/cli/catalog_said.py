"""What `freezegate catalog` says: lines for people, one object for programs."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from freezegate.cli.catalog_check import Remark
    from freezegate.model.catalog import Catalog, Property
    from freezegate.policy.lifetimes import Landed

CATALOG_SCHEMA = "freezegate/catalog/v1"


class ListedEntry(NamedTuple):
    """An entry, whether each of its fixtures is locked, and the active freezes of its id."""

    entry: Property
    is_draft: bool
    locked: tuple[bool, ...]
    freezes: tuple[Landed, ...]


def print_json(document: dict[str, Any]) -> None:
    """Print one object."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")


def written_document(
    action: str, entry: Property, guessed: Iterable[str], left: Iterable[str] = ()
) -> dict[str, Any]:
    """Return what `add` or `accept` did; `next` are commands that are left to do."""
    return {
        "schema": CATALOG_SCHEMA,
        "action": action,
        "written": True,
        "entry": entry._asdict(),
        "guessed": list(guessed),
        "next": list(left),
    }


def print_listed(entries: Sequence[ListedEntry], form: str) -> None:
    """Print all entries."""
    if form == "json":
        listed = [_listed(each) for each in entries]
        print_json({"schema": CATALOG_SCHEMA, "action": "list", "properties": listed})
        return
    if not entries:
        print("no property in .freeze/catalog.toml; freezegate catalog add --help")
    for each in entries:
        for line in _listed_lines(each):
            print(line)


def print_checked(catalog: Catalog, remarks: Sequence[Remark], form: str) -> None:
    """Print what was found, problems first."""
    problems = [each for each in remarks if not each.is_note]
    notes = [each for each in remarks if each.is_note]
    if form == "json":
        print_json(
            {
                "schema": CATALOG_SCHEMA,
                "action": "check",
                "properties": list(catalog.properties),
                "proposed": list(catalog.proposed),
                "problems": [_remark(each) for each in problems],
                "notes": [_remark(each) for each in notes],
            }
        )
        return
    print(
        f"freezegate catalog: {_number(len(catalog.properties), 'property', 'properties')}, "
        f"{_number(len(catalog.proposed), 'draft', 'drafts')}, "
        f"{_number(len(problems), 'problem', 'problems')}"
    )
    for word, found in (("problem", problems), ("note", notes)):
        for each in found:
            print(f"{word} {each.property_id} ({each.key}): {each.got}")
            print(f"  expected {each.expected}")
            if each.remedy:
                print(f"  next: {each.remedy}")
    for name in catalog.proposed:
        print(f"draft {name}: counts for nothing yet; freezegate catalog accept {name}")


def _number(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


def _listed_lines(each: ListedEntry) -> Iterable[str]:
    entry = each.entry
    yield f"{entry.property_id}{'  (draft, counts for nothing yet)' if each.is_draft else ''}"
    yield f"  {entry.statement}"
    yield f"  test    {entry.test}"
    yield f"  oracle  {entry.oracle}"
    for path, is_locked in zip(entry.fixtures, each.locked, strict=True):
        yield f"  fixture {path}{'' if is_locked else f'  (not locked: freezegate lock {path})'}"
    for _, line in each.freezes:
        until = line.expires_on or f"{line.expires_after_commits} commits"
        yield f"  frozen  owner {line.owner}, until {until}: {line.test_id}"


def _listed(each: ListedEntry) -> dict[str, Any]:
    fixtures = zip(each.entry.fixtures, each.locked, strict=True)
    return each.entry._asdict() | {
        "draft": each.is_draft,
        "fixtures": [{"path": path, "locked": is_locked} for path, is_locked in fixtures],
        "freezes": [
            {
                "freeze": entry.freeze_id,
                "test_id": line.test_id,
                "owner": line.owner,
                "expires_on": line.expires_on,
                "expires_after_commits": line.expires_after_commits,
            }
            for entry, line in each.freezes
        ],
    }


def _remark(each: Remark) -> dict[str, Any]:
    return {key: value for key, value in each._asdict().items() if key != "is_note"}
