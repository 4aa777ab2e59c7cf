"""`freezegate ledger lift` and `void`: append the line that ends a landed freeze."""

from __future__ import annotations

import json
import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING

from freezegate.cli.here import catalog_here
from freezegate.cli.ledger_here import look_here
from freezegate.cli.ledger_sound import refuse_unsound
from freezegate.errors import UsageError
from freezegate.formats.fields import MAX_OWNER_CHARS
from freezegate.formats.ledger import dump_line
from freezegate.git.repository import git_faults_refuse
from freezegate.git.work_tree import notes_folder
from freezegate.ledger.append import swap_ledger
from freezegate.model.ids import names_nobody
from freezegate.model.ledger import Ended, Ending
from freezegate.model.paths import shell_paths
from freezegate.policy.guards import LEDGER_PATH
from freezegate.policy.marked_tests import find_mark
from freezegate.policy.standing import State

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from freezegate.cli.ledger_here import Here
    from freezegate.policy.marked_tests import Place
    from freezegate.policy.standing import Standing

_REASONS = {Ending.LIFTED: "no longer needed", Ending.VOID: "its ground changed"}
_OPEN = (State.ACTIVE, State.EXPIRED)
_LEAST_DIGITS = 12
_MAX_REASON = 4096


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Append the line and say what else belongs into the patch."""
    event = Ending.LIFTED if options.action == "lift" else Ending.VOID
    with git_faults_refuse():
        here = look_here(options.base, environ)
        refuse_unsound(here)
        standing = _find(here, options.freeze)
        line = _line(event, standing, _owner(here, standing, options.owner), options.reason)
        swap_ledger(
            here.top / LEDGER_PATH.decode(),
            notes_folder(here.session) / "writing.lock",
            before=here.data,
            after=here.data + dump_line(line) + b"\n",
        )
        mark = _mark(here, standing)
    try:
        _say(event, standing, line, form=options.format, mark=mark)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as fault:
        msg = f"{event}: the line stands in .freeze/ledger.jsonl, but could not be told: {fault}"
        raise UsageError(msg) from None
    return 0


def _say(event: Ending, standing: Standing, line: Ended, *, form: str, mark: Place | None) -> None:
    if form == "json":
        document = {
            "schema": "freezegate/ended/v1",
            "line": json.loads(dump_line(line)),
            "marked": mark is not None,
        }
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
        return
    test = standing.line.test_id
    print(f"{event}: {standing.freeze} ({test}, owner {standing.line.owner})")
    print(f"wrote .freeze/ledger.jsonl, signed by {line.owner}")
    if mark is not None:
        name = mark.node_id.rpartition("::")[2]
        print(f"take its skip marker out, too: {mark.path} carries one on {name}")
    paths = [".freeze/ledger.jsonl", *([mark.path] if mark else [])]
    print(f"next: git add {shell_paths(paths)} && git commit")


def _owner(here: Here, standing: Standing, given: str | None) -> str:
    """Return who ends it: who was named, else git's user, else the freeze's owner."""
    if given is None:
        user = _git_user(here)
        given = user if _is_name(user) else standing.line.owner
    if given is None or not _is_name(given):
        msg = f"--owner {given!a} is nobody's name; expected a person or a team"
        raise UsageError(msg)
    return given


def _git_user(here: Here) -> str:
    """Return git's own name of the user; none where its bytes are no text (an old Latin-1)."""
    config = here.session.repository.config
    try:
        return str(config["user.name"]) if "user.name" in config else ""
    except UnicodeDecodeError:
        return ""


def _is_name(text: str) -> bool:
    return not names_nobody(text) and len(text) <= MAX_OWNER_CHARS and text.isprintable()


def _line(event: Ending, standing: Standing, owner: str, given: str | None) -> Ended:
    reason = _REASONS[event] if given is None else given
    if not reason.strip() or len(reason) > _MAX_REASON or not reason.isprintable():
        msg = f"--reason must be one line of 1 to {_MAX_REASON} printable characters"
        raise UsageError(msg)
    return Ended(
        event=event,
        freeze=standing.freeze,
        base_rev=standing.line.base_rev,
        fixture_sha256=standing.line.fixture_sha256,
        reason=reason,
        owner=owner,
    )


def _find(here: Here, name: str) -> Standing:
    """Return the landed freeze that is not over; raises UsageError naming what there is."""
    found = [each for each in here.standings() if _is_named(each, name)]
    open_ones = [each for each in found if each.state in _OPEN and not _is_closed(each)]
    if len(open_ones) == 1:
        return open_ones[0]
    raise UsageError(_not_one(here, name, found, open_ones))


def _is_closed(each: Standing) -> bool:
    """Whether a line said that it expired: nothing is left to end."""
    return each.why is not None and each.why.startswith("line ")


def _is_named(each: Standing, name: str) -> bool:
    digits = name.removeprefix("blake3:")
    by_id = len(digits) >= _LEAST_DIGITS and each.freeze.hex.startswith(digits)
    return by_id or name in (each.line.property_id, each.line.test_id)


def _not_one(
    here: Here, name: str, found: Sequence[Standing], open_ones: Sequence[Standing]
) -> str:
    if len(open_ones) > 1:
        ids = ", ".join(each.freeze for each in open_ones)
        return f"{name!a} names {len(open_ones)} freezes; name the one: {ids}"
    if found and found[-1].state is State.REQUESTED:
        return (
            f"the freeze of {name!a} has not landed at {here.base.source}: it is a request of this "
            "branch; to drop it, with all that the branch changed under .freeze/ (a marker goes by "
            f"hand): {_undo(here)}"
        )
    if found:
        last = found[-1]
        return f"the freeze of {name!a} is over already: {last.state}, {last.why or 'by its end'}"
    digits = name.removeprefix("blake3:")
    short = [e.freeze for e in here.standings() if e.freeze.hex.startswith(digits)]
    if short and len(digits) < _LEAST_DIGITS:
        return (
            f"{name!a} is too short for a freeze's id: {_LEAST_DIGITS} digits are needed; there "
            f"is: {', '.join(dict.fromkeys(short))}"
        )
    known = [
        str(e.line.property_id or e.line.test_id) for e in here.standings() if e.state in _OPEN
    ]
    there = f"; there are: {', '.join(dict.fromkeys(known))}" if known else "; none stands here"
    near = get_close_matches(name, [str(e.line.property_id) for e in here.standings()], n=1)
    there += f"; did you mean {near[0]}?" if near else ""
    return (
        f"no landed freeze is called {name!a} at {here.base.source}{there}; all of them, with "
        "their ids: freezegate ledger list"
    )


def _undo(here: Here) -> str:
    """Return the command that brings back what the base has of our folder, and no more."""
    gone = f"git rm -r -q -f --ignore-unmatch -- {shell_paths(['.freeze'])}"
    clean = f"git clean -q -f -d -x -- {shell_paths(['.freeze'])}"
    back = f"git checkout {here.base.rev} -- {shell_paths(['.freeze'])}"
    return f"{gone} && {clean} && {back}"


def _mark(here: Here, standing: Standing) -> Place | None:
    """Return where its skip marker stands: in its file, or in that which the catalogue names."""
    line = standing.line
    paths = {str(line.test_id.path): None}
    try:
        entry = line.property_id and catalog_here(here.top).catalog.properties.get(line.property_id)
        paths |= {str(entry.test.path): None} if entry else {}
    except UsageError:  # the line stands, whatever the catalogue says
        pass
    files = {path: here.top / path for path in paths}
    sources = {path: file.read_bytes() for path, file in files.items() if file.is_file()}
    return find_mark(sources, line, by_property=True)
