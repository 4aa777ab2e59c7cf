"""What a session says of frozen tests in the end: each with its owner and the time that is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# Names of user properties: they travel with reports, through xdist and into JUnit XML.
FROZEN = "freezegate.frozen"
RUNS = "freezegate.runs"
DEAD = "freezegate.dead"
_WORDS = {FROZEN: "frozen", RUNS: "runs", DEAD: "dead"}


class Summary:
    """A plugin that collects what reports carry, and prints it."""

    def __init__(self) -> None:
        self.lines: dict[str, None] = {}
        self.warnings: dict[str, None] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what one test's reports say of its freeze."""
        for word, value in _told(getattr(report, "user_properties", None)):
            self.lines[f"{word}  {report.nodeid}  {value}"] = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what an xdist worker warned of."""
        output = getattr(node, "workeroutput", None) or {}
        self.warnings.update(dict.fromkeys(output.get("freezegate", ())))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the frozen tests, those whose freeze did not hold, and what could not be read."""
        if not self.lines and not self.warnings:
            return
        from freezegate.model.paths import shown_text

        terminalreporter.section("freezegate")
        for line in (*sorted(self.lines), *(f"warning: {text}" for text in self.warnings)):
            terminalreporter.line(shown_text(line))


def _told(properties: object) -> Iterator[tuple[str, str]]:
    """Return what is ours: other plugins leave values of any shape there."""
    for each in properties if isinstance(properties, list | tuple) else ():
        if isinstance(each, list | tuple) and len(each) == 2:
            name, value = each
            if isinstance(name, str) and isinstance(value, str) and name in _WORDS:
                yield _WORDS[name], value
