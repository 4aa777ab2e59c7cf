"""`freezegate classify --fixture F`: the variance class of one input of a property.

Never a freeze: on request the `classified` line, and for a deterministic miss a pytest test.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.classify_next import keep_test, next_step, record_line
from freezegate.cli.output import wants_colour
from freezegate.cli.property_case import open_property, revisions, tell_uncommitted
from freezegate.cli.property_fixture import noted_seed
from freezegate.cli.property_runs import replay_window
from freezegate.cli.regression_file import refuse_place
from freezegate.cli.replay_property import locked_fixture
from freezegate.cli.sample_rows import read_row, rows_folder, sample_key
from freezegate.cli.sample_run import signer_of
from freezegate.cli.witness_notes import only_witness
from freezegate.cli.witness_progress import progress
from freezegate.git.work_tree import notes_folder
from freezegate.model.ledger import LineStatus
from freezegate.model.observation import NoObservation, Unobserved
from freezegate.model.run import RunOutcome, Side
from freezegate.model.window import Stopped
from freezegate.policy.digests import patch_digest
from freezegate.policy.window import window_size
from freezegate.report.text import escaped
from freezegate.report.window import WindowPage, window_lines, window_page_document
from freezegate.witness.request import (
    Subject,
    build_evidence,
    build_line,
    judge_runs,
    signatures_of,
)
from freezegate.witness.standing_trees import built_trees

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path

    from freezegate.cli.property_case import PropertyCase
    from freezegate.cli.property_fixture import LockedFixture
    from freezegate.model.ledger import Classified
    from freezegate.model.sample import PropertySeen
    from freezegate.model.window import Window
    from freezegate.witness.standing_trees import Trees


class Classification(NamedTuple):
    """A class with its page, the line for the ledger, and what was seen of the property.

    `line` is None where a run was not observed, `seen` where none was.
    """

    page: WindowPage
    line: Classified | None
    seen: PropertySeen | None


def classify_property(name: str, options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Replay the input on both sides, print class and next step, return the exit status."""
    case = open_property(name, options.rev, options, environ)
    fixture = locked_fixture(case, options)
    refuse_place(case, options.write_test)
    tell_uncommitted(case, options)
    notes = notes_folder(case.setting.session)
    found = classify_fixture(case, fixture, notes, options)
    written = [*record_line(case, notes, found, options), *keep_test(case, fixture, found, options)]
    page = found.page._replace(next_step=next_step(case, fixture, found, options))
    if options.format == "json":
        document = [{**window_page_document(page), **_about(case, fixture), "written": written}]
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
    else:
        print("\n".join(window_lines(page, colour=wants_colour(environ))))
        print(f"  revisions: {revisions(case)}")
        for path in written:
            print(f"  written:   {escaped(path)}")
    return int(page.status is LineStatus.BLOCK)


def classify_fixture(
    case: PropertyCase, fixture: LockedFixture, notes: Path, options: argparse.Namespace
) -> Classification:
    """Replay the input on both sides in turn, and ask the tables; raises UsageError."""
    size = window_size(case.setting.policy.evidence, case.entry, options.runs)
    with (
        only_witness(notes, options.verb),
        built_trees(*case.sources, kept=rows_folder(notes)) as trees,
        progress(case.entry.property_test, size) as tell,
    ):
        seed = noted_seed(notes, fixture)
        window = replay_window(case, trees, fixture.fixture.arguments, size, tell, seed=seed)
        window = _contradicted(case, notes, seed, window)
        return _classified(case, trees, fixture, _on_fixture(window, fixture))


def _contradicted(case: PropertyCase, notes: Path, seed: int | None, window: Window) -> Window:
    """Return a window without an answer where the base's row under the fixture's seed denies it."""
    base = window.outcomes(Side.BASE)
    row = None if seed is None else read_row(notes, sample_key(case, seed, Side.BASE))
    if window.stopped or row is None or row.outcome is RunOutcome.FAIL or RunOutcome.PASS in base:
        return window
    why = Unobserved(
        word=NoObservation.BAD_INPUT,
        got=f"the base passed under seed {seed} and fails every replay of the fixture",
        expected="an input on which base and sample agree",
        remedy="a contradiction is no class: what the base makes of the fixture is not what the "
        "strategy makes there, or something besides the seed decides; take other seeds: "
        f"freezegate sample --property {case.entry.property_id} --seeds 20",
    )
    return replace(window, stopped=Stopped(index=0, side=Side.BASE, unobserved=why))


def _on_fixture(window: Window, fixture: LockedFixture) -> Window:
    """Return the window as one on the fixture: its bytes went into each run from outside."""
    sha256 = fixture.sha256
    runs = (replace(run, sha256_before=sha256, sha256_after=sha256) for run in window.runs)
    return replace(window, fixture_sha256=fixture.expected or sha256, runs=tuple(runs))


def _classified(
    case: PropertyCase, trees: Trees, fixture: LockedFixture, window: Window
) -> Classification:
    signer = signer_of(case, trees)
    answer = judge_runs(window, signer)
    entry = case.entry
    page = WindowPage(
        test_id=entry.property_test,
        property_id=entry.property_id,
        oracle_path=entry.oracle,
        window=window,
        variance=answer.variance,
        status=answer.status,
        reason=answer.reason,
        next_step=answer.next_step,
        signatures=signatures_of(window, signer),
        evidence=None,
    )
    line = None
    if window.stopped is None:
        files = {side: tree.files for side, tree in trees.sides.items()}
        evidence = build_evidence(_subject(case, fixture), window, signer, files, "")
        line = build_line(evidence, None, answer, None)
    seen = window.runs[0].observation.property_seen if window.runs else None
    return Classification(page, line, seen)


def _subject(case: PropertyCase, fixture: LockedFixture) -> Subject:
    return Subject(
        property_id=case.entry.property_id,
        test_id=case.entry.property_test,
        fixture_path=fixture.path,
        fixture_sha256=fixture.sha256,
        oracle_path=case.entry.oracle,
        oracle_blob=case.oracle_blob,
        base_rev=case.setting.base_rev,
        candidate_rev=case.setting.head,
        patch_digest=patch_digest(case.step.changes.values()),
        domain=case.domain,
    )


def _about(case: PropertyCase, fixture: LockedFixture) -> dict[str, object]:
    return {
        "fixture": fixture.path,
        "fixture_sha256": fixture.sha256,
        "base_rev": case.setting.base_rev,
        "candidate_rev": case.setting.head,
    }
