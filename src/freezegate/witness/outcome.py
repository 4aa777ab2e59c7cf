"""What was observed? A pure answer from the child's facts and from how its process ended."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from freezegate.model.evidence import Environment
from freezegate.model.observation import FileObservation, NoObservation, Observation, Unobserved

if TYPE_CHECKING:
    from collections.abc import Iterable

    from freezegate.model.observation import Failure
    from freezegate.witness.facts import Ending, Facts, Phase, Raised, Report

_PHASES = ("setup", "call", "teardown")
_ONE_OUTCOME = "one test that passes with exit status 0 or fails with exit status 1"
_RUNS = "a test that runs to its end"
_NO_SKIP = "witness the test where it runs, without this skip or xfail"
_LOOK = "run it by hand: python -m pytest {}; what it printed last stands below"
_HONEST = (
    "take the hook or plugin that rewrites outcomes out of the run (conftest.py, [runner] plugins)"
)
# Hypothesis says with it that the test's own data changed, not that the property fails.
_GENERATION = "hypothesis.errors.FlakyStrategyDefinition"
_NOWHERE = Environment(python="", platform="", pytest="", hypothesis=None, isolation="")


def decide_observation(
    facts: Facts | None, ending: Ending, *, tree: str
) -> Observation | Unobserved:
    """Say what a run of one test showed; `tree` is the absolute top of the built tree."""
    problem = _process(facts, ending)
    if facts is None or problem is not None:
        return problem or _no_facts(ending)
    return (
        _session(facts, ending, tree)
        or _selection(facts, ending, tree)
        or _execution(facts, ending)
        or _raised_otherwise(facts, ending)
        or _contradiction(facts, ending)
        or _observation(facts, ending)
    )


def decide_file(facts: Facts | None, ending: Ending, *, tree: str) -> FileObservation | Unobserved:
    """Say how many tests of a file passed and failed in one process."""
    problem = _process(facts, ending)
    if facts is None or problem is not None:
        return problem or _no_facts(ending)
    return (
        _session(facts, ending, tree)
        or _no_file(facts, ending, tree)
        or _reruns(facts, ending)
        or _counts(facts, ending)
    )


def decide_collection(
    facts: Facts | None, ending: Ending, *, tree: str
) -> tuple[str, ...] | Unobserved:
    """Say which ids a selection means; the empty selection is never an answer."""
    problem = _process(facts, ending)
    if facts is None or problem is not None:
        return problem or _no_facts(ending)
    return (
        _session(facts, ending, tree) or _nothing_collected(facts, ending, tree) or facts.collected
    )


# --- the process


def _process(facts: Facts | None, ending: Ending) -> Unobserved | None:
    if ending.timed_out:
        got = f"no end after {ending.duration_ms / 1000:.1f} s; the processes were killed"
        remedy = "raise [evidence] timeout_s in .freeze/policy.toml, or make the test faster"
        return _no(NoObservation.TIMED_OUT, ending, got, "a run within its time", remedy)
    if ending.exit_status < 0:
        got = f"killed by {_signal_name(-ending.exit_status)}"
        when = " after pytest had ended" if facts is not None else ""
        remedy = (
            "find what kills the process (memory, a crash in C code); a crash is no failed test"
        )
        return _no(NoObservation.CRASHED, ending, got + when, _ONE_OUTCOME, remedy)
    return None


def _no_facts(ending: Ending) -> Unobserved:
    got = f"the process ended with exit status {ending.exit_status} before pytest did"
    remedy = "look for os._exit and the like in the test and in what it calls"
    return _no(NoObservation.EXITED_EARLY, ending, got, _RUNS, remedy)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


# --- the session


def _session(facts: Facts, ending: Ending, tree: str) -> Unobserved | None:
    return (
        _refused(facts, ending)
        or _wrong_tree(facts, ending, tree)
        or _outer_configuration(facts, ending, tree)
        or _ended_early(facts, ending)
        or _not_collectable(facts, ending, tree)
    )


def _refused(facts: Facts, ending: Ending) -> Unobserved | None:
    if facts.refused is None:
        return None
    word, got = facts.refused
    if word == NoObservation.SHADOWED_PYTEST:
        remedy = "rename the file or folder in the repository that stands in for pytest"
        return _no(NoObservation.SHADOWED_PYTEST, ending, got, "the installed pytest", remedy)
    remedy = "install pytest into the environment that runs the tests"
    return _no(NoObservation.PYTEST_MISSING, ending, got, "an interpreter with pytest", remedy)


def _wrong_tree(facts: Facts, ending: Ending, tree: str) -> Unobserved | None:
    if not facts.foreign:
        return None
    more = f" and {len(facts.foreign) - 1} more" if len(facts.foreign) > 1 else ""
    remedy = (
        'set [runner] pythonpath (such as ["src"]) in .freeze/policy.toml, '
        "or use an environment without the editable install"
    )
    expected = f"imports from the run's own tree, {tree}"
    return _no(NoObservation.WRONG_TREE_IMPORTED, ending, facts.foreign[0] + more, expected, remedy)


def _outer_configuration(facts: Facts, ending: Ending, tree: str) -> Unobserved | None:
    if facts.inipath is None or facts.inipath.startswith(tree + "/"):
        return None
    return _no(
        NoObservation.OUTER_CONFIGURATION,
        ending,
        f"pytest reads {facts.inipath}",
        "pytest configuration from the repository, or none",
        "remove that file, or give the repository its own pytest configuration",
    )


def _ended_early(facts: Facts, ending: Ending) -> Unobserved | None:
    if facts.internal_error is not None:
        got = _last_line(facts.internal_error) or "pytest's INTERNALERROR"
        return _no(NoObservation.INTERNAL_ERROR, ending, got, _RUNS, _LOOK.format("TEST_ID"))
    early = facts.raised or facts.interrupted
    if early is None:
        return None
    remedy = "look for sys.exit and pytest.exit in the test, its conftest files and plugins"
    return _no(NoObservation.EXITED_EARLY, ending, early, _RUNS, remedy)


def _not_collectable(facts: Facts, ending: Ending, tree: str) -> Unobserved | None:
    if facts.collect_errors:
        place, text = facts.collect_errors[0]
        importing = "ImportError while" in text or "ModuleNotFoundError" in text
        word = NoObservation.IMPORT_ERROR if importing else NoObservation.COLLECTION_ERROR
        return _no(
            word,
            ending,
            f"{place}: {_last_line(text)}",
            "a test file that loads",
            _LOOK.format(place),
        )
    if facts.stage in ("started", "configured"):
        importing = "ImportError while loading conftest" in ending.output
        word = NoObservation.IMPORT_ERROR if importing else NoObservation.USAGE_ERROR
        got = (
            _error_line(ending.output, tree)
            or f"exit status {facts.returned} before any collection"
        )
        remedy = (
            "addopts are left out in witness runs: see whether the suite needs an option from them"
        )
        return _no(word, ending, got, "a pytest that starts", remedy)
    return None


# --- the selection


def _selection(facts: Facts, ending: Ending, tree: str) -> Unobserved | None:
    nothing = _nothing_collected(facts, ending, tree)
    if nothing is not None or facts.collected_count == 1:
        return nothing
    first = facts.collected[0] if facts.collected else "?"
    got = f"{facts.collected_count} tests, the first is {first}"
    remedy = "name one of them, with its [parameter]: python -m pytest --collect-only -q"
    return _no(NoObservation.SEVERAL_COLLECTED, ending, got, "exactly one test", remedy)


def _nothing_collected(facts: Facts, ending: Ending, tree: str) -> Unobserved | None:
    if facts.collected_count:
        return None
    if facts.collect_skips:
        place, reason = facts.collect_skips[0]
        return _no(NoObservation.SKIPPED, ending, f"{place}: {reason}", _RUNS, _NO_SKIP)
    got = _error_line(ending.output, tree) or "no test"
    if facts.deselected:
        got = f"no test; {facts.deselected} deselected by the project's own hooks"
    remedy = "list the ids: python -m pytest --collect-only -q"
    return _no(NoObservation.NOT_COLLECTED, ending, got, "exactly one test", remedy)


# --- the execution of one test


def _execution(facts: Facts, ending: Ending) -> Unobserved | None:
    reruns = _reruns(facts, ending)
    if reruns is not None:
        return reruns
    setup = _phase(facts, "setup")
    if setup is not None and setup.raised is not None:
        return _set_up(setup.raised, ending)
    call = _phase(facts, "call")
    if call is None:
        got = f"the test's function was not called; exit status {ending.exit_status}"
        remedy = "look for a hook that takes over the run (pytest_runtest_protocol, --setup-only)"
        return _no(NoObservation.EXITED_EARLY, ending, got, _RUNS, remedy)
    return _expected_failure(call, _report(facts, "call"), ending)


def _reruns(facts: Facts, ending: Ending) -> Unobserved | None:
    called = [test_id for test_id, _ in facts.calls]
    begun = [p.test_id for p in facts.phases if p.when == "setup" and not p.subtest]
    again = [r.test_id for r in facts.reports if r.outcome == "rerun"]
    twice = again + _repeated(called) + _repeated(begun)
    if not twice:
        return None
    count = max(called.count(twice[0]), begun.count(twice[0]))
    return _no(
        NoObservation.RERUN_IN_PROCESS,
        ending,
        f"{twice[0]} ran {count} times in one process",
        "one execution a process",
        "switch the rerun plugin or hook off for the run ([runner] plugins lists those to load)",
    )


def _repeated(ids: list[str]) -> list[str]:
    return [] if len(set(ids)) == len(ids) else [each for each in ids if ids.count(each) > 1]


def _set_up(raised: Raised, ending: Ending) -> Unobserved:
    message = _shown(raised.failure)
    match raised.kind:
        case "skip":
            return _no(NoObservation.SKIPPED, ending, raised.failure.message, _RUNS, _NO_SKIP)
        case "xfail":
            return _no(NoObservation.XFAILED, ending, message, _RUNS, _NO_SKIP)
        case _:
            remedy = "mend the fixture; an error of set-up is no failed test"
            return _no(NoObservation.SET_UP_ERROR, ending, message, _RUNS, remedy)


def _expected_failure(call: Phase, report: Report | None, ending: Ending) -> Unobserved | None:
    """Know xfail by the report, and a strict one that passed by mark and report together."""
    marked = report is not None and report.xfail
    strict = (
        call.xfail_marked
        and call.raised is None
        and report is not None
        and report.outcome == "failed"
    )
    if not marked and not strict:
        return None
    xpassed = strict or call.raised is None
    word = NoObservation.XPASSED if xpassed else NoObservation.XFAILED
    got = "the test is expected to fail, and passed" if xpassed else "an expected failure"
    return _no(word, ending, got, _RUNS, _NO_SKIP)


def _raised_otherwise(facts: Facts, ending: Ending) -> Unobserved | None:
    """Find what left the test and is neither a pass nor a failure."""
    for phase in facts.phases:
        if phase.raised is None:
            continue
        message = _shown(phase.raised.failure)
        if phase.when == "teardown":
            remedy = "mend the fixture; an error of tear-down is no failed test"
            return _no(NoObservation.TEAR_DOWN_ERROR, ending, message, _RUNS, remedy)
        word = _other_word(phase.raised)
        if word is not None:
            early = word is NoObservation.EXITED_EARLY
            remedy = "look for sys.exit in what the test calls" if early else _NO_SKIP
            if word is NoObservation.GENERATION_ERROR:
                remedy = "make the strategies independent of time, order and global state"
            return _no(word, ending, message, _ONE_OUTCOME, remedy)
    return None


def _other_word(raised: Raised) -> NoObservation | None:
    words = {
        "skip": NoObservation.SKIPPED,
        "xfail": NoObservation.XFAILED,
        "xpass": NoObservation.XPASSED,
        "exit": NoObservation.EXITED_EARLY,
        "system_exit": NoObservation.EXITED_EARLY,
    }
    failure = raised.failure
    if _GENERATION in (failure.type_name, *(leaf.type_name for leaf in failure.leaves)):
        return NoObservation.GENERATION_ERROR
    return words.get(raised.kind)


# --- raw exceptions, reports and exit status must agree


def _contradiction(facts: Facts, ending: Ending) -> Unobserved | None:
    got = _swallowed(facts) or _rewritten(facts) or _other_status(facts, ending)
    if got is None:
        return None
    return _no(NoObservation.OUTCOME_CONTRADICTED, ending, got, _ONE_OUTCOME, _HONEST)


def _swallowed(facts: Facts) -> str | None:
    call = _phase(facts, "call")
    inner = facts.calls[-1][1] if facts.calls else None
    if inner is not None and call is not None and call.raised is None:
        return "the test's function raised, and a hook swallowed it"
    return None


def _rewritten(facts: Facts) -> str | None:
    for when in _PHASES:
        reports = [r for r in facts.reports if r.when == when and not r.subtest]
        phases = [p for p in facts.phases if p.when == when and not p.subtest]
        if (len(phases), len(reports)) != (1, 1):
            return f"{len(phases)} {when} phases and {len(reports)} reports of them"
        expected = "passed" if phases[0].raised is None else "failed"
        by_subtests = when == "call" and bool(_failed_subtests(facts))
        if reports[0].outcome != expected and not (by_subtests and expected == "passed"):
            return f"the {when} {expected}, and the report says {reports[0].outcome}"
    told = sum(r.subtest and r.outcome == "failed" for r in facts.reports)
    if told != len(_failed_subtests(facts)):
        return f"{len(_failed_subtests(facts))} subtests failed, and {told} reports say so"
    return None


def _other_status(facts: Facts, ending: Ending) -> str | None:
    if facts.returned != ending.exit_status:
        return f"pytest ended with {facts.returned}, the process with {ending.exit_status}"
    passed = _failure(facts) is None
    if ending.exit_status != (0 if passed else 1):
        outcome = "passed" if passed else "failed"
        return f"the test {outcome}, and the exit status is {ending.exit_status}"
    return None


# --- answers


def _observation(facts: Facts, ending: Ending) -> Observation:
    failure = _failure(facts)
    return Observation(
        passed=failure is None,
        failure=failure,
        exit_status=ending.exit_status,
        started_at=ending.started_at,
        duration_ms=ending.duration_ms,
        reads=facts.reads,
        writes=facts.writes,
        effects=facts.effects,
        environment=facts.environment or _NOWHERE,
    )


def _no_file(facts: Facts, ending: Ending, tree: str) -> Unobserved | None:
    return None if facts.deselected else _nothing_collected(facts, ending, tree)


def _counts(facts: Facts, ending: Ending) -> FileObservation | Unobserved:
    words = {test_id: _word_of(facts, test_id) for test_id in facts.collected}
    failed = tuple(test_id for test_id, word in words.items() if word == "failed")
    passed = sum(word == "passed" for word in words.values())
    status = 1 if failed else 0 if words else 5
    if ending.exit_status != facts.returned or ending.exit_status != status:
        got = f"{len(failed)} tests failed, and the exit status is {ending.exit_status}"
        return _no(NoObservation.OUTCOME_CONTRADICTED, ending, got, _ONE_OUTCOME, _HONEST)
    return FileObservation(
        passed=passed,
        failed=len(failed),
        other=len(words) - passed - len(failed),
        deselected=facts.deselected,
        failed_ids=failed,
        exit_status=ending.exit_status,
        started_at=ending.started_at,
        duration_ms=ending.duration_ms,
        reads=facts.reads,
        writes=facts.writes,
        effects=facts.effects,
        environment=facts.environment or _NOWHERE,
    )


def _word_of(facts: Facts, test_id: str) -> str:
    """Say passed only where every trace says so, failed where one trace of an error is left."""
    phases = [p for p in facts.phases if p.test_id == test_id]
    reports = [r for r in facts.reports if r.test_id == test_id]
    inner = [kind for name, kind in facts.calls if name == test_id]
    if any(r.xfail or r.outcome == "skipped" for r in reports):
        return "other"
    if any(p.raised for p in phases) or any(r.outcome != "passed" for r in reports) or any(inner):
        return "failed"
    whole = {p.when for p in phases} == set(_PHASES) == {r.when for r in reports}
    return "passed" if whole else "other"


def _failure(facts: Facts) -> Failure | None:
    raised = [p.raised.failure for p in facts.phases if p.when == "call" and p.raised is not None]
    return raised[0] if raised else None


def _failed_subtests(facts: Facts) -> list[Phase]:
    return [p for p in facts.phases if p.subtest and p.raised is not None]


def _phase(facts: Facts, when: str) -> Phase | None:
    return next((p for p in facts.phases if p.when == when and not p.subtest), None)


def _report(facts: Facts, when: str) -> Report | None:
    return next((r for r in facts.reports if r.when == when and not r.subtest), None)


def _no(word: NoObservation, ending: Ending, got: str, expected: str, remedy: str) -> Unobserved:
    return Unobserved(
        word=word,
        got=got,
        expected=expected,
        remedy=remedy,
        exit_status=ending.exit_status,
        output=ending.output,
    )


def _shown(failure: Failure) -> str:
    return f"{failure.type_name}: {failure.message}"


def _lines(text: str) -> Iterable[str]:
    return (line.strip() for line in reversed(text.splitlines()))


def _last_line(text: str) -> str:
    """Return the last line that says something: an error line of pytest's, if there is one."""
    errors = (line[1:].strip() for line in _lines(text) if line.startswith("E "))
    return next(errors, None) or next((line for line in _lines(text) if line), "")


def _error_line(output: str, tree: str) -> str:
    lines = output.replace(tree + "/", "").splitlines()
    return next((line[7:].strip() for line in lines if line.startswith("ERROR: ")), "")
