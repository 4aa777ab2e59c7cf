"""Old tests that got a marker which the configuration leaves out by `-m`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.mutes.classes import Classes
from freezegate.policy.mutes.collecting import Collector
from freezegate.policy.mutes.configuration import Less, less_told
from freezegate.policy.mutes.custom_marks import custom_marks
from freezegate.policy.mutes.expressions import selected, words_of
from freezegate.policy.mutes.marks import Marks
from freezegate.policy.mutes.step import is_test_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.step import MuteStep


def find_deselected(step: MuteStep) -> Iterator[Mute]:
    """Yield old tests that got a marker which the configuration leaves out by `-m`."""
    old, new = Marks(step.old, step.old_names), Marks(step.new, step.new_names)
    collector: Collector | None = None
    for pair in step.changed_pairs:
        if pair.old is None or pair.new is None or not is_test_name(pair.new.unit.name):
            continue
        after = custom_marks(new, pair.new)
        if not after:
            continue
        if collector is None:
            collector = Collector(step.new, step.new_names, Classes(step.new, step.new_names))
        expression = collector.selection(pair.new.path).options.last("-m")
        words = words_of(expression) if expression else frozenset()
        if not words & set(after):
            continue
        before = custom_marks(old, pair.old)
        ran = selected(expression, {word: word in before for word in words})
        if ran and not selected(expression, {word: word in after for word in words}):
            name = min(set(after) - set(before), default="?")
            less = Less(
                f"{pair.new.test_id} was selected by -m {expression!r}",
                f"the marker {name} leaves it out",
                test=pair.new.test_id,
            )
            yield less_told(pair.new.path, less, pair.new.unit.node.lineno)
