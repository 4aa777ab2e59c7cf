"""`freezegate witness --all`: score every catalogued property on the patch."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.output import print_verdict
from freezegate.cli.sample_rows import rows_folder
from freezegate.cli.witness_active import active_on
from freezegate.cli.witness_all_scores import score_of, shown_freeze, without_fixture
from freezegate.cli.witness_asked import Wanted
from freezegate.cli.witness_case import gather_scored, window_sizes
from freezegate.cli.witness_gate import judge_request, judge_standing, request_files
from freezegate.cli.witness_hints import dropped
from freezegate.cli.witness_notes import diverged_before, only_witness
from freezegate.cli.witness_output import writable_output
from freezegate.cli.witness_runner import find_python, find_runners, tell_python
from freezegate.cli.witness_said import print_written, refused
from freezegate.cli.witness_setting import head_step, open_setting
from freezegate.cli.witness_take import case_sources, take_window
from freezegate.cli.witness_unready import strangers, uncommitted
from freezegate.cli.witness_write import write_request
from freezegate.errors import UsageError
from freezegate.formats.evidence import dump_evidence
from freezegate.git.reached import ReachGatherer
from freezegate.git.repository import git_faults_refuse
from freezegate.git.session import Session
from freezegate.git.work_tree import notes_folder, work_tree
from freezegate.ledger.append import replace_file
from freezegate.model.digests import Blake3
from freezegate.model.ledger import LineReason
from freezegate.model.verdict import Base, Outcome, Verdict
from freezegate.policy.window import refuse_more_runs
from freezegate.report.scores import (
    Score,
    closing_line,
    dump_scores,
    score_line,
    scores_status,
)
from freezegate.report.text import escaped, verdict_lines
from freezegate.witness.standing_trees import built_trees

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from freezegate.cli.witness_case import Case
    from freezegate.cli.witness_setting import Setting
    from freezegate.cli.witness_take import Result
    from freezegate.model.catalog import Property
    from freezegate.model.verdict import Transition


class _Scored(NamedTuple):
    score: Score
    result: Result | None


def score_all(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Score, print a line each or the object, record where asked; return the exit status."""
    with git_faults_refuse():
        session = Session.open(environ)
        work_tree(session)
        with only_witness(notes_folder(session)):
            return _score_all(session, options, environ)


def _score_all(session: Session, options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    output = None if options.output is None else writable_output(session, options.output)
    if options.record:
        faults = [*strangers(session), *uncommitted(session, (), refresh=options.refresh)]
        if faults:
            return _refuse_before(refused(session, faults), options, environ)
    setting = open_setting(session, options, environ)
    if setting is None:
        msg = "no policy that decodes at the trusted base; freezegate check says why"
        raise UsageError(msg)
    entries = _entries(setting, only_reached=options.changed)
    case = gather_scored(setting, tuple(map(_wanted, entries)), options, refresh=options.refresh)
    standing = judge_standing(case) if options.record else None
    if standing is not None and standing.outcome is not Outcome.ACCEPTED:
        return _refuse_before(standing, options, environ)
    scored = _scored(case, options, environ)
    refusal = None
    if options.record:
        scored, refusal = _record(case, scored, text=options.format == "text")
    scores = [each.score for each in scored]
    document = dump_scores(scores, Base(setting.base.rev, setting.base.source), setting.head)
    if output is not None:
        replace_file(output, document.encode())
    if options.format == "json":
        sys.stdout.write(document)
    return scores_status(scores) if refusal is None else _refuse(refusal)


def _entries(setting: Setting, *, only_reached: bool) -> tuple[Property, ...]:
    """Return the properties of the catalogue at T, in its order."""
    document = setting.view.judges.catalog
    if document.is_damaged:
        msg = "the catalogue at the trusted base does not decode; freezegate check says why"
        raise UsageError(msg)
    known = tuple(document.value.properties.values()) if document.value else ()
    entries = tuple(entry for entry in known if entry.fixtures)  # the others are for `sample`
    if not only_reached:
        return entries
    reach = ReachGatherer(setting.session.store, head_step(setting), setting.policy)
    return tuple(entry for entry in entries if reach.is_reached(entry))


def _wanted(entry: Property) -> Wanted:
    """Take the first fixture for the one whose digest is watched; the others are domain."""
    return Wanted(entry.test, entry.property_id, entry.fixtures[0], entry.oracle, entry)


def _scored(
    case: Case, options: argparse.Namespace, environ: Mapping[str, str]
) -> tuple[_Scored, ...]:
    """Make all windows in trees that are built once; in text each line comes as soon as it can."""
    sizes = _sizes(case, options)
    scored = []
    width = max((len(str(each.property_id)) for each in case.wanted), default=0)
    for each in _windows(case, sizes, options, environ):
        scored.append(each)
        if options.format == "text":
            print(score_line(each.score, width=width, record=options.record), flush=True)
    if options.format == "text":
        print(
            closing_line([each.score for each in scored])
            if scored
            else "no property that the patch reaches"
            if options.changed
            else "no property in .freeze/catalog.toml at the trusted base"
        )
    return tuple(scored)


def _sizes(case: Case, options: argparse.Namespace) -> list[int]:
    sizes = window_sizes(case, options.runs)
    for about, size in zip(case.subjects, sizes, strict=True):
        before = diverged_before(notes_folder(case.setting.session), about)
        if options.record and before is not None:
            refuse_more_runs(LineReason.DIVERGENT_SIGNATURES, before=before, size=size)
    return sizes


def _windows(
    case: Case, sizes: Sequence[int], options: argparse.Namespace, environ: Mapping[str, str]
) -> Iterator[_Scored]:
    if not case.wanted:
        return
    python = find_python(case.setting.session, options.python, environ)
    runners = find_runners(case, python)
    tell_python(python)
    freezes = [shown_freeze(each) for each in active_on(case)]
    kept = rows_folder(notes_folder(case.setting.session))
    with built_trees(*case_sources(case), kept=kept) as trees:
        for number, (runner, size) in enumerate(zip(runners, sizes, strict=True)):
            wanted, freeze = case.wanted[number], freezes[number]
            if case.subjects[number].fixture_sha256 in case.snapshots:
                result = take_window(case, number, trees, runner, size)
                yield _Scored(score_of(wanted, result.page, freeze), result)
            else:
                yield _Scored(without_fixture(wanted), None)


def _record(
    case: Case, scored: tuple[_Scored, ...], *, text: bool
) -> tuple[tuple[_Scored, ...], Transition | None]:
    """Write a classified line for each whole window, if the gate accepts them all."""
    whole = [(e, each.result.answer) for each in scored if each.result and (e := each.result.whole)]
    if not whole:
        return scored, None
    used = {evidence.fixture_sha256 for evidence, _ in whole}
    only = case._replace(snapshots={k: data for k, data in case.snapshots.items() if k in used})
    files = request_files(only, whole)
    transition = judge_request(only, files)
    if transition.outcome is not Outcome.ACCEPTED:
        return scored, transition
    written, removed = write_request(only, files)
    if text:
        print_written(written, removed)
        for hint in dropped(only):
            print(escaped(hint))
    return tuple(map(_with_path, scored)), None


def _with_path(each: _Scored) -> _Scored:
    if each.result is None or each.result.whole is None:
        return each
    digest = Blake3.of(dump_evidence(each.result.whole))
    return each._replace(score=each.score._replace(evidence=f".freeze/evidence/{digest.hex}.json"))


def _refuse_before(
    transition: Transition, options: argparse.Namespace, environ: Mapping[str, str]
) -> int:
    """Say why no run was made: there are no scores, so that a program gets the verdict."""
    if options.format == "text":
        return _refuse(transition)
    print_verdict(Verdict(transitions=(transition,)), "json", environ)
    return transition.outcome.exit_status


def _refuse(transition: Transition) -> int:
    """Say on stderr why nothing is recorded: standard output has the scores alone."""
    for line in verdict_lines(Verdict(transitions=(transition,))):
        print(line, file=sys.stderr)
    return transition.outcome.exit_status
