"""What `freezegate sample` says: the rows, the pair of the last seed, and what may follow."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, NamedTuple

from freezegate.formats.sample import sample_document
from freezegate.model.run import Side
from freezegate.policy.sampling import Pair, pair_next_step, pair_of, unlike_in
from freezegate.report.text import escaped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from freezegate.cli.property_case import PropertyCase
    from freezegate.model.observation import Unobserved
    from freezegate.model.sample import SampleRow


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


def print_samples(case: PropertyCase, found: list[Sampled], options: argparse.Namespace) -> None:
    """Print the rows of all seeds as JSON, or those of the last one as text."""
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
    if row is None:
        return "not sampled"
    rejected = f", {row.rejected} rejected" if row.rejected else ""
    return f"{row.outcome} ({row.calls} calls{rejected})"


def _next_step(case: PropertyCase, found: list[Sampled], options: argparse.Namespace) -> str:
    last = found[-1]
    if last.stopped is not None:
        return last.stopped.remedy
    if options.seeds is not None and last.pair not in (Pair.CANDIDATE_ONLY, Pair.UNLIKE):
        return (
            f"{len(found)} seeds, no failure of the candidate alone: that is no proof. More: "
            f"{_command(case, options, seed=last.seed + 1, seeds=options.seeds)}"
        )
    if last.pair is Pair.CANDIDATE_ONLY and last.candidate and last.candidate.problem:
        return (
            "Only the candidate failed, with no input that could be locked, so there is nothing to "
            f"shrink: {last.candidate.problem}. Repair the patch by the failure above, or take "
            f"another seed: {_command(case, options, seed=last.seed + 1, seeds=20)}"
        )
    missing = Side.BASE if last.base is None or last.pair is Pair.UNLIKE else Side.CANDIDATE
    return pair_next_step(
        last.pair,
        unlike=unlike_in(last.base, last.candidate),
        other=_command(case, options, seed=last.seed, rev=missing),
        seeds=_command(case, options, seed=last.seed + 1, seeds=20),
        shrink=_command(case, options, verb="shrink", seed=last.seed),
    )


def same_command(case: PropertyCase, options: argparse.Namespace) -> str:
    """Return the command line of a walk over seeds."""
    return _command(case, options, seed=options.seed or 0, seeds=options.seeds)


def _command(
    case: PropertyCase, options: argparse.Namespace, *, verb: str = "sample", **more: object
) -> str:
    """Return a command line on the same base and candidate."""
    named = {"rev": None if options.rev in (None, *Side) else options.rev, "base": options.base}
    named |= {name: str(value) for name, value in more.items()}
    words = [f"--{name} {shlex.quote(value)}" for name, value in named.items() if value]
    return " ".join(["freezegate", verb, "--property", case.entry.property_id, *words])
