"""What the tests of the pytest plugin share: a freeze that was accepted, and real sessions."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from freezegate.formats.ledger import dump_line, parse_ledger
from freezegate.model.ledger import Frozen, LedgerEntry
from tests.git.witnessing import ORACLE_TEXT, asked, flaky_shop
from tests.support import ORACLE, Story, git_environment

LEDGER = ".freeze/ledger.jsonl"
CATALOG = ".freeze/catalog.toml"
TEST = "tests/test_order.py"
CONFTEST, RULES = "tests/conftest.py", "tests/properties/rules.py"
PROJECT = '[project]\nname = "shop"\n\n[tool.pytest.ini_options]\naddopts = "-ra"\n'
# The frozen test fails, so that a skip is seen; a conftest and a module are in the domain.
FAILS = "def test_total():\n    assert False, 'it ran'\n"
_FILES = {
    "pyproject.toml": PROJECT,
    CONFTEST: "",
    RULES: "LEAST = 0\n",
    ORACLE: "import rules\n" + ORACLE_TEXT.replace(">= 0", ">= rules.LEAST"),
}


def frozen_shop(folder: Path) -> Story:
    """A shop whose wavering test was witnessed, frozen and committed; now the test fails always."""
    story = flaky_shop(folder, files=_FILES)
    said = asked(story)
    assert (said.status, said.verdict) == (0, "accepted"), said.out
    story.write(TEST, FAILS)
    story.commit("Freeze a flaky test")
    return story


@dataclass(frozen=True)
class Session:
    """What one pytest session said: its exit status, counts, and freezegate's own lines."""

    status: int
    out: str

    @property
    def counts(self) -> dict[str, int]:
        """Outcomes of the last line, but for the time."""
        found = re.findall(
            r"(\d+) (passed|failed|skipped|errors?|deselected|xfailed|warnings?)",
            self.out.rstrip().rpartition("\n")[2],
        )
        return {word: int(number) for number, word in found}

    @property
    def lines(self) -> list[str]:
        """What stands below freezegate's own heading."""
        _, _, rest = self.out.partition(" freezegate ====")
        return [line for line in rest.split("\n==")[0].splitlines()[1:] if line]


def session(
    story: Story,
    *arguments: str,
    folder: str = ".",
    plugins: Sequence[str] = (),
    environ: dict[str, str] | None = None,
) -> Session:
    """Run pytest as a user would, with the plugin and those that are named alone."""
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    named = [word for name in ("freezegate.pytest_plugin", *plugins) for word in ("-p", name)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *named, "-p", "no:cacheprovider", *arguments],
        cwd=story.root / folder,
        env=git_environment() | alone | (environ or {}),
        capture_output=True,
        text=True,
        check=False,
    )
    return Session(done.returncode, done.stdout + done.stderr)


def frozen_line(story: Story) -> Frozen:
    """The freeze in the ledger."""
    (entry,) = parse_ledger(story.read(LEDGER))
    assert isinstance(entry, LedgerEntry)
    assert isinstance(entry.line, Frozen)
    return entry.line


def rewrite(story: Story, **changes: Any) -> Story:
    """Change the ledger's only line; it keeps its canonical form."""
    return story.write(LEDGER, dump_line(replace(frozen_line(story), **changes)) + b"\n")


def day(days: int) -> str:
    """A date so many days from now, in UTC."""
    return (datetime.now(UTC) + timedelta(days=days)).date().isoformat()
