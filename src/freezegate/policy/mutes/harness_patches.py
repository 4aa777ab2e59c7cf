"""Patched frameworks, replaced modules and exits in test code; in production code a warning."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from freezegate.policy.mutes.harness_hooks import harness_files
from freezegate.policy.mutes.mute import Certainty, Mute, MuteFamily
from freezegate.policy.mutes.patches import Patch, find_in
from freezegate.policy.mutes.step import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from freezegate.policy.mutes.modules import Module
    from freezegate.policy.mutes.names import Names
    from freezegate.policy.mutes.step import FilePair, MuteStep

_REMEDY = "Leave the framework, the interpreter and the modules under test as they are; replace "
_OWN = "a test's own collaborators with monkeypatch, inside that test."
_EXIT = "Let pytest say how the run ended: its exit status is what CI and the gate go by."


def find_patches(step: MuteStep) -> Iterator[Mute]:
    """Yield what changed code patches on the new side, and did not before."""
    pairs = tuple(harness_files(step))
    before: Counter[str] = Counter()
    for pair in pairs:
        if pair.old:
            found = _in(step, step.old_names, pair.path, pair.old)
            before.update(patch.key for patch in found)
    fresh = {id(pair.new.unit.node) for pair in step.pairs if pair.new and pair.old is None}
    for pair in pairs:
        for patch in _in(step, step.new_names, pair.path, pair.new) if pair.new else ():
            if before[patch.key]:
                before[patch.key] -= 1
            elif patch.test is None or id(patch.test) not in fresh or not _is_own(patch):
                yield _mute(step, pair, patch)


def _is_own(patch: Patch) -> bool:
    """What a new test does for itself alone: undone at its end, or in a child of its own."""
    return patch.undone or patch.certainty is not Certainty.CLEAR


def _in(step: MuteStep, names: Names, path: str, module: Module) -> Iterator[Patch]:
    return find_in(names, path, module, _subject_of(step, names, path), step.same_functions)


def _subject_of(step: MuteStep, names: Names, path: str) -> Callable[[str], bool]:
    def is_subject(name: str) -> bool:
        file = names.file_of(path, name)
        return file is not None and not step.is_test_code(file)

    return is_subject


def _mute(step: MuteStep, pair: FilePair, patch: Patch) -> Mute:
    ours = step.is_test_code(pair.path) or _starts_python(pair.path)
    node = patch.node
    exits = isinstance(node, ast.Raise) or "exit" in patch.key
    return Mute(
        family=MuteFamily.HARNESS if ours else MuteFamily.SUBJECT,
        detector="harness" if ours else "subject",
        certainty=patch.certainty,
        path=pair.path,
        line=getattr(node, "lineno", None),
        was="the framework, the interpreter and the modules under test as they are",
        now=shown(node),
        remedy=_EXIT if exits else _REMEDY + _OWN,
        after=shown(node),
    )


def _starts_python(path: str) -> bool:
    return path.rpartition("/")[2] in ("sitecustomize.py", "usercustomize.py")
