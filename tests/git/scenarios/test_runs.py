"""Corpus group `runs`, as far as a record alone shows it: runs that prove nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.git.scenarios.asking import assert_accepted, assert_refused
from tests.support import RUNS, Story

PASSED, FAILED = dict(RUNS[0]), dict(RUNS[1])


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param([FAILED, FAILED], id="a072_both_failed"),
        pytest.param([PASSED, PASSED], id="a072_both_passed"),
        pytest.param([FAILED] * 7, id="a072_seven_failed"),
    ],
)
def test_a072_runs_that_agree(shop: Story, runs: list[dict[str, Any]]) -> None:
    shop.patch().request(runs=runs).write(shop.root)
    assert_refused(shop, "runs.no_disagreement")


def disagreement(shop: Story, *changes: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the honest pair of runs with changes of single values."""
    pair = shop.patch().request().record["disagreement"]
    return [run | change for run, change in zip(pair, changes, strict=True)]


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        pytest.param({}, {"index": 0}, "runs.same_run", id="a073_one_index"),
        pytest.param(
            {}, {"started_at": PASSED["started_at"]}, "runs.same_run", id="a073_one_starting_time"
        ),
        pytest.param({}, {"exit_status": 5}, "runs.exit_not_0_or_1", id="a075_none_collected"),
        pytest.param({}, {"exit_status": 2}, "runs.exit_not_0_or_1", id="a076_interrupted"),
        pytest.param({}, {"exit_status": 137}, "runs.exit_not_0_or_1", id="a076_killed"),
        pytest.param({}, {"exit_status": -9}, "runs.exit_not_0_or_1", id="a076_signal"),
        pytest.param({}, {"exit_status": 124}, "runs.exit_not_0_or_1", id="a076_timeout"),
        pytest.param({"collected": 0}, {}, "runs.outcome_not_executed", id="a079_nothing_ran"),
        pytest.param({"collected": 6}, {}, "test.not_single", id="a064_six_collected"),
        pytest.param(
            {"exit_status": 1}, {}, "runs.flag_contradicts_exit", id="passed_with_status_one"
        ),
        pytest.param(
            {}, {"exit_status": 0}, "runs.flag_contradicts_exit", id="failed_with_status_zero"
        ),
        pytest.param({"fixture_sha256": "0" * 64}, {}, "runs.fixture_drift", id="a081_drift"),
        pytest.param(
            {"duration_ms": 5000}, {"duration_ms": 1}, "runs.not_isolated", id="a082_overlapping"
        ),
        pytest.param(
            {}, {"started_at": "2025-12-31T23:59:59.000Z"}, "runs.not_isolated", id="a082_reversed"
        ),
        pytest.param(
            {"started_at": "9999-12-31T23:59:59.999Z", "duration_ms": 2**53 - 1},
            {},
            "runs.not_isolated",
            id="a082_at_the_end_of_time",
        ),
        pytest.param({}, {"signature": "Other"}, "evidence.mismatch", id="another_signature"),
    ],
)
def test_a073_to_a082_runs_that_are_no_observation(
    shop: Story, first: dict[str, Any], second: dict[str, Any], code: str
) -> None:
    runs = disagreement(shop, first, second)
    shop.request(record={"disagreement": runs}).write(shop.root)
    assert_refused(shop, code)


def test_a084_divergent_signatures(shop: Story) -> None:
    other = FAILED | {"signature": "TimeoutError", "started_at": "2026-01-01T00:00:02.000Z"}
    shop.patch().request(runs=[PASSED, FAILED, other]).write(shop.root)
    assert_refused(shop, "runs.divergent_signatures")


def test_a085_a_line_whose_base_never_wavered(shop: Story) -> None:
    line = {
        "base_runs": ["pass", "pass"],
        "runs": 4,
        "passes": 3,
        "class": "seed_unstable",
    }
    shop.patch().request(line=line).write(shop.root)
    assert_refused(shop, "runs.no_base_disagreement")


@pytest.mark.parametrize(
    ("key", "value"), [("runs", 3), ("passes", 2), ("fails", 0), ("fail_signatures", [])]
)
def test_counts_that_contradict_the_runs(shop: Story, key: str, value: object) -> None:
    shop.patch().request(line={key: value}).write(shop.root)
    assert_refused(shop, "ledger.bad_row")


def test_more_runs_than_the_policy_allows(shop: Story) -> None:
    runs = [PASSED | {"started_at": f"2026-01-01T00:01:{i:02}.000Z"} for i in range(50)]
    shop.patch().request(runs=[*RUNS, *runs]).write(shop.root)
    assert_refused(shop, "runs.too_many")


def test_three_runs_with_one_failure_are_honest(shop: Story) -> None:
    third = PASSED | {"started_at": "2026-01-01T00:00:02.000Z"}
    shop.patch().request(runs=[FAILED, PASSED | {"started_at": None}, third]).write(shop.root)
    text = shop.read(".freeze/record.json").replace(b'"started_at": null', b'"duration_ms": 1')
    shop.write(".freeze/record.json", text)
    assert_accepted(shop)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({"index": 1}, {"index": 0}, id="the_other_order"),
        pytest.param({"index": 0}, {"index": 7}, id="beyond_the_window"),
        pytest.param({"index": 76}, {"index": 77}, id="another_window"),
    ],
)
def test_runs_that_the_ledger_line_does_not_have(
    shop: Story, first: dict[str, Any], second: dict[str, Any]
) -> None:
    shop.patch()
    record = shop.request().record["disagreement"]
    changed = [
        {k: v for k, v in (run | change).items() if k != "started_at"}
        for run, change in zip(record, (first, second), strict=True)
    ]
    shop.request(record={"disagreement": changed}).write(shop.root)
    assert_refused(shop, "evidence.mismatch")


def test_runs_counted_from_one_are_honest(shop: Story) -> None:
    pair = disagreement(shop, {"index": 1}, {"index": 2})
    shop.request(record={"disagreement": pair}).write(shop.root)
    assert_accepted(shop)
