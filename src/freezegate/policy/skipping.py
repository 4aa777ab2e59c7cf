"""Whether a frozen test may be skipped where its files lie now; if not, in a few words why."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from freezegate.model.ledger import Ended, Ending, LedgerEntry
from freezegate.policy.lifetimes import day_has_passed, ended_ids, frozen_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from freezegate.model.digests import Sha256
    from freezegate.model.ids import TestId
    from freezegate.model.ledger import BadLine, Frozen
    from freezegate.policy.lifetimes import Landed

    Lines = Sequence[LedgerEntry | BadLine]

_SHOWN_DIGITS = 12


class Runs(NamedTuple):
    """The test runs; `why` is what keeps its freeze from holding.

    `is_settled` where a person ended it: that is no news.
    """

    why: str
    is_settled: bool = False


class Skips(NamedTuple):
    """The test is skipped by this line; `left` is how long that may go on."""

    line: Frozen
    left: str


class Asked(NamedTuple):
    """A test, the property that it claims, and the paths of the fixtures that it names."""

    property_id: str
    fixtures: tuple[str, ...]
    test_id: str | None


class Live(NamedTuple):
    """What lies in the work tree, asked only where it matters.

    `digest` is None for what is no regular file; `domain_fault` and `age_fault` say what of a
    line's recorded domain, or of its number of commits, is not as it must be; None where all is.
    `stands` says whether a test is still where it was frozen.
    """

    digest: Callable[[str], Sha256 | None]
    domain_fault: Callable[[Frozen], str | None]
    age_fault: Callable[[Frozen], str | None]
    stands: Callable[[TestId], bool]


def decide_skip(lines: Lines, asked: Asked, live: Live, now: datetime) -> Skips | Runs | None:
    """Return what becomes of the test of a property; None where it was never frozen.

    `now` is UTC. Closed by default: of several lines one must hold whole.
    """
    known = [each for each in frozen_lines(lines) if each[1].property_id == asked.property_id]
    if not known:
        return None
    ended = ended_ids(lines)
    standing = [each for each in known if each[0].freeze_id not in ended]
    if not standing:
        return _ending(known[-1], lines)
    timely = [line for _, line in standing if not day_has_passed(line.expires_on, now)]
    if not timely:
        return Runs(_expired(standing[-1][1], now))
    own = [line for line in timely if _is_for(line, asked.test_id, live)]
    if not own:
        return Runs(f"{timely[-1].test_id} is what was frozen, and it still stands")
    return _among(own, asked.fixtures, live, now)


def _is_for(line: Frozen, test_id: str | None, live: Live) -> bool:
    """Whether a line froze this test: by its id, or under the name that it had before."""
    if line.test_id == test_id:
        return True
    return test_id is not None and "[" not in test_id and not live.stands(line.test_id)


def _among(
    lines: Sequence[Frozen], fixtures: tuple[str, ...], live: Live, now: datetime
) -> Skips | Runs:
    """Of several standing freezes the one on the bytes that lie there counts."""
    named = [line for line in lines if str(line.fixture_path) in fixtures]
    if not named:
        return Runs(f"{lines[-1].fixture_path} is not among its fixtures any more")
    digests: Mapping[str, Sha256 | None] = {
        path: live.digest(path) for path in {str(line.fixture_path) for line in named}
    }
    same = [line for line in named if digests[str(line.fixture_path)] == line.fixture_sha256]
    if not same:
        return Runs(_drifted(named[-1], digests[str(named[-1].fixture_path)]))
    line = same[-1]
    fault = live.domain_fault(line) or live.age_fault(line)
    return Runs(fault) if fault else Skips(line, time_left(line, now))


def time_left(line: Frozen, now: datetime) -> str:
    """Return how long a freeze goes on, in words; its last day counts whole, in UTC."""
    if line.expires_on is None:
        return "no last day"
    days = (date.fromisoformat(line.expires_on) - now.date()).days
    left = "last day" if days == 0 else f"{days} day{'s' * (days != 1)} left"
    return f"{left}, to {line.expires_on}"


def _drifted(line: Frozen, now: Sha256 | None) -> str:
    got = f"is {now[:_SHOWN_DIGITS]}" if now else "is no regular file here"
    frozen_on = line.fixture_sha256[:_SHOWN_DIGITS]
    return f"fixture drifted: {line.fixture_path} {got}, frozen on {frozen_on}"


def _expired(line: Frozen, now: datetime) -> str:
    assert line.expires_on is not None  # noqa: S101 - a day that has passed is one
    days = (now.date() - date.fromisoformat(line.expires_on)).days
    ago = "yesterday" if days == 1 else f"{days} days ago"
    return f"expired {ago} ({line.expires_on})"


def _ending(last: Landed, lines: Lines) -> Runs:
    ends = (e.line for e in lines if isinstance(e, LedgerEntry) and isinstance(e.line, Ended))
    end = next((line for line in ends if line.freeze == last[0].freeze_id), None)
    if end is None:
        return Runs("renewed by a line that is over", is_settled=True)
    return Runs(f"{end.event}: {end.reason}", is_settled=end.event is not Ending.EXPIRED)
