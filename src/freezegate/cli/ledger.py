"""`freezegate ledger`: list freezes, lift or void one, rebase own lines, verify the files."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

EXAMPLES = """\
examples:
  freezegate ledger list                  every freeze: owner, age, what is left of it
  freezegate ledger list --due 3          those that end within three days, or ended unlifted
  freezegate ledger lift order_total.non_negative --reason "repaired in #41"
  freezegate ledger void FREEZE --reason "the fixture was rewritten"
  freezegate ledger rebase                in a branch, a conflicted merge or a conflicted rebase
  freezegate ledger verify --format json

A freeze is named by its id (12 digits are enough), its property or its test. Landed is what the
ledger at the trusted base holds. lift and void append one line to .freeze/ledger.jsonl, rebase
rewrites the branch's own part of it; nothing is committed.

exit status: 0 done, or nothing to do; 1 verify found a fault; 2 could not answer
"""
_ACTIONS = {
    "list": "show freezes with owner, age and what is left",
    "lift": "end a freeze whose test is repaired",
    "void": "end a freeze whose ground is gone: its fixture, its oracle or what that depends on",
    "rebase": "put the branch's own lines behind the target's",
    "verify": "check every line, and the evidence and snapshots that they name",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions and their options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, summary in _ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        if name == "list":
            action.add_argument("--due", metavar="DAYS", type=int, help="only what ends by then")
        if name in ("lift", "void"):
            action.add_argument("freeze", metavar="FREEZE", help="its id, property or test")
            action.add_argument("--reason", metavar="TEXT", help="why it ends")
            action.add_argument("--owner", metavar="NAME", help="who ends it (default: git's user)")
        action.add_argument("--base", metavar="REV", help="the trusted base (default: the target)")
        action.add_argument("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Do what the action says; only its module is loaded."""
    name = "end" if options.action in ("lift", "void") else options.action
    status: int = import_module(f"freezegate.cli.ledger_{name}").run(options, environ)
    return status
