"""Find every mute of one step: each detector is asked, none of them knows the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.policy.mutes.collection import find_lost
from freezegate.policy.mutes.configuration import find_configuration
from freezegate.policy.mutes.custom_marks import find_custom_marks
from freezegate.policy.mutes.lost_rows import find_lost_rows
from freezegate.policy.mutes.marker import find_markers
from freezegate.policy.mutes.opaque import find_opaque

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
    find_lost_rows,
    find_configuration,
)


def find_mutes(step: MuteStep) -> tuple[Mute, ...]:
    """Return what all detectors find, each thing once, in the order of the files."""
    found = dict.fromkeys(mute for detector in DETECTORS for mute in detector(step))
    return tuple(sorted(found, key=lambda mute: (mute.path, mute.line or 0)))
