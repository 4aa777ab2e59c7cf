"""Laws of the decision tables, of windows and of signatures."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from freezegate.formats.fields import MAX_SIGNATURE_CHARS
from freezegate.model.digests import Sha256
from freezegate.model.evidence import Plan
from freezegate.model.ledger import LineStatus, VarianceClass
from freezegate.model.observation import Failure, Frame
from freezegate.model.paths import is_hidden_character
from freezegate.model.reasons import REASONS
from freezegate.model.run import EvidenceRun, RunOutcome, Side
from freezegate.policy.messages import Folders
from freezegate.policy.signatures import fail_signature
from freezegate.policy.variance import Variance, judge_variance, variance_class
from freezegate.policy.window import judge_window, planned_order
from freezegate.policy.window_faults import window_faults

PASS, FAIL = RunOutcome.PASS, RunOutcome.FAIL
FIXTURE, OTHER = Sha256("a" * 64), Sha256("b" * 64)
_laws = settings(deadline=None, derandomize=True, database=None, max_examples=200)
_rows = st.lists(st.sampled_from(RunOutcome), max_size=12).map(tuple)


class Rows(NamedTuple):
    """All that the tables look at."""

    base: tuple[RunOutcome, ...]
    candidate: tuple[RunOutcome, ...]
    signatures: tuple[str, ...]
    match: bool
    complete: bool

    def judged(self) -> Variance:
        """The answer of the tables."""
        return judge_variance(
            self.base,
            self.candidate,
            digests_match=self.match,
            signatures=self.signatures,
            complete=self.complete,
        )


@st.composite
def rows(draw: st.DrawFn) -> Rows:
    """Rows of two sides, with a signature for each failing run: all equal, or of two kinds."""
    base, candidate = draw(_rows), draw(_rows)
    fails = (*base, *candidate).count(FAIL)
    names = st.sampled_from(draw(st.sampled_from(["x", "xy"])))
    signatures = draw(st.lists(names, min_size=fails, max_size=fails))
    return Rows(base, candidate, tuple(signatures), draw(st.booleans()), draw(st.booleans()))


@_laws
@given(rows(), st.data())
def test_order_within_a_side_never_matters(given_rows: Rows, data: st.DataObject) -> None:
    shuffled = given_rows._replace(
        base=tuple(data.draw(st.permutations(given_rows.base))),
        candidate=tuple(data.draw(st.permutations(given_rows.candidate))),
        signatures=tuple(data.draw(st.permutations(given_rows.signatures))),
    )
    assert shuffled.judged() == given_rows.judged()


@_laws
@given(rows(), st.sampled_from(Side), st.sampled_from("xy"))
def test_a_failing_run_more_never_frees_a_stable_failure(
    given_rows: Rows, side: Side, signature: str
) -> None:
    for base, candidate in (
        (given_rows.base, (FAIL,) * len(given_rows.candidate)),
        ((FAIL,) * len(given_rows.base), given_rows.candidate),
    ):
        more = (*base, FAIL) if side is Side.BASE else base
        most = (*candidate, FAIL) if side is Side.CANDIDATE else candidate
        signatures = (signature,) * (*more, *most).count(FAIL)
        after = given_rows._replace(base=more, candidate=most, signatures=signatures)
        assert not after.judged().may_freeze
        stable = judge_window((FAIL,) * len(signatures), signatures, complete=True)
        assert stable.status is LineStatus.BLOCK


@_laws
@given(rows())
def test_each_input_has_exactly_one_class(given_rows: Rows) -> None:
    base, candidate, _, match, _ = given_rows
    holds = {
        VarianceClass.FIXTURE_DRIFT: not match,
        VarianceClass.PASS: is_all(PASS, base) and is_all(PASS, candidate),
        VarianceClass.DETERMINISTIC_MISS: is_all(PASS, base) and is_all(FAIL, candidate),
        VarianceClass.SEED_UNSTABLE: is_all(PASS, base) and is_mixed(candidate),
        VarianceClass.ENV_UNSTABLE: is_mixed(base) and is_mixed(candidate),
    }
    if not match:
        holds = {VarianceClass.FIXTURE_DRIFT: True}
    found = [variance for variance, fits in holds.items() if fits]
    assert [variance_class(base, candidate, digests_match=match)] == (
        found or [VarianceClass.UNRESOLVED]
    )


def is_all(outcome: RunOutcome, row: tuple[RunOutcome, ...]) -> bool:
    """Say whether two or more runs all had one outcome."""
    return len(row) >= 2 and set(row) == {outcome}


def is_mixed(row: tuple[RunOutcome, ...]) -> bool:
    """Say whether both outcomes occur."""
    return len(set(row)) == 2


@_laws
@given(rows())
def test_a_freeze_is_possible_only_with_all_that_the_tables_ask(given_rows: Rows) -> None:
    asked = (
        given_rows.match
        and given_rows.complete
        and is_mixed(given_rows.base)
        and is_mixed(given_rows.candidate)
        and len(set(given_rows.signatures)) == 1
    )
    found = given_rows.judged()
    assert found.may_freeze is asked
    assert asked is (found.status is LineStatus.FREEZE_CANDIDATE)


@_laws
@given(rows())
def test_what_was_not_observed_or_differs_never_helps(given_rows: Rows) -> None:
    if given_rows.judged().status is LineStatus.BLOCK:
        for worse in (given_rows._replace(complete=False), given_rows._replace(match=False)):
            assert worse.judged().status is LineStatus.BLOCK
    else:
        assert given_rows.match
        assert given_rows.complete


# --- windows


def time_of(milliseconds: int) -> str:
    """A time within an hour, in the form of the evidence."""
    minutes, rest = divmod(milliseconds, 60_000)
    return f"2026-11-30T10:{minutes:02}:{rest // 1000:02}.{rest % 1000:03}Z"


@st.composite
def whole_windows(draw: st.DrawFn) -> tuple[Plan, tuple[EvidenceRun, ...]]:
    """A plan and the window that was made by it."""
    runs_per_side = draw(st.integers(2, 8))
    clock, runs = draw(st.integers(0, 5000)), []
    plan = Plan(
        runs_per_side=runs_per_side,
        timeout_s=60,
        pythonhashseed=1,
        hypothesis_seed=1,
        planned_at=time_of(clock),
    )
    for index, side in planned_order(runs_per_side):
        clock += draw(st.integers(0, 1000))
        duration, passed = draw(st.integers(1, 60_000)), draw(st.booleans())
        runs.append(
            EvidenceRun(
                index=index,
                side=side,
                started_at=time_of(clock),
                duration_ms=duration,
                passed=passed,
                exit_status=0 if passed else 1,
                collected=1,
                signature=None if passed else "x",
                sha256_before=FIXTURE,
                sha256_after=FIXTURE,
            )
        )
        clock += duration
    return plan, tuple(runs)


@_laws
@given(whole_windows())
def test_a_whole_window_has_no_fault(made: tuple[Plan, tuple[EvidenceRun, ...]]) -> None:
    plan, runs = made
    assert window_faults(plan, runs, fixture=FIXTURE) == ()


def mutations(runs: tuple[EvidenceRun, ...], row: int) -> dict[str, tuple[EvidenceRun, ...]]:
    """Every way in which one run of a whole window may be changed, by its name."""
    one, before, after = runs[row], runs[:row], runs[row + 1 :]
    other = Side.BASE if one.side is Side.CANDIDATE else Side.CANDIDATE
    changed = {
        "number": replace(one, index=one.index + 1),
        "number_beyond": replace(one, index=2 * len(runs)),
        "side": replace(one, side=other),
        "outcome": replace(one, passed=not one.passed),
        "exit_status": replace(one, exit_status=1 - one.exit_status),
        "no_observation": replace(one, exit_status=5),
        "none_collected": replace(one, collected=0),
        "two_collected": replace(one, collected=2),
        "signature": replace(one, signature="x" if one.passed else None),
        "digest_before": replace(one, sha256_before=OTHER),
        "digest_after": replace(one, sha256_after=OTHER),
        "time_before_the_plan": replace(one, started_at="2026-11-30T09:00:00.000Z"),
    }
    found = {name: (*before, each, *after) for name, each in changed.items()}
    found |= {"left_out": before + after, "twice": (*before, one, one, *after)}
    if after:
        found["end"] = (*before, replace(one, duration_ms=3_600_000), *after)
        found["start"] = (*before, replace(one, started_at=after[0].started_at), *after)
        found["exchanged"] = (*before, after[0], one, *after[1:])
    return found


@_laws
@given(whole_windows(), st.data())
def test_every_single_change_of_a_whole_window_is_found(
    made: tuple[Plan, tuple[EvidenceRun, ...]], data: st.DataObject
) -> None:
    plan, runs = made
    row = data.draw(st.integers(0, len(runs) - 1))
    for name, changed in mutations(runs, row).items():
        faults = window_faults(plan, changed, fixture=FIXTURE)
        assert faults, name
        assert {fault.code for fault in faults} <= set(REASONS)
    for size in (plan.runs_per_side - 1, plan.runs_per_side + 1):
        assert window_faults(replace(plan, runs_per_side=size), runs, fixture=FIXTURE)
    assert window_faults(plan, runs, fixture=OTHER)


# --- signatures

_words = st.text("abcdef_.<>", min_size=1, max_size=12)
_frames = st.builds(
    Frame,
    line=st.just(1),
    path=st.none() | st.sampled_from(["tests/test_a.py", "src/a.py", "src/b.py"]),
    qualname=_words,
    source=st.text(max_size=30),
)
_failures = st.builds(
    Failure,
    type_name=_words,
    frames=st.lists(_frames, max_size=5).map(tuple),
    message=st.text(max_size=200),
)


def signed(failure: Failure) -> str:
    """A signature where the test's module and one more are equal at both sides."""
    return fail_signature(
        failure,
        equal_paths={"tests/test_a.py", "src/a.py"},
        folders=Folders(trees=("/srv/tree",), temporary=("/srv/tmp",)),
        max_chars=MAX_SIGNATURE_CHARS,
    )


@_laws
@given(_failures)
def test_a_signature_is_one_clean_line_of_four_parts(failure: Failure) -> None:
    found = signed(failure)
    assert 0 < len(found) <= MAX_SIGNATURE_CHARS
    assert not any(is_hidden_character(char) for char in found)
    assert found == " ".join(found.split())
    assert len(found.split(" | ", 3)) == 4
    assert found.encode()


@_laws
@given(_failures, _failures)
def test_failures_from_two_functions_or_of_two_types_never_look_like_one(
    first: Failure, second: Failure
) -> None:
    def origin(failure: Failure) -> tuple[str, tuple[str | None, str] | None]:
        ours = [(each.path, each.qualname) for each in failure.frames if each.path]
        return failure.type_name, ours[-1] if ours else None

    if origin(first) != origin(second):
        assert signed(first) != signed(second)


@_laws
@given(_failures, st.integers(0, 10**9), st.integers(0, 2**64))
def test_numbers_and_addresses_never_matter(failure: Failure, number: int, address: int) -> None:
    def saying(number: int, address: int) -> str:
        ending = f"{failure.message} ({number} at {address:#x})"
        return signed(replace(failure, message=ending))

    assert saying(number, address) == saying(7, 0x7F00)
