"""`freezegate replay`: runs of one test, or one input, on one side, and the row that they make."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from freezegate.cli.property_runs import MAX_REPLAYS
from freezegate.cli.replay_property import property_named, replay_property
from freezegate.cli.replay_said import Row, print_row
from freezegate.cli.sample_rows import rows_folder
from freezegate.cli.witness_asked import add_subject_arguments
from freezegate.cli.witness_notes import only_witness
from freezegate.cli.witness_progress import progress
from freezegate.cli.witness_runner import refuse_no_environment, with_python
from freezegate.cli.witness_steps import open_case
from freezegate.cli.witness_take import case_sources, window_request
from freezegate.errors import UsageError
from freezegate.git.work_tree import notes_folder
from freezegate.model.run import RunOutcome, Side
from freezegate.policy.window import judge_side, window_size
from freezegate.witness.request import Signer
from freezegate.witness.standing_trees import built_trees
from freezegate.witness.window_run import make_runs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

EXAMPLES = """\
examples:
  freezegate replay --property order_total.non_negative --side base
  freezegate replay tests/test_orders.py::test_total --runs 20
  freezegate replay --fixture tests/fixtures/order_total.non_negative/0123456789abcdef.json \\
    --rev candidate --repeat 5

A fixture that freezegate shrink locked is one input of a property: the property test is called with
it and with nothing that is generated. --rev takes any revision as the candidate.

exit status: 0 every run was observed, 1 one could not be, or the fixture is not the locked one, 2
could not answer: no run could be made (usage, no interpreter, no pytest in it)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    add_subject_arguments(parser, runs="how many runs (default: one side of a window)")
    parser.add_argument("--repeat", metavar="R", dest="runs", type=int, help="the same as --runs")
    parser.add_argument("--side", choices=tuple(map(str, Side)), default=str(Side.CANDIDATE))
    parser.add_argument(
        "--rev",
        metavar="base|candidate|REV",
        help="the same as --side; with --fixture any revision",
    )


def _side(options: argparse.Namespace) -> Side:
    if options.rev in (None, *Side):
        return Side(options.rev or options.side)
    msg = f"--rev {options.rev}: a test is replayed on base or candidate; expected one of them"
    raise UsageError(msg)


def refuse_several(test_ids: Sequence[str]) -> None:
    """Raise UsageError where more than one test is named: one row has one test."""
    if len(test_ids) > 1:
        each = " && ".join(f"freezegate replay {shlex.quote(name)}" for name in test_ids)
        msg = f"{len(test_ids)} tests are named, and replay takes one; once for each: {each}"
        raise UsageError(msg)


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Make the runs, print the row, return the exit status."""
    refuse_several(options.test_ids)
    name = property_named(options, environ)
    if name is not None:
        return replay_property(name, options.rev or options.side, options, environ)
    case, (runner,) = open_case(options, environ)
    size = window_size(case.setting.policy.evidence, case.wanted[0].entry, None)
    count = size if options.runs is None else options.runs
    if not 1 <= count <= MAX_REPLAYS:
        msg = f"--runs {count}; expected 1 to {MAX_REPLAYS}"
        raise UsageError(msg)
    about, side = case.subjects[0], _side(options)
    order = [(index, side) for index in range(count)]
    notes = notes_folder(case.setting.session)
    with (
        only_witness(notes, "replay"),
        built_trees(*case_sources(case), kept=rows_folder(notes)) as trees,
        progress(about.test_id, count, one=side) as tell,
    ):
        runs, stopped = make_runs(trees, runner, window_request(case, 0, count), order, tell)
        signer = Signer(
            test_path=about.test_id.path, is_equal=trees.is_equal, folders=trees.folders
        )
    failures = [run.observation.failure for run in runs if run.observation.failure]
    signatures = [signer.sign(failure) for failure in failures]
    outcomes = [RunOutcome.PASS if run.observation.passed else RunOutcome.FAIL for run in runs]
    answer = judge_side(outcomes, signatures, size=size, complete=stopped is None)
    why = None
    if stopped is not None:
        seen = stopped.unobserved
        if seen is not None:
            refuse_no_environment(runner.python, seen)
            seen = with_python(seen, runner.python)
        why = f"{seen.word}: {seen.got}; {seen.remedy}" if seen else "the fixture was rewritten"
    row = Row(about.test_id, side, tuple(outcomes), tuple(signatures), answer, why, {})
    print_row(row, options.format)
    return int(stopped is not None)
