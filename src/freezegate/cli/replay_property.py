"""`freezegate replay --fixture F`: a property on exactly one input, on one side."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from freezegate.cli.property_case import open_property, side_of
from freezegate.cli.property_fixture import fixture_at, noted_seed, read_fixture
from freezegate.cli.property_runs import MAX_REPLAYS, MIN_REPLAYS, replay_input
from freezegate.cli.replay_said import Row, print_row
from freezegate.cli.sample_rows import rows_folder
from freezegate.cli.witness_notes import only_witness
from freezegate.cli.witness_progress import progress
from freezegate.errors import DecodeError, UsageError
from freezegate.formats.property_fixture import parse_property_fixture
from freezegate.git.repository import git_faults_refuse, open_repository
from freezegate.git.work_tree import notes_folder, top_of
from freezegate.model.digests import Sha256
from freezegate.policy.variance import DRIFT
from freezegate.policy.window import judge_side
from freezegate.witness.standing_trees import built_trees

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from freezegate.cli.property_case import PropertyCase
    from freezegate.cli.property_fixture import LockedFixture
    from freezegate.cli.property_runs import Replays
    from freezegate.policy.window import Answer


def property_named(options: argparse.Namespace, environ: Mapping[str, str]) -> str | None:
    """Return the property whose input `--fixture` names, None where a test is meant.

    With `--property` the file says which: the input of a property, or what its `test` reads.
    """
    named = options.property or []
    if options.fixture is None or options.test_ids or len(named) > 1:
        return None
    with git_faults_refuse():
        top = top_of(open_repository(environ))
    try:
        _, data = fixture_at(top, options.fixture)
        found = parse_property_fixture(data).property_id
    except UsageError:
        if named:  # of a test's fixture others say what is wrong
            return None
        raise
    except DecodeError as fault:
        if named:
            return None
        msg = (
            f"--fixture {options.fixture!a} is no fixture of a property: got {fault.got}, expected "
            f"{fault.expected}; for a test that reads this file: freezegate classify TEST_ID "
            f"--fixture {shlex.quote(options.fixture)} --oracle PATH"
        )
        raise UsageError(msg) from None
    return named[0] if named else found


def replay_property(
    name: str, rev: str, options: argparse.Namespace, environ: Mapping[str, str]
) -> int:
    """Make the replays, print the row, return the exit status."""
    case = open_property(name, rev, options, environ)
    fixture = locked_fixture(case, options)
    count = max(case.entry.repeat, MIN_REPLAYS) if options.runs is None else options.runs
    if not MIN_REPLAYS <= count <= MAX_REPLAYS:
        limits = f"{MIN_REPLAYS} to {MAX_REPLAYS}"
        msg = f"--repeat {count}; expected {limits}: one run never shows whether the next agrees"
        raise UsageError(msg)
    notes, side = notes_folder(case.setting.session), side_of(rev)
    with (
        only_witness(notes, "replay"),
        built_trees(*case.sources, kept=rows_folder(notes)) as trees,
        progress(case.entry.property_test, count, one=side) as tell,
    ):
        arguments, seed = fixture.fixture.arguments, noted_seed(notes, fixture)
        seen = replay_input(case, trees, side, arguments, count, tell, seed=seed)
    about: dict[str, object] = {
        "property_id": case.entry.property_id,
        "fixture": fixture.path,
        "fixture_sha256": fixture.sha256,
    }
    if not fixture.is_as_locked:
        about["locked_sha256"] = fixture.expected
    stopped = seen.stopped
    why = f"{stopped.word}: {stopped.got}; {stopped.remedy}" if stopped else None
    answer = _answer(fixture, seen, count)
    row = Row(case.entry.property_test, side, seen.outcomes, seen.signatures, answer, why, about)
    print_row(row, options.format)
    return int(stopped is not None or not fixture.is_as_locked)


def locked_fixture(case: PropertyCase, options: argparse.Namespace) -> LockedFixture:
    """Return the fixture that is named; raises UsageError where no lock holds its path."""
    fixture = read_fixture(case, options.fixture)
    if fixture.expected is None:
        quoted = shlex.quote(fixture.path)
        msg = (
            f"{fixture.path} has no line in .freeze/fixtures.sha256, at the base or here: it is a "
            f"proposal; expected a locked fixture: freezegate shrink writes one, or freezegate "
            f"lock {quoted}"
        )
        raise UsageError(msg)
    asked = getattr(options, "sha256", None)
    if asked is not None:
        return fixture._replace(expected=Sha256(asked))
    if fixture.is_as_locked and not fixture.is_as_named:
        msg = (
            f"{fixture.path} is named after other bytes: its own have SHA-256 {fixture.sha256}; "
            "expected the input that freezegate shrink locked: take it from history, or shrink the "
            "seed again"
        )
        raise UsageError(msg)
    return fixture


def _answer(fixture: LockedFixture, seen: Replays, count: int) -> Answer:
    if not fixture.is_as_locked:
        return DRIFT
    complete = seen.stopped is None
    return judge_side(seen.outcomes, seen.signatures, size=count, complete=complete)
