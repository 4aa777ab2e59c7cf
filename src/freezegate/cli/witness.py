"""`freezegate witness`: take evidence for a freeze; the gate judges it before it is written."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from freezegate import __version__
from freezegate.cli.output import print_verdict, wants_colour
from freezegate.cli.witness_case import gather_case, open_setting
from freezegate.cli.witness_gate import judge_before, judge_request, request_files
from freezegate.cli.witness_notes import diverged_before, keep_window, only_witness
from freezegate.cli.witness_progress import progress
from freezegate.cli.witness_runner import find_runner
from freezegate.cli.witness_write import write_request
from freezegate.errors import InvalidValue, Unanswerable, UsageError
from freezegate.formats.evidence import dump_evidence
from freezegate.git.repository import git_faults_refuse
from freezegate.git.session import Session
from freezegate.git.snapshot_source import SnapshotSource
from freezegate.git.work_tree import dirty_files, notes_folder, work_tree
from freezegate.hooks.walk import unanswered
from freezegate.model.digests import Blake3
from freezegate.model.finding import Finding, Severity
from freezegate.model.ledger import LineReason
from freezegate.model.observation import NoObservation
from freezegate.model.run import Side
from freezegate.model.verdict import Base, Outcome, Transition, Verdict, judged
from freezegate.policy.window import refuse_more_runs, window_size
from freezegate.report.document import verdict_document
from freezegate.report.window import WindowPage, window_lines, window_page_document
from freezegate.witness.request import Signer, build_evidence, judge_runs, signatures_of
from freezegate.witness.window_run import (
    WindowRequest,
    built_trees,
    collected_ids,
    run_window,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from freezegate.cli.witness_case import Case, Setting
    from freezegate.model.evidence import Evidence
    from freezegate.policy.variance import Variance
    from freezegate.witness.window_run import Runner, Trees

EXAMPLES = """\
examples:
  freezegate witness --property order_total.non_negative --owner ada --expires-on 2026-12-24
  freezegate witness tests/test_orders.py::test_total --owner ada --expires-on 2026-12-24 --mark
  freezegate witness tests/test_orders.py::test_total --fixture tests/fixtures/order.json \\
      --oracle tests/properties/test_order_props.py
  freezegate witness --refresh            after another commit on the branch

Runs are made on commits, in trees outside the repository: commit the patch first. Without owner and
expiry the evidence is taken and a `classified` line written; `freezegate freeze` opens from there.

exit status: 0 the gate accepts and the files are written, 1 refused, 2 could not answer
"""
SEED = 0  # of hashes and of Hypothesis, in all windows: `sample` is what varies seeds
_NO_ENVIRONMENT = (NoObservation.NOT_STARTED, NoObservation.PYTEST_MISSING)
_NEAR = 3
_ASKED = "Commit what is written below; the freeze holds once it has landed on the target."


class Said(NamedTuple):
    """All that is to be printed: the verdict, the windows, what was written, removed and kept."""

    transition: Transition
    pages: tuple[WindowPage, ...] = ()
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    only_classified: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's options."""
    parser.add_argument("test_ids", metavar="TEST_ID", nargs="*", help="FILE::NAME of one test")
    parser.add_argument("--fixture", metavar="PATH", help="the file that the test reads")
    parser.add_argument("--oracle", metavar="PATH", help="the file that states the property")
    parser.add_argument("--property", metavar="ID", help="a property of the catalogue")
    parser.add_argument("--runs", metavar="N", type=int, help="more runs on each side")
    parser.add_argument("--base", metavar="REV", help="the trusted base (default: the target)")
    parser.add_argument("--owner", metavar="NAME", help="who owns the freeze: a person or a team")
    parser.add_argument("--expires-on", metavar="DATE", help="its last day, UTC: 2026-12-24")
    parser.add_argument("--expires-after-commits", metavar="N", type=int, help="a nearer end")
    parser.add_argument("--mark", action="store_true", help="write a skip marker as well")
    parser.add_argument(
        "--refresh", action="store_true", help="replace what this branch asked for before"
    )
    parser.add_argument("--python", metavar="PATH", help="the interpreter that runs the tests")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Walk the protocol, print what was seen and decided, return the exit status."""
    try:
        with git_faults_refuse():
            said = _witness(options, environ)
    except Unanswerable as stop:
        said = Said(unanswered("HEAD", stop))
    _print(said, options.format, environ)
    return said.transition.outcome.exit_status


def _witness(options: argparse.Namespace, environ: Mapping[str, str]) -> Said:
    session = Session.open(environ)
    work_tree(session)
    with only_witness(notes_folder(session)):
        dirty = dirty_files(session, request_files=not options.refresh)
        if dirty:
            return Said(_refused(session, [_dirty(path) for path in dirty]))
        setting = open_setting(session, options, environ)
        if setting is None:
            return Said(_refused(session, [_no_policy()]))
        try:
            case = gather_case(setting, options)
        except InvalidValue as fault:
            return Said(_refused(session, [_invalid(fault)], setting))
        return _walk(case, options, environ)


def _walk(case: Case, options: argparse.Namespace, environ: Mapping[str, str]) -> Said:
    setting = case.setting
    sizes = [window_size(setting.policy.evidence, each.entry, options.runs) for each in case.wanted]
    for about, size in zip(case.subjects, sizes, strict=True):
        before = diverged_before(notes_folder(setting.session), about)
        if before is not None:
            refuse_more_runs(LineReason.DIVERGENT_SIGNATURES, before=before, size=size)
    config = setting.view.config(case.wanted[0].test_id.path)
    runner = find_runner(setting.session, setting.policy, config, options.python, environ)
    first = judge_before(case, max(sizes))
    if first.outcome is not Outcome.ACCEPTED:
        return Said(_with_nearest(case, first, runner))
    store = setting.session.store
    sources = (
        SnapshotSource(store, case.step.base_tree),
        SnapshotSource(store, case.step.tree),
    )
    with built_trees(*sources) as trees:
        results = [_take(case, number, trees, runner, size) for number, size in enumerate(sizes)]
    return _conclude(case, results)


class _Result(NamedTuple):
    """One finished window: its page, and its evidence where it is whole and may be frozen."""

    page: WindowPage
    answer: Variance
    evidence: Evidence | None
    kept: Path | None


def _take(case: Case, number: int, trees: Trees, runner: Runner, size: int) -> _Result:
    about = case.subjects[number]
    request = _request(case, number, size)
    with progress(about.test_id, size) as tell:
        window = run_window(trees, runner, request, tell)
    seen = window.stopped.unobserved if window.stopped else None
    if seen is not None and seen.word in _NO_ENVIRONMENT:
        msg = f"{seen.got}; expected {seen.expected}; {seen.remedy}"
        raise UsageError(msg)
    signer = Signer(test_path=about.test_id.path, is_equal=trees.is_equal, folders=trees.folders)
    answer = judge_runs(window, signer)
    evidence = None
    if window.stopped is None:
        files = trees.sides[Side.BASE].files
        evidence = build_evidence(about, window, signer, files, f"freezegate {__version__}")
    near: tuple[str, ...] = ()
    if seen is not None and seen.word is NoObservation.NOT_COLLECTED:
        near = _nearest(trees, runner, request)
    page = WindowPage(
        test_id=about.test_id,
        property_id=about.property_id,
        oracle_path=about.oracle_path,
        window=window,
        variance=answer.variance,
        status=answer.status,
        reason=answer.reason,
        next_step=_ASKED if answer.may_freeze and case.terms else answer.next_step,
        signatures=signatures_of(window, signer),
        evidence=Blake3.of(dump_evidence(evidence)) if evidence else None,
        near=near,
    )
    kept = None
    if evidence is None or not answer.may_freeze:
        kept = keep_window(notes_folder(case.setting.session), about, window, answer, signer)
    return _Result(page, answer, evidence if answer.may_freeze else None, kept)


def _request(case: Case, number: int, size: int) -> WindowRequest:
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


def _conclude(case: Case, results: Sequence[_Result]) -> Said:
    """Judge the request as it would be committed; write it only if the gate accepts."""
    pages = tuple(result.page for result in results)
    kept = tuple(str(result.kept) for result in results if result.kept)
    whole = [(r.evidence, r.answer) for r in results if r.evidence is not None]
    if len(whole) < len(results):
        findings = [_not_eligible(result) for result in results if result.evidence is None]
        return Said(_refused(case.setting.session, findings, case.setting), pages, kept=kept)
    files = request_files(case, whole)
    transition = judge_request(case, files)
    if transition.outcome is not Outcome.ACCEPTED:
        return Said(transition, pages)
    written, removed = write_request(case, files)
    return Said(transition, pages, written, removed, only_classified=case.terms is None)


def _not_eligible(result: _Result) -> Finding:
    page, stopped = result.page, result.page.window.stopped
    expected = "env_unstable: base and candidate both mixed, with one fail signature"
    if stopped is not None and stopped.unobserved is not None:
        seen = stopped.unobserved
        return Finding(
            code="evidence.incomplete",
            severity=Severity.ERROR,
            about=page.test_id,
            got=f"{seen.word}: {seen.got}",
            expected="every planned run observed",
            remedy=seen.remedy,
        )
    codes = {
        LineReason.FIXTURE_DRIFT: "runs.fixture_drift",
        LineReason.DIVERGENT_SIGNATURES: "runs.divergent_signatures",
        LineReason.PROPERTY_HOLDS: "runs.no_disagreement",
        LineReason.STABLE_VIOLATION: "runs.no_disagreement",
    }
    return Finding(
        code=codes.get(page.reason, "runs.no_base_disagreement"),
        severity=Severity.ERROR,
        about=page.test_id,
        got=f"{page.variance}: {page.status} / {page.reason}",
        expected=expected,
        remedy=page.next_step,
    )


# --- before the first run


def _refused(
    session: Session, findings: Sequence[Finding], setting: Setting | None = None
) -> Transition:
    base = Base(rev=setting.base.rev, source=setting.base.source) if setting else None
    return Transition(
        ref=session.branch(None) or "HEAD",
        outcome=judged(findings),
        base=base,
        candidate=setting.head if setting else None,
        findings=tuple(findings),
    )


def _dirty(path: str) -> Finding:
    asks = path.startswith(".freeze/")
    return Finding(
        code="repository.dirty",
        severity=Severity.ERROR,
        path=path,
        got="changes that are in no commit",
        expected="the file as HEAD has it: runs are made on commits",
        remedy="commit it, or replace what was asked before: freezegate witness --refresh"
        if asks
        else f"git commit {shlex.quote(path)}, or git stash; then run again",
    )


def _no_policy() -> Finding:
    return Finding(
        code="judge.no_policy",
        severity=Severity.ERROR,
        path=".freeze/policy.toml",
        got="no policy that decodes at the trusted base",
        expected="a policy at the base before any freeze",
    )


def _invalid(fault: InvalidValue) -> Finding:
    return Finding(code=fault.code, severity=Severity.ERROR, got=fault.got, expected=fault.expected)


def _with_nearest(case: Case, transition: Transition, runner: Runner) -> Transition:
    """Offer the ids nearest to one that names no test of the base."""
    unknown = [f for f in transition.findings if f.code in _UNKNOWN]
    view = case.setting.view
    known = [n for n, each in enumerate(case.subjects) if view.is_file(each.test_id.path)]
    if not unknown or not known:
        return transition
    store = case.setting.session.store
    source = SnapshotSource(store, case.step.base_tree)
    with built_trees(source, source) as trees:
        near = _nearest(trees, runner, _request(case, known[0], 2))
    if not near:
        return transition
    remedy = f"name one of them: {', '.join(near)}"
    findings = tuple(replace(f, remedy=remedy) if f in unknown else f for f in transition.findings)
    return replace(transition, findings=findings)


_UNKNOWN = ("test.not_found_at_base", "test.not_single")


def _nearest(trees: Trees, runner: Runner, request: WindowRequest) -> tuple[str, ...]:
    path = request.test_id.path
    ids = collected_ids(trees, runner, request, path)
    own = [each for each in ids if each.startswith(f"{request.test_id}[")][:_NEAR]
    return tuple(own or get_close_matches(request.test_id, ids, n=_NEAR, cutoff=0.3) or ids[:_NEAR])


# --- printing


def _print(said: Said, form: str, environ: Mapping[str, str]) -> None:
    verdict = Verdict(transitions=(said.transition,))
    if form == "json":
        document = {
            "schema": "freezegate/witness/v1",
            "verdict": verdict_document(verdict),
            "windows": [window_page_document(page) for page in said.pages],
            "written": list(said.written),
            "removed": list(said.removed),
            "kept": list(said.kept),
        }
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")
        return
    for page in said.pages:
        for line in window_lines(page, colour=wants_colour(environ)):
            print(line)
        print()
    print_verdict(verdict, form, environ)
    for word, paths in (("wrote", said.written), ("removed", said.removed)):
        for path in paths:
            print(f"{word} {path}")
    for path in said.kept:
        print(f"the window is kept: {path}")
    if said.written:
        sources = [shlex.quote(p) for p in said.written if not p.startswith(".freeze/")]
        print(f"next: git add {' '.join(['.freeze', *sources])} && git commit")
    if said.only_classified:
        print("No owner and no expiry, so nothing is asked for yet: `freezegate freeze` opens a")
        print("freeze from this evidence, or name both now: freezegate witness --refresh --owner")
        print("NAME --expires-on DATE")
