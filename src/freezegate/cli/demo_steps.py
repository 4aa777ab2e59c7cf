"""The demo's story: a witnessed freeze that lands, a bug and five tricks that do not."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from freezegate.cli.demo_shop import (
    FIXTURE,
    ORACLE,
    PROPERTY,
    RUNS,
    STABLE_PROPERTY,
    STABLE_TEST_ID,
    SUBJECT,
    TEST_ID,
    Said,
    Shop,
    install_hooks,
    open_shop,
)
from freezegate.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
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
MAX_WINDOWS = 5  # a 50/50 test fails to be mixed on both sides so often once in 10^7 demos
_CLASS = re.compile(r"class: +([a-z_]+):")
_BAD_LUCK = f"""
  Refused, and rightly: by chance one side agreed with itself in all {RUNS} runs, as it does in 3 of
  100 windows of a 50/50 test. On real work that is an answer: ask for more runs beforehand
  (`freezegate plan`), never for another window. The demo made this flake, so it takes another."""
_ONE_SIDED = ("pass", "deterministic_miss", "seed_unstable", "unresolved")


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
    yield _bug(before.copy_to(folder / "bug"))
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
    yield Result(step="witness sees a flake", expected="env_unstable", got=_witness_flake(shop))
    _commit(shop, "Freeze the flaky test for a week")
    status = shop.show("freezegate", "check").status
    yield Result(step="freezegate check", expected="accepted", got=_word(status))
    yield _accepted("freeze pushed to topic", shop, "topic")
    yield _accepted("freeze lands on main", shop, "main")


def _witness_flake(shop: Shop) -> str:
    """Take windows until one shows both sides mixed, and say so of each that does not.

    Raises UsageError where none does, or where witness refuses for another reason.
    """
    for _ in range(MAX_WINDOWS):
        said = _witness(shop, PROPERTY)
        if said.status == 0:
            return _class_of(said)
        if _class_of(said) not in _ONE_SIDED:
            break
        print(_BAD_LUCK)
    msg = f"witness ended with {said.status} ({_class_of(said)}), and a 50/50 test was to be frozen"
    raise UsageError(msg)


def _bug(shop: Shop) -> Result:
    _headline("A patch with a bug, whose author calls the red test flaky")
    shop.git("checkout", "-q", "-b", "topic")
    _plant_bug(shop)
    _commit(shop, "Make totals faster")
    said = _witness(shop, STABLE_PROPERTY)
    quiet = said.status == 1 and not shop.git("status", "--porcelain")
    got = _class_of(said) if quiet else "accepted"
    return Result(step="witness sees a bug", expected="deterministic_miss", got=got)


def _witness(shop: Shop, property_id: str) -> Said:
    last_day = (datetime.now(UTC) + timedelta(days=7)).date().isoformat()
    asked = ("--property", property_id, "--owner", "ada", "--expires-on", last_day)
    said = shop.show("freezegate", "witness", *asked)
    print(f"      (exit status {said.status})")
    return said


def _class_of(said: Said) -> str:
    found = _CLASS.search("\n".join(said.lines))
    return found[1] if found else "no class"


def _edit_the_oracle(shop: Shop, honest: Shop) -> None:
    _edit_subject(shop, _PATCH)
    _weaken_the_oracle(shop)
    _take_the_evidence(shop, honest)
    _commit_unasked(shop, "Tell free orders")


def _launder_the_oracle(shop: Shop, honest: Shop) -> None:
    _edit_subject(shop, _PATCH)
    _weaken_the_oracle(shop)
    _commit_unasked(shop, "Tell free orders, tidy the tests")
    _take_the_evidence(shop, honest)
    _commit_unasked(shop, "Freeze a flaky test")


def _call_a_bug_flaky(shop: Shop, honest: Shop) -> None:
    _plant_bug(shop)
    _commit_unasked(shop, "Make totals faster")
    _take_the_evidence(shop, honest)
    for path in (".freeze/record.json", ".freeze/ledger.jsonl"):
        shop.replace(path, TEST_ID, STABLE_TEST_ID)
        shop.replace(path, PROPERTY, STABLE_PROPERTY)
    _commit_unasked(shop, "Freeze a test that is flaky, honestly")


def _edit_the_fixture(shop: Shop, honest: Shop) -> None:
    _edit_subject(shop, _PATCH)
    shop.replace(FIXTURE, '"price": 3', '"price": 4')
    _commit_unasked(shop, "Tell free orders, dearer tea")
    _take_the_evidence(shop, honest)
    _commit_unasked(shop, "Freeze a flaky test")


def _copy_the_record(shop: Shop, honest: Shop) -> None:
    _edit_subject(shop, _OTHER_PATCH)
    _commit_unasked(shop, "Count lines")
    _take_the_evidence(shop, honest)
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
        name="evidence of another test",
        headline="the patch has a bug, and witnessed evidence of the flake is rewritten to name it",
        code="evidence.mismatch",
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


def _plant_bug(shop: Shop) -> None:
    shop.replace(SUBJECT, 'in order["lines"])', 'in order["lines"][1:])')


def _take_the_evidence(shop: Shop, honest: Shop) -> None:
    """Lay down the files of the freeze that landed; its evidence is true, of that patch."""
    shutil.copytree(honest.root / ".freeze", shop.root / ".freeze", dirs_exist_ok=True)
    print("\n    copies record, ledger line, evidence and snapshot of the freeze that landed above")


def _weaken_the_oracle(shop: Shop) -> None:
    shop.replace(ORACLE, "assert total(ORDER) >= 0", "assert total(ORDER) >= -1000")


def _commit(shop: Shop, message: str) -> None:
    shop.git("add", "-A")
    shop.show("git", "commit", "-q", "-a", "-m", message)


def _commit_unasked(shop: Shop, message: str) -> None:
    """Commit past the pre-commit hook, as whoever plays tricks does."""
    shop.git("add", "-A")
    shop.show("git", "commit", "-q", "--no-verify", "-m", message)


def _headline(text: str) -> None:
    print(f"\n== {text}.")


def _word(status: int) -> str:
    return {0: "accepted", 1: "refused"}.get(status, "undecided")
