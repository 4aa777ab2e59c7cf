"""`freezegate classify --fixture F`: the variance class of one input of a property.

Never a freeze: on request the `classified` line, and for a deterministic miss a pytest test.
"""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.ledger_here import read_ledger
from freezegate.cli.output import wants_colour
from freezegate.cli.property_case import open_property
from freezegate.cli.property_fixture import noted_seed
from freezegate.cli.property_runs import replay_window
from freezegate.cli.regression_file import no_plain_test, write_test
from freezegate.cli.replay_property import locked_fixture
from freezegate.cli.sample_run import signer_of
from freezegate.cli.witness_notes import only_witness
from freezegate.cli.witness_progress import progress
from freezegate.errors import UsageError
from freezegate.formats.ledger import dump_line
from freezegate.git.work_tree import notes_folder
from freezegate.ledger.append import swap_ledger
from freezegate.model.ledger import LineStatus, VarianceClass
from freezegate.model.paths import RepoPath
from freezegate.policy.digests import patch_digest
from freezegate.policy.guards import LEDGER_PATH
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
from freezegate.witness.window_run import built_trees

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path

    from freezegate.cli.property_case import PropertyCase
    from freezegate.cli.property_fixture import LockedFixture
    from freezegate.model.ledger import Classified
    from freezegate.model.window import Window
    from freezegate.witness.window_run import Trees


class Classification(NamedTuple):
    """A class with its page, the line for the ledger, and what pytest itself gives the test.

    `line` is None where a run was not observed.
    """

    page: WindowPage
    line: Classified | None
    from_pytest: tuple[str, ...]


def classify_property(name: str, options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Replay the input on both sides, print class and next step, return the exit status."""
    case = open_property(name, options.rev, options, environ)
    fixture = locked_fixture(case, options)
    notes = notes_folder(case.setting.session)
    found = classify_fixture(case, fixture, notes, options)
    written = [*_test(case, fixture, found, options), *_record(case, notes, found, options)]
    page = found.page._replace(next_step=_next_step(case, fixture, found, options))
    if options.format == "json":
        document = [{**window_page_document(page), **_about(case, fixture), "written": written}]
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
    else:
        print("\n".join(window_lines(page, colour=wants_colour(environ))))
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
        built_trees(*case.sources) as trees,
        progress(case.entry.property_test, size) as tell,
    ):
        seed = noted_seed(notes, fixture)
        window = replay_window(case, trees, fixture.fixture.arguments, size, tell, seed=seed)
        return _classified(case, trees, fixture, _on_fixture(window, fixture))


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
    return Classification(page, line, seen.from_pytest if seen else ())


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


def _record(
    case: PropertyCase, notes: Path, found: Classification, options: argparse.Namespace
) -> list[str]:
    """Append the line to the work tree's ledger where that was asked for; raises UsageError."""
    if not options.record:
        return []
    if found.line is None:
        msg = "--record: not every run was observed, so there is no row to keep"
        raise UsageError(msg)
    top, raw = case.setting.top, dump_line(found.line) + b"\n"
    before = read_ledger(top)
    if raw not in before.splitlines(keepends=True):
        path = LEDGER_PATH.decode()
        swap_ledger(top / path, notes / "writing.lock", before=before, after=before + raw)
    return [LEDGER_PATH.decode()]


def _test(
    case: PropertyCase, fixture: LockedFixture, found: Classification, options: argparse.Namespace
) -> list[str]:
    if options.write_test is None:
        return []
    path = RepoPath(options.write_test)
    write_test(case, fixture, path, why_not=_no_test(case, fixture, found))
    return [path]


def _no_test(case: PropertyCase, fixture: LockedFixture, found: Classification) -> str | None:
    """Return why no plain test replays this fixture, None where one does."""
    if found.page.variance is not VarianceClass.DETERMINISTIC_MISS:
        return (
            f"a regression lock is for a deterministic_miss, and this is {found.page.variance}; "
            "what follows from that: the next step that is told without --write-test"
        )
    return no_plain_test(case, fixture, found.from_pytest)


def _next_step(
    case: PropertyCase,
    fixture: LockedFixture,
    found: Classification,
    options: argparse.Namespace,
) -> str:
    """Return the table's next step with the command for it."""
    step, quoted = found.page.next_step, shlex.quote(fixture.path)
    name = case.entry.property_id
    match found.page.variance:
        case VarianceClass.DETERMINISTIC_MISS if options.write_test is None:
            if _no_test(case, fixture, found) is not None:
                return f"{step} It is replayed by: freezegate replay --fixture {quoted}"
            written = f"{case.entry.oracle.rpartition('/')[0] or '.'}/test_regressions.py"
            more = f"--fixture {quoted} --write-test {shlex.quote(written)}"
            return f"{step} A pytest test that replays it: freezegate classify {more}"
        case VarianceClass.SEED_UNSTABLE:
            return f"{step} A new budget of seeds: freezegate sample --property {name} --seeds 20"
        case VarianceClass.ENV_UNSTABLE if found.line and found.line.freeze_eligible:
            return (
                f"{step} That freeze is of a catalogued test that reads the fixture: list "
                f"{fixture.path} in `fixtures` of {name}, land that, then freezegate witness "
                f"--property {name} --fixture {quoted} --owner NAME --expires-on DATE"
            )
        case VarianceClass.FIXTURE_DRIFT:
            return f"{step} Anew from its seed: freezegate shrink --property {name} --seed S"
        case _:
            return step
