"""What the host's log says of a push: one line for each protected ref that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.formats.host_log import dump_entry, instant_of
from freezegate.model.digests import Blake3
from freezegate.model.finding import Severity
from freezegate.model.host import LogEntry, LogEvent, LoggedFreeze
from freezegate.model.verdict import Outcome, Verdict
from freezegate.report.document import dump_verdict

if TYPE_CHECKING:
    from datetime import datetime

    from freezegate.hooks.believed import Fault
    from freezegate.hooks.host_place import HostPlace
    from freezegate.model.host import RefUpdate
    from freezegate.model.verdict import Transition


def decided_entry(
    transition: Transition, update: RefUpdate, place: HostPlace, push: str, now: datetime
) -> str:
    """Return the line that says what was decided on one ref."""
    entry = LogEntry(
        event=LogEvent.DECIDED,
        time=instant_of(now),
        push=push,
        repository=place.repository,
        ref=update.ref,
        old=update.old,
        new=update.new,
        verdict=str(transition.outcome),
        digest=Blake3.of(dump_verdict(Verdict(transitions=(transition,))).encode()),
        codes=_codes(transition, Severity.ERROR),
        warnings=_codes(transition, Severity.WARNING),
        freezes=tuple(
            LoggedFreeze(str(freeze.freeze), str(freeze.test_id), freeze.status)
            for freeze in transition.freezes
        ),
    )
    return dump_entry(entry)


def _codes(transition: Transition, severity: Severity) -> tuple[str, ...]:
    found = (f.code for f in transition.findings if f.severity is severity)
    return tuple(dict.fromkeys(found))


def fault_entry(
    fault: Fault, updates: tuple[RefUpdate, ...], place: HostPlace, push: str, now: datetime
) -> str:
    """Return the line that says why there was no verdict; of several refs it names the first."""
    first = updates[0]
    entry = LogEntry(
        event=LogEvent.DECIDED,
        time=instant_of(now),
        push=push,
        repository=place.repository,
        ref=first.ref,
        old=first.old,
        new=first.new,
        verdict=str(Outcome.UNDECIDED),
        digest=None,
        codes=(fault.code,),
        detail=ascii(fault.got)[1:-1],
    )
    return dump_entry(entry)
