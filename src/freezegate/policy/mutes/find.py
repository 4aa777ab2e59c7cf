"""Find every mute of one step: each detector is asked, none of them knows the others.

Only those are imported that may find something in the files that changed: a line of production code
asks eight of more than forty, and a hook has milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from freezegate.policy.mutes.step import is_test_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from freezegate.policy.mutes.mute import Mute
    from freezegate.policy.mutes.step import MuteStep

    Detector = Callable[[MuteStep], Iterable[Mute]]

_Names = tuple[tuple[str, str], ...]  # modules of this package, and functions of them
# They look at changed test code, and at what is reached from there.
_OF_TESTS: _Names = (
    ("opaque", "find_opaque"),
    ("marker", "find_markers"),
    ("custom_marks", "find_custom_marks"),
    ("removed", "find_removed"),
    ("dead_checks", "find_dead"),
    ("weakened", "find_weakened"),
    ("weakened", "find_changed_values"),
    ("reached_values", "find_reached_values"),
    ("changed_rows", "find_changed_rows"),
    ("changed_input", "find_changed_inputs"),
    ("shortened_loop", "find_shortened"),
    ("emptied_test", "find_emptied"),
    ("agreeing_equality", "find_agreeing"),
    ("replaced_helper", "find_replaced"),
    ("helper_answers", "find_helper_answers"),
    ("swallowed_arguments", "find_swallowed_arguments"),
    ("patched_subject", "find_patched_subjects"),
    ("patched_module", "find_patched_modules"),
    ("dressed_subject", "find_dressed"),
    ("leaked_patch", "find_leaks"),
    ("golden_files", "find_golden"),
    ("stand_ins", "find_stand_ins"),
    ("overridden_fixture", "find_overridden"),
    ("dropped_given", "find_dropped_given"),
    ("narrowed_strategy", "find_narrowed"),
    ("replaced_example", "find_replaced_examples"),
    ("hypothesis_settings", "find_settings"),
    ("assumptions", "find_assumptions"),
    ("harness_fixtures", "find_fixtures"),
    ("harness_overrides", "find_overrides"),
    ("lost_rows", "find_lost_rows"),
    ("class_decorators", "find_class_decorators"),
    ("deselected", "find_deselected"),
)
# They look at files that run the tests, or that guard them: none of those is plain Python.
_OF_OTHER_FILES: _Names = (
    ("runner", "find_runner"),
    ("runner_config", "find_runner_config"),
    ("gate", "find_gate"),
    ("doctests", "find_option_flags"),
)
# They look at examples for doctest, which are in few files.
_OF_EXAMPLES: _Names = (("doctests", "find_doctests"),)
_OF_NEW_CODE: _Names = (("copied_subject", "find_copies"),)
_OF_ROOTS: _Names = (("import_roots", "find_import_roots"), ("package_paths", "find_package_paths"))
_OF_HELPERS: _Names = (("session_patches", "find_session_patches"),)
_OF_NEEDS: _Names = (("needed_modules", "find_needed_modules"),)
_LEADING = (b"path", b"addsitedir")
_OF_ALL: _Names = (
    ("collection", "find_lost"),
    ("harness_hooks", "find_hooks"),
    ("harness_patches", "find_patches"),
    ("harness_shadows", "find_shadows"),
    ("subject", "find_subject"),
    ("subject_signs", "find_signs"),
    ("uncovered", "find_uncovered"),
    ("skip_values", "find_skip_values"),
    ("configuration", "find_configuration"),
)
_RUNNING = frozenset({"noxfile.py", "setup.py", "conftest.py"})


def find_mutes(step: MuteStep) -> tuple[Mute, ...]:
    """Return what all detectors find, each thing once, in the order of the files."""
    every = (mute for detector in detectors_for(step) for mute in detector(step))
    found: dict[tuple[object, ...], Mute] = {}
    for mute in sorted(every, key=lambda mute: -mute.certainty):
        found.setdefault((mute.detector, mute.path, mute.line, mute.now, mute.test), mute)
    once = _without_repeats(found.values())
    return tuple(sorted(once, key=lambda mute: (mute.path, mute.line or 0)))


def _without_repeats(mutes: Iterable[Mute]) -> Iterator[Mute]:
    """An option that leaves out tests which are there says more than that an option is new."""
    every = tuple(mutes)
    told = {_option(mute) for mute in every if mute.detector == "configuration"}
    yield from (m for m in every if m.detector != "runner" or _option(m) not in told)


def _option(mute: Mute) -> tuple[str, str]:
    said = mute.now.removesuffix(" is new").replace("=", " ").replace("'", "")
    return mute.path, said


def detectors_for(step: MuteStep) -> Iterator[Detector]:
    """Yield the detectors that may find something in the files that changed."""
    names = _OF_TESTS if step.test_files else ()
    if not all(map(_is_plain, step.changed)):
        names += _OF_OTHER_FILES
    if any(_may_hold_examples(step, path) for path in step.changed):
        names += _OF_EXAMPLES
    if step.test_files and step.subject_files:
        names += _OF_NEW_CODE
    if any(not is_test_file(pair.path) for pair in step.test_files):
        names += _OF_HELPERS
    if any(pair.new and b"importorskip" in pair.new.source for pair in step.test_files):
        names += _OF_NEEDS
    if any(_may_lead_imports(step, path) for path in step.changed):
        names += _OF_ROOTS
    for module, function in (*names, *_OF_ALL):
        found: Detector = getattr(import_module(f"freezegate.policy.mutes.{module}"), function)
        yield found


def _is_plain(path: str) -> bool:
    """Whether a file is Python that starts and guards nothing: no script of hooks or of CI."""
    hidden = path.startswith(".") or "/." in path
    return path.endswith(".py") and not hidden and path.rpartition("/")[2] not in _RUNNING


def _may_hold_examples(step: MuteStep, path: str) -> bool:
    """Whether a file held examples for doctest, or writes docstrings by which those are others."""
    if path.endswith(".py"):
        old, new = step.old.module(path), step.new.module(path)
        held = old is not None and b">>>" in old.source
        return held or (new is not None and b"__doc__" in new.source)
    entry = step.old.entry(path) if path.endswith((".txt", ".rst", ".md")) else None
    return entry is not None and b">>>" in step.old.tree.source(entry)


def _may_lead_imports(step: MuteStep, path: str) -> bool:
    """Whether a file says where imports are looked for, or is a new one that may be found there."""
    new = step.new.module(path) if path.endswith(".py") and _is_plain(path) else None
    if new is None or step.old.entry(path) is None:
        return step.new.entry(path) is not None
    return b"__path__" in new.source or (
        step.is_test_code(path) and any(word in new.source for word in _LEADING)
    )
