"""Take one sample: the property under one seed, in a tree that stands already."""

from __future__ import annotations

import hashlib
import sys
from typing import TYPE_CHECKING, Any

from freezegate.cli.witness_runner import refuse_no_environment, with_python
from freezegate.git.limits import MAX_SOURCE_BYTES
from freezegate.model.digests import Sha256
from freezegate.model.observation import Failure, NoObservation, Observation, Unobserved
from freezegate.model.run import RunOutcome
from freezegate.model.sample import PropertyAsked, SampleRow, TestKind
from freezegate.policy.domain.subject import is_subject
from freezegate.witness.outcome import OUTLIVED
from freezegate.witness.request import Signer
from freezegate.witness.window_run import WindowRequest, make_runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from freezegate.cli.property_case import PropertyCase
    from freezegate.model.sample import Encoded, PropertySeen, SampleKey
    from freezegate.witness.standing_trees import Trees
    from freezegate.witness.window_run import RunTold

HASH_SEED = 0  # as in every window: `sample` varies Hypothesis's seed alone
# What Hypothesis says of the test and its strategies, not of the property.
_NO_ANSWER = ("InvalidArgument", "Unsatisfiable", "FailedHealthCheck", "DidNotReproduce")
_ANSWER = "a property test that Hypothesis can call"


def property_request(case: PropertyCase, seed: int | None, asked: Encoded | None) -> WindowRequest:
    """Return the window of a property test; what may not change while it runs is its oracle."""
    store, entry = case.setting.session.store, case.entry
    oracle = case.step.base_tree.entry(entry.oracle.raw)
    assert oracle is not None  # noqa: S101 - asked before
    data = store.blob(oracle.oid, max_bytes=MAX_SOURCE_BYTES)
    return WindowRequest(
        test_id=entry.property_test,
        fixture_path=entry.oracle,
        fixture_sha256=Sha256(hashlib.sha256(data).hexdigest()),
        oracle_path=entry.oracle,
        runs_per_side=1,
        timeout_s=case.setting.policy.evidence.timeout_s,
        pythonhashseed=HASH_SEED,
        hypothesis_seed=seed,
        marked=frozenset(),
        asked=PropertyAsked(arguments=asked),
    )


def signer_of(case: PropertyCase, trees: Trees) -> Signer:
    """Return how failures of the property test become signatures."""
    path = case.entry.property_test.path
    return Signer(test_path=path, is_equal=trees.is_equal, folders=trees.folders)


def take_sample(
    case: PropertyCase, trees: Trees, key: SampleKey, tell: Callable[[RunTold], None]
) -> SampleRow | Unobserved:
    """Run the property once under the key's seed; raises UsageError without pytest."""
    request = property_request(case, key.seed, None)
    runs, stopped = make_runs(trees, case.runner, request, [(0, key.side)], tell)
    if stopped is not None:
        return stopped_by(case, stopped.unobserved)
    seen = runs[0].observation
    if any(effect.what == OUTLIVED for effect in seen.effects):
        print(
            f"freezegate: warning: the run of seed {key.seed} on {key.side} left a process behind, "
            "which was ended; what it wrote outside its tree may stand: end it in the test",
            file=sys.stderr,
            flush=True,
        )
    return unusable(case, seen) or _row(case, trees, key, seen)


def stopped_by(case: PropertyCase, seen: Unobserved | None) -> Unobserved:
    """Return why there is no run; raises UsageError where no run at all can be made."""
    if seen is None:
        return _unobserved(
            NoObservation.DISTURBED,
            f"the run rewrote {case.entry.oracle}",
            "an oracle that stays as it is",
            "let the test write to tmp_path alone",
        )
    refuse_no_environment(case.runner.python, seen)
    return with_python(seen, case.runner.python)


def unusable(case: PropertyCase, seen: Observation) -> Unobserved | None:
    """Return why a run says nothing of the property, although its test passed or failed."""
    about, test = seen.property_seen, case.entry.property_test
    if about is None or about.kind is TestKind.PLAIN:
        return _unobserved(
            NoObservation.NO_PROPERTY,
            f"{test} is no Hypothesis test: it has no inputs to sample",
            "a test under @given",
            "name one as property_test in .freeze/catalog.toml, in a patch of its own; to witness "
            f"this one as it is: freezegate witness --property {case.entry.property_id}",
        )
    if about.kind is TestKind.REPRODUCE_FAILURE:
        return _unobserved(
            NoObservation.NO_PROPERTY,
            f"{test} carries @reproduce_failure, which runs one input under any seed",
            _ANSWER,
            "take the decorator off, in a patch of its own",
        )
    name = seen.failure.type_name.rpartition(".") if seen.failure else ("", "", "")
    if seen.failure and name[0] == "hypothesis.errors" and name[2] in _NO_ANSWER:
        return _unobserved(
            NoObservation.GENERATION_ERROR,
            f"{seen.failure.type_name}: {seen.failure.message}",
            _ANSWER,
            _remedy(about),
        )
    return _undeclared(case, seen)


def _undeclared(case: PropertyCase, seen: Observation) -> Unobserved | None:
    """Return which file of the patch a run read although it is no subject: it judges, too."""
    changed = case.step.changes
    policy, oracle = case.setting.policy, case.entry.oracle
    for path in seen.reads:
        raw = path.encode("utf-8", "surrogateescape")
        if raw in changed and not is_subject(policy, oracle, path):
            return _unobserved(
                NoObservation.UNDECLARED,
                f"the run reads {path}, which the patch changes",
                "runs that read of the patch what [subject] paths match, and nothing else",
                "land that file in a patch of its own, or list it under [subject] paths",
            )
    return None


def _remedy(about: PropertySeen) -> str:
    if about.kind is TestKind.ASYNC:
        return (
            "run it with the plugin that awaits async tests: [runner] plugins in "
            ".freeze/policy.toml, installed in the environment of the runs"
        )
    return "mend the test or its strategies in a patch of its own: the property was not asked"


def _unobserved(word: NoObservation, got: str, expected: str, remedy: str) -> Unobserved:
    return Unobserved(word=word, got=got, expected=expected, remedy=remedy)


def _row(case: PropertyCase, trees: Trees, key: SampleKey, seen: Observation) -> SampleRow:
    about: Any = seen.property_seen
    failure = seen.failure
    signatures = _signatures(signer_of(case, trees), failure) if failure else ()
    return SampleRow(
        key=key,
        outcome=RunOutcome.FAIL if failure else RunOutcome.PASS,
        signature=signatures[0] if signatures else None,
        signatures=signatures,
        message=failure.message if failure else None,
        arguments=about.arguments if failure else None,
        problem=_problem(about) if failure else None,
        from_pytest=about.from_pytest,
        calls=about.calls,
        rejected=about.rejected,
        settings=about.settings,
        environment=_environment(seen),
        started_at=seen.started_at,
        duration_ms=seen.duration_ms,
    )


def _signatures(signer: Signer, failure: Failure) -> tuple[str, ...]:
    """Return what a replay may show: of a group each part is an input's own failure."""
    parts = [
        Failure(
            type_name=leaf.type_name,
            message=leaf.message,
            frames=(*failure.frames, *leaf.frames),
        )
        for leaf in failure.leaves
    ]
    return tuple(dict.fromkeys(signer.sign(each) for each in (failure, *parts)))


def _problem(about: PropertySeen) -> str | None:
    """Return why a failure has no input that could be locked, None where it has one."""
    if about.arguments is not None:
        return None
    if about.kind is TestKind.STATEFUL:
        return "the input of a stateful test is its steps, which no fixture holds"
    if about.problem is not None:
        return about.problem
    return (
        "Hypothesis reported no input whose call failed once more: a deadline, or a test that "
        "fails now and then"
    )


def _environment(seen: Observation) -> dict[str, str | None]:
    where = seen.environment
    return {
        "python": where.python,
        "platform": where.platform,
        "pytest": where.pytest,
        "hypothesis": where.hypothesis,
    }
