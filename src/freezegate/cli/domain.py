"""`freezegate domain`: what decides an oracle's answer, and what a revision changes of that."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.domain_asked import find_asked, policy_of
from freezegate.cli.output import wants_colour
from freezegate.git.domain_view import DomainView
from freezegate.git.repository import git_faults_refuse
from freezegate.git.session import Session
from freezegate.policy.domain.changes import differing_entries
from freezegate.policy.domain.words import change_reason, code_of, reason_of
from freezegate.policy.globs import matches
from freezegate.report.domain import (
    DomainDifference,
    DomainPage,
    ShownChange,
    difference_lines,
    domain_document,
    domain_lines,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from freezegate.cli.domain_asked import Asked
    from freezegate.model.digests import ObjectId
    from freezegate.model.domain import Domain, DomainChange
    from freezegate.model.ids import PropertyId
    from freezegate.policy.settings import Policy

EXAMPLES = """\
examples:
  freezegate domain order_total.non_negative
  freezegate domain tests/properties/test_order.py    an oracle without a catalogue entry
  freezegate domain order_total.non_negative --all    each absent path that would win, too
  freezegate domain order_total.non_negative --rev topic --diff origin/main

Policy, catalogue and tree are those of the revision, not of the work tree. Paths are relative to
the repository's top. The oracle itself, the subject and the locked fixture are no part of the
domain: the gate looks at each of them by rules of its own. Data files that the oracle opens are
part of it only where [domain] paths match them, or as other fixtures of the property.

exit status: 0 it is known (with --diff: and unchanged), 1 no freeze can stand on this oracle (with
--diff: the domain changed), 2 could not answer
"""


class _Resolved(NamedTuple):
    """A domain at one revision; `name` is what the revision was called."""

    name: str
    rev: ObjectId
    view: DomainView
    policy: Policy
    asked: Asked
    domain: Domain

    @property
    def property_id(self) -> PropertyId | None:
        return self.asked.entry.property_id if self.asked.entry else None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument(
        "property", metavar="PROPERTY", help="a property's id, or the path of an oracle"
    )
    parser.add_argument("--rev", metavar="REV", default="HEAD", help="the commit (default: HEAD)")
    parser.add_argument(
        "--diff", metavar="BASE", help="show what REV changes of the domain as BASE has it"
    )
    parser.add_argument(
        "--fixture",
        metavar="PATH",
        help="the fixture that is locked (default: the first of the property's)",
    )
    parser.add_argument("--all", action="store_true", help="list each absent path that would win")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Resolve the domain, print it or what changed of it, return the exit status."""
    with git_faults_refuse():
        page, difference = _pages(Session.open(environ), options)
    _print(page, difference, options, environ)
    if difference is None:
        return int(bool(page.domain.faults))
    return int(bool(difference.changes) or difference.digest != page.domain.digest)


def _pages(
    session: Session, options: argparse.Namespace
) -> tuple[DomainPage, DomainDifference | None]:
    new = _resolve(session, options, options.rev)
    reasons = {path: reason_of(each) for path, each in new.domain.entries.items()}
    page = DomainPage(
        new.name, new.rev, new.property_id, new.domain, reasons, tuple(_unguarded(new))
    )
    if options.diff is None:
        return page, None
    old = _resolve(session, options, options.diff)
    if old.view.file_id(old.asked.oracle) != new.view.file_id(old.asked.oracle):
        told = f"{old.asked.oracle}, the oracle itself, is another file there (oracle.changed)"
        page = page._replace(notes=(*page.notes, told))
    changes = tuple(
        ShownChange(c, code_of(c), change_reason(c.reached)) for c in _changes(old, new)
    )
    return page, DomainDifference(old.name, old.rev, old.domain.digest, changes)


def _unguarded(asked: _Resolved) -> Iterator[str]:
    if not matches(asked.policy.oracle_paths, asked.asked.oracle.raw):
        yield (
            f"no [oracle] paths of the policy match {asked.asked.oracle}: "
            "a freeze on it is refused (oracle.not_guarded)"
        )


def _resolve(session: Session, options: argparse.Namespace, revision: str) -> _Resolved:
    rev = session.named_base(revision, revision).rev
    assert rev is not None  # noqa: S101 - a named revision is a commit, or an exception
    view = DomainView(session, rev)
    policy = policy_of(view, revision)
    asked = find_asked(view, options.property, options.fixture, revision)
    domain = view.domain(policy, asked.oracle, asked.entry, asked.fixture)
    return _Resolved(revision, rev, view, policy, asked, domain)


def _changes(old: _Resolved, new: _Resolved) -> Iterator[DomainChange]:
    """Yield what the patch touches of the old domain; else what another policy adds or drops."""
    touched = new.view.changes_since(old.view, old.domain, old.policy)
    yield from touched
    if touched or old.domain.digest == new.domain.digest:
        return
    yield from differing_entries(old.domain, new.domain)


def _print(
    page: DomainPage,
    difference: DomainDifference | None,
    options: argparse.Namespace,
    environ: Mapping[str, str],
) -> None:
    if options.format == "json":
        import json

        document = domain_document(page, difference)
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
        return
    colour = wants_colour(environ)
    if difference is None:
        lines = domain_lines(page, every=options.all, colour=colour)
    else:
        lines = difference_lines(page, difference, colour=colour)
    for line in lines:
        print(line)
