"""What a step does to its tests: its changed files as the detectors of mutes see them."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

from freezegate.git.domain_tree import DomainTree, ReadBlobs
from freezegate.policy.mutes.find import find_mutes
from freezegate.policy.mutes.step import MuteStep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.git.candidate import Step
    from freezegate.git.store import ObjectStore
    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.settings import Policy


def gather_mutes(store: ObjectStore, step: Step, policy: Policy) -> tuple[Mute, ...]:
    """Return the mutes of a step; each blob is read and parsed once."""
    read = ReadBlobs({}, {})
    old = DomainTree(store, step.base_tree, read)
    new = DomainTree(store, step.tree, read)
    changed = [path.decode("utf-8", "surrogateescape") for path in step.changes]
    with _no_collection():
        return find_mutes(MuteStep(old, new, changed, policy.subject_paths))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Syntax trees hold no cycles; to look for some takes longer than to parse."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
