"""Table 5.1, enumerated whole for up to four runs on each side."""

from __future__ import annotations

import re
from itertools import product

import pytest

from freezegate.model.ledger import LineReason, LineStatus, VarianceClass
from freezegate.model.run import RunOutcome
from freezegate.policy.variance import judge_variance, missing_fixture, refusal_code, variance_class

P, F = RunOutcome.PASS, RunOutcome.FAIL
BLOCK = LineStatus.BLOCK
Row = tuple[RunOutcome, ...]

ROWS: tuple[Row, ...] = tuple(row for n in range(5) for row in product(RunOutcome, repeat=n))

# (base, candidate) by the names of the table; what is not there is `unresolved`.
CLASSES = {
    ("pass", "pass"): VarianceClass.PASS,
    ("pass", "fail"): VarianceClass.DETERMINISTIC_MISS,
    ("pass", "mixed"): VarianceClass.SEED_UNSTABLE,
    ("mixed", "mixed"): VarianceClass.ENV_UNSTABLE,
}
# (class, several signatures, complete) -> freeze, status, reason; the last two only where no
# other answer depends on them.
ANSWERS = {
    VarianceClass.FIXTURE_DRIFT: (False, BLOCK, LineReason.FIXTURE_DRIFT),
    VarianceClass.PASS: (False, LineStatus.MERGE_OK, LineReason.PROPERTY_HOLDS),
    VarianceClass.DETERMINISTIC_MISS: (False, BLOCK, LineReason.STABLE_VIOLATION),
    VarianceClass.SEED_UNSTABLE: (False, BLOCK, LineReason.SEED_UNSTABLE),
    VarianceClass.UNRESOLVED: (False, BLOCK, LineReason.UNRESOLVED),
}
ENV_ANSWERS = {
    (False, True): (True, LineStatus.FREEZE_CANDIDATE, LineReason.INTERMITTENT),
    (False, False): (False, BLOCK, LineReason.UNRESOLVED),
    (True, True): (False, BLOCK, LineReason.DIVERGENT_SIGNATURES),
    (True, False): (False, BLOCK, LineReason.DIVERGENT_SIGNATURES),
}
# The verbs of SPEC section 9: a next step names no other.
VERBS = """
    init install doctor catalog lock domain witness sample shrink replay classify freeze ledger
    check hook review log plan brief explain demo
"""


def named(row: Row) -> str:
    """Name a row as the table does."""
    if len(row) < 2:
        return "too few"
    fails = row.count(F)
    return "pass" if not fails else "fail" if fails == len(row) else "mixed"


def expected_class(base: Row, candidate: Row, *, match: bool) -> VarianceClass:
    """Look the class up in the table."""
    if not match:
        return VarianceClass.FIXTURE_DRIFT
    return CLASSES.get((named(base), named(candidate)), VarianceClass.UNRESOLVED)


@pytest.mark.parametrize("match", [True, False], ids=["match", "mismatch"])
def test_every_pair_of_rows_has_the_class_of_the_table(*, match: bool) -> None:
    seen = set()
    for base, candidate in product(ROWS, ROWS):
        found = variance_class(base, candidate, digests_match=match)
        assert found is expected_class(base, candidate, match=match), (base, candidate)
        seen.add(found)
    drift = {VarianceClass.FIXTURE_DRIFT}
    assert seen == (set(VarianceClass) - drift if match else drift)


@pytest.mark.parametrize("match", [True, False], ids=["match", "mismatch"])
@pytest.mark.parametrize("complete", [True, False], ids=["complete", "incomplete"])
@pytest.mark.parametrize("several", [False, True], ids=["one_signature", "several_signatures"])
def test_every_pair_of_rows_has_the_answer_of_the_tables(
    *, match: bool, complete: bool, several: bool
) -> None:
    for base, candidate in product(ROWS, ROWS):
        fails = (base + candidate).count(F)
        if several and fails < 2:
            continue
        signatures = ("y",) * several + ("x",) * (fails - several)
        expected = expected_class(base, candidate, match=match)
        if expected is VarianceClass.ENV_UNSTABLE:
            answer = ENV_ANSWERS[several, complete]
        else:
            if not complete and match:
                expected = VarianceClass.UNRESOLVED
            answer = ANSWERS[expected]
        found = judge_variance(
            base, candidate, digests_match=match, signatures=signatures, complete=complete
        )
        assert found[:4] == (expected, *answer), (base, candidate)
        assert found.may_freeze is (found.status is LineStatus.FREEZE_CANDIDATE)


@pytest.mark.parametrize(
    ("base", "candidate", "expected"),
    [
        pytest.param((), (), VarianceClass.UNRESOLVED, id="no_runs"),
        pytest.param((P,), (P,), VarianceClass.UNRESOLVED, id="one_run_each"),
        pytest.param((P, P), (F,), VarianceClass.UNRESOLVED, id="one_run_of_the_candidate"),
        pytest.param((), (P, F), VarianceClass.UNRESOLVED, id="candidate_alone"),
        pytest.param((F, F), (P, P), VarianceClass.UNRESOLVED, id="the_patch_repairs_it"),
        pytest.param((F, F), (F, F), VarianceClass.UNRESOLVED, id="red_before_the_patch"),
        pytest.param((P, F), (F, F), VarianceClass.UNRESOLVED, id="worse_than_before"),
        pytest.param((P, F), (P, P), VarianceClass.UNRESOLVED, id="better_than_before"),
        pytest.param((F, F), (P, F), VarianceClass.UNRESOLVED, id="red_became_a_flake"),
    ],
)
def test_anything_else_is_unresolved(base: Row, candidate: Row, expected: VarianceClass) -> None:
    assert variance_class(base, candidate, digests_match=True) is expected


@pytest.mark.parametrize("signatures", [(), ("x",), ("x", "x", "x")])
def test_failures_without_their_signatures_are_no_freeze(signatures: tuple[str, ...]) -> None:
    found = judge_variance((P, F), (P, F), digests_match=True, signatures=signatures, complete=True)
    assert found[:4] == (VarianceClass.ENV_UNSTABLE, False, BLOCK, LineReason.UNRESOLVED)


def test_next_steps_name_commands_that_exist() -> None:
    steps = {missing_fixture("tests/a.json").next_step}
    for base, candidate, match, complete in product(ROWS, ROWS, (True, False), (True, False)):
        fails = (base + candidate).count(F)
        for signatures in (("x",) * fails, tuple(f"x{n}" for n in range(fails))):
            found = judge_variance(
                base, candidate, digests_match=match, signatures=signatures, complete=complete
            )
            steps.add(found.next_step)
    commands = [c for step in steps for c in re.findall(r"`freezegate ([a-z]+)", step)]
    assert len(steps) == 11
    assert set(commands) <= set(VERBS.split())
    assert all(step[0].isupper() or step.startswith("tests/") for step in steps)
    assert all(step.endswith(".") for step in steps)


def test_a_missing_fixture_blocks() -> None:
    answer = missing_fixture("tests/a.json")
    assert (answer.status, answer.reason) == (BLOCK, LineReason.MISSING_FIXTURE)
    assert "tests/a.json" in answer.next_step
    assert "correct the entry" in answer.next_step


@pytest.mark.parametrize(
    ("reason", "candidate", "code"),
    [
        pytest.param(LineReason.FIXTURE_DRIFT, (P, F), "runs.fixture_drift", id="drift"),
        pytest.param(
            LineReason.DIVERGENT_SIGNATURES, (P, F), "runs.divergent_signatures", id="several"
        ),
        pytest.param(LineReason.PROPERTY_HOLDS, (P, P), "runs.no_disagreement", id="holds"),
        pytest.param(LineReason.STABLE_VIOLATION, (F, F), "runs.no_disagreement", id="miss"),
        pytest.param(LineReason.SEED_UNSTABLE, (P, F), "runs.no_base_disagreement", id="seed"),
        pytest.param(LineReason.UNRESOLVED, (F, F), "runs.no_disagreement", id="steady_candidate"),
        pytest.param(LineReason.UNRESOLVED, (P, F), "runs.no_base_disagreement", id="mixed"),
    ],
)
def test_a_refusal_says_which_runs_agree(
    reason: LineReason, candidate: tuple[RunOutcome, ...], code: str
) -> None:
    assert refusal_code(reason, candidate) == code


def test_a_test_that_always_fails_is_an_older_bug() -> None:
    answer = judge_variance(
        (F, F), (F, F), digests_match=True, signatures=("x",) * 4, complete=True
    )
    assert "older than the patch" in answer.next_step
