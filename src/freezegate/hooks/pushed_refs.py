"""A line that git gives to pre-push, and what is said of refs that are not judged by a step."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from freezegate.errors import Unanswerable
from freezegate.model.digests import ObjectId
from freezegate.model.finding import Finding, Severity
from freezegate.model.verdict import Base, Outcome, Transition

if TYPE_CHECKING:
    pass


_LINE = re.compile(r"(.+) ([0-9a-f]{40}) ([^ ]+) ([0-9a-f]{40})")
_NO_OBJECT = "0" * 40


@dataclass(frozen=True, slots=True, kw_only=True)
class PushedRef:
    """One line of the hook's input; `oid` is None for a deletion, `old` where the ref is new."""

    local: str
    oid: ObjectId | None
    remote: str
    old: ObjectId | None


def parse_pushed_ref(line: str) -> PushedRef:
    """Return the ref that a line of the hook's input tells of; raises Unanswerable."""
    found = _LINE.fullmatch(line)
    if found is None:
        raise Unanswerable(
            "ref.bad",
            got=f"{line!a} on standard input",
            expected="LOCAL-REF LOCAL-ID REMOTE-REF REMOTE-ID, as git writes it for pre-push",
            remedy="let git run this hook: git push",
        )
    local, oid, remote, old = found.groups()
    return PushedRef(local=local, oid=_object(oid), remote=remote, old=_object(old))


def nothing_to_judge(ref: str, got: str) -> Transition:
    note = Finding(
        code="base.nothing_to_judge",
        severity=Severity.NOTE,
        got=got,
        expected="a commit, where a patch was meant",
    )
    return Transition(
        ref=ref, outcome=Outcome.ACCEPTED, base=None, candidate=None, findings=(note,)
    )


def refused(pushed: PushedRef, rev: ObjectId | None, finding: Finding) -> Transition:
    base = Base(rev=pushed.old, source=f"{pushed.remote} at the remote")
    return Transition(
        ref=pushed.remote, outcome=Outcome.REFUSED, base=base, candidate=rev, findings=(finding,)
    )


def rewound(pushed: PushedRef) -> Finding:
    return Finding(
        code="ref.rewound",
        severity=Severity.ERROR,
        about=pushed.remote,
        got=f"{pushed.oid}, which does not descend from what the target holds",
        expected=f"a commit on top of {pushed.old}",
    )


def deleted(pushed: PushedRef) -> Finding:
    return Finding(
        code="ref.deleted",
        severity=Severity.ERROR,
        about=pushed.remote,
        got="the deletion of a target",
        expected="targets that stay",
    )


def _shown_ref(line: str) -> str:
    found = _LINE.fullmatch(line)
    return found[3] if found else "a pushed ref"


def _object(oid: str) -> ObjectId | None:
    return None if oid == _NO_OBJECT else ObjectId(oid)
