"""Do all traces of one execution agree: raw exceptions, reports and exit status?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freezegate.model.observation import NoObservation, Unobserved

if TYPE_CHECKING:
    from freezegate.model.observation import Failure
    from freezegate.witness.facts import Ending, Facts, Phase, Raised, Report

PHASES = ("setup", "call", "teardown")
ONE_OUTCOME = "one test that passes with exit status 0 or fails with exit status 1"
RUNS = "a test that runs to its end"
NO_SKIP = "witness the test where it runs, without this skip or xfail"
HONEST = (
    "take the hook or plugin that rewrites outcomes out of the run (conftest.py, [runner] plugins)"
)
# Hypothesis says with it that the test's own data changed, not that the property fails.
_GENERATION = "hypothesis.errors.FlakyStrategyDefinition"


def find_no_execution(facts: Facts, ending: Ending) -> Unobserved | None:
    """Say why the one test was not executed once, from its set-up to its call."""
    reruns = find_rerun(facts, ending)
    if reruns is not None:
        return reruns
    setup = _phase(facts, "setup")
    if setup is not None and setup.raised is not None:
        return _set_up(setup.raised, ending)
    call = _phase(facts, "call")
    if call is None:
        got = f"the test's function was not called; exit status {ending.exit_status}"
        remedy = "look for a hook that takes over the run (pytest_runtest_protocol, --setup-only)"
        return no_observation(NoObservation.EXITED_EARLY, ending, got, RUNS, remedy)
    return _expected_failure(call, _report(facts, "call"), ending)


def find_rerun(facts: Facts, ending: Ending) -> Unobserved | None:
    """Say which test was executed more than once in this process."""
    called = [test_id for test_id, _ in facts.calls]
    begun = [p.test_id for p in facts.phases if p.when == "setup" and not p.subtest]
    again = [r.test_id for r in facts.reports if r.outcome == "rerun"]
    twice = again + _repeated(called) + _repeated(begun)
    if not twice:
        return None
    count = max(called.count(twice[0]), begun.count(twice[0]))
    return no_observation(
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
            return no_observation(
                NoObservation.SKIPPED, ending, raised.failure.message, RUNS, NO_SKIP
            )
        case "xfail":
            return no_observation(NoObservation.XFAILED, ending, message, RUNS, NO_SKIP)
        case _:
            remedy = "mend the fixture; an error of set-up is no failed test"
            return no_observation(NoObservation.SET_UP_ERROR, ending, message, RUNS, remedy)


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
    return no_observation(word, ending, got, RUNS, NO_SKIP)


def find_other_end(facts: Facts, ending: Ending) -> Unobserved | None:
    """Find what left the test and is neither a pass nor a failure."""
    for phase in facts.phases:
        if phase.raised is None:
            continue
        message = _shown(phase.raised.failure)
        if phase.when == "teardown":
            remedy = "mend the fixture; an error of tear-down is no failed test"
            return no_observation(NoObservation.TEAR_DOWN_ERROR, ending, message, RUNS, remedy)
        word = _other_word(phase.raised)
        if word is not None:
            early = word is NoObservation.EXITED_EARLY
            remedy = "look for sys.exit in what the test calls" if early else NO_SKIP
            if word is NoObservation.GENERATION_ERROR:
                remedy = "make the strategies independent of time, order and global state"
            return no_observation(word, ending, message, ONE_OUTCOME, remedy)
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


def find_contradiction(facts: Facts, ending: Ending) -> Unobserved | None:
    """Say which traces of the execution contradict each other."""
    got = _swallowed(facts) or _rewritten(facts) or _other_status(facts, ending)
    if got is None:
        return None
    return no_observation(NoObservation.OUTCOME_CONTRADICTED, ending, got, ONE_OUTCOME, HONEST)


def _swallowed(facts: Facts) -> str | None:
    call = _phase(facts, "call")
    inner = facts.calls[-1][1] if facts.calls else None
    if inner is not None and call is not None and call.raised is None:
        return "the test's function raised, and a hook swallowed it"
    return None


def _rewritten(facts: Facts) -> str | None:
    for when in PHASES:
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
    passed = failure_of(facts) is None
    if ending.exit_status != (0 if passed else 1):
        outcome = "passed" if passed else "failed"
        return f"the test {outcome}, and the exit status is {ending.exit_status}"
    return None


def failure_of(facts: Facts) -> Failure | None:
    """Return what the test's call, or the first subtest that failed, raised."""
    raised = [p.raised.failure for p in facts.phases if p.when == "call" and p.raised is not None]
    return raised[0] if raised else None


def _failed_subtests(facts: Facts) -> list[Phase]:
    return [p for p in facts.phases if p.subtest and p.raised is not None]


def _phase(facts: Facts, when: str) -> Phase | None:
    return next((p for p in facts.phases if p.when == when and not p.subtest), None)


def _report(facts: Facts, when: str) -> Report | None:
    return next((r for r in facts.reports if r.when == when and not r.subtest), None)


def no_observation(
    word: NoObservation, ending: Ending, got: str, expected: str, remedy: str
) -> Unobserved:
    """Return the reason why a process that ended so shows nothing."""
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
