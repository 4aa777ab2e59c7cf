"""`freezegate check --rerun`: the evidence of each request once more, in fresh runs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from freezegate.cli.witness_marks import marked_sides
from freezegate.cli.witness_notes import only_witness
from freezegate.cli.witness_progress import progress
from freezegate.cli.witness_runner import find_runner
from freezegate.errors import Unanswerable, UsageError
from freezegate.git.domain_view import DomainView
from freezegate.git.repository import git_faults_refuse
from freezegate.git.snapshot_source import SnapshotSource
from freezegate.git.work_tree import notes_folder
from freezegate.model.ledger import Frozen, VarianceClass
from freezegate.model.rerun import Rerun, RerunResult
from freezegate.model.run import Side
from freezegate.policy.facts import Place
from freezegate.witness.request import Signer, judge_runs, signatures_of
from freezegate.witness.standing_trees import built_trees
from freezegate.witness.window_run import WindowRequest, run_window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from freezegate.git.base import TrustedBase
    from freezegate.git.candidate import Candidate, Step
    from freezegate.git.session import Session
    from freezegate.model.evidence import Evidence
    from freezegate.policy.claim import Claim
    from freezegate.policy.settings import Policy
    from freezegate.witness.standing_trees import Trees
    from freezegate.witness.window_run import Runner


class Opened(NamedTuple):
    """What `check` judged."""

    session: Session
    candidate: Candidate
    base: TrustedBase


class _Setting(NamedTuple):
    """What all reruns of one step share; the trees are those that the gate compares, T and N."""

    opened: Opened
    policy: Policy
    step: Step
    view: DomainView
    python: str | None
    environ: Mapping[str, str]


def rerun_requests(
    open_step: Callable[[], Opened], python: str | None, environ: Mapping[str, str]
) -> tuple[Rerun, ...]:
    """Repeat what each request planned; whatever is in the way becomes `could not run`.

    Without an answer to the step itself there is nothing to repeat: the verdict says why.
    """
    try:
        with git_faults_refuse():
            opened = open_step()
            now = datetime.now(UTC)
            facts = opened.session.gather(opened.candidate, opened.base, now=now, place=Place.CHECK)
            policy = facts.judges.policy.value
            if policy is None:
                return ()
            limit = policy.max_changed_entries
            step = opened.session.step(opened.candidate, opened.base, max_changes=limit)
            view = DomainView(opened.session, opened.base.rev)
            setting = _Setting(opened, policy, step, view, python, environ)
            return tuple(_rerun_all(setting, facts.claims))
    except (Unanswerable, OSError):
        return ()


def _rerun_all(setting: _Setting, claims: tuple[Claim, ...]) -> Iterator[Rerun]:
    """Build both trees once, and only where some evidence can be repeated."""
    obstacles = [_obstacle(claim, setting.policy) for claim in claims]
    if all(obstacles):
        yield from map(_could_not, claims, obstacles)
        return
    store = setting.opened.session.store
    sources = [SnapshotSource(store, tree) for tree in (setting.step.base_tree, setting.step.tree)]
    try:
        with (
            only_witness(notes_folder(setting.opened.session), "check"),
            built_trees(sources[0], sources[1]) as trees,
        ):
            made = [
                _could_not(claim, why) if why else _attempt(setting, trees, claim)
                for claim, why in zip(claims, obstacles, strict=True)
            ]
    except (Unanswerable, OSError) as stop:
        made = [
            _could_not(claim, why or _words(stop))
            for claim, why in zip(claims, obstacles, strict=True)
        ]
    yield from made


def _attempt(setting: _Setting, trees: Trees, claim: Claim) -> Rerun:
    evidence = claim.evidence.evidence if claim.evidence else None
    assert evidence is not None  # noqa: S101 - else there was an obstacle
    opened = setting.opened
    try:
        config = setting.view.config(evidence.test_id.path)
        runner = find_runner(
            opened.session, setting.policy, config, setting.python, setting.environ
        )
        return _repeat(setting, trees, runner, claim, evidence)
    except (UsageError, Unanswerable, OSError) as stop:
        return _could_not(claim, _words(stop))


def _repeat(
    setting: _Setting, trees: Trees, runner: Runner, claim: Claim, evidence: Evidence
) -> Rerun:
    """Make the window that the evidence planned: the same test, fixture, counts and seeds."""
    plan = evidence.plan
    request = WindowRequest(
        test_id=evidence.test_id,
        fixture_path=evidence.fixture_path,
        fixture_sha256=evidence.fixture_sha256,
        oracle_path=evidence.oracle_path,
        runs_per_side=plan.runs_per_side,
        timeout_s=plan.timeout_s,
        pythonhashseed=plan.pythonhashseed,
        hypothesis_seed=plan.hypothesis_seed,
        marked=marked_sides(setting.opened.session.store, setting.step, evidence.test_id),
    )
    with progress(evidence.test_id, plan.runs_per_side) as tell:
        window = run_window(trees, runner, request, tell)
    signer = Signer(test_path=evidence.test_id.path, is_equal=trees.is_equal, folders=trees.folders)
    seen = window.stopped.unobserved if window.stopped else None
    rerun = _could_not(claim, f"{seen.word}: {seen.got}; {seen.remedy}" if seen else "")._replace(
        base_runs=window.outcomes(Side.BASE),
        candidate_runs=window.outcomes(Side.CANDIDATE),
        fail_signatures=signatures_of(window, signer),
    )
    if seen is not None:
        return rerun
    answer = judge_runs(window, signer)
    again = answer.variance is VarianceClass.ENV_UNSTABLE
    return rerun._replace(
        result=RerunResult.REPRODUCED if again else RerunResult.NOT_REPRODUCED,
        variance=answer.variance,
        status=answer.status,
        reason=answer.reason,
        why=None,
    )


def _obstacle(claim: Claim, policy: Policy) -> str | None:
    """Say why evidence cannot be repeated before anything runs, None where it can.

    A patch writes its own plan: what it may cost is the policy's to say.
    """
    named = claim.evidence
    if named is None:
        return "the request names no evidence"
    if named.evidence is None:
        return f"{named.path}: {named.fault or 'no such file in the candidate'}"
    plan, most = named.evidence.plan, policy.evidence
    if plan.runs_per_side > most.max_runs:
        return f"the plan has {plan.runs_per_side} runs on each side; max_runs is {most.max_runs}"
    if plan.timeout_s > most.timeout_s:
        return f"the plan gives a run {plan.timeout_s} s; the policy gives it {most.timeout_s} s"
    return None


def _could_not(claim: Claim, why: str | None) -> Rerun:
    line = claim.request.line if claim.request else None
    asked = line if isinstance(line, Frozen) else claim.record
    assert asked is not None  # noqa: S101 - a claim is a record, a frozen line, or both
    return Rerun(
        property_id=asked.property_id,
        test_id=asked.test_id,
        fixture_path=asked.fixture_path,
        evidence=asked.evidence,
        result=RerunResult.COULD_NOT_RUN,
        why=why,
    )


def _words(stop: Unanswerable | UsageError | OSError) -> str:
    if isinstance(stop, Unanswerable):
        return f"{stop.got}; expected {stop.expected}"
    return str(stop)
