"""`freezegate catalog`: add, list, check and accept properties (SPEC section 3)."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.catalog_accept import draft_lines
from freezegate.cli.catalog_add import find_draft, property_id, refuse, unknown_id
from freezegate.cli.catalog_check import entry_remarks, renamed, shared_tests, unlocked
from freezegate.cli.catalog_said import (
    ListedEntry,
    print_checked,
    print_json,
    print_listed,
    written_document,
)
from freezegate.cli.here import catalog_here, decoded, lock_here, policy_here
from freezegate.cli.lock_drift import locked_digests
from freezegate.cli.tests_here import FilesHere
from freezegate.errors import UsageError
from freezegate.formats.catalog_edit import accept, propose
from freezegate.git.active import gather_active, trusted_catalog
from freezegate.git.repository import git_faults_refuse
from freezegate.git.session import Session
from freezegate.git.work_tree import notes_folder, work_tree
from freezegate.ledger.append import locked, replace_file
from freezegate.policy.guards import CATALOG_PATH, LOCK_PATH
from freezegate.policy.window import window_size

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from freezegate.cli.catalog_check import Remark
    from freezegate.cli.here import CatalogHere
    from freezegate.model.catalog import Property
    from freezegate.policy.settings import Policy

EXAMPLES = """\
examples:
  freezegate catalog add order_total.non_negative --statement "A total is never negative." \\
      --oracle tests/properties/test_order_props.py --test tests/test_orders.py::test_total \\
      --fixture tests/fixtures/order.json
  freezegate catalog list
  freezegate catalog check --format json
  freezegate catalog accept order_total.non_negative

A draft stands under [proposed] in .freeze/catalog.toml and counts for nothing until it is accepted.
All of it is about the work tree, and paths are relative to the repository's top. Catalogue and lock
land in a patch of their own, before a freeze that needs them.

exit status: 0 done, 1 problems were found (check) or nobody agreed (accept), 2 could not answer
"""
_ADD = """\
examples:
  freezegate catalog add order_total.non_negative --statement "A total is never negative." \\
      --oracle tests/properties/test_order_props.py --test tests/test_orders.py::test_total \\
      --fixture tests/fixtures/order.json --tag orders
"""


class _Desk(NamedTuple):
    """The work tree and what stands in it."""

    session: Session
    top: Path
    policy: Policy
    here: CatalogHere
    files: FilesHere


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be done with a catalogue."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    adding = _action(parser, actions, "add", "write a draft of a property", _ADD)
    adding.add_argument("id", metavar="ID", help="its stable id, order_total.non_negative")
    adding.add_argument("--statement", metavar="TEXT", required=True, help="what must hold")
    adding.add_argument("--oracle", metavar="PATH", required=True, help="the file that states it")
    adding.add_argument("--test", metavar="TEST_ID", required=True, help="what may be frozen")
    adding.add_argument(
        "--fixture",
        metavar="PATH",
        nargs="+",
        action="extend",
        default=[],
        help="what it reads (none yet: freezegate sample and shrink find one)",
    )
    adding.add_argument(
        "--property-test", metavar="TEST_ID", help="the oracle's own test (default: its only one)"
    )
    adding.add_argument("--repeat", metavar="N", type=int, default=2, help="runs on each side")
    adding.add_argument("--tag", metavar="T", action="append", default=[], help="a tag")
    adding.add_argument(
        "--keep", metavar="FIELD", action="append", default=[], help="what shrinking may not drop"
    )
    adding.add_argument("--not-freezable", action="store_true", help="failures must stay red")
    for name, words in (("list", "show all properties"), ("check", "look for what is wrong")):
        _action(parser, actions, name, words, f"examples:\n  freezegate catalog {name}\n")
    accepting = _action(
        parser,
        actions,
        "accept",
        "let a draft count",
        "examples:\n  freezegate catalog accept order_total.non_negative\n",
    )
    accepting.add_argument("id", metavar="ID", help="the draft's id")
    accepting.add_argument("--yes", action="store_true", help="do not ask")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Do what was asked and return the exit status."""
    with git_faults_refuse():
        session = Session.open(environ)
        top = work_tree(session)
        tracked = tuple(file.path for file in session.tracked_files())
        desk = _Desk(session, top, policy_here(top), catalog_here(top), FilesHere(top, tracked))
        match options.action:
            case "add":
                return _add(desk, options)
            case "accept":
                return _accept(desk, options)
            case "list":
                return _list(desk, options)
            case _:
                return _check(desk, options)


def _action(
    parser: argparse.ArgumentParser,
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    words: str,
    epilog: str,
) -> argparse.ArgumentParser:
    made = actions.add_parser(
        name,
        help=words,
        description=words,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    # What a parser of ours knows about the output, the parsers below it know, too.
    vars(made).update(as_json=getattr(parser, "as_json", False))
    made.add_argument("--format", choices=("text", "json"), default="text")
    return made


def _add(desk: _Desk, options: argparse.Namespace) -> int:
    draft = find_draft(options, desk.here.catalog, desk.policy, desk.files)
    _write(desk, propose(desk.here.data, draft.entry))
    if options.format == "json":
        print_json(written_document("add", draft.entry, draft.guessed))
        return 0
    print(f'wrote a draft under [proposed."{draft.entry.property_id}"] in .freeze/catalog.toml')
    for guess in draft.guessed:
        print(f"guessed: {guess}")
    print(f"next: freezegate catalog accept {draft.entry.property_id}")
    return 0


def _accept(desk: _Desk, options: argparse.Namespace) -> int:
    name, catalog = property_id(options.id), desk.here.catalog
    if name in catalog.properties:
        both = "; take the draft out by hand" if name in catalog.proposed else ""
        msg = f"{name} is a property already{both}; freezegate catalog list"
        raise UsageError(msg)
    if name not in catalog.proposed:
        raise unknown_id(name, catalog.proposed, "draft")
    entry = catalog.proposed[name]
    refuse(entry_remarks(entry, desk.policy, desk.files))
    changed = accept(desk.here.data, name)
    if options.format == "text":
        runs = window_size(desk.policy.evidence, entry, None)
        for line in draft_lines(entry, desk.top, desk.files, runs):
            print(line)
    if not options.yes and not _agreed(entry, options):
        print(f"{name} stays a draft; nothing was written")
        return 1
    _write(desk, changed)
    left = [each.remedy for each in unlocked(entry, _locked(desk), desk.files)]
    if options.format == "json":
        print_json(written_document("accept", entry, (), left))
        return 0
    print(f"{name} counts now, once .freeze/catalog.toml has landed in a patch of its own")
    for remedy in left:
        print(f"next: {remedy}")
    return 0


def _agreed(entry: Property, options: argparse.Namespace) -> bool:
    at_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    if options.format == "json" or not at_terminal:
        msg = (
            "nobody can be asked here; expected a terminal, or the word of who read the oracle: "
            f"freezegate catalog accept {entry.property_id} --yes"
        )
        raise UsageError(msg)
    print("Does the oracle state the property, and may the test be frozen? [y/N] ", end="")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _list(desk: _Desk, options: argparse.Namespace) -> int:
    lines, active = _locked(desk), gather_active(desk.session)
    entries = [
        ListedEntry(
            entry,
            is_draft=is_draft,
            locked=tuple(path in lines for path in entry.fixtures),
            freezes=tuple(each for each in active if each[1].property_id == entry.property_id),
        )
        for is_draft, table in (
            (False, desk.here.catalog.properties),
            (True, desk.here.catalog.proposed),
        )
        for entry in table.values()
    ]
    print_listed(entries, options.format)
    return 0


def _check(desk: _Desk, options: argparse.Namespace) -> int:
    catalog, lines = desk.here.catalog, _locked(desk)
    remarks: list[Remark] = []
    for entry in catalog.properties.values():
        remarks += [
            *entry_remarks(entry, desk.policy, desk.files),
            *unlocked(entry, lines, desk.files),
        ]
    for entry in catalog.proposed.values():
        found = entry_remarks(entry, desk.policy, desk.files)
        remarks += [each._replace(is_note=True) for each in found]
    remarks += shared_tests(catalog)
    remarks += renamed(catalog, trusted_catalog(desk.session), "the trusted base")
    print_checked(catalog, remarks, options.format)
    return int(any(not each.is_note for each in remarks))


def _locked(desk: _Desk) -> Mapping[str, str]:
    return decoded(LOCK_PATH, lock_here(desk.top), locked_digests)


def _write(desk: _Desk, data: bytes) -> None:
    """Replace the catalogue, if it is still the one that was read."""
    with locked(notes_folder(desk.session) / "writing.lock"):
        if catalog_here(desk.top).data != desk.here.data:
            msg = ".freeze/catalog.toml was changed meanwhile; look at it, then run this again"
            raise UsageError(msg)
        replace_file(desk.top / CATALOG_PATH.decode(), data)
