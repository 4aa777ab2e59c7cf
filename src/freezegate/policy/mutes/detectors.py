"""What each detector of mutes looks for, for `freezegate explain DETECTOR`."""

from __future__ import annotations

from freezegate.model.reasons import Reason

_LOOKS_FOR = {
    "agreeing_equality": "Comparisons of the tests' own classes that hold whatever they compare.",
    "assumption": "Hypothesis examples that are thrown away: `assume`, `filter`, `reject`.",
    "changed_input": "Fixtures, set-ups and test bodies that prepare other values than before.",
    "changed_row": "Rows of `parametrize` with another input, or another value expected.",
    "class_decorator": "Decorators of classes that take tests out of them.",
    "collection": "Tests that pytest collected, and collects no more.",
    "configuration": "Settings, options and ignore lists after which pytest collects less.",
    "copied_subject": "Tests that import a new copy of the code which they tested.",
    "custom_mark": "Markers of the repository's own by which a configuration leaves tests out.",
    "dead_check": "Checks that still stand there, and are never decided, or not in every run.",
    "doctest": "Examples of docstrings that are skipped, gone, or expect less.",
    "dressed_subject": "Tests that set the insides of the object they look at.",
    "dropped_given": "Property tests that are no longer given examples.",
    "emptied_test": "Tests whose body does nothing more.",
    "expected_value": "Checks that expect something else, or hand something else over.",
    "gate": "Hooks, policy, owners, attributes and triggers that guard less.",
    "golden_file": "Files of expected results that a run writes itself.",
    "harness": "Hooks, fixtures, plugins, exits and files that rewrite what tests say.",
    "helper_answer": "Helpers whose answer tests assert, and that say yes to more than before.",
    "hypothesis_settings": "Settings and profiles by which Hypothesis tries less.",
    "import_root": "Folders from which other modules are imported in place of the tested ones.",
    "lost_rows": "Rows of `parametrize` that are gone.",
    "marker": "Skip and xfail, in every spelling, on tests that were there.",
    "narrowed_strategy": "Strategies that draw fewer values than before.",
    "opaque": "Test code that cannot be read with certainty.",
    "patched_subject": "Tests and fixtures that replace the code which they test.",
    "removed_check": "Checks that stand nowhere now.",
    "replaced_helper": "Checking helpers in whose place something stands that checks nothing.",
    "runner": "CI, make, tox, nox and scripts that ignore failures or run fewer tests.",
    "shortened_loop": "Loops over fewer values than before.",
    "stand_in": "Fixtures and helpers that hand out a stand-in for the tested object.",
    "subject": "Production code that knows the tests, or agrees with all of them.",
    "swallowed_argument": "Helpers that take an argument and do not check it any more.",
    "uncovered": "Lines of production code that coverage no longer counts.",
    "weakened_check": "Checks that say less than those in whose place they stand.",
}
_REMEDY = "Do what the finding says; freezegate check --explain-mutes shows it before and after."
DETECTORS = {
    name: Reason(code=name, sentence=sentence, remedy=_REMEDY)
    for name, sentence in _LOOKS_FOR.items()
}
