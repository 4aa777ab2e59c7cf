"""What a pair of samples under one seed says, and what may follow (the second document, step 2)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from freezegate.model.run import RunOutcome

if TYPE_CHECKING:
    from freezegate.model.sample import SampleRow

_PASS, _FAIL = RunOutcome.PASS, RunOutcome.FAIL


class Pair(StrEnum):
    """What base and candidate say of a property under one seed."""

    OPEN = "open"
    BOTH_PASS = "both_pass"  # noqa: S105 - an outcome, not a password
    CANDIDATE_ONLY = "candidate_only_miss"
    BASE_ONLY = "base_only_miss"
    BOTH_FAIL = "both_fail"
    UNLIKE = "unlike"


_PAIRS = {
    (_PASS, _PASS): Pair.BOTH_PASS,
    (_PASS, _FAIL): Pair.CANDIDATE_ONLY,
    (_FAIL, _PASS): Pair.BASE_ONLY,
    (_FAIL, _FAIL): Pair.BOTH_FAIL,
}
_NEXT = {
    Pair.OPEN: "A pair decides: take the other side under the same seed: {other}",
    Pair.BOTH_PASS: "This seed is done, which is no proof; another one: {seeds}",
    Pair.CANDIDATE_ONLY: "Only the candidate failed: reduce the input, then replay it: {shrink}",
    Pair.BASE_ONLY: "Only the base failed, so the bug is older than the patch, which may have "
    "repaired it; nothing to shrink. Keep the row; another seed: {seeds}",
    Pair.BOTH_FAIL: "Both failed, so the base is broken already and no freeze is justified: repair "
    "the base in a patch of its own. The row is kept.",
    Pair.UNLIKE: "These rows are no pair: {unlike}. Take both with one interpreter: {other}. Where "
    "they differ again, the patch changes how much is asked (a Hypothesis profile, its settings): "
    "no patch is judged by what it wrote, so that change lands first, in a patch of its own",
}


def pair_of(base: SampleRow | None, candidate: SampleRow | None) -> Pair:
    """Return what two rows of one seed say; open where one of them is not taken yet."""
    if base is None or candidate is None:
        return Pair.OPEN
    if unlike_in(base, candidate):
        return Pair.UNLIKE
    return _PAIRS[base.outcome, candidate.outcome]


def unlike_in(base: SampleRow | None, candidate: SampleRow | None) -> str:
    """Return in words what two rows were not taken alike in, nothing where they were."""
    if base is None or candidate is None:
        return ""
    pairs = ((base.environment, candidate.environment), (base.settings, candidate.settings))
    return ", ".join(
        f"{name} is {left.get(name)} on the base and {right.get(name)} on the candidate"
        for left, right in pairs
        for name in sorted({*left, *right})
        if left.get(name) != right.get(name)
    )


def pair_next_step(pair: Pair, *, unlike: str, other: str, seeds: str, shrink: str) -> str:
    """Return the sentence that says what to do, with the command for it."""
    return _NEXT[pair].format(unlike=unlike, other=other, seeds=seeds, shrink=shrink)
