"""`freezegate ledger list`: every freeze with its owner, its age and what is left of it."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from freezegate.cli.ledger_here import look_here
from freezegate.cli.ledger_sound import nearest
from freezegate.cli.output import wants_colour
from freezegate.errors import DecodeError, UsageError
from freezegate.formats.evidence import MAX_EVIDENCE_BYTES, parse_evidence
from freezegate.git.documents import read_bounded
from freezegate.git.repository import git_faults_refuse
from freezegate.git.trees import Snapshot
from freezegate.model.entries import EMPTY_TREE
from freezegate.model.ledger import BadLine
from freezegate.policy.facts import Place
from freezegate.policy.ledger_mending import mending
from freezegate.policy.rules.voids import judge_voids
from freezegate.policy.standing import State, is_due, waiting_evidence
from freezegate.report.ledger import ShownStanding, freezes_document, freezes_lines

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from freezegate.cli.ledger_here import Here
    from freezegate.model.ledger import Classified


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print the list; it is no verdict, so its exit status is 0."""
    if options.due is not None and options.due < 0:
        msg = f"--due {options.due} is no number of days; expected 0 (today) or more"
        raise UsageError(msg)
    with git_faults_refuse():
        here = look_here(options.base, environ)
        waiting = _waiting(here) if options.due is None else ()
        shown = (*_shown(here, options.due), *waiting)
    if options.format == "json":
        document = freezes_document(here.base.rev, shown)
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
        return 0
    for line in freezes_lines(shown, colour=wants_colour(environ)):
        print(line)
    if not shown:
        due = "" if options.due is None else f" that ends within {options.due} days"
        print(f"no freeze{due} in .freeze/ledger.jsonl at {here.base.source}")
    bad = next(
        (each for each in (*here.own.landed, *here.own.added) if isinstance(each, BadLine)), None
    )
    if bad is not None:
        told = f"line {bad.number} of .freeze/ledger.jsonl does not decode"
        print(f"warning: {told}; mend it: {mending(bad, nearest(here))}", file=sys.stderr)
    return 0


def _shown(here: Here, due: int | None) -> Iterator[ShownStanding]:
    shaken = _shaken(here)
    for each in here.standings():
        if due is not None and not is_due(each, due):
            continue
        yield ShownStanding(
            freeze=each.freeze,
            line=each.line,
            state=str(each.state),
            why=each.why,
            age_days=_age_days(here, each.line),
            days_left=each.days_left,
            age_commits=each.age_commits,
            commits_left=each.commits_left,
            shaken=shaken.get(each.freeze) if each.state is State.ACTIVE else None,
        )


def _waiting(here: Here) -> Iterator[ShownStanding]:
    for line in waiting_evidence(here.own.added):
        yield ShownStanding(
            freeze=None,
            line=line,
            state=str(State.WAITING),
            why=f"nothing is asked yet: freezegate freeze {line.evidence} --owner NAME "
            "--expires-on DATE",
            age_days=_age_days(here, line),
            days_left=None,
            age_commits=None,
            commits_left=None,
            shaken=None,
        )


def _shaken(here: Here) -> dict[str, str]:
    """What HEAD changes of the ground of active freezes, by their ids."""
    facts = here.session.gather(here.candidate, here.base, now=here.now, place=Place.CHECK)
    return {str(each.about): f"{each.path}: {each.got}" for each in judge_voids(facts)}


def _age_days(here: Here, line: Classified) -> int | None:
    """Return the days since the evidence was planned; None without evidence that can be read."""
    if line.evidence is None:
        return None
    roots = [
        here.candidate.root,
        here.session.store.commit(here.base.rev).tree if here.base.rev else EMPTY_TREE,
    ]
    path = f".freeze/evidence/{line.evidence.hex}.json".encode()
    for root in roots:
        entry = Snapshot(here.session.store, root).entry(path)
        if entry is None or not entry.is_regular:
            continue
        try:
            evidence = parse_evidence(read_bounded(here.session.store, entry, MAX_EVIDENCE_BYTES))
        except DecodeError:
            return None
        planned = datetime.fromisoformat(evidence.plan.planned_at).astimezone(UTC)
        return max(0, (here.now - planned).days)
    return None
