"""How many runs a flake needs, against SPEC's figures, the binomials' sum, and a simulation."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from math import comb

import pytest

from freezegate.errors import UsageError
from freezegate.policy.planning import (
    MAX_PLANNED_RUNS,
    mixed_probability,
    parse_share,
    plan_runs,
    runs_needed,
    shown_share,
)

TENTH = Fraction(1, 10)


@pytest.mark.parametrize(
    ("runs", "shown"), [(2, "3.2 %"), (7, "27 %"), (20, "77 %")], ids=["N=2", "N=7", "N=20"]
)
def test_the_figures_of_the_specification(runs: int, shown: str) -> None:
    assert shown_share(mixed_probability(TENTH, runs)) == shown


def test_the_specification_s_example() -> None:
    plan = plan_runs(TENTH, Fraction(4, 5), at_most=50)
    assert plan.runs == 22
    assert mixed_probability(TENTH, 21) < Fraction(4, 5) <= plan.reached
    assert plan.reached == mixed_probability(TENTH, 22)
    assert "22 runs on each side" in plan.note


def sum_of_binomials(rate: Fraction, runs: int) -> Fraction:
    """Add up every number of failures that leaves a side mixed."""
    side = sum(
        (comb(runs, k) * rate**k * (1 - rate) ** (runs - k) for k in range(1, runs)), Fraction()
    )
    return side * side


@pytest.mark.parametrize("rate", ["0", "1/1000", "0.1", "1/3", "0.5", "0.9", "1"])
@pytest.mark.parametrize("runs", [0, 1, 2, 3, 7, 20])
def test_the_formula_is_the_sum_of_its_binomials(rate: str, runs: int) -> None:
    assert mixed_probability(Fraction(rate), runs) == sum_of_binomials(Fraction(rate), runs)


@pytest.mark.parametrize(("rate", "runs"), [(0.1, 2), (0.1, 7), (0.1, 20), (0.5, 3), (0.3, 7)])
def test_a_simulation_sees_the_same(rate: float, runs: int) -> None:
    dice, windows = random.Random(20261130), 20_000  # noqa: S311 - not for secrets

    def is_mixed() -> bool:
        fails = sum(dice.random() < rate for _ in range(runs))
        return 0 < fails < runs

    both = sum(is_mixed() and is_mixed() for _ in range(windows)) / windows
    exact = float(mixed_probability(Fraction(str(rate)), runs))
    four_deviations = 4 * (exact * (1 - exact) / windows) ** 0.5
    assert abs(both - exact) < four_deviations


@pytest.mark.parametrize("rate", ["1/1000", "0.05", "0.1", "0.5", "0.9"])
@pytest.mark.parametrize("power", ["0", "0.1", "0.5", "0.8", "0.99"])
def test_halving_finds_the_smallest(rate: str, power: str) -> None:
    share, asked = Fraction(rate), Fraction(power)
    enough = (n for n in range(2, 101) if mixed_probability(share, n) >= asked)
    assert runs_needed(share, asked, at_most=100) == next(enough, None)


def test_a_flake_and_its_mirror_need_the_same() -> None:
    for rate, runs in product(("0.01", "0.2", "0.5"), (2, 7, 20)):
        share = Fraction(rate)
        assert mixed_probability(share, runs) == mixed_probability(1 - share, runs)


@pytest.mark.parametrize(
    ("rate", "power", "at_most", "words"),
    [
        pytest.param("0", "0.8", 50, "never fails", id="never_fails"),
        pytest.param("1", "0.8", 50, "always fails", id="always_fails"),
        pytest.param("0.1", "1", 50, "certain", id="asks_for_certainty"),
        pytest.param("0.001", "0.8", 50, "Even 50 runs", id="too_rare_for_the_policy"),
        pytest.param("0.000001", "0.8", MAX_PLANNED_RUNS, "less than 0.1 %", id="too_rare_at_all"),
        pytest.param("0.1", "0.8", 21, "Even 21 runs", id="one_run_short"),
    ],
)
def test_what_no_number_of_runs_reaches_is_said(
    rate: str, power: str, at_most: int, words: str
) -> None:
    plan = plan_runs(Fraction(rate), Fraction(power), at_most=at_most)
    assert plan.runs is None
    assert plan.reached == mixed_probability(Fraction(rate), at_most) < Fraction(power)
    assert words in plan.note


@pytest.mark.parametrize(
    ("rate", "power", "at_most"),
    [
        pytest.param(Fraction(-1, 10), TENTH, 50, id="rate_below"),
        pytest.param(Fraction(11, 10), TENTH, 50, id="rate_above"),
        pytest.param(TENTH, Fraction(-1, 10), 50, id="power_below"),
        pytest.param(TENTH, Fraction(11, 10), 50, id="power_above"),
        pytest.param(TENTH, TENTH, 1, id="a_single_run"),
        pytest.param(TENTH, TENTH, MAX_PLANNED_RUNS + 1, id="too_many"),
    ],
)
def test_what_is_no_plan_is_refused(rate: Fraction, power: Fraction, at_most: int) -> None:
    with pytest.raises(UsageError):
        plan_runs(rate, power, at_most=at_most)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("0.1", TENTH),
        (".1", TENTH),
        ("10%", TENTH),
        ("1/10", TENTH),
        ("0", Fraction(0)),
        ("1", Fraction(1)),
        ("100%", Fraction(1)),
        ("0.5%", Fraction(1, 200)),
        ("3/3", Fraction(1)),
    ],
)
def test_a_share_is_read_exactly(text: str, share: Fraction) -> None:
    assert parse_share(text, "--rate") == share


def shown(text: str) -> str:
    """A test id that is short."""
    return ascii(text[:20])


NO_SHARES = """
    % -0.1 1.1 101% 1e-3 1/0 0/0 2/1 nan 1_0% /2 1/ 0.1/2 0.1111111111111 1234567890 \u0660 0x1
"""


@pytest.mark.parametrize(
    "text", ["", "0.1\n", " 0.1", "10 %", "9" * 5000, *NO_SHARES.split()], ids=shown
)
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"^--rate "):
        parse_share(text, "--rate")


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (Fraction(0), "0 %"),
        (Fraction(1), "100 %"),
        (Fraction(1, 10**9), "less than 0.1 %"),
        (1 - Fraction(1, 10**9), "more than 99.9 %"),
        (Fraction(1, 1000), "0.1 %"),
        (Fraction(999, 1000), "99.9 %"),
        (Fraction(1, 3), "33 %"),
        (Fraction(9_996, 10_000), "more than 99.9 %"),
    ],
)
def test_a_share_is_shown_honestly(share: Fraction, shown: str) -> None:
    assert shown_share(share) == shown
