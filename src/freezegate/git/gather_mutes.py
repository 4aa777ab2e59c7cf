"""What a step does to its tests: its changed files as the detectors of mutes see them."""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pygit2.enums import ObjectType

from freezegate.errors import Unanswerable
from freezegate.git.domain_tree import DomainTree, ReadBlobs
from freezegate.policy.mutes.find import find_mutes
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.step import MuteStep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.git.candidate import Step
    from freezegate.git.store import ObjectStore
    from freezegate.policy.settings import Policy


_RECURSION = 3_000  # calls; each level of an expression takes a few of them


def gather_mutes(store: ObjectStore, step: Step, policy: Policy) -> tuple[Mute, ...]:
    """Return the mutes of a step; each blob is read and parsed once."""
    read = ReadBlobs({}, {})
    old = DomainTree(store, step.base_tree, read)
    new = DomainTree(store, step.tree, read)
    changed = {path.decode("utf-8", "surrogateescape"): path for path in step.changes}
    whole = MuteStep(old, new, tuple(changed), policy.subject_paths)
    unknown = [path for path in changed if not _is_known(store, step, whole, path, changed[path])]
    for path in unknown:
        del changed[path]
    told = MuteStep(old, new, tuple(changed), policy.subject_paths)
    with _no_collection(), _deep_trees():
        try:
            found = find_mutes(told)
        except RecursionError:
            from freezegate.policy.mutes.too_deep import find_too_deep

            found = tuple(find_too_deep(told))
    return (*found, *map(_unknown, unknown))


def _is_known(store: ObjectStore, step: Step, whole: MuteStep, path: str, raw: bytes) -> bool:
    """Say whether the old side of tested code is here: a partial clone has it on demand alone.

    Test code has to be: without it nobody can say what the patch takes away.
    """
    entry = step.base_tree.entry(raw)
    if not path.endswith(".py") or whole.is_test_code(path) or not (entry and entry.is_regular):
        return True
    try:
        store.size(entry.oid, ObjectType.BLOB)
    except Unanswerable:
        return False
    return True


def _unknown(path: str) -> Mute:
    return Mute(
        family=MuteFamily.SUBJECT,
        detector="subject",
        certainty=Certainty.TOLD,
        path=path,
        line=None,
        was="a file whose old bytes are here, to compare it with",
        now="a partial clone without them",
        remedy="git fetch --refetch --no-filter",
    )


@contextmanager
def _deep_trees() -> Iterator[None]:
    """Follow expressions that are nested some hundred times: a long chain of calls is honest."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Syntax trees hold no cycles; to look for some, now or at exit, takes longer than to parse."""
    was_on = gc.isenabled()
    gc.unfreeze()  # of an earlier question in the same process
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
