"""Options of `witness --all`, and which ones do not go together."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from freezegate.errors import UsageError

if TYPE_CHECKING:
    import argparse


# Options of a single request, as they stand on the command line and in the namespace.
_OF_ONE = (
    ("TEST_ID", "test_ids"),
    ("--property", "property"),
    ("--fixture", "fixture"),
    ("--oracle", "oracle"),
    ("--owner", "owner"),
    ("--expires-on", "expires_on"),
    ("--expires-after-commits", "expires_after_commits"),
    ("--mark", "mark"),
)


_OF_ALL = (("--changed", "changed"), ("--record", "record"), ("--output", "output"))


def add_all_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `--all`."""
    parser.add_argument("--all", action="store_true", help="score every catalogued property")
    parser.add_argument(
        "--changed", action="store_true", help="with --all: only properties that the patch reaches"
    )
    parser.add_argument(
        "--record", action="store_true", help="with --all: write classified lines with evidence"
    )
    parser.add_argument(
        "--output", metavar="FILE", help="with --all: write the JSON object to a file as well"
    )


def refuse_mixed(options: argparse.Namespace) -> None:
    """Raise UsageError where options of one request and of --all are given together."""
    if options.all:
        mixed = [name for name, key in _OF_ONE if getattr(options, key) not in (None, False, [])]
        if mixed:
            msg = f"--all does not go with {mixed[0]}; leave one of them out"
            raise UsageError(msg)
        if options.refresh and not options.record:
            msg = "--all writes nothing that --refresh could replace; expected --record with it"
            raise UsageError(msg)
        return
    lonely = [name for name, key in _OF_ALL if getattr(options, key)]
    if lonely:
        word = f"{lonely[0]} {shlex.quote(options.output)}" if options.output else lonely[0]
        msg = f"{lonely[0]} goes with --all: freezegate witness --all {word}"
        raise UsageError(msg)
