"""`freezegate brief`: the bounded request for whoever repairs a patch, or the look at a repair."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING

from freezegate.cli.classify_property import classify_fixture, classify_property
from freezegate.cli.output import wants_colour
from freezegate.cli.property_case import (
    add_property_arguments,
    open_property,
    side_of,
    tell_uncommitted,
)
from freezegate.cli.replay_property import locked_fixture, property_named
from freezegate.errors import UsageError
from freezegate.formats.property_fixture import dump_property_fixture
from freezegate.git.file_diff import file_diff
from freezegate.git.repository import git_faults_refuse
from freezegate.git.work_tree import notes_folder
from freezegate.model.brief import FileDiff
from freezegate.model.ledger import VarianceClass
from freezegate.model.run import Side
from freezegate.policy.briefing import (
    BRIEFED,
    MAX_BRIEF_BYTES,
    MIN_BRIEF_BYTES,
    USUAL_BRIEF_BYTES,
    bound_brief,
    find_assertion,
)
from freezegate.report.brief import Brief, brief_document, brief_lines
from freezegate.report.text import escaped
from freezegate.report.window import window_lines, window_page_document

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from freezegate.cli.classify_property import Classification
    from freezegate.cli.property_case import PropertyCase
    from freezegate.cli.property_fixture import LockedFixture
    from freezegate.model.entries import Change
    from freezegate.model.observation import Failure
    from freezegate.report.window import WindowPage

_FIXTURE = "tests/fixtures/order_total.non_negative/0123456789abcdef.json"
EXAMPLES = f"""\
examples:
  freezegate brief --fixture {_FIXTURE}
  freezegate brief --fixture {_FIXTURE} --format json
  freezegate brief --fixture {_FIXTURE} --check HEAD

For a model or a person: the locked input, the assertion that it breaks, and what the patch changes
in files that the property's runs opened; nothing is sent anywhere. The input is replayed on both
sides first: without a deterministic_miss or seed_unstable there is no request. A repair is a new
candidate: --check REV replays the input on it and says its class.

exit status: 0 the request is printed, or (--check) the property holds; 1 no such class, or the
repair is none; 2 could not answer
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument("--fixture", metavar="F", help="what freezegate shrink locked")
    parser.add_argument("--rev", metavar="REV", help="the patch to be repaired (default: HEAD)")
    parser.add_argument("--check", metavar="REV", help="classify a repair: a commit")
    parser.add_argument("--sha256", metavar="HEX", help="of the fixture, as the request has it")
    parser.add_argument("--repeat", metavar="R", dest="runs", type=int, help="replays on each side")
    parser.add_argument(
        "--max-bytes",
        metavar="N",
        type=int,
        default=USUAL_BRIEF_BYTES,
        help=f"of fixture and hunks together (default: {USUAL_BRIEF_BYTES})",
    )
    add_property_arguments(parser)
    parser.set_defaults(test_ids=(), property=None, record=False, write_test=None)


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Classify, then print the request or why there is none; return the exit status."""
    _refuse_options(options)
    name = property_named(options, environ)
    assert name is not None  # noqa: S101 - a fixture alone is named
    options.rev = options.check or options.rev or str(Side.CANDIDATE)
    if options.check:
        return classify_property(name, options, environ)
    case = open_property(name, options.rev, options, environ)
    fixture = locked_fixture(case, options)
    tell_uncommitted(case, options)
    found = classify_fixture(case, fixture, notes_folder(case.setting.session), options)
    failure = _failure(found)
    if found.page.variance not in BRIEFED or failure is None:
        return _print_refused(found.page, options, environ)
    with git_faults_refuse():
        brief = _brief(case, fixture, found, failure, options)
    if options.format == "json":
        sys.stdout.write(json.dumps(brief_document(brief), indent=2, ensure_ascii=True) + "\n")
    else:
        print("\n".join(brief_lines(brief)))
    return 0


def _refuse_options(options: argparse.Namespace) -> None:
    if options.fixture is None:
        msg = "no fixture is named; expected --fixture F, as freezegate shrink locked it"
        raise UsageError(msg)
    if options.rev and options.check:
        msg = "--rev is the patch to be repaired and --check its repair; expected one of them"
        raise UsageError(msg)
    if side_of(options.check or options.rev or "") is Side.BASE:
        msg = "the base is not what is repaired; expected a candidate: a branch or commit, or HEAD"
        raise UsageError(msg)
    if not MIN_BRIEF_BYTES <= options.max_bytes <= MAX_BRIEF_BYTES:
        msg = f"--max-bytes {options.max_bytes}; expected {MIN_BRIEF_BYTES} to {MAX_BRIEF_BYTES}"
        raise UsageError(msg)


def _failure(found: Classification) -> Failure | None:
    """Return how the candidate failed first."""
    runs = (run for run in found.page.window.runs if run.side is Side.CANDIDATE)
    return next((run.observation.failure for run in runs if run.observation.failure), None)


def _print_refused(
    page: WindowPage, options: argparse.Namespace, environ: Mapping[str, str]
) -> int:
    expected = " or ".join(sorted(BRIEFED))
    why = f"no request: the class is {page.variance}; expected {expected}, which an edit can repair"
    if page.variance is VarianceClass.PASS:
        why = "no request: the property holds on this input, so there is nothing to repair"
    if options.format == "json":
        document = {**window_page_document(page), "refused": why}
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
    else:
        print("\n".join(window_lines(page, colour=wants_colour(environ))))
        print(f"  {escaped(why)}")
    return 1


def _brief(
    case: PropertyCase,
    fixture: LockedFixture,
    found: Classification,
    failure: Failure,
    options: argparse.Namespace,
) -> Brief:
    page, entry, window = found.page, case.entry, found.page.window
    reads = frozenset(read for run in window.runs for read in run.observation.reads)
    diffs = [_diff(case, change) for change in case.step.changes.values() if _path(change) in reads]
    involved = frozenset(frame.path for frame in failure.frames if frame.path)
    data = dump_property_fixture(fixture.fixture).decode()
    return Brief(
        property_id=entry.property_id,
        variance=page.variance,
        status=page.status,
        reason=page.reason,
        base_rev=case.setting.base_rev,
        candidate_rev=case.setting.head,
        outcomes=(window.outcomes(Side.BASE), window.outcomes(Side.CANDIDATE)),
        fixture_path=fixture.path,
        fixture_sha256=fixture.sha256,
        fixture_bytes=len(data),
        assertion=find_assertion(failure, entry.property_test, entry.oracle),
        content=bound_brief(data, diffs, involved, options.max_bytes),
        others=len(case.step.changes) - len(diffs),
        check=_check(fixture, options),
    )


def _path(change: Change) -> str:
    return change.path.decode("utf-8", "surrogateescape")


def _diff(case: PropertyCase, change: Change) -> FileDiff:
    return FileDiff(_path(change), file_diff(case.setting.session.store, change))


def _check(fixture: LockedFixture, options: argparse.Namespace) -> str:
    base = f" --base {shlex.quote(options.base)}" if options.base else ""
    named = f"--fixture {shlex.quote(fixture.path)} --sha256 {fixture.sha256}"
    return f"freezegate brief {named}{base} --check HEAD"
