"""The demo's story: one honest freeze that lands, and five tricks that do not."""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from freezegate.cli.demo_request import Asked, build_request
from freezegate.cli.demo_runs import ObservedRun, disagree, observe_until, two_runs
from freezegate.cli.demo_shop import (
    FIXTURE,
    ORACLE,
    PROPERTY,
    STABLE_TEST_ID,
    SUBJECT,
    TEST_ID,
    Said,
    Shop,
    install_hooks,
    open_shop,
)
from freezegate.git.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

_PATCH = """

def is_free(order):
    \"\"\"Return whether nothing is to pay.\"\"\"
    return total(order) == 0
"""
_OTHER_PATCH = """

def count(order):
    \"\"\"Return the number of lines.\"\"\"
    return len(order["lines"])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One line of the closing table."""

    step: str
    expected: str
    got: str

    @property
    def as_expected(self) -> bool:
        """Whether the gate said what this demo promises."""
        return self.got == self.expected


@dataclass(frozen=True, slots=True, kw_only=True)
class Trick:
    """A way to get a skip without evidence, and the code that names it."""

    name: str
    headline: str
    code: str
    play: Callable[[Shop, Shop], None]


def tell_story(folder: Path) -> Iterator[Result]:
    """Play the whole story below a folder and yield its results as they come."""
    _headline("A shop with a remote. Policy, catalogue and lock land on main; git asks freezegate")
    shop = open_shop(folder / "honest")
    install_hooks(shop)
    _commit(shop, "Start the shop, guarded by freezegate")
    yield _accepted("guarded shop lands", shop, "main")
    before = shop.copy_to(folder / "before")
    yield from _honest_freeze(shop)
    for number, trick in enumerate(TRICKS, start=1):
        _headline(f"Trick {number}: {trick.headline}")
        other = before.copy_to(folder / f"trick-{number}")
        other.git("checkout", "-q", "-b", "topic")
        trick.play(other, shop)
        yield _refused(trick, other)


def _honest_freeze(shop: Shop) -> Iterator[Result]:
    _headline("A patch on a branch, and a test that turns red although the patch is innocent")
    shop.show("git", "checkout", "-q", "-b", "topic")
    _edit_subject(shop, _PATCH)
    _commit(shop, "Tell free orders")
    runs = observe_until(shop, TEST_ID, disagree)
    print("\n  The same bytes, two outcomes: a witnessed disagreement. Ask for a freeze of it.")
    ask(shop, runs)
    _commit(shop, "Freeze the flaky test for a week")
    status = shop.show("freezegate", "check").status
    yield Result(step="freezegate check", expected="accepted", got=_word(status))
    yield _accepted("freeze pushed to topic", shop, "topic")
    yield _accepted("freeze lands on main", shop, "main")


def ask(
    shop: Shop,
    runs: Sequence[ObservedRun],
    *,
    test_id: str = TEST_ID,
    property_id: str | None = PROPERTY,
) -> None:
    """Write record, ledger line and snapshot for HEAD's patch."""
    asked = Asked(
        test_id=test_id,
        fixture_path=FIXTURE,
        oracle_path=ORACLE,
        owner="ada",
        expires_on=(datetime.now(UTC) + timedelta(days=7)).date(),
        property_id=property_id,
    )
    with _standing_in(shop.root):
        session = Session.open(os.environ)
        build_request(session, asked, [run.value() for run in runs]).write(shop.root)
    print("\n    writes .freeze/record.json, .freeze/ledger.jsonl, .freeze/snapshots/")


def _edit_the_oracle(shop: Shop, _: Shop) -> None:
    _edit_subject(shop, _PATCH)
    _weaken_the_oracle(shop)
    _commit_unasked(shop, "Tell free orders")
    ask(shop, observe_until(shop, TEST_ID, disagree))
    _commit_unasked(shop, "Tell free orders", "--amend")


def _launder_the_oracle(shop: Shop, _: Shop) -> None:
    _edit_subject(shop, _PATCH)
    _weaken_the_oracle(shop)
    _commit_unasked(shop, "Tell free orders, tidy the tests")
    ask(shop, observe_until(shop, TEST_ID, disagree))
    _commit_unasked(shop, "Freeze a flaky test")


def _call_a_bug_flaky(shop: Shop, _: Shop) -> None:
    shop.replace(SUBJECT, 'in order["lines"])', 'in order["lines"][1:])')
    _commit_unasked(shop, "Make totals faster")
    runs = observe_until(shop, STABLE_TEST_ID, two_runs)
    ask(shop, runs, test_id=STABLE_TEST_ID, property_id=None)
    _commit_unasked(shop, "Freeze a test that is flaky, honestly")


def _edit_the_fixture(shop: Shop, _: Shop) -> None:
    _edit_subject(shop, _PATCH)
    shop.replace(FIXTURE, '"price": 3', '"price": 4')
    _commit_unasked(shop, "Tell free orders, dearer tea")
    ask(shop, observe_until(shop, TEST_ID, disagree))
    _commit_unasked(shop, "Freeze a flaky test")


def _copy_the_record(shop: Shop, honest: Shop) -> None:
    _edit_subject(shop, _OTHER_PATCH)
    _commit_unasked(shop, "Count lines")
    folder = honest.root / ".freeze"
    shutil.copytree(folder, shop.root / ".freeze", dirs_exist_ok=True)
    print("\n    copies record, ledger line and snapshot from the patch that landed above")
    _commit_unasked(shop, "Freeze a flaky test")


TRICKS = (
    Trick(
        name="oracle edited",
        headline="the patch edits the oracle that judges it, all in one commit",
        code="oracle.changed",
        play=_edit_the_oracle,
    ),
    Trick(
        name="oracle laundered",
        headline="commit 1 weakens the oracle, commit 2 asks for the freeze and looks clean",
        code="oracle.changed",
        play=_launder_the_oracle,
    ),
    Trick(
        name="two runs that agree",
        headline="the patch has a bug, both runs fail, and its author calls the test flaky",
        code="runs.no_disagreement",
        play=_call_a_bug_flaky,
    ),
    Trick(
        name="fixture edited",
        headline="the patch edits the bytes on which the test disagrees",
        code="fixture.changed_in_patch",
        play=_edit_the_fixture,
    ),
    Trick(
        name="record of another patch",
        headline="evidence of one patch is shown for another",
        code="evidence.stale_patch",
        play=_copy_the_record,
    ),
)


def _refused(trick: Trick, shop: Shop) -> Result:
    shop.show("git", "log", "--format=%s", "--stat=60", "--reverse", "origin/main..")
    before = shop.at_remote("main")
    said = _push(shop, "main")
    named = any(line.startswith(f"error {trick.code} ") for line in said.lines)
    stayed = said.status == 1 and shop.at_remote("main") == before
    got = trick.code if named else "another reason"
    return Result(step=trick.name, expected=trick.code, got=got if stayed else "pushed")


def _accepted(step: str, shop: Shop, branch: str) -> Result:
    _push(shop, branch)
    landed = shop.at_remote(branch) == shop.git("rev-parse", "HEAD")
    return Result(step=step, expected="pushed", got="pushed" if landed else "refused")


def _push(shop: Shop, branch: str) -> Said:
    said = shop.show("git", "push", "origin", f"HEAD:{branch}")
    print(f"      (exit status {said.status})")
    return said


def _edit_subject(shop: Shop, patch: str) -> None:
    shop.append(SUBJECT, patch)


def _weaken_the_oracle(shop: Shop) -> None:
    shop.replace(ORACLE, "assert total(ORDER) >= 0", "assert total(ORDER) >= -1000")


def _commit(shop: Shop, message: str) -> None:
    shop.git("add", "-A")
    shop.show("git", "commit", "-q", "-a", "-m", message)


def _commit_unasked(shop: Shop, message: str, *options: str) -> None:
    """Commit past the pre-commit hook, as whoever plays tricks does."""
    shop.git("add", "-A")
    shop.show("git", "commit", "-q", "--no-verify", *options, "-m", message)


def _headline(text: str) -> None:
    print(f"\n== {text}.")


def _word(status: int) -> str:
    return {0: "accepted", 1: "refused"}.get(status, "undecided")


@contextlib.contextmanager
def _standing_in(folder: Path) -> Iterator[None]:
    """Stand in a folder, with no GIT_* that would lead libgit2 to another repository."""
    taken = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("GIT_")}
    try:
        with contextlib.chdir(folder):
            yield
    finally:
        os.environ.update(taken)
