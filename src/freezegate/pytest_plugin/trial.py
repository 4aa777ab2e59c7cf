"""A frozen test run all the same: until it passes once, or no run of it has passed.

All runs are in the session's own process. Fixtures are set up anew for each; what modules, classes
and the environment keep from an earlier run is not, so that a test that fails only at its first
call in a process seems to waver here. `freezegate replay` runs each in a fresh process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PHASES = ("setup", "call", "teardown")


class _Seen(NamedTuple):
    """A report as pytest made it, before it was kept from counting."""

    report: pytest.TestReport
    outcome: Any
    longrepr: Any
    is_expected: bool


class Trial:
    """Some runs of one item; nothing that they report counts before it is known that none passed.

    Only a run whose call passed is one: a skip or an expected failure tells of no wavering.
    """

    def __init__(self, item: pytest.Item, runs: int, text: str) -> None:
        self._item, self._planned, self._text = item, runs, text
        self._runs: list[list[_Seen]] = []
        self._fault: str | None = None
        self._nextitem: pytest.Item | None = None
        self._outlived: list[pytest.TestReport] = []
        self.counts = False

    @property
    def told(self) -> str:
        """What the runs showed, in words."""
        failed = sum(map(_failed, self._runs))
        skipped = len(self._runs) - failed - sum(map(_passed, self._runs))
        text = f"{failed} of {len(self._runs)} runs failed"
        text += f", {skipped} skipped themselves" * bool(skipped)
        end = f", then {self._fault}" if self._fault else ": the freeze is dead"
        return text + end * self.counts

    def run(self, nextitem: pytest.Item | None, fault: Callable[[], str | None]) -> None:
        """Run the test up to the planned number of times; in the end `counts` says if it counts.

        It does where some failed and none passed, or where a run that failed changed what the
        freeze is on: `fault` is asked before each further run.
        """
        self._nextitem = nextitem
        while len(self._runs) < self._planned:
            self._fault = fault() if self._runs else None
            if self._fault:
                break
            self._runs.append([])
            runtestprotocol(self._item, log=False, nextitem=nextitem)
            if _passed(self._runs[-1]):
                return
        self.counts = any(map(_failed, self._runs))

    def take_down(self) -> None:
        """Take down the test, then what outlives it: errors of the latter are not the test's.

        After a run that did not pass all fixtures go, which later runs would find.
        """
        state = self._item.session._setupstate  # noqa: SLF001 - there is no public way
        fails = True
        try:
            state.teardown_exact(self._item.parent)  # type: ignore[arg-type]  # its chain is asked
            fails = not _passed(self._runs[-1])
        finally:
            self._take_down_others(lambda: state.teardown_exact(None if fails else self._nextitem))

    def _take_down_others(self, teardown: Callable[[], None]) -> None:
        through = (KeyboardInterrupt, pytest.exit.Exception)
        call = pytest.CallInfo.from_call(teardown, "teardown", through)
        if call.excinfo is not None:
            self._outlived.append(pytest.TestReport.from_item_and_call(self._item, call))

    def note(self, report: pytest.TestReport) -> None:
        """Keep a report; a failure goes on as a skip, for what hears of it at once."""
        self._runs[-1].append(
            _Seen(report, report.outcome, report.longrepr, hasattr(report, "wasxfail"))
        )
        if report.failed:
            self._skip(report)

    def log(self) -> None:
        """Report the last failed run as it was where it counts, else the last one as a skip."""
        item = self._item
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        own = self._as_they_were() if self.counts else self._as_a_skip()
        for report in (*own, *self._outlived):
            report.user_properties[:] = item.user_properties
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _as_a_skip(self) -> Iterator[pytest.TestReport]:
        last = {each.report.when: each.report for each in self._runs[-1]}  # subtests come before
        if "call" in last and last["call"].passed:
            self._skip(last["call"])
        yield from last.values()

    def _as_they_were(self) -> Iterator[pytest.TestReport]:
        """Of each phase the failures, which may be a subtest's, else the last report."""
        run = next(each for each in reversed(self._runs) if _failed(each))
        for each in run:
            report, report.longrepr = each.report, each.longrepr
            report.outcome = "failed" if _has_failed(each) else each.outcome
            if report.failed:
                vars(report).pop("wasxfail", None)
                report.sections.append(("freezegate", f"{self.told}; {self._text}"))
        for phase in _PHASES:
            reports = [each.report for each in run if each.report.when == phase]
            yield from [each for each in reports if each.failed] or reports[-1:]

    def _skip(self, report: pytest.TestReport) -> None:
        path, line, _ = report.location
        report.outcome = "skipped"
        report.longrepr = (path, (line or 0) + 1, f"freezegate: frozen, {self._text}")


def _passed(seen: list[_Seen]) -> bool:
    """Whether the call came to its end, and no phase failed; subtests report before the test."""
    calls = [each.outcome for each in seen if each.report.when == "call"]
    return calls[-1:] == ["passed"] and not _failed(seen)


def _failed(seen: list[_Seen]) -> bool:
    return any(map(_has_failed, seen))


def _has_failed(each: _Seen) -> bool:
    return each.outcome == "failed" or (each.outcome == "skipped" and each.is_expected)
