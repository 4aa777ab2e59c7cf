"""What was observed? A pure answer from the child's facts and from how its process ended."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from freezegate.model.evidence import Environment
from freezegate.model.observation import (
    Effect,
    FileObservation,
    NoObservation,
    Observation,
    Unobserved,
)
from freezegate.model.paths import AT_TOP
from freezegate.witness.agreement import (
    HONEST,
    NO_SKIP,
    ONE_OUTCOME,
    PHASES,
    RUNS,
    failure_of,
    find_contradiction,
    find_no_execution,
    find_other_end,
    find_rerun,
    no_observation,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from freezegate.witness.facts import Ending, Facts

OWN_TREE = "runs that write in their own tree alone"
KEEP_TO_TMP_PATH = (
    "keep what the test and the code under test write to tmp_path; nothing of a run may reach the "
    "next one"
)
_LOOK = f"run it by hand: {AT_TOP}python -m pytest {{}}"
OUTLIVED = "one that outlived the run"
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
        or _bad_input(facts, ending)
        or find_no_execution(facts, ending)
        or find_other_end(facts, ending)
        or find_contradiction(facts, ending)
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
        or find_rerun(facts, ending)
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
    if ending.held_up:
        got = f"freezegate was stopped while the run went on, and woken {_after(ending)}"
        remedy = (
            "look for SIGSTOP in the test and in what it calls; suspend no witness by hand (Ctrl-Z)"
        )
        expected = "runs that stop no other process"
        return no_observation(NoObservation.DISTURBED, ending, got, expected, remedy)
    if ending.timed_out:
        got = f"no end {_after(ending)}; the processes were killed"
        remedy = "raise [evidence] timeout_s in .freeze/policy.toml, or make the test faster"
        return no_observation(NoObservation.TIMED_OUT, ending, got, "a run within its time", remedy)
    if ending.exit_status < 0:
        got = f"killed by {_signal_name(-ending.exit_status)}"
        when = " after pytest had ended" if facts is not None else ""
        remedy = (
            "find what kills the process (memory, a crash in C code); a crash is no failed test"
        )
        return no_observation(NoObservation.CRASHED, ending, got + when, ONE_OUTCOME, remedy)
    return None


def _after(ending: Ending) -> str:
    return f"after {ending.duration_ms / 1000:.1f} s"


def _no_facts(ending: Ending) -> Unobserved:
    if ending.lost:
        got = f"the run left {ending.lost}"
        remedy = "keep the test and what it calls from the folder of the run's own HOME"
        return no_observation(NoObservation.UNWATCHED, ending, got, RUNS, remedy)
    got = f"the process ended with exit status {ending.exit_status} before pytest did"
    remedy = "look for os._exit and the like in the test and in what it calls"
    return no_observation(NoObservation.EXITED_EARLY, ending, got, RUNS, remedy)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


# --- the session


def _session(facts: Facts, ending: Ending, tree: str) -> Unobserved | None:
    return (
        _refused(facts, ending)
        or _unwatched(facts, ending)
        or _wrong_tree(facts, ending, tree)
        or _written_outside(facts, ending)
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
        return no_observation(
            NoObservation.SHADOWED_PYTEST, ending, got, "the installed pytest", remedy
        )
    remedy = "install pytest into the environment that runs the tests"
    return no_observation(
        NoObservation.PYTEST_MISSING, ending, got, "an interpreter with pytest", remedy
    )


def _unwatched(facts: Facts, ending: Ending) -> Unobserved | None:
    if facts.unwatched is None:
        return None
    return no_observation(
        NoObservation.UNWATCHED,
        ending,
        f"the run could not be watched: {facts.unwatched}",
        "a run whose files, sockets and processes are all seen",
        "let the test open fewer files, by plain names; keep large folders out of it",
    )


def _wrong_tree(facts: Facts, ending: Ending, tree: str) -> Unobserved | None:
    if not facts.foreign:
        return None
    more = f" and {len(facts.foreign) - 1} more" if len(facts.foreign) > 1 else ""
    remedy = (
        'set [runner] pythonpath (such as ["src"]) in .freeze/policy.toml, '
        "or use an environment without the editable install"
    )
    expected = f"imports from the run's own tree, {tree}"
    return no_observation(
        NoObservation.WRONG_TREE_IMPORTED, ending, facts.foreign[0] + more, expected, remedy
    )


def _written_outside(facts: Facts, ending: Ending) -> Unobserved | None:
    if not facts.outside:
        return None
    more = f" and {len(facts.outside) - 1} more" if len(facts.outside) > 1 else ""
    return no_observation(
        NoObservation.DISTURBED,
        ending,
        f"the run wrote in the original work tree: {facts.outside[0]}{more}",
        OWN_TREE,
        KEEP_TO_TMP_PATH,
    )


def _outer_configuration(facts: Facts, ending: Ending, tree: str) -> Unobserved | None:
    if facts.inipath is None or facts.inipath.startswith(tree + "/"):
        return None
    return no_observation(
        NoObservation.OUTER_CONFIGURATION,
        ending,
        f"pytest reads {facts.inipath}",
        "pytest configuration from the repository, or none",
        "remove that file, or give the repository its own pytest configuration",
    )


def _ended_early(facts: Facts, ending: Ending) -> Unobserved | None:
    if facts.internal_error is not None:
        got = _last_line(facts.internal_error) or "pytest's INTERNALERROR"
        return no_observation(
            NoObservation.INTERNAL_ERROR, ending, got, RUNS, _LOOK.format("TEST_ID")
        )
    early = facts.raised or facts.interrupted
    if early is None:
        return None
    remedy = "look for sys.exit and pytest.exit in the test, its conftest files and plugins"
    return no_observation(NoObservation.EXITED_EARLY, ending, early, RUNS, remedy)


def _not_collectable(facts: Facts, ending: Ending, tree: str) -> Unobserved | None:
    if facts.collect_errors:
        place, text = facts.collect_errors[0]
        importing = "ImportError while" in text or "ModuleNotFoundError" in text
        word = NoObservation.IMPORT_ERROR if importing else NoObservation.COLLECTION_ERROR
        return no_observation(
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
        return no_observation(word, ending, got, "a pytest that starts", remedy)
    return None


# --- the selection


def _selection(facts: Facts, ending: Ending, tree: str) -> Unobserved | None:
    nothing = _nothing_collected(facts, ending, tree)
    if nothing is not None or facts.collected_count == 1:
        return nothing
    first = facts.collected[0] if facts.collected else "?"
    got = f"{facts.collected_count} tests, the first is {first}"
    remedy = "name one of them, with its [parameter]: python -m pytest --collect-only -q"
    return no_observation(NoObservation.SEVERAL_COLLECTED, ending, got, "exactly one test", remedy)


def _nothing_collected(facts: Facts, ending: Ending, tree: str) -> Unobserved | None:
    if facts.collected_count:
        return None
    if facts.collect_skips:
        place, reason = facts.collect_skips[0]
        return no_observation(NoObservation.SKIPPED, ending, f"{place}: {reason}", RUNS, NO_SKIP)
    got = _error_line(ending.output, tree) or "no test"
    if facts.deselected:
        got = f"no test; {facts.deselected} deselected by the project's own hooks"
    remedy = "list the ids: python -m pytest --collect-only -q"
    return no_observation(NoObservation.NOT_COLLECTED, ending, got, "exactly one test", remedy)


def _bad_input(facts: Facts, ending: Ending) -> Unobserved | None:
    """Say why an input that was to be replayed is none, or was not all that the test asked for."""
    seen = facts.property_seen
    if seen is None:
        return None
    if seen.unanswered is not None:
        remedy = "that input decides nothing here: take other seeds with freezegate sample"
        expected = "a test that draws what the fixture holds"
        return no_observation(NoObservation.BAD_INPUT, ending, seen.unanswered, expected, remedy)
    if seen.problem is None or seen.calls:
        return None
    remedy = "freezegate shrink writes fixtures anew, from the seed of a sample"
    expected = "an input that the property's own codecs wrote"
    return no_observation(NoObservation.BAD_INPUT, ending, seen.problem, expected, remedy)


# --- answers


def _observation(facts: Facts, ending: Ending) -> Observation:
    failure = failure_of(facts)
    return Observation(
        passed=failure is None,
        failure=failure,
        exit_status=ending.exit_status,
        started_at=ending.started_at,
        duration_ms=ending.duration_ms,
        reads=facts.reads,
        writes=facts.writes,
        effects=_effects(facts, ending),
        environment=facts.environment or _NOWHERE,
        property_seen=facts.property_seen,
    )


def _effects(facts: Facts, ending: Ending) -> tuple[Effect, ...]:
    """Add a process that was found running when the run was over."""
    left = (Effect(kind="subprocess", what=OUTLIVED),) if ending.outlived_by else ()
    return (*facts.effects, *left)


def _no_file(facts: Facts, ending: Ending, tree: str) -> Unobserved | None:
    return None if facts.deselected else _nothing_collected(facts, ending, tree)


def _counts(facts: Facts, ending: Ending) -> FileObservation | Unobserved:
    words = {test_id: _word_of(facts, test_id) for test_id in facts.collected}
    failed = tuple(test_id for test_id, word in words.items() if word == "failed")
    passed = tuple(test_id for test_id, word in words.items() if word == "passed")
    status = 1 if failed else 0 if words else 5
    if ending.exit_status != facts.returned or ending.exit_status != status:
        got = f"{len(failed)} tests failed, and the exit status is {ending.exit_status}"
        return no_observation(NoObservation.OUTCOME_CONTRADICTED, ending, got, ONE_OUTCOME, HONEST)
    return FileObservation(
        passed=len(passed),
        failed=len(failed),
        other=len(words) - len(passed) - len(failed),
        deselected=facts.deselected,
        failed_ids=failed,
        passed_ids=passed,
        exit_status=ending.exit_status,
        started_at=ending.started_at,
        duration_ms=ending.duration_ms,
        reads=facts.reads,
        writes=facts.writes,
        effects=_effects(facts, ending),
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
    whole = {p.when for p in phases} == set(PHASES) == {r.when for r in reports}
    return "passed" if whole else "other"


def _lines(text: str) -> Iterable[str]:
    return (line.strip() for line in reversed(text.splitlines()))


def _last_line(text: str) -> str:
    """Return the last line that says something: an error line of pytest's, if there is one."""
    errors = (line[1:].strip() for line in _lines(text) if line.startswith("E "))
    return next(errors, None) or next((line for line in _lines(text) if line), "")


def _error_line(output: str, tree: str) -> str:
    lines = output.replace(tree + "/", "").splitlines()
    return next((line[7:].strip() for line in lines if line.startswith("ERROR: ")), "")
