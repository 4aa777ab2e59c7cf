"""A frozen test run all the same: until it passes once, or has failed in every run."""

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


class Trial:
    """Some runs of one item; nothing that they report counts before all have failed."""

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
        end = f", then {self._fault}" if self._fault else ": the freeze is dead"
        return f"{failed} of {len(self._runs)} runs failed" + end * self.counts

    @property
    def is_failing(self) -> bool:
        """Whether the run under way has failed already."""
        return _failed(self._runs[-1])

    def run(self, nextitem: pytest.Item | None, fault: Callable[[], str | None]) -> None:
        """Run the test up to the planned number of times; in the end `counts` says if it counts.

        It does where all runs failed, or where a run that failed changed what the freeze is on:
        `fault` is asked before each further run.
        """
        self._nextitem = nextitem
        while len(self._runs) < self._planned:
            self._fault = fault() if self._runs else None
            if self._fault:
                break
            self._runs.append([])
            runtestprotocol(self._item, log=False, nextitem=nextitem)
            if not self.is_failing:
                return
        self.counts = True

    def take_down(self) -> None:
        """Take down the test, then what outlives it: errors of the latter are not the test's.

        After a failed run everything goes, what later runs would find: as in a fresh process.
        """
        state = self._item.session._setupstate  # noqa: SLF001 - there is no public way
        fails = True
        try:
            state.teardown_exact(self._item.parent)  # type: ignore[arg-type]  # its chain is asked
            fails = self.is_failing
        finally:
            self._take_down_others(lambda: state.teardown_exact(None if fails else self._nextitem))

    def _take_down_others(self, teardown: Callable[[], None]) -> None:
        through = (KeyboardInterrupt, pytest.exit.Exception)
        call = pytest.CallInfo.from_call(teardown, "teardown", through)
        if call.excinfo is not None:
            self._outlived.append(pytest.TestReport.from_item_and_call(self._item, call))

    def note(self, report: pytest.TestReport) -> None:
        """Keep a report; a failure goes on as a skip, for what hears of it at once."""
        self._runs[-1].append(_Seen(report, report.outcome, report.longrepr))
        if report.failed:
            self._skip(report)

    def log(self) -> None:
        """Report the last run: as it was where it counts, else as a skip."""
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
        for report, outcome, longrepr in self._runs[-1]:
            report.outcome, report.longrepr = outcome, longrepr
            if report.failed:
                report.sections.append(("freezegate", f"{self.told}; {self._text}"))
        for phase in _PHASES:
            reports = [each.report for each in self._runs[-1] if each.report.when == phase]
            yield from [each for each in reports if each.failed] or reports[-1:]

    def _skip(self, report: pytest.TestReport) -> None:
        path, line, _ = report.location
        report.outcome = "skipped"
        report.longrepr = (path, (line or 0) + 1, f"freezegate: frozen, {self._text}")


def _failed(seen: list[_Seen]) -> bool:
    return any(each.outcome == "failed" for each in seen)
