"""A patch that takes the ground from an active freeze ends it in the ledger (SPEC 6.2, 4)."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from freezegate.model.entries import shown_entry
from freezegate.model.finding import Finding, Severity
from freezegate.model.paths import shown_path
from freezegate.policy.domain.words import change_reason, is_startup_name
from freezegate.policy.facts import Voided
from freezegate.policy.guards import CATALOG_PATH
from freezegate.policy.lifetimes import ended_ids, open_freezes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.domain import DomainChange
    from freezegate.model.entries import Change
    from freezegate.model.ledger import Frozen, LedgerEntry
    from freezegate.policy.domain.surface import Difference
    from freezegate.policy.facts import Facts

_ENTRY = f"{CATALOG_PATH.decode()}#"
MAX_SHOWN = 5  # one freeze, one finding: more paths than these are counted


def judge_voids(facts: Facts) -> Iterator[Finding]:
    """Refuse changes of an active freeze's oracle, fixture, domain or test without its end.

    One that has only outlived its commits counts too: a larger cap would bring it back.
    """
    policy = facts.judges.policy.value
    if policy is None or not facts.ledger.appends:
        return
    ended = ended_ids(facts.ledger.added)
    for entry, line in open_freezes(facts.ledger.landed, facts.now):
        if entry.freeze_id not in ended:
            yield from _judge(facts, entry, line)


def _judge(facts: Facts, entry: LedgerEntry, line: Frozen) -> Iterator[Finding]:
    for path in (line.oracle_path, line.fixture_path):
        change = facts.changes.get(path.raw)
        if change is None:
            continue
        yield Finding(
            code="freeze.void",
            severity=Severity.ERROR,
            path=shown_path(path.raw),
            about=entry.freeze_id,
            got=f"{_became(change)}, while {line.test_id} is frozen on what stood there",
            expected=f"{shown_entry(change.old)} as before, or a `void` line for that freeze",
            remedy=_remedy(entry, path),
        )
        return
    found = facts.voided.get(entry.freeze_id, Voided())
    about = tuple(_judge_domain(facts, entry, line, _legible(facts, found.domain)))
    yield from about or _judge_test(entry, line, found.test)


def _legible(facts: Facts, changes: tuple[DomainChange, ...]) -> tuple[DomainChange, ...]:
    """Leave out what a catalogue seems to have lost that no longer decodes: that is its own error.

    An end of the freeze would be the wrong answer to a slip of the pen.
    """
    if not facts.new_judges.catalog.is_damaged:
        return changes
    return tuple(change for change in changes if not change.path.startswith(_ENTRY))


def _became(change: Change) -> str:
    """Return what became of a file: its bytes or its mode."""
    if change.new is None or change.old is None:
        return shown_entry(change.new)
    word = "other bytes" if change.new.oid != change.old.oid else "another mode"
    return f"{word}: {shown_entry(change.new)}"


def _judge_test(
    entry: LedgerEntry, line: Frozen, changes: tuple[Difference, ...]
) -> Iterator[Finding]:
    """The freeze is for the test as it was: renamed, moved or rewritten it is another one."""
    if not changes:
        return
    told = [f"{_of(each)} {each.word}" for each in changes]
    first = changes[0]
    path = shown_path(first.path.encode("utf-8", "surrogateescape"))
    yield Finding(
        code="freeze.void",
        severity=Severity.ERROR,
        path=path,
        line=first.line,
        about=entry.freeze_id,
        got=f"{_joined(told)}; that is the frozen test {line.test_id}, or what it reaches",
        expected=f"{line.test_id} as at the trusted base but for one skip marker, or a `void` or "
        "`lifted` line for that freeze",
        remedy=_remedy(entry, path),
    )


def _of(each: Difference) -> str:
    return f"{shown_path(each.path.encode('utf-8', 'surrogateescape'))}: {each.name}".rstrip(": ")


def _joined(told: list[str]) -> str:
    more = f"; and {len(told) - MAX_SHOWN} more" if len(told) > MAX_SHOWN else ""
    return f"{'; '.join(told[:MAX_SHOWN])}{more}"


def _judge_domain(
    facts: Facts, entry: LedgerEntry, line: Frozen, changes: tuple[DomainChange, ...]
) -> Iterator[Finding]:
    """One finding and one line for a freeze, however many paths of its domain changed."""
    startup = [path for path, change in facts.changes.items() if change.new and _starts(path)]
    paths = [change.path.encode("utf-8", "surrogateescape") for change in changes] + startup
    if not paths:
        return
    why = [f"{_shown(change)}: {change_reason(change.reached)}" for change in changes]
    why += [f"{shown_path(path)}: taken in at every start" for path in startup]
    first = shown_path(paths[0])
    yield Finding(
        code="freeze.void",
        severity=Severity.ERROR,
        path=first,
        about=entry.freeze_id,
        got=f"changed: {_joined(why)}; that decides what {line.oracle_path} "
        f"says, by which {line.test_id} is frozen",
        expected="no such change, or a `void` line for that freeze",
        remedy=_remedy(entry, first),
    )


def _shown(change: DomainChange) -> str:
    return shown_path(change.path.encode("utf-8", "surrogateescape"))


def _starts(path: bytes) -> bool:
    return is_startup_name(path.decode("utf-8", "surrogateescape"))


def void_command(entry: LedgerEntry, path: str) -> str:
    """Return the command that ends a freeze whose ground changed at a path."""
    return f"freezegate ledger void {entry.freeze_id} --reason {quote(f'{path} changed')}"


def _remedy(entry: LedgerEntry, path: str) -> str:
    return f"in the same patch: {void_command(entry, path)}"
