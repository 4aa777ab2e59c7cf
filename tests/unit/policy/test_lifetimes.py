"""Which landed freezes are active, by whole tables."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from freezegate.formats.ledger import dump_line, parse_ledger
from freezegate.formats.policy import built_in
from freezegate.model.digests import Blake3, ObjectId, Sha256
from freezegate.model.ids import TestId
from freezegate.model.ledger import Ended, Ending, Frozen, LedgerEntry, LineReason, LineStatus
from freezegate.model.paths import RepoPath
from freezegate.model.run import RunOutcome
from freezegate.policy.lifetimes import active_freezes, day_has_passed, ended_ids, open_freezes
from freezegate.policy.settings import Preset

if TYPE_CHECKING:
    from freezegate.model.ledger import BadLine

SETTINGS = built_in(Preset.STANDARD).freeze
BASE = ObjectId("b" * 40)
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


def frozen(
    *, day: str | None = "2026-12-01", commits: int | None = None, renews: Blake3 | None = None
) -> Frozen:
    """A freeze whose end and ancestry matter, and nothing else."""
    return Frozen(
        property_id=None,
        test_id=TestId("tests/test_a.py::test_a"),
        fixture_path=RepoPath("tests/a.json"),
        fixture_sha256=Sha256("a" * 64),
        oracle_path=RepoPath("tests/oracle.py"),
        oracle_blob=ObjectId("c" * 40),
        seed=None,
        base_rev=BASE,
        candidate_rev=None,
        base_runs=(),
        candidate_runs=(RunOutcome.PASS, RunOutcome.FAIL),
        runs=2,
        passes=1,
        fails=1,
        fail_signatures=("AssertionError",),
        variance=None,
        freeze_eligible=True,
        status=LineStatus.FROZEN,
        reason=LineReason.INTERMITTENT,
        patch_digest=Blake3("blake3:" + "d" * 64),
        domain_digest=Blake3("blake3:" + "0" * 64),
        evidence=None,
        owner="ada",
        expires_on=day,
        expires_after_commits=commits,
        renews=renews,
    )


def ledger(*lines: Frozen | Ended) -> tuple[LedgerEntry | BadLine, ...]:
    """Decode lines as a ledger would hold them."""
    entries = parse_ledger(b"".join(dump_line(line) + b"\n" for line in lines))
    assert all(isinstance(entry, LedgerEntry) for entry in entries)
    return entries


def ended(event: Ending, freeze: Blake3) -> Ended:
    """The end of a freeze."""
    return Ended(
        event=event,
        freeze=freeze,
        base_rev=BASE,
        fixture_sha256=Sha256("a" * 64),
        reason="over",
        owner="ada",
    )


@pytest.mark.parametrize(
    ("day", "now", "passed"),
    [
        pytest.param("2026-12-01", "2026-12-01T00:00:00+00:00", False, id="its_first_moment"),
        pytest.param("2026-12-01", "2026-12-01T23:59:59+00:00", False, id="its_last_second"),
        pytest.param("2026-12-01", "2026-12-02T00:00:00+00:00", True, id="the_next_day"),
        pytest.param("2026-12-01", "2026-11-30T23:59:59+00:00", False, id="the_day_before"),
        pytest.param(None, "2999-01-01T00:00:00+00:00", False, id="no_day"),
    ],
)
def test_a_day_ends_with_its_last_moment_in_utc(day: str | None, now: str, passed: bool) -> None:
    assert day_has_passed(day, datetime.fromisoformat(now)) is passed


@pytest.mark.parametrize("event", list(Ending))
def test_an_ended_freeze_never_revives(event: Ending) -> None:
    entries = ledger(frozen())
    first = entries[0]
    assert isinstance(first, LedgerEntry)
    assert len(open_freezes(entries, NOON)) == 1
    over = ledger(frozen(), ended(event, first.freeze_id))
    assert open_freezes(over, NOON) == ()
    assert ended_ids(over) == {first.freeze_id}


def test_an_end_counts_before_its_freeze_and_for_the_same_line_twice() -> None:
    first = ledger(frozen())[0]
    assert isinstance(first, LedgerEntry)
    assert len(open_freezes(ledger(frozen(), frozen()), NOON)) == 2
    end = ended(Ending.VOID, first.freeze_id)
    assert open_freezes(ledger(end, frozen(), frozen()), NOON) == ()
    assert open_freezes(ledger(frozen(), end, frozen()), NOON) == ()


def test_a_renewal_ends_the_freeze_that_it_renews() -> None:
    first = ledger(frozen())[0]
    assert isinstance(first, LedgerEntry)
    entries = ledger(frozen(), frozen(day="2026-12-09", renews=first.freeze_id))
    assert [line.expires_on for _, line in open_freezes(entries, NOON)] == ["2026-12-09"]


@pytest.mark.parametrize(
    ("limit", "age", "active"),
    [
        pytest.param(10, 10, True, id="at_its_limit"),
        pytest.param(10, 11, False, id="past_its_limit"),
        pytest.param(None, 200, True, id="at_the_cap"),
        pytest.param(None, 201, False, id="past_the_cap"),
        pytest.param(10**6, 201, False, id="a_limit_beyond_the_cap"),
        pytest.param(10, None, True, id="an_unknown_age_counts_as_active"),
    ],
)
def test_commits_end_a_freeze_too(limit: int | None, age: int | None, active: bool) -> None:
    entries = ledger(frozen(commits=limit))
    assert bool(active_freezes(entries, NOON, {BASE: age}, SETTINGS)) is active


def test_an_empty_ledger_has_no_freezes() -> None:
    assert open_freezes((), NOON) == ()
    assert active_freezes((), NOON, {}, SETTINGS) == ()
