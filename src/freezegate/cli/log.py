"""`freezegate log`: on a git host, which freeze came in by which push."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from freezegate.errors import UsageError
from freezegate.hooks.host_place import find_host
from freezegate.hooks.landed import entries_of
from freezegate.ledger.host_log import read_log
from freezegate.model.host import LogEvent
from freezegate.report.text import escaped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from freezegate.model.host import LogEntry, LoggedFreeze

SUMMARY = "say, on a git host, which freeze came in by which push"
EXAMPLES = """\
examples:
  freezegate log                          here, in a repository on the host
  freezegate log --host /srv/shop.git
  freezegate log --freeze blake3:3f0a     one freeze, by the start of its id or its test
  freezegate log --all                    every decision and every push that landed

exit status: 0 something was found, or nothing was asked for by name; 1 nothing was; 2 no answer
"""
_SHORT = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument(
        "--host", metavar="PATH", default=".", help="the repository's git directory"
    )
    parser.add_argument("--freeze", metavar="ID", default="", help="the start of an id, or a test")
    parser.add_argument("--all", action="store_true", help="pushes without a freeze, and refusals")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print what the log knows, the oldest first."""
    if not os.path.isfile(os.path.join(options.host, "HEAD")):
        msg = (
            f"{options.host!a} is no git directory; name one: freezegate log --host REPOSITORY.git"
        )
        raise UsageError(msg)
    place = find_host({**environ, "GIT_DIR": options.host})
    logged = list(entries_of(place, read_log(place.log)))
    entries = [e for e in logged if _is_asked(e, options.freeze, everything=options.all)]
    _print(entries, options.format)
    if not entries:
        said = _why_nothing(place.log, len(logged), options.freeze, everything=options.all)
        print(escaped(f"freezegate: {said}"), file=sys.stderr)
    return int(bool(options.freeze) and not entries)


def _why_nothing(path: str, logged: int, freeze: str, *, everything: bool) -> str:
    if not os.path.exists(path):
        return f"no log yet: {path} is written at the first push to a protected ref"
    if not logged:
        return f"{path} holds no line about this repository"
    asked = f"a freeze or test that is called {freeze}" if freeze else "a freeze"
    if everything:
        return f"none of {logged} lines about this repository in {path} names {asked}"
    more = "; --all looks at refusals, too" if freeze else "; --all shows every push and refusal"
    return f"no push that landed brought {asked}: {logged} lines looked at in {path}{more}"


def _is_asked(entry: LogEntry, freeze: str, *, everything: bool) -> bool:
    if freeze:
        named = any(_is_named(each, freeze) for each in entry.freezes)
        return named and (everything or entry.event is LogEvent.LANDED)
    return everything or (entry.event is LogEvent.LANDED and bool(entry.freezes))


def _is_named(freeze: LoggedFreeze, name: str) -> bool:
    starts = (freeze.freeze, freeze.freeze.removeprefix("blake3:"))
    return freeze.test_id == name or any(each.startswith(name) for each in starts)


def _print(entries: list[LogEntry], form: str) -> None:
    if form == "json":
        import json

        from freezegate.formats.host_log import dump_entry

        print(json.dumps([json.loads(dump_entry(entry)) for entry in entries], indent=2))
        return
    for line in (line for entry in entries for line in _lines(entry)):
        print(escaped(line))


def _lines(entry: LogEntry) -> Iterator[str]:
    old, new = (oid[:_SHORT] if oid else "nothing" for oid in (entry.old, entry.new))
    verdict = entry.verdict or "not decided here"
    codes = f" ({', '.join(entry.codes)})" if entry.codes else ""
    codes += f", warned: {', '.join(entry.warnings)}" if entry.warnings else ""
    codes += f": {entry.detail}" if entry.detail else ""
    push = entry.push or "unknown"
    yield f"{entry.time} {entry.event} push {push} {entry.ref} {old}..{new} {verdict}{codes}"
    for freeze in entry.freezes:
        yield f"  {freeze.status} {freeze.freeze} {freeze.test_id}"
