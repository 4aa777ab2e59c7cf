"""`freezegate sample`: a property under recorded seeds, each outcome kept as a row."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from freezegate.cli.property_case import (
    add_property_arguments,
    open_property,
    side_of,
    tell_uncommitted,
)
from freezegate.cli.sample_rows import keep_row, read_row, rows_folder, sample_key
from freezegate.cli.sample_run import take_sample
from freezegate.cli.sample_said import Sampled, print_samples, same_command
from freezegate.cli.witness_notes import only_witness
from freezegate.cli.witness_progress import progress
from freezegate.errors import UsageError
from freezegate.git.work_tree import notes_folder
from freezegate.model.observation import Unobserved
from freezegate.model.run import Side
from freezegate.policy.sampling import Pair, pair_of, unlike_in
from freezegate.witness.standing_trees import built_trees

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from freezegate.cli.property_case import PropertyCase
    from freezegate.model.sample import SampleRow
    from freezegate.witness.standing_trees import Trees
    from freezegate.witness.window_run import RunTold

MAX_SEED = 2**53 - 1  # what a ledger line can name
MAX_SEEDS = 100_000
EXAMPLES = """\
examples:
  freezegate sample --property order_total.non_negative --seed 14021 --rev base
  freezegate sample --property order_total.non_negative --seed 14021 --rev candidate
  freezegate sample --property order_total.non_negative --seeds 20

The property test of the catalogue runs once, in a tree built from that revision, under exactly this
Hypothesis seed and without an example database. The row is kept in the git directory. With --seeds
each seed is asked on both sides, those that have rows already are not run again, and the first that
only the candidate fails ends it.

exit status: 0 every sample was observed, 1 one could not be, or both sides are no pair, or (with
--seeds) one failed on the candidate alone, 2 could not answer: no property, no seed, no base, an
oracle that the patch wrote
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument("--property", metavar="ID", help="a property of the catalogue")
    parser.add_argument("--seed", metavar="S", type=int, help="the seed; with --seeds the first")
    parser.add_argument("--seeds", metavar="N", type=int, help="so many seeds, on both sides")
    parser.add_argument("--rev", metavar="base|candidate|REV", help="where (default: candidate)")
    add_property_arguments(parser)


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Take the samples, print the rows, return the exit status."""
    _refuse_unbound(options)
    rev = options.rev or str(Side.CANDIDATE)
    case = open_property(options.property, rev, options, environ)
    tell_uncommitted(case, options)
    notes = notes_folder(case.setting.session)
    with (
        only_witness(notes, "sample"),
        built_trees(*case.sources, kept=rows_folder(notes)) as trees,
    ):
        if options.seeds is None:
            found = [_one(case, notes, trees, options.seed, side_of(rev))]
        else:
            found = _many(case, notes, trees, options)
    print_samples(case, found, options)
    last = found[-1]
    missed = options.seeds is not None and last.pair is Pair.CANDIDATE_ONLY
    return int(missed or last.pair is Pair.UNLIKE or last.stopped is not None)


def _refuse_unbound(options: argparse.Namespace) -> None:
    """Raise UsageError for a sample that could not be repeated."""
    example = "freezegate sample --property ID --seed 1 --rev base"
    if options.property is None:
        msg = f"no property is named; expected --property ID, as the catalogue has it: {example}"
        raise UsageError(msg)
    if options.seed is None and options.seeds is None:
        msg = f"no seed: a sample without one cannot be repeated; expected --seed S: {example}"
        raise UsageError(msg)
    if not 0 <= (options.seed or 0) <= MAX_SEED:
        msg = f"--seed {options.seed}; expected a whole number from 0 to {MAX_SEED}"
        raise UsageError(msg)
    if options.seeds is not None and not 1 <= options.seeds <= MAX_SEEDS:
        msg = f"--seeds {options.seeds}; expected 1 to {MAX_SEEDS}"
        raise UsageError(msg)
    if options.seeds is not None and options.rev in tuple(Side):
        msg = (
            f"--seeds asks both sides; expected no --rev {options.rev}, or one seed: --seed S "
            f"--rev {options.rev}"
        )
        raise UsageError(msg)


def _one(case: PropertyCase, notes: Path, trees: Trees, seed: int, side: Side) -> Sampled:
    with progress(case.entry.property_test, 1, one=side) as tell:
        taken = _take(case, notes, trees, seed, side, tell)
    rows, forged = _kept(case, notes, trees, seed)
    stopped = taken if isinstance(taken, Unobserved) else forged
    return Sampled(seed, rows[Side.BASE], rows[Side.CANDIDATE], stopped)


def _kept(
    case: PropertyCase, notes: Path, trees: Trees, seed: int
) -> tuple[dict[Side, SampleRow | None], Unobserved | None]:
    """Return the rows of a seed as we wrote them; somebody else's are none, and told."""
    rows = {side: read_row(notes, sample_key(case, seed, side)) for side in Side}
    forged = trees.forged()
    return (dict.fromkeys(Side), forged) if forged else (rows, None)


def _many(
    case: PropertyCase, notes: Path, trees: Trees, options: argparse.Namespace
) -> list[Sampled]:
    """Ask seed by seed until one fails on the candidate alone, or all were asked."""
    first = options.seed or 0
    found: list[Sampled] = []
    with progress(case.entry.property_test, options.seeds) as tell:
        for seed in range(first, first + options.seeds):
            with _resumable(case, options, len(found)):
                found.append(_both(case, notes, trees, seed, _numbered(tell, seed - first)))
            if found[-1].stopped or found[-1].pair in (Pair.CANDIDATE_ONLY, Pair.UNLIKE):
                break
    return found


@contextmanager
def _resumable(case: PropertyCase, options: argparse.Namespace, done: int) -> Iterator[None]:
    """Say, where a walk is interrupted, that its rows are kept and how it goes on."""
    try:
        yield
    except KeyboardInterrupt:
        print(
            f"freezegate sample: interrupted; the rows of {done} of {options.seeds} seeds are "
            f"kept, and the same command goes on behind them: {same_command(case, options)}",
            file=sys.stderr,
            flush=True,
        )
        raise


def _numbered(tell: Callable[[RunTold], None], seeds: int) -> Callable[[RunTold], None]:
    """Count the runs of all seeds as one row of them."""
    return lambda told: tell(told._replace(number=2 * seeds + (1 if told.side is Side.BASE else 2)))


def _both(
    case: PropertyCase, notes: Path, trees: Trees, seed: int, tell: Callable[[RunTold], None]
) -> Sampled:
    kept, forged = _kept(case, notes, trees, seed)
    if forged is not None:
        return Sampled(seed, None, None, forged)
    if pair_of(*kept.values()) is Pair.UNLIKE:  # of two interpreters, or two of their packages
        kept = dict.fromkeys(Side)
    rows: dict[Side, SampleRow] = {}
    for side in sorted(Side, key=lambda side: kept[side] is not None):  # a kept row may be old
        row = kept[side]
        if row is None or any(unlike_in(row, other) for other in rows.values()):
            taken = _take(case, notes, trees, seed, side, tell)
            if isinstance(taken, Unobserved):
                return Sampled(seed, rows.get(Side.BASE), rows.get(Side.CANDIDATE), taken)
            row = taken
        rows[side] = row
    return Sampled(seed, rows[Side.BASE], rows[Side.CANDIDATE])


def _take(
    case: PropertyCase,
    notes: Path,
    trees: Trees,
    seed: int,
    side: Side,
    tell: Callable[[RunTold], None],
) -> SampleRow | Unobserved:
    key = sample_key(case, seed, side)
    row = take_sample(case, trees, key, tell)
    if isinstance(row, Unobserved):
        return row
    before = read_row(notes, key)
    if before is not None and before.outcome != row.outcome:
        print(
            f"freezegate sample: warning: seed {seed} on {side} was {before.outcome} before and is "
            f"{row.outcome} now: something besides the seed decides",
            file=sys.stderr,
            flush=True,
        )
    path = keep_row(notes, row)
    if trees.kept is not None:
        trees.kept.add(path)
    return row
