"""Facts to answers, the whole table, without a process."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from freezegate.model.observation import Failure, FileObservation, Observation, Unobserved
from freezegate.witness.facts import Ending, Facts, Phase, Raised, Report, parse_facts
from freezegate.witness.outcome import decide_collection, decide_file, decide_observation

ID = "test_it.py::test_it"
TREE = "/tree"


def ending(status: int = 0, **changes: Any) -> Ending:
    """An ending with an exit status."""
    plain = Ending(
        exit_status=status,
        timed_out=False,
        started_at="2026-11-30T10:37:24.123Z",
        duration_ms=7,
        output="",
    )
    return replace(plain, **changes)


def raised(kind: str = "error", type_name: str = "AssertionError") -> Raised:
    """An exception of a kind."""
    return Raised(kind=kind, failure=Failure(type_name=type_name, message="so"))


def phase(when: str, exception: Raised | None = None, **changes: Any) -> Phase:
    """A phase of the one test."""
    return replace(Phase(test_id=ID, when=when, subtest=False, raised=exception), **changes)


def report(when: str, outcome: str = "passed", **changes: Any) -> Report:
    """A report on the one test."""
    return replace(Report(test_id=ID, when=when, outcome=outcome), **changes)


def facts(
    call: Raised | None = None, told: str = "passed", status: int = 0, **changes: Any
) -> Facts:
    """One test of which every trace agrees, unless changed."""
    whole = Facts(
        stage="ran",
        returned=status,
        collected=(ID,),
        collected_count=1,
        calls=((ID, call.kind if call else None),),
        phases=(phase("setup"), phase("call", call), phase("teardown")),
        reports=(report("setup"), report("call", told), report("teardown")),
    )
    return replace(whole, **changes)


def word(found: Facts | None, end: Ending) -> str:
    """The answer in one word."""
    answer = decide_observation(found, end, tree=TREE)
    if isinstance(answer, Observation):
        assert answer.collected == 1
        return "passed" if answer.passed else "failed"
    assert answer.exit_status == end.exit_status
    return answer.word.value


RAW = [None, raised()]
STATUSES = [0, 1, 2, 3, 4, 5, 6, 7, 77]


@pytest.mark.parametrize("call", RAW, ids=["raw_pass", "raw_fail"])
@pytest.mark.parametrize("told", ["passed", "failed", "skipped"])
@pytest.mark.parametrize("inner", [None, "error"])
def test_every_combination_of_exception_report_and_status(
    call: Raised | None, told: str, inner: str | None
) -> None:
    for returned, status in itertools.product(STATUSES, STATUSES):
        found = facts(call, told, returned, calls=((ID, inner),))
        expected = "outcome_contradicted"
        if call is None and inner is None and (told, returned, status) == ("passed", 0, 0):
            expected = "passed"
        if call is not None and (told, returned, status) == ("failed", 1, 1):
            expected = "failed"
        assert word(found, ending(status)) == expected


FAILED = facts(raised(), "failed", 1)
CASES = [
    ("no_facts", None, ending(0), "exited_early"),
    ("no_facts_and_1", None, ending(1), "exited_early"),
    ("killed", None, ending(-9), "crashed"),
    ("killed_afterwards", facts(), ending(-11), "crashed"),
    ("timed_out", facts(), ending(-15, timed_out=True), "timed_out"),
    ("timed_out_with_status_0", facts(), ending(0, timed_out=True), "timed_out"),
    ("empty_facts", Facts(), ending(0), "usage_error"),
    (
        "shadow",
        facts(refused=("shadowed_pytest", "pytest from a.py")),
        ending(4),
        "shadowed_pytest",
    ),
    ("no_pytest", facts(refused=("pytest_missing", "so")), ending(4), "pytest_missing"),
    ("foreign", facts(foreign=("/srv/a.py",)), ending(0), "wrong_tree_imported"),
    ("own_ini", facts(inipath="/tree/pytest.ini"), ending(0), "passed"),
    ("outer_ini", facts(inipath="/tree2/pytest.ini"), ending(0), "outer_configuration"),
    ("interrupted", facts(interrupted="Exit: so"), ending(0), "exited_early"),
    ("raised", facts(raised="SystemExit: 0"), ending(0), "exited_early"),
    ("internal", facts(internal_error="so"), ending(0), "internal_error"),
    (
        "collect_error",
        facts(collect_errors=((ID, "E   NameError: x"),)),
        ending(0),
        "collection_error",
    ),
    ("import_error", facts(collect_errors=((ID, "ImportError while"),)), ending(0), "import_error"),
    ("none", facts(collected_count=0, collected=()), ending(5), "not_collected"),
    ("none_and_0", facts(collected_count=0, collected=()), ending(0), "not_collected"),
    (
        "module_skipped",
        facts(collected_count=0, collected=(), collect_skips=((ID, "so"),)),
        ending(5),
        "skipped",
    ),
    ("two", facts(collected_count=2), ending(0), "several_collected"),
    (
        "called_twice",
        replace(FAILED, calls=((ID, "error"), (ID, None))),
        ending(1),
        "rerun_in_process",
    ),
    (
        "rerun_report",
        facts(reports=(report("setup"), report("call", "rerun"), *facts().reports)),
        ending(0),
        "rerun_in_process",
    ),
    (
        "set_up_twice",
        facts(phases=(phase("setup"), *facts().phases)),
        ending(0),
        "rerun_in_process",
    ),
    ("not_called", facts(phases=(phase("setup"), phase("teardown"))), ending(0), "exited_early"),
    ("nothing_ran", facts(phases=(), reports=(), calls=()), ending(0), "exited_early"),
    ("no_reports", facts(reports=()), ending(0), "outcome_contradicted"),
    ("report_twice", facts(reports=facts().reports * 2), ending(0), "outcome_contradicted"),
    *[
        (f"set_up_{kind}", facts(phases=(phase("setup", raised(kind)),)), ending(1), expected)
        for kind, expected in (
            ("error", "set_up_error"),
            ("skip", "skipped"),
            ("xfail", "xfailed"),
            ("system_exit", "set_up_error"),
        )
    ],
    *[
        (f"call_{kind}", facts(raised(kind), "failed", 1), ending(1), expected)
        for kind, expected in (
            ("error", "failed"),
            ("skip", "skipped"),
            ("xfail", "xfailed"),
            ("xpass", "xpassed"),
            ("exit", "exited_early"),
            ("system_exit", "exited_early"),
        )
    ],
    (
        "tear_down",
        replace(FAILED, phases=(*FAILED.phases[:2], phase("teardown", raised()))),
        ending(1),
        "tear_down_error",
    ),
    (
        "xfail_report",
        facts(raised(), reports=(report("setup"), report("call", "skipped", xfail=True))),
        ending(0),
        "xfailed",
    ),
    (
        "xpass_report",
        facts(reports=(report("setup"), report("call", xfail=True), report("teardown"))),
        ending(0),
        "xpassed",
    ),
    (
        "strict_xpass",
        facts(
            None,
            "failed",
            1,
            phases=(phase("setup"), phase("call", xfail_marked=True), phase("teardown")),
        ),
        ending(1),
        "xpassed",
    ),
    (
        "generation",
        facts(raised(type_name="hypothesis.errors.FlakyStrategyDefinition"), "failed", 1),
        ending(1),
        "generation_error",
    ),
    (
        "subtest_fails",
        facts(
            None,
            "failed",
            1,
            phases=(phase("setup"), phase("call", raised(), subtest=True), *facts().phases[1:]),
            reports=(*FAILED.reports, report("call", "failed", subtest=True)),
        ),
        ending(1),
        "failed",
    ),
    (
        "subtest_is_hidden",
        facts(phases=(phase("setup"), phase("call", raised(), subtest=True), *facts().phases[1:])),
        ending(0),
        "outcome_contradicted",
    ),
]


@pytest.mark.parametrize(
    ("found", "end", "expected"), [pytest.param(*c[1:], id=c[0]) for c in CASES]
)
def test_the_table(found: Facts | None, end: Ending, expected: str) -> None:
    assert word(found, end) == expected


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"{", b"[]", b"null", b"{}", b'{"returned": "0"}', b'{"returned": true}', b"\xff"),
        *(b'{"returned": 0, "phases": [{}]}', b'{"returned": 0, "calls": [1]}', b"[" * 100_000),
    ],
)
def test_a_result_that_no_child_wrote_is_none(data: bytes) -> None:
    assert parse_facts(data, isolation="process") is None


def test_names_that_are_no_utf_8_become_text() -> None:
    found = parse_facts(b'{"returned": 0, "reads": ["a\\udcff"]}', isolation="process")
    assert found is not None
    assert found.reads == ("a\\udcff",)


def test_a_file_counts_only_what_every_trace_says() -> None:
    answer = decide_file(FAILED, ending(1), tree=TREE)
    assert isinstance(answer, FileObservation)
    assert (answer.passed, answer.failed, answer.failed_ids) == (0, 1, (ID,))
    hidden = decide_file(facts(raised(), "passed", 0), ending(0), tree=TREE)
    assert isinstance(hidden, Unobserved)
    silent = decide_file(facts(phases=(), calls=()), ending(0), tree=TREE)
    assert isinstance(silent, FileObservation)
    assert (silent.passed, silent.failed, silent.other) == (0, 0, 1)


def test_an_empty_collection_is_no_answer() -> None:
    assert decide_collection(facts(), ending(0), tree=TREE) == (ID,)
    assert isinstance(decide_collection(Facts(stage="collected"), ending(5), tree=TREE), Unobserved)
