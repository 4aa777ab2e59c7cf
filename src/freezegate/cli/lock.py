"""`freezegate lock`: write the digests of all fixtures, or say where they differ."""

from __future__ import annotations

import gc
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.here import lock_here, policy_here
from freezegate.cli.line_endings import crlf_remedy, is_crlf, keep_bytes_command
from freezegate.cli.lock_drift import Drift, differences, explained, known_lines
from freezegate.cli.lock_files import Here, asked_paths, is_as_locked, look
from freezegate.cli.lock_said import MAX_SHOWN, LockPage, print_page
from freezegate.errors import UsageError
from freezegate.formats.lock import MAX_LOCK_BYTES, dump_lines
from freezegate.git.repository import git_faults_refuse, open_repository
from freezegate.git.stored_bytes import rewritten_by_git
from freezegate.git.work_tree import notes_of, top_of
from freezegate.policy.guards import LOCK_PATH

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping

    from freezegate.cli.lock_drift import Difference
    from freezegate.git.repository import Repository
    from freezegate.model.globs import Glob

EXAMPLES = """\
examples:
  freezegate lock                                 write .freeze/fixtures.sha256 anew
  freezegate lock tests/fixtures/order.json       this line alone; a folder works, too
  freezegate lock --check                         say where fixtures and lock differ
  freezegate lock --check --format json

Locked are the files that [fixtures] paths of the work tree's policy match: tracked ones, and new
ones that git does not ignore, so that a fixture and its line come in one commit. Their bytes are
those of the work tree. Paths are relative to the repository's top. Links, submodules, git-lfs
pointers and names that differ between systems are refused by name, and nothing is written then.
What `sha256sum` writes is the same: sha256sum --strict -c .freeze/fixtures.sha256

exit status: 0 the lock is as it should be now, 1 something differs (--check) or is refused, 2 could
not answer
"""


class _Question(NamedTuple):
    """The repository, what was typed, and the lock as it stands.

    `most` differences are told, the first by path; None for all.
    """

    repository: Repository
    top: Path
    asked: tuple[str, ...]
    is_check: bool
    before: bytes
    most: int | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument("paths", metavar="PATH", nargs="*", help="only these fixtures, or folders")
    parser.add_argument("--check", action="store_true", help="write nothing, say what differs")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Look at the fixtures, write the lock unless it is only checked, say what is different."""
    gc.disable()  # it would look through hundreds of thousands of texts, and find nothing
    try:
        with git_faults_refuse():
            page = _answer(options, environ)
        print_page(page, options.format, environ)
    finally:
        gc.enable()
    return page.status


def _answer(options: argparse.Namespace, environ: Mapping[str, str]) -> LockPage:
    repository = open_repository(environ)
    top = top_of(repository)
    policy = policy_here(top)
    if not policy.fixture_paths:
        msg = (
            "the policy of the work tree names no fixtures; expected globs: paths = "
            '["tests/fixtures/**"] under [fixtures] in .freeze/policy.toml'
        )
        raise UsageError(msg)
    asked = asked_paths(options.paths)
    most = MAX_SHOWN if options.format == "text" else None
    question = _Question(repository, top, asked, options.check, lock_here(top), most)
    count = None if asked else is_as_locked(repository, top, policy.fixture_paths, question.before)
    if count is not None:
        return LockPage(is_check=options.check, fixtures=count)
    lines = _known(question)
    here = look(repository, top, policy.fixture_paths, asked, lines or {})
    page = _compared(question, here, lines)
    if not (options.check or page.refused) and page.is_drift:
        changed = (path for path, digest in page.digests.items() if _differs(lines, path, digest))
        _refuse_rewritten(question, policy.fixture_paths, changed)
        known = here.lines if page.digests == here.digests else None
        _write(question, dump_lines(page.digests) if known is None else known)
        page = page._replace(written=True)
    return page


def _differs(lines: Mapping[str, str] | None, path: str, digest: str) -> bool:
    return lines is None or lines.get(path) != digest


def _refuse_rewritten(
    question: _Question, patterns: tuple[Glob, ...], changed: Iterable[str]
) -> None:
    """Raise UsageError where git would store other bytes than those that the lock would name."""
    found = [*rewritten_by_git(question.repository, question.top, changed)]
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        msg = (
            f"{found[0]}{more} have line endings CRLF here, and git would store LF: no commit "
            "would hold what the lock says; nothing was written; expected the bytes that git "
            f"stores: {keep_bytes_command(patterns)} && sed -i 's/\\r$//' {shlex.join(found)}"
        )
        raise UsageError(msg)


def _known(question: _Question) -> dict[str, str] | None:
    """Return the lock's lines; None for a damaged one that is written anew as a whole."""
    lines = None if is_crlf(question.before) else known_lines(question.before)
    if lines is None and (question.is_check or question.asked):
        if is_crlf(question.before):
            path = LOCK_PATH.decode()
            msg = f"{path} has line endings CRLF; expected {crlf_remedy(path)}"
            raise UsageError(msg)
        msg = (
            ".freeze/fixtures.sha256 does not decode; expected what `sha256sum` writes, sorted by "
            "path; to write all of it anew: freezegate lock"
        )
        raise UsageError(msg)
    return lines


def _compared(question: _Question, here: Here, lines: dict[str, str] | None) -> LockPage:
    known = lines or {}
    digests = {**known, **here.digests}
    gone = here.locked.keys() - here.digests.keys() - here.kept
    for path in gone:
        del digests[path]
    page = LockPage(
        is_check=question.is_check,
        is_damaged=lines is None,
        fixtures=len(here.digests),
        refused=here.refused,
        kept=tuple(sorted(here.kept)),
        digests=digests,
    )
    if digests == known:
        return page
    gone.update(path for path, digest in here.digests.items() if known.get(path) != digest)
    changed = sorted(gone - {each.path for each in here.refused})
    told = changed[: question.most]
    old = {path: known[path] for path in told if path in known}
    found = [*differences(old, here.contents(told), here.others)]
    return page._replace(changed=len(changed), differences=_told(found, question))


def _told(found: list[Difference], question: _Question) -> tuple[Difference, ...]:
    """Look up what the old bytes tell, where there were any."""
    if all(each.drift is Drift.UNLOCKED for each in found):
        return tuple(found)
    from freezegate.cli.ledger_here import read_ledger
    from freezegate.formats.ledger import parse_ledger
    from freezegate.git.active import gather_active
    from freezegate.git.history import History
    from freezegate.git.session import Session
    from freezegate.git.store import ObjectStore
    from freezegate.policy.lifetimes import ended_ids

    store = ObjectStore(question.repository)
    session = Session(question.repository, store, History(question.repository, store))
    ended = ended_ids(parse_ledger(read_ledger(question.top), canonical=False))
    active = [each for each in gather_active(session) if each[0].freeze_id not in ended]
    return explained(found, question.top, session, active)


def _write(question: _Question, data: bytes) -> None:
    """Replace the lock, if it is still the one that was compared."""
    from freezegate.ledger.append import locked, replace_file

    if len(data) > MAX_LOCK_BYTES:
        msg = f"the lock would have {len(data)} bytes; expected at most {MAX_LOCK_BYTES}"
        raise UsageError(msg)
    with locked(notes_of(question.repository) / "writing.lock"):
        if lock_here(question.top) != question.before:
            msg = ".freeze/fixtures.sha256 was changed meanwhile; look at it, then run this again"
            raise UsageError(msg)
        replace_file(question.top / LOCK_PATH.decode(), data)
