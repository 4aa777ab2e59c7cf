"""Find every mute of one step: each detector is asked, none of them knows the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.mutes.agreeing_equality import find_agreeing
from freezegate.policy.mutes.assumptions import find_assumptions
from freezegate.policy.mutes.changed_rows import find_changed_rows
from freezegate.policy.mutes.class_decorators import find_class_decorators
from freezegate.policy.mutes.collection import find_lost
from freezegate.policy.mutes.configuration import find_configuration
from freezegate.policy.mutes.custom_marks import find_custom_marks
from freezegate.policy.mutes.dead_checks import find_dead
from freezegate.policy.mutes.dropped_given import find_dropped_given
from freezegate.policy.mutes.emptied_test import find_emptied
from freezegate.policy.mutes.gate import find_gate
from freezegate.policy.mutes.harness_fixtures import find_fixtures
from freezegate.policy.mutes.harness_hooks import find_hooks
from freezegate.policy.mutes.harness_overrides import find_overrides
from freezegate.policy.mutes.harness_patches import find_patches
from freezegate.policy.mutes.harness_shadows import find_shadows
from freezegate.policy.mutes.hypothesis_settings import find_settings
from freezegate.policy.mutes.lost_rows import find_lost_rows
from freezegate.policy.mutes.marker import find_markers
from freezegate.policy.mutes.narrowed_strategy import find_narrowed
from freezegate.policy.mutes.opaque import find_opaque
from freezegate.policy.mutes.patched_subject import find_patched_subjects
from freezegate.policy.mutes.reached_values import find_reached_values
from freezegate.policy.mutes.removed import find_removed
from freezegate.policy.mutes.replaced_helper import find_replaced
from freezegate.policy.mutes.runner import find_runner
from freezegate.policy.mutes.runner_config import find_runner_config
from freezegate.policy.mutes.shortened_loop import find_shortened
from freezegate.policy.mutes.subject import find_subject
from freezegate.policy.mutes.weakened import find_changed_values, find_weakened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.step import MuteStep

    Detector = Callable[[MuteStep], Iterable[Mute]]

DETECTORS: tuple[Detector, ...] = (
    find_opaque,
    find_markers,
    find_custom_marks,
    find_lost,
    find_removed,
    find_dead,
    find_weakened,
    find_changed_values,
    find_reached_values,
    find_changed_rows,
    find_shortened,
    find_emptied,
    find_agreeing,
    find_replaced,
    find_patched_subjects,
    find_dropped_given,
    find_narrowed,
    find_settings,
    find_assumptions,
    find_hooks,
    find_fixtures,
    find_patches,
    find_overrides,
    find_shadows,
    find_runner,
    find_runner_config,
    find_subject,
    find_gate,
    find_lost_rows,
    find_class_decorators,
    find_configuration,
)


def find_mutes(step: MuteStep) -> tuple[Mute, ...]:
    """Return what all detectors find, each thing once, in the order of the files."""
    found = dict.fromkeys(mute for detector in DETECTORS for mute in detector(step))
    return tuple(sorted(found, key=lambda mute: (mute.path, mute.line or 0)))
