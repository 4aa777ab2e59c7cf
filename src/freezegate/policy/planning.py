"""How many runs a flake needs before both sides are mixed (SPEC section 5, `plan`).

Exact whole-number arithmetic: a test that fails at a rate p, each run for itself, is mixed in n
runs with probability 1 - p^n - (1 - p)^n, and on both sides with the square of that. Real runs may
hang together, and a mixed window may still diverge: what stands here is the best case.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from freezegate.errors import UsageError
from freezegate.policy.window import MIN_RUNS

MAX_PLANNED_RUNS = 10_000  # as many as a ledger line can hold; no policy allows nearly so many
# No exponents and few digits: powers of long numbers take long.
_SHARE = re.compile(r"[0-9]{0,9}(?:\.[0-9]{1,12})?%?|[0-9]{1,9}/[0-9]{1,9}", re.ASCII)


class RunPlan(NamedTuple):
    """A plan: `runs` on each side, None where none up to `at_most` reach `power`.

    `reached` is the probability that both sides are mixed with `runs`, or with `at_most` where
    that is None; `note` says in words what a number alone would hide.
    """

    rate: Fraction
    power: Fraction
    at_most: int
    runs: int | None
    reached: Fraction
    note: str


def mixed_probability(rate: Fraction, runs: int) -> Fraction:
    """Return the probability that both sides pass and fail in `runs` runs each (0 for none)."""
    numerator, denominator = _one_side(rate, runs)
    return Fraction(numerator, denominator) ** 2


def runs_needed(rate: Fraction, power: Fraction, *, at_most: int) -> int | None:
    """Return the smallest number of runs on each side that reaches a power, 2 or more.

    None where not even `at_most` do. More runs never make it less probable, so halving finds it.
    """
    low, high = MIN_RUNS, at_most
    if high < low or not _reaches(rate, power, high):
        return None
    while low < high:
        middle = (low + high) // 2
        if _reaches(rate, power, middle):
            high = middle
        else:
            low = middle + 1
    return low


def plan_runs(rate: Fraction, power: Fraction, *, at_most: int) -> RunPlan:
    """Return the plan for a flake of a rate; `at_most` is the policy's max_runs, or larger.

    Raises UsageError where `at_most` is beyond MAX_PLANNED_RUNS, or rate or power no probability.
    """
    for name, value in (("--rate", rate), ("--power", power)):
        if not 0 <= value <= 1:
            msg = f"{name} {value} is no probability; it lies between 0 and 1"
            raise UsageError(msg)
    if not MIN_RUNS <= at_most <= MAX_PLANNED_RUNS:
        msg = f"{at_most} runs on each side; a plan has {MIN_RUNS} to {MAX_PLANNED_RUNS}"
        raise UsageError(msg)
    runs = runs_needed(rate, power, at_most=at_most)
    reached = mixed_probability(rate, at_most if runs is None else runs)
    note = _note(rate, power, runs, at_most, reached)
    return RunPlan(rate, power, at_most, runs, reached, note)


def parse_share(text: str, option: str) -> Fraction:
    """Return the exact number between 0 and 1 that `0.1`, `10%` or `1/10` says.

    Raises UsageError, naming the option.
    """
    if _SHARE.fullmatch(text) and text not in ("", "%"):
        above, _, below = text.removesuffix("%").partition("/")
        whole = int(below or 1) * (100 if text.endswith("%") else 1)
        if 0 <= Fraction(above) <= whole and whole:
            return Fraction(above) / whole
    msg = f"{option} {text[:40]!a} is no number between 0 and 1; write 0.1, 10% or 1/10"
    raise UsageError(msg)


def shown_share(share: Fraction) -> str:
    """Return a probability as percent, never 0 % or 100 % where it is not exactly that."""
    if share in (0, 1):
        return f"{int(share) * 100} %"
    if share < Fraction(1, 1000):
        return "less than 0.1 %"
    if share > Fraction(999, 1000):
        return "more than 99.9 %"
    percent = share * 100
    digits = 1 if percent < 10 or percent > 99 else 0
    return f"{float(round(percent, digits)):.{digits}f} %"


def _one_side(rate: Fraction, runs: int) -> tuple[int, int]:
    """Return the probability that one side is mixed, as numerator and denominator."""
    if runs < 1:
        return 0, 1
    fails, whole = rate.numerator, rate.denominator
    total: int = whole**runs
    return total - fails**runs - (whole - fails) ** runs, total


def _reaches(rate: Fraction, power: Fraction, runs: int) -> bool:
    numerator, denominator = _one_side(rate, runs)
    return numerator**2 * power.denominator >= power.numerator * denominator**2


def _note(
    rate: Fraction, power: Fraction, runs: int | None, at_most: int, reached: Fraction
) -> str:
    if rate == 0:
        return "A test that never fails is never mixed: there is nothing to freeze."
    if rate == 1:
        return "A test that always fails is never mixed: it is broken, not flaky. Repair it."
    if power == 1:
        return "No number of runs makes it certain that both sides are mixed."
    if runs is None:
        return (
            f"Even {at_most} runs on each side are both mixed in {shown_share(reached)} of the "
            "windows only: a failure as rare as that stays red or goes to a human, which is meant "
            "so."
        )
    return (
        f"With {runs} runs on each side both are mixed in {shown_share(reached)} of the windows, "
        "if runs do not influence each other."
    )
