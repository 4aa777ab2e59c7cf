"""`freezegate witness`: take evidence for a freeze; the gate judges it before it is written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from freezegate.cli.sample_rows import rows_folder
from freezegate.cli.witness_all import score_all
from freezegate.cli.witness_all_options import add_all_arguments, refuse_mixed
from freezegate.cli.witness_asked import add_subject_arguments
from freezegate.cli.witness_base import outdated_base
from freezegate.cli.witness_case import gather_case, window_sizes
from freezegate.cli.witness_gate import (
    judge_before,
    judge_request,
    request_files,
    requests,
    tickets,
)
from freezegate.cli.witness_hints import (
    acting_on_nothing,
    dropped,
    outlived,
    without_refused,
    without_unknown,
)
from freezegate.cli.witness_named import unknown_tests, wrong_files
from freezegate.cli.witness_notes import (
    diverged_before,
    keep_window,
    only_witness,
    tell_later,
    warn_not_kept,
)
from freezegate.cli.witness_older import older_requests
from freezegate.cli.witness_options import before_runs, in_options
from freezegate.cli.witness_own import with_older
from freezegate.cli.witness_runner import find_python, find_runners, tell_python
from freezegate.cli.witness_said import (
    Said,
    invalid_value,
    no_policy,
    not_eligible,
    nothing_new,
    print_said,
    refused,
)
from freezegate.cli.witness_setting import find_base, open_setting, patch_paths
from freezegate.cli.witness_take import case_sources, take_window
from freezegate.cli.witness_uncatalogued import uncatalogued
from freezegate.cli.witness_unready import strangers, uncommitted
from freezegate.cli.witness_write import write_request
from freezegate.errors import InvalidValue, Unanswerable
from freezegate.git.repository import git_faults_refuse
from freezegate.git.session import Session
from freezegate.git.work_tree import notes_folder, work_tree
from freezegate.hooks.walk import unanswered
from freezegate.model.ledger import LineReason
from freezegate.model.verdict import Outcome
from freezegate.policy.window import refuse_more_runs
from freezegate.witness.standing_trees import built_trees

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from freezegate.cli.witness_case import Case
    from freezegate.cli.witness_take import Result
    from freezegate.model.finding import Finding
    from freezegate.model.verdict import Transition

EXAMPLES = """\
examples:
  freezegate witness --property order_total.non_negative --owner ada --expires-on DATE
  freezegate witness tests/test_orders.py::test_total --owner ada --expires-on DATE --mark
  freezegate witness tests/test_orders.py::test_total --fixture tests/fixtures/order.json \\
      --oracle tests/properties/test_order_props.py
  freezegate witness --refresh            after another commit on the branch
  freezegate witness --all --changed --format json --output scores.json

Runs are made on commits, in trees outside the repository: commit the patch first. Without owner and
expiry the evidence is taken and a `classified` line written; `freezegate freeze` asks later for the
freeze. A property that is frozen on this fixture already is renewed.
--all scores each catalogued property on its first fixture, and writes nothing without --record.

exit status: 0 the gate accepts and the files are written, 1 refused, or a test could not be
observed, 2 could not answer: no run could be made (usage, no interpreter, no pytest in it)
with --all: 0 no property blocks, 1 one does or could not be observed
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    add_subject_arguments(parser)
    parser.add_argument("--owner", metavar="NAME", help="who owns the freeze: a person or a team")
    parser.add_argument("--expires-on", metavar="DATE", help="its last day, UTC: 2026-12-24")
    parser.add_argument("--expires-after-commits", metavar="N", type=int, help="a nearer end")
    parser.add_argument("--mark", action="store_true", help="write a skip marker as well")
    parser.add_argument(
        "--refresh", action="store_true", help="replace what this branch asked for before"
    )
    add_all_arguments(parser)


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Walk the protocol, print what was seen and decided, return the exit status."""
    refuse_mixed(options)
    if options.all:
        return score_all(options, environ)
    try:
        with git_faults_refuse():
            said = _witness(options, environ)
    except Unanswerable as stop:
        said = Said(unanswered("HEAD", stop))
    print_said(said, options.format, environ)
    return said.transition.outcome.exit_status


def _witness(options: argparse.Namespace, environ: Mapping[str, str]) -> Said:
    session = Session.open(environ)
    work_tree(session)
    with only_witness(notes_folder(session)):
        strange = strangers(session)
        if strange:
            return Said(refused(session, strange))
        setting = open_setting(session, options, environ)
        if setting is None:
            return Said(refused(session, [no_policy(find_base(session, options, environ))]))
        try:
            unknown = unknown_tests(setting, options, environ) or uncatalogued(setting, options)
            if unknown:
                hints = without_unknown(unknown, options)
                return Said(refused(session, unknown, setting), hints=hints)
            case = gather_case(setting, options)
        except InvalidValue as fault:
            return Said(refused(session, [invalid_value(fault)], setting))
        faults: Sequence[Finding] = wrong_files(case, options)
        faults = faults or uncommitted(session, case.standing, refresh=options.refresh)
        if faults:
            return Said(refused(session, faults, setting))
        said = _walk(case, options, environ)
        return said if said.transition.outcome is Outcome.ACCEPTED else _with_older(case, said)


def _walk(case: Case, options: argparse.Namespace, environ: Mapping[str, str]) -> Said:
    setting = case.setting
    if not patch_paths(setting):
        return Said(refused(setting.session, [nothing_new(setting)], setting))
    outdated = outdated_base(setting, options, environ)
    if outdated:
        return Said(refused(setting.session, [outdated], setting))
    sizes = window_sizes(case, options.runs)
    for about, size in zip(case.subjects, sizes, strict=True):
        before = diverged_before(notes_folder(setting.session), about)
        if before is not None:
            refuse_more_runs(LineReason.DIVERGENT_SIGNATURES, before=before, size=size)
    python = find_python(setting.session, options.python, environ)
    runners = find_runners(case, python)
    first = judge_before(case, max(sizes))
    if first.outcome is not Outcome.ACCEPTED:
        return Said(_in_options(case, first, options))
    tell_later(in_options(f, options, case.setting.policy.freeze) for f in first.findings)
    tell_python(python)
    kept = rows_folder(notes_folder(case.setting.session))
    with built_trees(*case_sources(case), kept=kept) as trees:
        results = [
            take_window(case, number, trees, runner, size)
            for number, (runner, size) in enumerate(zip(runners, sizes, strict=True))
        ]
    return _conclude(case, results, options)._replace(python=str(python.path))


def _in_options(case: Case, first: Transition, options: argparse.Namespace) -> Transition:
    said = before_runs(first.findings, options, case.setting.policy.freeze)
    asked = case.ledger.asked
    found = tuple(with_older(finding, asked, case.wanted, options) for finding in said)
    return replace(first, findings=found)


def _with_older(case: Case, said: Said) -> Said:
    """Say what a refused --refresh left standing."""
    findings = (*said.transition.findings, *older_requests(case))
    return said._replace(transition=replace(said.transition, findings=findings))


def _conclude(case: Case, results: Sequence[Result], options: argparse.Namespace) -> Said:
    """Judge the request as it would be committed; write it only if the gate accepts."""
    pages = tuple(result.page for result in results)
    whole = [(r.evidence, r.answer) for r in results if r.evidence is not None]
    if len(whole) < len(results):
        findings = [not_eligible(result.page) for result in results if result.evidence is None]
        transition = refused(case.setting.session, findings, case.setting)
        hints = without_refused(case, results, options)
        return Said(transition, pages, kept=_kept(case, results), hints=hints)
    files = request_files(case, whole)
    transition = judge_request(case, files)
    if transition.outcome is not Outcome.ACCEPTED:
        return Said(transition, pages, kept=_kept(case, results))
    written, removed = write_request(case, files)
    asked = requests(case, files)
    return Said(
        transition,
        pages,
        written,
        removed,
        only_classified=not all(case.terms),
        tickets=tickets(case, files),
        hints=(*dropped(case), *acting_on_nothing(asked), *outlived(case, asked)),
        sources=tuple(path.decode() for path in case.sources),
    )


def _kept(case: Case, results: Sequence[Result]) -> tuple[tuple[str, str], ...]:
    """Keep the windows of a refused request in the git directory; the verdict stands without."""
    notes = notes_folder(case.setting.session)
    try:
        return tuple(
            (
                str(about.test_id),
                str(keep_window(notes, about, result.page.window, result.answer, result.signer)),
            )
            for about, result in zip(case.subjects, results, strict=True)
        )
    except OSError as error:
        warn_not_kept(notes, error)
        return ()
