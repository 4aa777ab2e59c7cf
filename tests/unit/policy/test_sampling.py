"""What two rows of one seed say: the table is enumerated whole."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest

from freezegate.formats.sample import dump_sample, parse_sample
from freezegate.model.digests import Blake3, ObjectId
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.run import RunOutcome, Side
from freezegate.model.sample import SampleKey, SampleRow
from freezegate.policy.sampling import Pair, pair_next_step, pair_of, unlike_in

P, F = RunOutcome.PASS, RunOutcome.FAIL
KEY = SampleKey(
    property_id=PropertyId("order_total.non_negative"),
    seed=14021,
    side=Side.BASE,
    base_rev=ObjectId("1" * 40),
    candidate_rev=None,
    property_test=TestId("tests/test_props.py::test_total"),
    oracle_blob=ObjectId("2" * 40),
    domain_digest=Blake3("blake3:" + "3" * 64),
)


def row(outcome: RunOutcome | None) -> SampleRow | None:
    """A row of an outcome, None for none."""
    if outcome is None:
        return None
    return SampleRow(
        key=KEY,
        outcome=outcome,
        signature="E",
        signatures=("E",),
        message="assert \u200b\ud800 > 1".encode("utf-8", "replace").decode(),
        arguments={"order": {"lines": [1]}},
        problem=None,
        from_pytest=("tmp_path",),
        calls=100,
        rejected=3,
        settings={"max_examples": "100"},
        environment={"python": "3.12.1", "hypothesis": "6.130"},
        started_at="2026-11-30T10:00:00.000Z",
        duration_ms=7,
    )


TABLE = {
    (P, P): Pair.BOTH_PASS,
    (P, F): Pair.CANDIDATE_ONLY,
    (F, P): Pair.BASE_ONLY,
    (F, F): Pair.BOTH_FAIL,
}


@pytest.mark.parametrize(("base", "candidate"), [*itertools.product((P, F, None), repeat=2)])
def test_the_pair_of_two_rows(base: RunOutcome | None, candidate: RunOutcome | None) -> None:
    expected = Pair.OPEN if base is None or candidate is None else TABLE[base, candidate]
    assert pair_of(row(base), row(candidate)) is expected


@pytest.mark.parametrize("pair", Pair)
def test_only_a_miss_of_the_candidate_alone_leads_to_shrinking(pair: Pair) -> None:
    step = pair_next_step(pair, unlike="", other="OTHER", seeds="SEEDS", shrink="SHRINK")
    assert ("SHRINK" in step) is (pair is Pair.CANDIDATE_ONLY)
    assert ("OTHER" in step) is (pair in (Pair.OPEN, Pair.UNLIKE))


def test_a_row_is_read_as_it_was_written() -> None:
    kept = row(F)
    assert kept is not None
    assert parse_sample(dump_sample(kept)) == kept


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"settings": {"max_examples": "1"}}, "max_examples is 100 on the base and 1 on the"),
        ({"environment": {"python": "3.13.0", "hypothesis": "6.130"}}, "python is 3.12.1 on the"),
        ({"environment": {"python": "3.12.1"}}, "hypothesis is 6.130 on the base and None on"),
    ],
)
def test_rows_that_were_taken_otherwise_are_no_pair(more: dict[str, Any], expected: str) -> None:
    base, candidate = row(P), row(F)
    assert candidate is not None
    assert unlike_in(base, candidate) == ""
    other = replace(candidate, **more)
    assert pair_of(base, other) is Pair.UNLIKE
    assert unlike_in(base, other).startswith(expected)


def _edited(**more: object) -> bytes:
    kept = row(F)
    assert kept is not None
    document = {**json.loads(dump_sample(kept)), **more}
    return (json.dumps(document, indent=2, sort_keys=True) + "\n").encode()


EDITED = {
    "arguments_in_a_list": {"arguments": [1]},
    "arguments_in_a_text": {"arguments": "x"},
    "a_float": {"arguments": {"order": 1.5}},
    "no_number": {"arguments": {"order": float("nan")}},
    "a_number_that_json_does_not_keep": {"arguments": {"order": 2**60}},
    "a_lone_surrogate": {"arguments": {"order": "\ud800"}},
    "a_problem_that_is_no_text": {"problem": 3},
    "a_signature_that_is_no_text": {"signature": 3},
    "calls_in_a_text": {"calls": "100"},
    "more_than_a_row_has": {"more": 1},
}


@pytest.mark.parametrize("edit", EDITED.values(), ids=EDITED)
def test_a_row_that_nobody_writes_so_is_none(edit: dict[str, object]) -> None:
    assert parse_sample(_edited()) == row(F)
    assert parse_sample(_edited(**edit)) is None


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b'{"schema": "freezegate/sample/v1"}', b"\xff"]
)
def test_what_is_no_row_is_none(data: bytes) -> None:
    assert parse_sample(data) is None
