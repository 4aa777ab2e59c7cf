"""A domain as people read it: a tree below the oracle; and what a revision changes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from freezegate.model.paths import shown_path
from freezegate.report.domain_tree import DomainTreeLines, shown
from freezegate.report.text import painted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from freezegate.model.digests import Blake3, ObjectId
    from freezegate.model.domain import Domain, DomainChange
    from freezegate.model.entries import Entry
    from freezegate.model.ids import PropertyId

DOMAIN_SCHEMA = "freezegate/domain/v1"
MAX_FAULTS = 6  # three lines each; one is enough to stop a freeze
_SHORT = 12
_RED, _BOLD = "31", "1"


class DomainPage(NamedTuple):
    """A domain as it was asked for; `name` is the revision's, `reasons` tell why a path counts.

    `notes` are sentences on what no domain says of an oracle.
    """

    name: str
    rev: ObjectId
    property_id: PropertyId | None
    domain: Domain
    reasons: Mapping[str, str]
    notes: tuple[str, ...] = ()


class ShownChange(NamedTuple):
    """A changed path with its reason code, and why it counts."""

    change: DomainChange
    code: str
    reason: str


class DomainDifference(NamedTuple):
    """What a page's revision changes of the domain as it is at a base."""

    name: str
    rev: ObjectId
    digest: Blake3
    changes: tuple[ShownChange, ...]


def domain_lines(page: DomainPage, *, every: bool, colour: bool) -> Iterator[str]:
    """Yield the page of a domain; `every` lists each absent path, else they are summed up."""
    yield f"freezegate: domain of {_subject_of(page)} at {_revision(page.name, page.rev)}"
    yield ""
    yield from DomainTreeLines(page.domain, page.reasons, every=every, colour=colour).lines()
    yield ""
    yield from _fault_lines(page.domain, colour)
    yield from (f"note: {shown(note)}" for note in page.notes)
    yield f"digest: {page.domain.digest}"
    yield _counts(page.domain)


def difference_lines(
    page: DomainPage, difference: DomainDifference, *, colour: bool
) -> Iterator[str]:
    """Yield what a revision changes of a domain, a block a path."""
    base = _revision(difference.name, difference.rev)
    rev = _revision(page.name, page.rev)
    yield f"freezegate: domain of {_subject_of(page)}, from {base} to {rev}"
    yield ""
    for code, each in ((painted(c.code, _RED, colour), c) for c in difference.changes):
        yield f"{code}  {shown(each.change.path)}  {shown(_reason(each))}"
        yield f"  {_short(each.change.reached.entry)} -> {_short(each.change.new)}"
    count = len(difference.changes)
    yield from ("",) if count else ()
    yield from _fault_lines(page.domain, colour)
    yield from (f"note: {shown(note)}" for note in page.notes)
    if count:
        yield f"changed: {count} path{'s' if count != 1 else ''}"
    elif difference.digest != page.domain.digest:
        yield "changed: no path of it, but others count now that are absent (--all shows them)"
    else:
        yield "nothing in the domain changed"
    yield f"digest: {difference.digest} at {shown(difference.name)}"
    yield f"        {page.domain.digest} at {shown(page.name)}"


def domain_document(page: DomainPage, difference: DomainDifference | None) -> dict[str, object]:
    """Return a domain as one JSON object; `base` and `changes` are null unless asked for."""
    domain = page.domain
    return {
        "schema": DOMAIN_SCHEMA,
        "rev": page.rev,
        "property_id": page.property_id,
        "oracle": _plain(domain.oracle),
        "digest": domain.digest,
        "roots": [_plain(root) for root in domain.roots],
        "entries": [
            {
                "path": _plain(each.path),
                **_entry(each.entry),
                "why": str(each.why),
                "by": each.by and _plain(each.by),
                "over": each.over and _plain(each.over),
            }
            for each in domain.entries.values()
        ],
        "subject": [{"path": _plain(p), "by": _plain(by)} for p, by in domain.subject.items()],
        "notes": [_plain(note) for note in page.notes],
        "faults": [each._asdict() | {"path": _plain(each.path)} for each in domain.faults],
        "base": difference and {"rev": difference.rev, "digest": difference.digest},
        "changes": None if difference is None else [_change(each) for each in difference.changes],
    }


def _change(each: ShownChange) -> dict[str, object]:
    reached = each.change.reached
    return {
        "path": _plain(each.change.path),
        "code": each.code,
        "why": str(reached.why),
        "by": reached.by and _plain(reached.by),
        "over": reached.over and _plain(reached.over),
        "old": reached.entry and _entry(reached.entry),
        "new": each.change.new and _entry(each.change.new),
    }


def _entry(entry: Entry | None) -> dict[str, object]:
    return {"mode": entry and entry.mode, "blob": entry and entry.hex}


def _plain(text: str) -> str:
    """Return a path as findings carry it: text, whatever bytes git holds."""
    return shown_path(text.encode("utf-8", "surrogateescape"))


def _subject_of(page: DomainPage) -> str:
    return page.property_id or shown(page.domain.oracle)


def _revision(name: str, rev: str) -> str:
    return shown(name) if rev.startswith(name) else f"{shown(name)} ({rev[:_SHORT]})"


def _short(entry: Entry | None) -> str:
    return f"{entry.hex[:_SHORT]} (mode {entry.mode:06o})" if entry else "absent"


def _reason(each: ShownChange) -> str:
    """Return why a path counts, with the file that asks for it even where it was absent."""
    by = each.change.reached.by
    return each.reason if not by or by in each.reason else f"{each.reason}; asked for by {by}"


def _fault_lines(domain: Domain, colour: bool) -> Iterator[str]:
    for fault in domain.faults[:MAX_FAULTS]:
        line = f":{fault.line}" if fault.line else ""
        yield f"{painted('error', _RED, colour)} {fault.code}  {shown(fault.path)}{line}"
        yield f"  got:      {shown(fault.got)}"
        yield f"  expected: {shown(fault.expected)}"
    if domain.faults:
        codes = ", ".join(dict.fromkeys(fault.code for fault in domain.faults))
        hidden = len(domain.faults) - MAX_FAULTS
        yield from (f"{hidden} more: --format json",) if hidden > 0 else ()
        yield painted(f"no freeze can stand on this oracle: {codes}", _BOLD, colour)
        yield "next: freezegate explain " + domain.faults[0].code
        yield ""


def _counts(domain: Domain) -> str:
    parts = sum(1 for each in domain.entries.values() if each.entry and each.part)
    absent = sum(1 for each in domain.entries.values() if not each.entry)
    counts = ((len(domain.present), "file"), (parts, "part"), (absent, "absent path"))
    said = ", ".join(f"{number} {word}{'s' if number != 1 else ''}" for number, word in counts)
    return f"over: {said}"
