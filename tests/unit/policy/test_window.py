"""Table 5.2, the size of a window, and what is wrong with a window that is not whole."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from types import MappingProxyType

import pytest

from freezegate.errors import Unanswerable, UsageError
from freezegate.model.catalog import Property
from freezegate.model.digests import Sha256
from freezegate.model.evidence import Plan
from freezegate.model.ids import PropertyId, TestId
from freezegate.model.ledger import LineReason, LineStatus
from freezegate.model.paths import RepoPath
from freezegate.model.reasons import REASONS
from freezegate.model.run import EvidenceRun, RunOutcome, Side
from freezegate.policy.settings import EvidenceSettings
from freezegate.policy.window import judge_window, planned_order, refuse_more_runs, window_size
from freezegate.policy.window_faults import digests_match, window_faults

P, F = RunOutcome.PASS, RunOutcome.FAIL
FIXTURE = Sha256("a" * 64)
OTHER = Sha256("b" * 64)

HOLDS = (LineStatus.MERGE_OK, LineReason.PROPERTY_HOLDS)
STABLE = (LineStatus.BLOCK, LineReason.STABLE_VIOLATION)
CANDIDATE = (LineStatus.FREEZE_CANDIDATE, LineReason.INTERMITTENT)
DIVERGENT = (LineStatus.BLOCK, LineReason.DIVERGENT_SIGNATURES)
UNRESOLVED = (LineStatus.BLOCK, LineReason.UNRESOLVED)

# Table 5.2 by row of outcomes, number of different signatures, completeness.
TABLE = {
    ("all pass", 0, True): HOLDS,
    ("all pass", 0, False): UNRESOLVED,
    ("all fail", 1, True): STABLE,
    ("all fail", 1, False): UNRESOLVED,
    ("mixed", 1, True): CANDIDATE,
    ("mixed", 1, False): UNRESOLVED,
    ("all fail", 2, True): DIVERGENT,
    ("all fail", 2, False): DIVERGENT,
    ("mixed", 2, True): DIVERGENT,
    ("mixed", 2, False): DIVERGENT,
}


def row_of(outcomes: tuple[RunOutcome, ...]) -> str:
    """Name a row as the table does."""
    fails = outcomes.count(F)
    return "all pass" if not fails else "all fail" if fails == len(outcomes) else "mixed"


def signature_choices(fails: int) -> list[tuple[str, ...]]:
    """Every way in which failures have one signature or two."""
    return list(product("xy", repeat=fails))


@pytest.mark.parametrize("complete", [True, False])
def test_the_whole_table_for_up_to_four_runs_a_side(*, complete: bool) -> None:
    seen = set()
    for length in range(2, 9):
        for outcomes in product(RunOutcome, repeat=length):
            for signatures in signature_choices(outcomes.count(F)):
                key = (row_of(outcomes), len(set(signatures)), complete)
                answer = judge_window(outcomes, signatures, complete=complete)
                assert (answer.status, answer.reason) == TABLE[key], (outcomes, signatures)
                seen.add(key)
    assert seen == {key for key in TABLE if key[2] is complete}


@pytest.mark.parametrize(
    ("outcomes", "signatures"),
    [
        pytest.param((), (), id="no_run"),
        pytest.param((P,), (), id="one_run_that_passed"),
        pytest.param((F,), ("x",), id="one_run_that_failed"),
        pytest.param((P, F), (), id="failure_without_signature"),
        pytest.param((P, F, F), ("x",), id="fewer_signatures_than_failures"),
        pytest.param((P, F), ("x", "x"), id="more_signatures_than_failures"),
        pytest.param((P, F), ("x", "y"), id="more_signatures_and_different_ones"),
        pytest.param((P, P), ("x",), id="signature_of_no_failure"),
    ],
)
def test_what_the_table_has_no_row_for_is_unresolved(
    outcomes: tuple[RunOutcome, ...], signatures: tuple[str, ...]
) -> None:
    answer = judge_window(outcomes, signatures, complete=True)
    assert (answer.status, answer.reason) == UNRESOLVED


@pytest.mark.parametrize(
    ("outcomes", "signatures", "complete", "words"),
    [
        pytest.param((P, P), (), True, "keep the other gates", id="pass"),
        pytest.param((F, F), ("x", "x"), True, "regression lock", id="stable"),
        pytest.param((P, F), ("x",), True, "`--owner`", id="candidate"),
        pytest.param((P, F), ("x",), False, "run the same command again", id="incomplete"),
        pytest.param((F, F), ("x", "y"), True, "`--runs` may not be raised", id="divergent"),
        pytest.param((), (), True, "`freezegate witness`", id="none"),
    ],
)
def test_the_next_step_is_said(
    outcomes: tuple[RunOutcome, ...], signatures: tuple[str, ...], words: str, *, complete: bool
) -> None:
    assert words in judge_window(outcomes, signatures, complete=complete).next_step


# --- size


def settings(runs: int = 7, max_runs: int = 50, **tags: int) -> EvidenceSettings:
    """The policy's evidence table."""
    return EvidenceSettings(runs, max_runs, 120, 200, MappingProxyType(tags))


def entry(repeat: int = 2, *tags: str) -> Property:
    """A property whose number of runs and tags matter."""
    return Property(
        property_id=PropertyId("total.positive"),
        statement="The total is positive.",
        oracle=RepoPath("tests/oracle.py"),
        property_test=TestId("tests/oracle.py::test_total"),
        test=TestId("tests/test_a.py::test_a"),
        fixtures=(RepoPath("tests/a.json"),),
        repeat=repeat,
        tags=tags,
    )


@pytest.mark.parametrize(
    ("policy", "property_", "asked", "size"),
    [
        pytest.param(settings(), None, None, 7, id="policy_alone"),
        pytest.param(settings(), entry(2), None, 7, id="policy_is_larger"),
        pytest.param(settings(), entry(9), None, 9, id="catalogue_is_larger"),
        pytest.param(settings(clock=20), entry(9, "clock"), None, 20, id="tag_is_larger"),
        pytest.param(settings(clock=20), entry(9, "orders"), None, 9, id="tag_of_another"),
        pytest.param(settings(clock=3), entry(9, "clock"), None, 9, id="tag_is_smaller"),
        pytest.param(settings(a=8, b=11), entry(2, "a", "b"), None, 11, id="largest_of_the_tags"),
        pytest.param(settings(clock=20), None, None, 7, id="no_property_no_tag"),
        pytest.param(settings(), None, 7, 7, id="asked_the_same"),
        pytest.param(settings(), entry(9), 12, 12, id="asked_more"),
        pytest.param(settings(), None, 50, 50, id="asked_the_most"),
        pytest.param(settings(2, 2), None, None, 2, id="smallest_policy"),
    ],
)
def test_window_size(
    policy: EvidenceSettings, property_: Property | None, asked: int | None, size: int
) -> None:
    assert window_size(policy, property_, asked) == size


@pytest.mark.parametrize(
    ("policy", "property_", "asked", "words"),
    [
        pytest.param(settings(), None, 6, "[evidence] runs", id="lowers_the_policy"),
        pytest.param(settings(), entry(9), 8, "repeat of total.positive", id="lowers_the_entry"),
        pytest.param(settings(clock=20), entry(2, "clock"), 19, "clock", id="lowers_the_tag"),
        pytest.param(settings(), None, 51, "max_runs", id="beyond_the_most"),
        pytest.param(settings(), None, 0, "less than 7", id="none_at_all"),
        pytest.param(settings(), None, -1, "less than 7", id="fewer_than_none"),
    ],
)
def test_the_command_line_may_only_raise_the_size(
    policy: EvidenceSettings, property_: Property | None, asked: int, words: str
) -> None:
    with pytest.raises(UsageError) as error:
        window_size(policy, property_, asked)
    assert words in str(error.value)


@pytest.mark.parametrize("asked", [None, 50, 60])
def test_a_catalogue_beyond_max_runs_has_no_answer(asked: int | None) -> None:
    with pytest.raises(Unanswerable) as error:
        window_size(settings(), entry(51), asked)
    assert error.value.code == "runs.too_many"
    assert "repeat of total.positive" in error.value.got


@pytest.mark.parametrize(
    ("last", "size", "refused"),
    [
        pytest.param(LineReason.DIVERGENT_SIGNATURES, 8, True, id="more_after_divergence"),
        pytest.param(LineReason.DIVERGENT_SIGNATURES, 7, False, id="as_many_after_divergence"),
        pytest.param(LineReason.UNRESOLVED, 8, False, id="more_after_another_answer"),
    ],
)
def test_more_runs_do_not_answer_divergence(last: LineReason, size: int, *, refused: bool) -> None:
    if not refused:
        refuse_more_runs(last, before=7, size=size)
        return
    with pytest.raises(UsageError, match="isolate the runner"):
        refuse_more_runs(last, before=7, size=size)


# --- a whole window, and each way in which it is not


def plan(runs_per_side: int = 2) -> Plan:
    """A plan made a second before its first run."""
    return Plan(
        runs_per_side=runs_per_side,
        timeout_s=120,
        pythonhashseed=1,
        hypothesis_seed=None,
        planned_at="2026-11-30T09:59:59.000Z",
    )


def run(index: int, /, **changes: object) -> EvidenceRun:
    """A planned run: it lasts 900 ms, the next starts a second later, every third one fails."""
    fails = index % 3 == 0
    values: dict[str, object] = {
        "index": index,
        "side": Side.CANDIDATE if index % 2 else Side.BASE,
        "started_at": f"2026-11-30T10:00:{index:02}.000Z",
        "duration_ms": 900,
        "passed": not fails,
        "exit_status": int(fails),
        "collected": 1,
        "signature": "AssertionError | - | - | -" if fails else None,
        "sha256_before": FIXTURE,
        "sha256_after": FIXTURE,
    }
    return EvidenceRun(**values | changes)  # type: ignore[arg-type]  # values of many types


def window(*, runs_per_side: int = 2) -> list[EvidenceRun]:
    """A whole window."""
    return [run(index) for index in range(2 * runs_per_side)]


def replaced(row: int, **changes: object) -> Callable[[list[EvidenceRun]], None]:
    """Replace a run by one with other values."""

    def change(runs: list[EvidenceRun]) -> None:
        runs[row] = run(row, **changes)

    return change


def without(*rows: int) -> Callable[[list[EvidenceRun]], None]:
    """Leave runs out."""

    def change(runs: list[EvidenceRun]) -> None:
        runs[:] = [each for row, each in enumerate(runs) if row not in rows]

    return change


def reordered(*rows: int) -> Callable[[list[EvidenceRun]], None]:
    """List the runs in another order, or some of them twice."""

    def change(runs: list[EvidenceRun]) -> None:
        runs[:] = [runs[row] for row in rows]

    return change


def test_the_sides_are_planned_in_turn() -> None:
    base, candidate = Side.BASE, Side.CANDIDATE
    assert planned_order(2) == ((0, base), (1, candidate), (2, base), (3, candidate))


@pytest.mark.parametrize("runs_per_side", [2, 3, 7, 20])
def test_a_whole_window_has_no_fault(runs_per_side: int) -> None:
    runs = window(runs_per_side=runs_per_side)
    assert window_faults(plan(runs_per_side), runs, fixture=FIXTURE) == ()


def test_runs_that_touch_do_not_overlap() -> None:
    runs = [run(index, duration_ms=1000) for index in range(4)]
    assert window_faults(plan(), runs, fixture=FIXTURE) == ()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(without(0, 1, 2, 3), [("evidence.incomplete", "runs")], id="no_run"),
        pytest.param(without(3), [("evidence.incomplete", "runs")], id="the_last_is_not_there"),
        pytest.param(without(2, 3), [("evidence.incomplete", "runs")], id="half_is_not_there"),
        pytest.param(without(0), [("runs.counter_gap", "runs")], id="the_first_is_left_out"),
        pytest.param(without(1), [("runs.counter_gap", "runs")], id="a_middle_one_is_left_out"),
        pytest.param(
            without(1, 3),
            [("runs.counter_gap", "runs"), ("evidence.incomplete", "runs")],
            id="the_candidate_is_left_out",
        ),
        pytest.param(
            reordered(0, 1, 1, 2, 3),
            [("runs.same_run", "runs"), ("runs.same_run", "runs[2].started_at")],
            id="one_run_as_two",
        ),
        pytest.param(
            replaced(2, index=0),
            [
                ("runs.counter_gap", "runs"),
                ("runs.same_run", "runs"),
                ("evidence.mismatch", "runs"),
            ],
            id="one_number_twice",
        ),
        pytest.param(
            replaced(3, index=5),
            [("evidence.incomplete", "runs"), ("evidence.mismatch", "runs")],
            id="a_number_beyond_the_plan",
        ),
        pytest.param(
            lambda runs: runs.append(run(4)), [("evidence.mismatch", "runs")], id="one_run_more"
        ),
        pytest.param(
            reordered(0, 2, 1, 3),
            [("evidence.mismatch", "runs"), ("runs.not_isolated", "runs[2].started_at")],
            id="listed_in_another_order",
        ),
        pytest.param(
            replaced(1, side=Side.BASE), [("runs.not_isolated", "runs[1].side")], id="not_in_turn"
        ),
        pytest.param(
            replaced(1, started_at="2026-11-30T10:00:00.899Z"),
            [("runs.not_isolated", "runs[1].started_at")],
            id="starts_too_early",
        ),
        pytest.param(
            replaced(1, duration_ms=1001),
            [("runs.not_isolated", "runs[2].started_at")],
            id="ends_too_late",
        ),
        pytest.param(
            replaced(1, started_at="2026-11-30T10:00:00.000Z"),
            [("runs.same_run", "runs[1].started_at")],
            id="starts_at_the_same_time",
        ),
        pytest.param(
            replaced(0, started_at="2026-11-30T09:59:58.999Z"),
            [("evidence.mismatch", "plan.planned_at")],
            id="planned_after_the_first",
        ),
        pytest.param(
            replaced(2, sha256_before=OTHER),
            [("runs.fixture_drift", "runs[2].sha256_before")],
            id="other_bytes_before",
        ),
        pytest.param(
            replaced(2, sha256_after=OTHER),
            [("runs.fixture_drift", "runs[2].sha256_after")],
            id="other_bytes_after",
        ),
        pytest.param(
            replaced(1, exit_status=5),
            [("runs.exit_not_0_or_1", "runs[1].exit_status")],
            id="nothing_collected",
        ),
        pytest.param(
            replaced(1, exit_status=-9),
            [("runs.exit_not_0_or_1", "runs[1].exit_status")],
            id="killed",
        ),
        pytest.param(
            replaced(1, exit_status=1),
            [("runs.flag_contradicts_exit", "runs[1].passed")],
            id="passed_with_1",
        ),
        pytest.param(
            replaced(0, exit_status=0),
            [("runs.flag_contradicts_exit", "runs[0].passed")],
            id="failed_with_0",
        ),
        pytest.param(
            replaced(1, collected=0),
            [("runs.outcome_not_executed", "runs[1].collected")],
            id="collected_none",
        ),
        pytest.param(
            replaced(1, collected=2),
            [("test.not_single", "runs[1].collected")],
            id="collected_two",
        ),
        pytest.param(
            replaced(0, signature=None),
            [("evidence.incomplete", "runs[0].signature")],
            id="failed_without_signature",
        ),
        pytest.param(
            replaced(0, signature=""),
            [("evidence.incomplete", "runs[0].signature")],
            id="failed_with_empty_signature",
        ),
        pytest.param(
            replaced(1, signature="AssertionError"),
            [("evidence.mismatch", "runs[1].signature")],
            id="passed_with_signature",
        ),
    ],
)
def test_each_way_in_which_a_window_is_not_whole(
    change: Callable[[list[EvidenceRun]], None], expected: list[tuple[str, str]]
) -> None:
    runs = window()
    change(runs)
    faults = window_faults(plan(), runs, fixture=FIXTURE)
    assert [(fault.code, fault.about) for fault in faults] == expected
    assert {fault.code for fault in faults} <= set(REASONS)
    assert all(fault.got and fault.expected for fault in faults)


def test_many_missing_runs_are_one_fault_of_bounded_length() -> None:
    (fault, *_) = window_faults(plan(10_000), [run(0), run(0, index=19_999)], fixture=FIXTURE)
    assert fault.code == "runs.counter_gap"
    assert fault.got == "no run 1, 2, 3, 4, 5, 6, 7, 8 and 19990 more"


def test_digests_match_only_where_every_run_read_the_same_bytes() -> None:
    assert digests_match(window(), fixture=FIXTURE)
    assert not digests_match(window(), fixture=OTHER)
    assert not digests_match([*window(), run(4, sha256_after=OTHER)], fixture=FIXTURE)
    assert not digests_match([*window(), run(4, sha256_before=OTHER)], fixture=FIXTURE)
