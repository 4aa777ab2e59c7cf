"""A frozen test run all the same: until it passes once, or has failed in every run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from _pytest.runner import runtestprotocol

if TYPE_CHECKING:
    import pytest


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
        self._is_dead = False

    @property
    def told(self) -> str:
        """What the runs showed, in words."""
        failed = sum(_failed(seen) for seen in self._runs)
        return f"{failed} of {len(self._runs)} runs failed" + (
            ": the freeze is dead" if self._is_dead else ""
        )

    def run(self, nextitem: pytest.Item | None) -> bool:
        """Run the test up to the planned number of times; say whether all runs failed."""
        item: Any = self._item
        for _ in range(self._planned):
            if self._runs and hasattr(item, "_request"):  # as after collection: no old fixtures
                item._initrequest()  # noqa: SLF001 - pytest has no public way to run an item again
            self._runs.append([])
            runtestprotocol(item, log=False, nextitem=nextitem)
            if not _failed(self._runs[-1]):
                return False
        self._is_dead = True
        return True

    def note(self, report: pytest.TestReport) -> None:
        """Keep a report, and take its outcome from the copy that goes on."""
        self._runs[-1].append(_Seen(report, report.outcome, report.longrepr))
        if report.failed or (report.passed and report.when == "call"):
            path, line, _ = report.location
            report.outcome = "skipped"
            report.longrepr = (path, (line or 0) + 1, f"freezegate: frozen, {self._text}")

    def log(self) -> None:
        """Report the last run: as it was where the freeze is dead, else as a skip."""
        item = self._item
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report, outcome, longrepr in self._runs[-1]:
            if self._is_dead:
                report.outcome, report.longrepr = outcome, longrepr
                if report.failed:
                    report.sections.append(("freezegate", f"{self.told}; {self._text}"))
            report.user_properties[:] = item.user_properties
            if type(report).__name__ == "TestReport":  # those of subtests were told at once
                item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def _failed(seen: list[_Seen]) -> bool:
    return any(each.outcome == "failed" for each in seen)
