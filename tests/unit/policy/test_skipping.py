"""Whether a frozen test may be skipped, by whole tables; the first case is the empty one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from freezegate.model.digests import Blake3, Sha256
from freezegate.model.ids import PropertyId
from freezegate.model.ledger import Ending
from freezegate.model.paths import RepoPath
from freezegate.policy.skipping import Asked, Live, Runs, Skips, decide_skip, time_left
from tests.unit.policy.test_lifetimes import NOON, ended, ledger
from tests.unit.policy.test_lifetimes import frozen as line_without_property

if TYPE_CHECKING:
    from freezegate.model.ledger import Ended, Frozen
    from freezegate.policy.skipping import Lines

NAME = "orders.total"
TEST_ID = line_without_property().test_id
SAME, OTHER = Sha256("a" * 64), Sha256("b" * 64)  # SAME is what every line was frozen on
FIXTURES = ("tests/a.json",)


def frozen(property_id: str = NAME, **changes: Any) -> Frozen:
    """A freeze of the property, to the first of December 2026 unless another end is asked."""
    ends = {key: changes.pop(key) for key in ("day", "commits", "renews") if key in changes}
    line = line_without_property(**ends)
    return replace(line, property_id=PropertyId(property_id), **changes)


def id_of(line: Frozen) -> Blake3:
    """The id that a line has in any ledger."""
    (entry,) = ledger(line)
    return entry.freeze_id  # type: ignore[union-attr]  # ledger() holds whole lines only


def live(
    digest: Sha256 | None = SAME,
    domain: str | None = None,
    age: str | None = None,
    *,
    stands: bool = True,
) -> Live:
    """A work tree with these answers."""
    return Live(lambda _: digest, lambda _: domain, lambda _: age, lambda _: stands)


def decided(
    lines: Lines,
    *,
    live: Live = live(),  # noqa: B008 - it is a value
    fixtures: tuple[str, ...] = FIXTURES,
    now: datetime = NOON,
    test_id: str | None = None,
) -> Skips | Runs | None:
    """Decide on the property at noon of the last day."""
    return decide_skip(lines, Asked(NAME, fixtures, test_id or TEST_ID), live, now)


def renewed(older: Frozen, **changes: Any) -> Frozen:
    """A freeze that renews another."""
    return frozen(renews=id_of(older), **changes)


FIRST = frozen()
LATER = renewed(FIRST, day="2026-12-08")


def end(event: Ending, line: Frozen) -> Ended:
    """The line that ends a freeze."""
    return ended(event, id_of(line))


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((), id="empty"),
        pytest.param((frozen("orders.count"),), id="another property"),
        pytest.param((line_without_property(),), id="a freeze by test alone"),
        pytest.param((end(Ending.LIFTED, FIRST),), id="an end of nothing"),
    ],
)
def test_what_was_never_frozen_is_none_of_ours(lines: tuple[Any, ...]) -> None:
    assert decided(ledger(*lines)) is None


@pytest.mark.parametrize(
    ("lines", "which", "left"),
    [
        pytest.param((FIRST,), 0, "last day, to 2026-12-01", id="last day"),
        pytest.param((frozen(day="2026-12-02"),), 0, "1 day left, to 2026-12-02", id="one more"),
        pytest.param((frozen(day="2026-12-08"),), 0, "7 days left, to 2026-12-08", id="a week"),
        pytest.param((frozen(day=None),), 0, "no last day", id="no day"),
        pytest.param((FIRST, LATER), 1, "7 days left, to 2026-12-08", id="renewed"),
        pytest.param(
            (frozen(day="2026-11-01"), renewed(frozen(day="2026-11-01"))),
            1,
            "last day, to 2026-12-01",
            id="renewed after expiry",
        ),
        pytest.param(
            (FIRST, end(Ending.LIFTED, FIRST), frozen(day="2026-12-02")),
            2,
            "1 day left, to 2026-12-02",
            id="a new chain after lifted",
        ),
        pytest.param(
            (FIRST, frozen("orders.count"), end(Ending.VOID, frozen("orders.count"))),
            0,
            "last day, to 2026-12-01",
            id="another one's end",
        ),
        pytest.param(
            (FIRST, frozen(fixture_sha256=OTHER)),
            0,
            "last day, to 2026-12-01",
            id="of two digests the one that lies there",
        ),
        pytest.param(
            (FIRST, frozen(fixture_path=RepoPath("tests/gone.json"))),
            0,
            "last day, to 2026-12-01",
            id="of two fixtures the one that is claimed",
        ),
    ],
)
def test_a_freeze_that_holds_skips(lines: tuple[Any, ...], which: int, left: str) -> None:
    assert decided(ledger(*lines)) == Skips(lines[which], left)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        pytest.param((frozen(day="2026-11-30"),), "expired yesterday (2026-11-30)"),
        pytest.param((frozen(day="2026-11-29"),), "expired 2 days ago (2026-11-29)"),
        pytest.param((frozen(day="2025-12-01"),), "expired 365 days ago (2025-12-01)"),
        pytest.param((FIRST, end(Ending.LIFTED, FIRST)), "lifted: over"),
        pytest.param((FIRST, end(Ending.VOID, FIRST)), "void: over"),
        pytest.param((FIRST, end(Ending.EXPIRED, FIRST)), "expired: over"),
        pytest.param((end(Ending.VOID, FIRST), FIRST), "void: over", id="end before it"),
        pytest.param((FIRST, LATER, end(Ending.LIFTED, LATER)), "lifted: over"),
        pytest.param(
            (FIRST, renewed(FIRST, day="2026-11-30")),
            "expired yesterday (2026-11-30)",
            id="renewed by one that is over",
        ),
        pytest.param(
            (frozen(day="2026-11-20"), frozen(day="2026-11-30")),
            "expired yesterday (2026-11-30)",
            id="two that are over",
        ),
        pytest.param(
            (LATER, FIRST, end(Ending.LIFTED, LATER)),
            "renewed by a line that is over",
            id="renewed above its own line",
        ),
    ],
)
def test_a_freeze_that_is_over_runs(lines: tuple[Any, ...], why: str) -> None:
    answer = decided(ledger(*lines))
    assert isinstance(answer, Runs)
    assert answer.why == why
    assert answer.is_settled != why.startswith("expired")


@pytest.mark.parametrize(
    ("here", "fixtures", "why"),
    [
        pytest.param(live(), (), "tests/a.json is not among its fixtures any more", id="none"),
        pytest.param(
            live(), ("tests/b.json",), "tests/a.json is not among its fixtures any more", id="other"
        ),
        pytest.param(
            live(None),
            FIXTURES,
            "fixture drifted: tests/a.json is no regular file here, frozen on aaaaaaaaaaaa",
            id="gone",
        ),
        pytest.param(
            live(OTHER),
            FIXTURES,
            "fixture drifted: tests/a.json is bbbbbbbbbbbb, frozen on aaaaaaaaaaaa",
            id="other bytes",
        ),
        pytest.param(live(domain="oracle changed: o.py"), FIXTURES, "oracle changed: o.py"),
        pytest.param(live(age="expired: 9 commits"), FIXTURES, "expired: 9 commits"),
        pytest.param(
            live(OTHER, "never", "asked"),
            FIXTURES,
            "fixture drifted: tests/a.json is bbbbbbbbbbbb, frozen on aaaaaaaaaaaa",
            id="the fixture comes first",
        ),
        pytest.param(live(domain="first", age="last"), FIXTURES, "first", id="then the domain"),
    ],
)
def test_a_freeze_on_other_things_runs(here: Live, fixtures: tuple[str, ...], why: str) -> None:
    assert decided(ledger(FIRST), live=here, fixtures=fixtures) == Runs(why)


def test_nothing_is_read_for_what_is_over() -> None:
    def never(_: object) -> Any:
        raise AssertionError

    over = ledger(frozen(day="2026-11-30"))
    assert isinstance(decided(over, live=Live(never, never, never, never)), Runs)
    assert isinstance(
        decided(ledger(FIRST), live=Live(never, never, never, never), fixtures=()), Runs
    )


def test_the_last_second_of_the_last_day_holds_and_the_next_does_not() -> None:
    last = datetime(2026, 12, 1, 23, 59, 59, tzinfo=UTC)
    assert decided(ledger(FIRST), now=last) == Skips(FIRST, "last day, to 2026-12-01")
    assert decided(ledger(FIRST), now=last + timedelta(seconds=1)) == Runs(
        "expired yesterday (2026-12-01)"
    )
    assert time_left(FIRST, last) == "last day, to 2026-12-01"


@pytest.mark.parametrize(
    ("test_id", "stands", "skips"),
    [
        pytest.param(TEST_ID, True, True, id="the frozen one"),
        pytest.param("tests/test_b.py::test_other", True, False, id="another, while it stands"),
        pytest.param("tests/test_b.py::test_other", False, True, id="renamed"),
        pytest.param("tests/test_b.py::test_other[1]", False, False, id="one of a family"),
    ],
)
def test_what_was_frozen_is_skipped_and_no_other(test_id: str, stands: bool, skips: bool) -> None:
    answer = decided(ledger(FIRST), live=live(stands=stands), test_id=test_id)
    assert isinstance(answer, Skips) is skips
    if not skips:
        assert answer == Runs(f"{TEST_ID} is what was frozen, and it still stands")
