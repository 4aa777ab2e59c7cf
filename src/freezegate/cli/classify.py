"""`freezegate classify`: a whole window and its variance class; never a freeze."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from freezegate.cli.classify_property import classify_property
from freezegate.cli.output import wants_colour
from freezegate.cli.replay_property import property_named
from freezegate.cli.sample_rows import rows_folder
from freezegate.cli.witness_asked import add_subject_arguments
from freezegate.cli.witness_notes import only_witness
from freezegate.cli.witness_steps import open_case
from freezegate.cli.witness_take import case_sources, take_window
from freezegate.errors import UsageError
from freezegate.git.work_tree import notes_folder
from freezegate.model.ledger import LineStatus
from freezegate.model.run import Side
from freezegate.policy.window import window_size
from freezegate.report.window import window_lines, window_page_document
from freezegate.witness.standing_trees import built_trees

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

EXAMPLES = """\
examples:
  freezegate classify --property order_total.non_negative
  freezegate classify tests/test_orders.py::test_total --runs 20
  freezegate classify --fixture tests/fixtures/order_total.non_negative/0123456789abcdef.json
  freezegate classify --fixture tests/fixtures/order_total.non_negative/0123456789abcdef.json \\
    --record --write-test tests/properties/test_regressions.py

A fixture that freezegate shrink locked is one input of a property: it is replayed on both sides.
--record appends the `classified` line to .freeze/ledger.jsonl, which asks for nothing. The runs
are those of `freezegate witness`, on HEAD and its base; uncommitted changes are not seen.

exit status: 0 merge_ok or freeze_candidate, 1 block, or a test could not be observed, 2 could not
answer: no run could be made (usage, no interpreter, no pytest in it)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    add_subject_arguments(parser)
    parser.add_argument("--repeat", metavar="R", dest="runs", type=int, help="the same as --runs")
    one_input = parser.add_argument_group("for the fixture of a property")
    one_input.add_argument(
        "--rev", metavar="candidate|REV", default=str(Side.CANDIDATE), help="the candidate"
    )
    one_input.add_argument("--record", action="store_true", help="append the `classified` line")
    one_input.add_argument(
        "--write-test", metavar="PATH", help="a pytest test that replays a deterministic miss"
    )


def _refuse_options(options: argparse.Namespace) -> None:
    """Raise UsageError for what only the fixture of a property has."""
    given = {"--record": options.record, "--write-test": options.write_test}
    given["--rev"] = options.rev != Side.CANDIDATE
    for option in (option for option, value in given.items() if value):
        msg = (
            f"{option} goes with the fixture of a property; expected --fixture F without a test "
            "or property: freezegate classify --fixture F"
        )
        raise UsageError(msg)


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Make the window, print the class, return the exit status."""
    name = property_named(options, environ)
    if name is not None:
        return classify_property(name, options, environ)
    _refuse_options(options)
    case, runners = open_case(options, environ)
    evidence = case.setting.policy.evidence
    sizes = [window_size(evidence, each.entry, options.runs) for each in case.wanted]
    notes = notes_folder(case.setting.session)
    with (
        only_witness(notes, "classify"),
        built_trees(*case_sources(case), kept=rows_folder(notes)) as trees,
    ):
        pages = [
            take_window(case, number, trees, runner, size).page
            for number, (runner, size) in enumerate(zip(runners, sizes, strict=True))
        ]
    if options.format == "json":
        document = [window_page_document(page) for page in pages]
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
    else:
        for page in pages:
            print("\n".join(window_lines(page, colour=wants_colour(environ))))
    return int(any(page.status is LineStatus.BLOCK for page in pages))
