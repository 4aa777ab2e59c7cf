"""`freezegate sample`: a property under recorded seeds, each outcome kept as a row."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.property_case import add_property_arguments, open_property, side_of
from freezegate.cli.sample_rows import keep_row, read_row, sample_key
from freezegate.cli.sample_run import take_sample
from freezegate.cli.witness_notes import only_witness
from freezegate.cli.witness_progress import progress
from freezegate.errors import UsageError
from freezegate.formats.sample import sample_document
from freezegate.git.work_tree import notes_folder
from freezegate.model.observation import Unobserved
from freezegate.model.run import Side
from freezegate.policy.sampling import Pair, pair_next_step, pair_of
from freezegate.report.text import escaped
from freezegate.witness.window_run import built_trees

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from freezegate.cli.property_case import PropertyCase
    from freezegate.model.sample import SampleRow
    from freezegate.witness.window_run import RunTold, Trees

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

exit status: 0 every sample was observed, 1 one could not be, or (--seeds) one failed on the
candidate alone, 2 could not answer: no property, no seed, no base, an oracle that the patch wrote
"""


class Sampled(NamedTuple):
    """The rows of one seed, and why there is no more of them."""

    seed: int
    base: SampleRow | None
    candidate: SampleRow | None
    stopped: Unobserved | None = None

    @property
    def pair(self) -> Pair:
        """What both rows say."""
        return pair_of(self.base, self.candidate)

    def row(self, side: Side) -> SampleRow | None:
        """Return a side's row."""
        return self.base if side is Side.BASE else self.candidate


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
    notes = notes_folder(case.setting.session)
    with only_witness(notes, "sample"), built_trees(*case.sources) as trees:
        if options.seeds is None:
            found = [_one(case, notes, trees, options.seed, side_of(rev))]
        else:
            found = _many(case, notes, trees, options)
    _print(case, found, options)
    missed = options.seeds is not None and found[-1].pair is Pair.CANDIDATE_ONLY
    return int(missed or found[-1].stopped is not None)


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
    if options.seeds is not None and options.rev == Side.BASE:
        msg = "--seeds asks both sides; expected no --rev base, or one seed: --seed S --rev base"
        raise UsageError(msg)


def _one(case: PropertyCase, notes: Path, trees: Trees, seed: int, side: Side) -> Sampled:
    with progress(case.entry.property_test, 1, one=side) as tell:
        taken = _take(case, notes, trees, seed, side, tell)
    rows = {each: read_row(notes, sample_key(case, seed, each)) for each in Side}
    stopped = taken if isinstance(taken, Unobserved) else None
    return Sampled(seed, rows[Side.BASE], rows[Side.CANDIDATE], stopped)


def _many(
    case: PropertyCase, notes: Path, trees: Trees, options: argparse.Namespace
) -> list[Sampled]:
    """Ask seed by seed until one fails on the candidate alone, or all were asked."""
    first = options.seed or 0
    found: list[Sampled] = []
    with progress(case.entry.property_test, options.seeds) as tell:
        for seed in range(first, first + options.seeds):
            found.append(_both(case, notes, trees, seed, _numbered(tell, seed - first)))
            if found[-1].stopped or found[-1].pair is Pair.CANDIDATE_ONLY:
                break
    return found


def _numbered(tell: Callable[[RunTold], None], seeds: int) -> Callable[[RunTold], None]:
    """Count the runs of all seeds as one row of them."""
    return lambda told: tell(told._replace(number=2 * seeds + (1 if told.side is Side.BASE else 2)))


def _both(
    case: PropertyCase, notes: Path, trees: Trees, seed: int, tell: Callable[[RunTold], None]
) -> Sampled:
    rows: dict[Side, SampleRow] = {}
    for side in Side:
        kept = read_row(notes, sample_key(case, seed, side))
        row = kept or _take(case, notes, trees, seed, side, tell)
        if isinstance(row, Unobserved):
            return Sampled(seed, rows.get(Side.BASE), None, row)
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
    keep_row(notes, row)
    return row


def _print(case: PropertyCase, found: list[Sampled], options: argparse.Namespace) -> None:
    last = found[-1]
    step = _next_step(case, found, options)
    if options.format == "json":
        document = {
            "schema": "freezegate/samples/v1",
            "property_id": case.entry.property_id,
            "base_rev": case.setting.base_rev,
            "candidate_rev": case.setting.head,
            "seeds": [_seed_document(each) for each in found],
            "pair": last.pair,
            "next_step": step,
            "stopped": None if last.stopped is None else _stopped_document(last.stopped),
        }
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
        return
    for line in _lines(case, found):
        print(line)
    print(f"  next step: {escaped(step)}")


def _seed_document(sampled: Sampled) -> dict[str, object]:
    rows = {str(side): sampled.row(side) for side in Side}
    return {
        "seed": sampled.seed,
        "pair": sampled.pair,
        **{side: sample_document(row) if row else None for side, row in rows.items()},
    }


def _stopped_document(seen: Unobserved) -> dict[str, str]:
    return {
        "word": str(seen.word),
        "got": seen.got,
        "expected": seen.expected,
        "remedy": seen.remedy,
    }


def _lines(case: PropertyCase, found: list[Sampled]) -> Iterator[str]:
    entry, last = case.entry, found[-1]
    yield f"samples of {entry.property_id}, {escaped(entry.property_test)}"
    yield f"  base {case.setting.base_rev[:12]}, candidate {case.setting.head[:12]}"
    if len(found) > 1:
        passed = sum(each.pair is Pair.BOTH_PASS for each in found)
        yield f"  {len(found)} seeds asked, both sides passed under {passed} of them"
    yield f"  seed {last.seed}:"
    for side in Side:
        yield f"    {side + ':':<11}{_outcome(last.row(side))}"
    row = last.candidate if last.pair is Pair.CANDIDATE_ONLY else None
    if row is not None:
        yield f"    failure:   {escaped(row.signature or '')}"
        if row.problem:
            yield f"    input:     none that could be locked: {escaped(row.problem)}"
    if last.stopped is not None:
        yield f"  stopped:   {last.stopped.word}"
        yield f"    got:      {escaped(last.stopped.got)}"
        yield f"    expected: {escaped(last.stopped.expected)}"


def _outcome(row: SampleRow | None) -> str:
    return "not sampled" if row is None else f"{row.outcome} ({row.calls} calls)"


def _next_step(case: PropertyCase, found: list[Sampled], options: argparse.Namespace) -> str:
    last = found[-1]
    if last.stopped is not None:
        return last.stopped.remedy
    if options.seeds is not None and last.pair is not Pair.CANDIDATE_ONLY:
        return (
            f"{len(found)} seeds, no failure of the candidate alone: that is no proof. More: "
            f"{_command(case, options, seed=last.seed + 1, seeds=options.seeds)}"
        )
    missing = Side.BASE if last.base is None else Side.CANDIDATE
    return pair_next_step(
        last.pair,
        other=_command(case, options, seed=last.seed, rev=missing),
        seeds=_command(case, options, seed=last.seed + 1, seeds=20),
        shrink=_command(case, options, verb="shrink", seed=last.seed),
    )


def _command(
    case: PropertyCase, options: argparse.Namespace, *, verb: str = "sample", **more: object
) -> str:
    """Return a command line on the same base and candidate."""
    named = {"rev": None if options.rev in (None, *Side) else options.rev, "base": options.base}
    named |= {name: str(value) for name, value in more.items()}
    words = [f"--{name} {shlex.quote(value)}" for name, value in named.items() if value]
    return " ".join(["freezegate", verb, "--property", case.entry.property_id, *words])
