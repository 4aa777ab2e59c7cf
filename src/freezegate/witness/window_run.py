"""Make a window: both trees once, runs on both sides in turn, and the oracle's own run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.model.digests import Sha256
from freezegate.model.evidence import Plan
from freezegate.model.ledger import VarianceClass
from freezegate.model.observation import Unobserved
from freezegate.model.run import Side, outcomes_of
from freezegate.model.window import Stopped, Window, WindowRun
from freezegate.policy.variance import variance_class
from freezegate.policy.window import planned_order
from freezegate.witness.process import collect_ids, observe_file, observe_run
from freezegate.witness.run_requests import CollectRequest, FileRequest, RunRequest
from freezegate.witness.standing_trees import Trees

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from freezegate.model.ids import TestId
    from freezegate.model.observation import FileObservation, Observation
    from freezegate.model.paths import RepoPath
    from freezegate.model.sample import PropertyAsked


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """With what every run of a window is made.

    `forbidden_roots` are the original work trees and their git directory.
    """

    python: Path
    pythonpath: tuple[str, ...]
    plugins: tuple[str, ...] | None
    keep_options: tuple[str, ...]
    forbidden_roots: tuple[Path, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRequest:
    """One window; `marked` are the sides on which the test carries a skip marker of ours.

    `asked` is there where the test is a property that is sampled, or replayed on one input.
    """

    test_id: TestId
    fixture_path: RepoPath
    fixture_sha256: Sha256
    oracle_path: RepoPath
    runs_per_side: int
    timeout_s: int
    pythonhashseed: int
    hypothesis_seed: int | None
    marked: frozenset[Side]
    asked: PropertyAsked | None = None


class RunTold(NamedTuple):
    """What a progress display learns of each run; `side` is None for the oracle's own."""

    number: int
    side: Side | None
    seen: Observation | FileObservation | Unobserved


def run_window(
    trees: Trees,
    runner: Runner,
    request: WindowRequest,
    tell: Callable[[RunTold], None],
) -> Window:
    """Make the planned runs in their order, until one shows nothing or the fixture drifts.

    The oracle is asked only where its answer can matter: where both sides disagree with themselves.
    """
    plan = Plan(
        runs_per_side=request.runs_per_side,
        timeout_s=request.timeout_s,
        pythonhashseed=request.pythonhashseed,
        hypothesis_seed=request.hypothesis_seed,
        planned_at=_now(),
    )
    runs, stopped = make_runs(trees, runner, request, planned_order(request.runs_per_side), tell)
    oracle = None
    if stopped is None and _may_be_frozen(runs):
        seen = run_oracle(trees, runner, request)
        tell(RunTold(2 * request.runs_per_side + 1, None, seen))
        if isinstance(seen, Unobserved):
            stopped = Stopped(index=None, side=Side.CANDIDATE, unobserved=seen)
        else:
            oracle = seen
    return Window(
        plan=plan,
        fixture_sha256=request.fixture_sha256,
        runs=runs,
        oracle=oracle,
        stopped=stopped,
    )


def _may_be_frozen(runs: Iterable[WindowRun]) -> bool:
    rows = [
        outcomes_of(run.observation.passed for run in runs if run.side is side)
        for side in (Side.BASE, Side.CANDIDATE)
    ]
    return variance_class(*rows, digests_match=True) is VarianceClass.ENV_UNSTABLE


def make_runs(
    trees: Trees,
    runner: Runner,
    request: WindowRequest,
    order: Iterable[tuple[int, Side]],
    tell: Callable[[RunTold], None],
) -> tuple[tuple[WindowRun, ...], Stopped | None]:
    """Make runs in an order, one after the other; return them, and what ended them early."""
    runs: list[WindowRun] = []
    for index, side in order:
        made = _make_run(trees, runner, request, index, side)
        tell(RunTold(index + 1, side, made.observation if isinstance(made, WindowRun) else made))
        if isinstance(made, Unobserved):
            return tuple(runs), Stopped(index=index, side=side, unobserved=made)
        runs.append(made)
        if not made.sha256_before == made.sha256_after == request.fixture_sha256:
            return tuple(runs), Stopped(index=index, side=side, unobserved=None)
    return tuple(runs), None


def run_oracle(
    trees: Trees, runner: Runner, request: WindowRequest
) -> FileObservation | Unobserved:
    """Run every test of the oracle but the one to be frozen, on the candidate's tree."""
    setting = _setting(trees, runner, request, Side.CANDIDATE)
    seen = observe_file(
        FileRequest(**setting, path=request.oracle_path, without=str(request.test_id))
    )
    return trees.settle(Side.CANDIDATE, seen) or seen


def collected_ids(
    trees: Trees, runner: Runner, request: WindowRequest, selection: str
) -> tuple[str, ...]:
    """Return the ids that pytest collects for a file or id of the base; none where it cannot."""
    setting = _setting(trees, runner, request, Side.BASE)
    found = collect_ids(CollectRequest(**setting, selection=(selection,)))
    disturbed = trees.settle(Side.BASE)
    return () if disturbed or isinstance(found, Unobserved) else found


def _make_run(
    trees: Trees, runner: Runner, request: WindowRequest, index: int, side: Side
) -> WindowRun | Unobserved:
    before = trees.digest(side, request.fixture_path)
    setting = _setting(trees, runner, request, side)
    marked = side in request.marked
    asked = RunRequest(
        **setting, test_id=str(request.test_id), ignore_skip=marked, asked=request.asked
    )
    seen = observe_run(asked)
    after = trees.digest(side, request.fixture_path)
    disturbed = trees.settle(side, seen)
    if disturbed is not None:
        return disturbed
    if isinstance(seen, Unobserved):
        return seen
    return WindowRun(
        index=index, side=side, observation=seen, sha256_before=before, sha256_after=after
    )


def _setting(trees: Trees, runner: Runner, request: WindowRequest, side: Side) -> dict[str, Any]:
    """Return the arguments that every request of this window has in common."""
    trees.note_installed(runner.python)
    return {
        "tree": trees.sides[side].top,
        "python": runner.python,
        "timeout_s": request.timeout_s,
        "pythonpath": runner.pythonpath,
        "plugins": runner.plugins,
        "keep_options": runner.keep_options,
        "pythonhashseed": request.pythonhashseed,
        "hypothesis_seed": request.hypothesis_seed,
        "forbidden_roots": runner.forbidden_roots,
        "scratch": trees.folder,
    }


def _now() -> str:
    now = datetime.now(UTC)
    return now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03d}Z"
