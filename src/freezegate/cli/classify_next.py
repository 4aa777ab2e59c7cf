"""What follows a class: the line in the ledger, the regression test, the next step to take."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from freezegate.cli.ledger_here import read_ledger
from freezegate.cli.regression_file import no_plain_test, write_test
from freezegate.errors import UsageError
from freezegate.formats.ledger import dump_line
from freezegate.ledger.append import swap_ledger
from freezegate.model.ledger import VarianceClass
from freezegate.model.paths import RepoPath
from freezegate.policy.guards import LEDGER_PATH

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from freezegate.cli.classify_property import Classification
    from freezegate.cli.property_case import PropertyCase
    from freezegate.cli.property_fixture import LockedFixture


def record_line(
    case: PropertyCase, notes: Path, found: Classification, options: argparse.Namespace
) -> list[str]:
    """Append the line to the work tree's ledger where that was asked for; raises UsageError."""
    if not options.record:
        return []
    if found.line is None:
        stopped = found.page.window.stopped
        seen = stopped.unobserved if stopped else None
        why = f" ({seen.word}: {seen.got}; {seen.remedy})" if seen else ""
        msg = f"--record: not every run was observed, so there is no row to keep{why}"
        raise UsageError(msg)
    top, raw = case.setting.top, dump_line(found.line) + b"\n"
    before = read_ledger(top)
    if raw not in before.splitlines(keepends=True):
        path = LEDGER_PATH.decode()
        swap_ledger(top / path, notes / "writing.lock", before=before, after=before + raw)
    return [LEDGER_PATH.decode()]


def keep_test(
    case: PropertyCase, fixture: LockedFixture, found: Classification, options: argparse.Namespace
) -> list[str]:
    """Write the regression test where that was asked for; raises UsageError."""
    if options.write_test is None:
        return []
    path = RepoPath(options.write_test)
    write_test(case, fixture, path, why_not=_no_test(case, fixture, found))
    return [path]


def _no_test(case: PropertyCase, fixture: LockedFixture, found: Classification) -> str | None:
    """Return why no plain test replays this fixture, None where one does."""
    if found.page.variance is not VarianceClass.DETERMINISTIC_MISS:
        return (
            f"a regression lock is for a deterministic_miss, and this is {found.page.variance}; "
            "what follows from that: the next step that is told without --write-test"
        )
    return no_plain_test(case, fixture, found.seen)


def next_step(
    case: PropertyCase,
    fixture: LockedFixture,
    found: Classification,
    options: argparse.Namespace,
) -> str:
    """Return the table's next step with the command for it."""
    stopped = found.page.window.stopped
    if stopped is not None and stopped.unobserved is not None:
        return stopped.unobserved.remedy
    step, quoted = found.page.next_step, shlex.quote(fixture.path)
    name = case.entry.property_id
    match found.page.variance:
        case VarianceClass.DETERMINISTIC_MISS if options.write_test is None:
            if _no_test(case, fixture, found) is not None:
                return f"{step} It is replayed by: freezegate replay --fixture {quoted}"
            written = f"{case.entry.oracle.rpartition('/')[0] or '.'}/test_regressions.py"
            more = f"--fixture {quoted} --write-test {shlex.quote(written)}"
            return f"{step} A pytest test that replays it: freezegate classify {more}"
        case VarianceClass.SEED_UNSTABLE:
            return f"{step} A new budget of seeds: freezegate sample --property {name} --seeds 20"
        case VarianceClass.ENV_UNSTABLE if found.line and found.line.freeze_eligible:
            return (
                f"{step} That freeze is of a catalogued test that reads the fixture: list "
                f"{fixture.path} in `fixtures` of {name}, land that, then freezegate witness "
                f"--property {name} --fixture {quoted} --owner NAME --expires-on DATE"
            )
        case VarianceClass.PASS if options.verb == "brief":
            return (
                "The repair holds on this input. Keep the fixture and its line in the lock, run "
                f"the other tests, and take more seeds: freezegate sample --property {name} "
                "--seeds 20"
            )
        case VarianceClass.FIXTURE_DRIFT:
            return f"{step} Anew from its seed: freezegate shrink --property {name} --seed S"
        case _:
            return step
