"""`freezegate shrink`: the minimal input of a candidate-only miss, locked if it still fails."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.property_case import add_property_arguments, open_property, side_of
from freezegate.cli.property_fixture import keep_proposal, lock_fixture, note_seed, place_of
from freezegate.cli.property_runs import MAX_REPLAYS, MIN_REPLAYS, replay_input
from freezegate.cli.sample_rows import read_row, rows_folder, sample_key
from freezegate.cli.shrink_said import ShrinkTold, print_shrunk
from freezegate.cli.shrink_why import another, contradicted, unkept, unstable
from freezegate.cli.witness_notes import only_witness
from freezegate.cli.witness_progress import progress
from freezegate.errors import UsageError
from freezegate.formats.property_fixture import PropertyFixture
from freezegate.git.work_tree import notes_folder
from freezegate.model.run import Side
from freezegate.policy.keeping import project, with_field
from freezegate.policy.sampling import Pair, pair_next_step, pair_of, unlike_in
from freezegate.witness.standing_trees import built_trees

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path

    from freezegate.cli.property_case import PropertyCase
    from freezegate.cli.property_runs import Replays
    from freezegate.model.sample import Encoded, SampleRow
    from freezegate.policy.keeping import Projection
    from freezegate.witness.standing_trees import Trees

EXAMPLES = """\
examples:
  freezegate shrink --property order_total.non_negative --seed 14021
  freezegate shrink --property order_total.non_negative --seed 14021 --repeat 5

Only where base passed and candidate failed under that seed (freezegate sample). Hypothesis did the
shrinking; here its minimal input is reduced to the fields that `keep` names, replayed on the
candidate, and locked if it still fails: a file under the first [fixtures] root, and its line in
.freeze/fixtures.sha256. Otherwise it is a proposal, in the git directory.

exit status: 0 locked, 1 a proposal, or nothing to shrink, 2 could not answer
"""


class Shrunk(NamedTuple):
    """What came of it: the input that was tried, and why it is not locked (None where it is)."""

    arguments: Encoded
    dropped: tuple[str, ...]
    why_not: str | None
    next_step: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument("--property", metavar="ID", help="a property of the catalogue")
    parser.add_argument("--seed", metavar="S", type=int, help="the seed of the two samples")
    parser.add_argument(
        "--rev", metavar="candidate|REV", default="candidate", help="where it failed"
    )
    parser.add_argument(
        "--repeat", metavar="R", type=int, default=MIN_REPLAYS, help="replays (default: 2)"
    )
    add_property_arguments(parser)


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Reduce, replay, then lock or propose; return the exit status."""
    _refuse_unbound(options)
    case = open_property(options.property, options.rev, options, environ)
    notes = notes_folder(case.setting.session)
    row, why = _miss(case, notes, options)
    if row is None or row.arguments is None:
        nothing = ShrinkTold(case.entry.property_id, options.seed, why_not=why)
        print_shrunk(nothing, options.format)
        return 1
    place_of(case, b"")  # before the runs: a policy without room for fixtures is found now
    with (
        only_witness(notes, "shrink"),
        built_trees(*case.sources, kept=rows_folder(notes)) as trees,
    ):
        shrunk = _shrink(case, trees, row, row.arguments, options.repeat)
    return _finish(case, notes, row, shrunk, options)


def _refuse_unbound(options: argparse.Namespace) -> None:
    example = "freezegate shrink --property ID --seed 1"
    if options.property is None or options.seed is None:
        missing = "--property ID" if options.property is None else "--seed S"
        msg = f"no {missing.split()[0]}; expected {missing}, as the samples were taken: {example}"
        raise UsageError(msg)
    if side_of(options.rev) is Side.BASE:
        msg = "--rev base: what fails on the base is not the patch's; expected candidate or REV"
        raise UsageError(msg)
    if not MIN_REPLAYS <= options.repeat <= MAX_REPLAYS:
        msg = f"--repeat {options.repeat}; expected {MIN_REPLAYS} to {MAX_REPLAYS}"
        raise UsageError(msg)


def _miss(
    case: PropertyCase, notes: Path, options: argparse.Namespace
) -> tuple[SampleRow | None, str]:
    """Return the candidate's row if only the candidate failed, else what is to be done first."""
    base, candidate = (read_row(notes, sample_key(case, options.seed, side)) for side in Side)
    pair = pair_of(base, candidate)
    if pair is Pair.CANDIDATE_ONLY and candidate is not None:
        lost = f"no input that could be locked: {candidate.problem}"
        return candidate, lost if candidate.problem else ""
    head = f"freezegate sample --property {case.entry.property_id}"
    missing = Side.BASE if base is None or pair is Pair.UNLIKE else options.rev
    step = pair_next_step(
        pair,
        unlike=unlike_in(base, candidate),
        other=f"{head} --seed {options.seed} --rev {shlex.quote(missing)}",
        seeds=f"{head} --seed {options.seed + 1} --seeds 20",
        shrink="",
    )
    rows = ", ".join(
        f"{side} {row.outcome if row else 'not sampled'}"
        for side, row in ((Side.BASE, base), (Side.CANDIDATE, candidate))
    )
    return None, f"seed {options.seed}: {rows}; expected base pass, candidate fail. {step}"


def _shrink(
    case: PropertyCase, trees: Trees, row: SampleRow, minimal: Encoded, repeat: int
) -> Shrunk:
    """Replay Hypothesis's minimal input, then what `keep` leaves of it, then that on the base."""
    found = _reduced(case, trees, row, minimal, repeat)
    if found.why_not is not None:
        return found
    base = _replayed(case, trees, found.arguments, repeat, Side.BASE)
    return found if base.all_pass else Shrunk(found.arguments, (), *contradicted(case, base))


def _reduced(
    case: PropertyCase, trees: Trees, row: SampleRow, minimal: Encoded, repeat: int
) -> Shrunk:
    whole = _replayed(case, trees, minimal, repeat)
    if not whole.all_fail_alike:
        return Shrunk(minimal, (), *unstable(case, whole))
    if whole.signatures[0] not in row.signatures:
        return Shrunk(minimal, (), *another(case, row, whole))
    kept = project(minimal, case.entry.keep)
    if kept.missing:
        return Shrunk(minimal, (), *unkept(kept.missing))
    if not kept.dropped:
        return Shrunk(minimal, (), None)
    reduced = _replayed(case, trees, kept.arguments, repeat)
    if reduced.all_fail_alike and reduced.signatures[0] == whole.signatures[0]:
        return Shrunk(kept.arguments, kept.dropped, None)
    return Shrunk(minimal, (), *_lost(case, trees, minimal, kept, whole))


def _replayed(
    case: PropertyCase,
    trees: Trees,
    arguments: Encoded,
    count: int,
    side: Side = Side.CANDIDATE,
) -> Replays:
    with progress(case.entry.property_test, count, one=side) as tell:
        return replay_input(case, trees, side, arguments, count, tell)


def _lost(
    case: PropertyCase, trees: Trees, minimal: Encoded, kept: Projection, whole: Replays
) -> tuple[str, str]:
    """Return which dropped field makes the difference: `keep` should hold it."""
    breaking = [
        field
        for field in kept.dropped
        if _fails_with(case, trees, with_field(minimal, field, kept.dropped), whole)
    ]
    names = ", ".join(breaking or kept.dropped)
    word = "the failing field" if breaking else "fields that fail together:"
    return (
        f"`keep` drops {word} {names}: without it the input does not fail as it did",
        f"add {names} to `keep` of {case.entry.property_id} in .freeze/catalog.toml, in a patch of "
        "its own, before anybody speaks of a freeze",
    )


def _fails_with(case: PropertyCase, trees: Trees, arguments: Encoded, whole: Replays) -> bool:
    seen = _replayed(case, trees, arguments, 1)
    return seen.all_fail_alike and seen.signatures[0] == whole.signatures[0]


def _finish(
    case: PropertyCase, notes: Path, row: SampleRow, shrunk: Shrunk, options: argparse.Namespace
) -> int:
    fixture = PropertyFixture(case.entry.property_id, shrunk.arguments)
    if shrunk.why_not is None:
        done = lock_fixture(case, notes, fixture)
        note_seed(notes, row.key, done.sha256)
        path, sha256 = str(done.path), str(done.sha256)
        step = _next_step(path, options)
    else:
        path, sha256, step = str(keep_proposal(notes, fixture)), None, shrunk.next_step
    told = ShrinkTold(
        property_id=case.entry.property_id,
        seed=options.seed,
        fixture=fixture,
        path=path,
        sha256=sha256,
        dropped=shrunk.dropped,
        why_not=shrunk.why_not,
        next_step=step,
    )
    print_shrunk(told, options.format)
    return int(sha256 is None)


def _next_step(path: str, options: argparse.Namespace) -> str:
    more = "" if options.rev in tuple(Side) else f" --rev {shlex.quote(options.rev)}"
    more += f" --base {shlex.quote(options.base)}" if options.base else ""
    return f"replay it on both sides: freezegate classify --fixture {shlex.quote(path)}{more}"
