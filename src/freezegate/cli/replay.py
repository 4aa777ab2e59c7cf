"""`freezegate replay`: runs of one test on one side, and the row that they make."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING

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
from freezegate.report.text import escaped
from freezegate.witness.request import Signer
from freezegate.witness.window_run import built_trees, make_runs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

MAX_REPLAYS = 1000
EXAMPLES = """\
examples:
  freezegate replay --property order_total.non_negative --side base
  freezegate replay tests/test_orders.py::test_total --runs 20

exit status: 0 every run was observed, 1 one could not be, 2 could not answer: no run could be made
(usage, no interpreter, no pytest in it)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    add_subject_arguments(parser, runs="how many runs (default: one side of a window)")
    parser.add_argument("--side", choices=tuple(map(str, Side)), default=str(Side.CANDIDATE))


def refuse_several(test_ids: Sequence[str]) -> None:
    """Raise UsageError where more than one test is named: one row has one test."""
    if len(test_ids) > 1:
        each = " && ".join(f"freezegate replay {shlex.quote(name)}" for name in test_ids)
        msg = f"{len(test_ids)} tests are named, and replay takes one; once for each: {each}"
        raise UsageError(msg)


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Make the runs, print the row, return the exit status."""
    refuse_several(options.test_ids)
    case, (runner,) = open_case(options, environ)
    size = window_size(case.setting.policy.evidence, case.wanted[0].entry, None)
    count = size if options.runs is None else options.runs
    if not 1 <= count <= MAX_REPLAYS:
        msg = f"--runs {count}; expected 1 to {MAX_REPLAYS}"
        raise UsageError(msg)
    about, side = case.subjects[0], Side(options.side)
    order = [(index, side) for index in range(count)]
    notes = notes_folder(case.setting.session)
    with (
        only_witness(notes, "replay"),
        built_trees(*case_sources(case)) as trees,
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
    document = {
        "schema": "freezegate/replay/v1",
        "test_id": about.test_id,
        "side": side,
        "runs": outcomes,
        "fail_signatures": list(dict.fromkeys(signatures)),
        "status": answer.status,
        "reason": answer.reason,
        "stopped": why,
    }
    if options.format == "json":
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
    else:
        print(f"{side} of {escaped(about.test_id)}: {' '.join(outcomes) or 'no run'}")
        for signature in dict.fromkeys(signatures):
            print(f"  failure: {escaped(signature)}")
        if why:
            print(f"  stopped: {escaped(why)}")
        print(f"  {answer.status} / {answer.reason}: {answer.next_step}")
    return int(stopped is not None)
