"""One window: made in trees that stand already, with what the tables say of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from freezegate import __version__
from freezegate.cli.witness_nearest import collected_nearest
from freezegate.cli.witness_progress import progress
from freezegate.cli.witness_runner import refuse_no_environment, with_python
from freezegate.formats.evidence import dump_evidence
from freezegate.git.snapshot_source import SnapshotSource
from freezegate.model.digests import Blake3
from freezegate.model.observation import NoObservation
from freezegate.report.window import WindowPage
from freezegate.witness.request import (
    Signer,
    build_evidence,
    find_unproven,
    judge_runs,
    signatures_of,
)
from freezegate.witness.window_run import WindowRequest, run_window

if TYPE_CHECKING:
    from freezegate.cli.witness_case import Case
    from freezegate.model.evidence import Evidence
    from freezegate.policy.variance import Variance
    from freezegate.witness.standing_trees import Trees
    from freezegate.witness.window_run import Runner

SEED = 0  # of hashes and of Hypothesis, in all windows: `sample` is what varies seeds
_ASKED = "Commit what is written below; the freeze holds once it has landed on the target."


class Result(NamedTuple):
    """One finished window: its page, and its evidence where it is whole and may be frozen.

    `whole` is the evidence of any window that is whole.
    """

    page: WindowPage
    answer: Variance
    signer: Signer
    evidence: Evidence | None
    whole: Evidence | None


def case_sources(case: Case) -> tuple[SnapshotSource, SnapshotSource]:
    """Return the trees of base and candidate as the runs take them."""
    store = case.setting.session.store
    base, candidate = case.step.base_tree, case.step.tree
    return SnapshotSource(store, base), SnapshotSource(store, candidate)


def take_window(case: Case, number: int, trees: Trees, runner: Runner, size: int) -> Result:
    """Make the window of one subject and ask the tables; raises UsageError without pytest."""
    about = case.subjects[number]
    request = window_request(case, number, size)
    with progress(about.test_id, size) as tell:
        window = run_window(trees, runner, request, tell)
    seen = window.stopped.unobserved if window.stopped else None
    if window.stopped is not None and seen is not None:
        refuse_no_environment(runner.python, seen)
        seen = with_python(seen, runner.python)
        window = replace(window, stopped=replace(window.stopped, unobserved=seen))
    signer = Signer(test_path=about.test_id.path, is_equal=trees.is_equal, folders=trees.folders)
    answer = judge_runs(window, signer)
    evidence = None
    unproven = find_unproven(window, case.wanted[number].entry, about.test_id)
    if window.stopped is None and unproven is None:
        files = {side: tree.files for side, tree in trees.sides.items()}
        evidence = build_evidence(about, window, signer, files, f"freezegate {__version__}")
    near: tuple[str, ...] = ()
    if seen is not None and seen.word is NoObservation.NOT_COLLECTED:
        near = collected_nearest(trees, runner, request)
    page = WindowPage(
        test_id=about.test_id,
        property_id=about.property_id,
        oracle_path=about.oracle_path,
        window=window,
        variance=answer.variance,
        status=answer.status,
        reason=answer.reason,
        next_step=_ASKED
        if answer.may_freeze and case.terms[number] and evidence
        else answer.next_step,
        signatures=signatures_of(window, signer),
        evidence=Blake3.of(dump_evidence(evidence)) if evidence else None,
        near=near,
        unproven=unproven,
    )
    return Result(page, answer, signer, evidence if answer.may_freeze else None, evidence)


def window_request(case: Case, number: int, size: int) -> WindowRequest:
    """Return the window of one subject."""
    about = case.subjects[number]
    return WindowRequest(
        test_id=about.test_id,
        fixture_path=about.fixture_path,
        fixture_sha256=about.fixture_sha256,
        oracle_path=about.oracle_path,
        runs_per_side=size,
        timeout_s=case.setting.policy.evidence.timeout_s,
        pythonhashseed=SEED,
        hypothesis_seed=SEED,
        marked=case.marked[number],
    )
