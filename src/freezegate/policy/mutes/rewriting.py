"""A test that is gone, and new tests of the same patch that check the same things as strongly."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from freezegate.policy.mutes.checks.reading import read_checks
from freezegate.policy.mutes.checks.subject import looks_at_the_same
from freezegate.policy.mutes.step import is_test_name

if TYPE_CHECKING:
    from freezegate.policy.mutes.checks.scale import Check
    from freezegate.policy.mutes.modules import Unit
    from freezegate.policy.mutes.step import MuteStep


class Rewritings:
    """The checks that a step brings, each of which stands for one that is gone, and no more."""

    def __init__(self, step: MuteStep) -> None:
        """Look at the tests that are new, or changed, on the new side."""
        self._step = step

    def stands_again(self, path: str, unit: Unit) -> bool:
        """Say whether new checks look at all that a lost test's looked at; they are used up then.

        What they expect may be something else: that is for a person to see.
        """
        lost = [each for each in read_checks(self._step.old_names, path, unit) if not each.dead]
        taken: list[Check] = []
        for check in lost:
            found = next((n for n in self._left if n not in taken and _replaces(check, n)), None)
            if found is None:
                return False
            taken.append(found)
        for each in taken:
            self._left.remove(each)
        return bool(lost)

    @cached_property
    def _left(self) -> list[Check]:
        found: list[Check] = []
        for pair in self._step.changed_pairs:
            if pair.new is None or not is_test_name(pair.new.unit.name) or pair.moved:
                continue
            after = [c for c in read_checks(self._step.new_names, *pair.new) if not c.dead]
            before = read_checks(self._step.old_names, *pair.old) if pair.old else []
            found += after[len(before) :] if pair.old else after
        return found


def _replaces(old: Check, new: Check) -> bool:
    return new.kind.rank >= old.kind.rank and looks_at_the_same(old, new)
