"""Runs for the demo: one test in fresh pytest processes, seen from outside."""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from freezegate.cli.demo_shop import FIXTURE, Shop, clean_environment, run_command
from freezegate.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_RUNS = 40  # a 50/50 test agrees with itself so often once in 10^12 demos
_COUNT = re.compile(r"(\d+) (?:passed|failed)")
_REASON = re.compile(r"FAILED \S+ - (.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedRun:
    """One fresh process that ran exactly one test on unchanged fixture bytes."""

    started_at: str
    exit_status: int
    collected: int
    signature: str | None

    @property
    def passed(self) -> bool:
        """Whether the test passed."""
        return self.exit_status == 0

    def value(self) -> dict[str, Any]:
        """Return the run as the request's builder takes it."""
        return {
            "exit_status": self.exit_status,
            "collected": self.collected,
            "signature": self.signature,
            "started_at": self.started_at,
        }


def disagree(runs: Sequence[ObservedRun]) -> bool:
    """Say whether one run passed and one failed."""
    return len({run.passed for run in runs}) > 1


def two_runs(runs: Sequence[ObservedRun]) -> bool:
    """Say whether there are two runs."""
    return len(runs) == 2


def observe_until(
    shop: Shop, test_id: str, enough: Callable[[Sequence[ObservedRun]], bool]
) -> tuple[ObservedRun, ...]:
    """Run a test until there is enough to see; print each run as it comes."""
    print(f"\n    $ python -m pytest -q -p no:cacheprovider {test_id}    (a fresh process each)")
    runs: list[ObservedRun] = []
    while not enough(runs):
        if len(runs) == MAX_RUNS:
            msg = f"{MAX_RUNS} runs of a 50/50 test, and not what was waited for"
            raise UsageError(msg)
        runs.append(_observe(shop, test_id))
        print(f"      run {len(runs)}: {_told(runs[-1])}")
    return tuple(runs)


def _observe(shop: Shop, test_id: str) -> ObservedRun:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test_id]
    plain = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environ = clean_environment(shop.folder) | plain | {"COLUMNS": "200"}
    before = _digest(shop)
    started_at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    said = run_command(command, shop.root, environ)
    output = "\n".join(said.lines)
    collected = sum(int(count) for count in _COUNT.findall(said.lines[-1] if said.lines else ""))
    if said.status not in (0, 1) or collected != 1 or _digest(shop) != before:
        msg = f"pytest did not run exactly one test (exit status {said.status}):\n{output}"
        raise UsageError(msg)
    reason = _REASON.search(output)
    signature = f"{test_id}: {reason[1] if reason else 'failed'}" if said.status else None
    return ObservedRun(
        started_at=started_at, exit_status=said.status, collected=collected, signature=signature
    )


def _told(run: ObservedRun) -> str:
    word = "passed" if run.passed else "failed"
    return f"{word}, exit status {run.exit_status}, 1 test, fixture bytes unchanged"


def _digest(shop: Shop) -> str:
    return hashlib.sha256((shop.root / FIXTURE).read_bytes()).hexdigest()
