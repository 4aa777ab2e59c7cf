"""Make a window: both trees once, runs on both sides in turn, and the oracle's own run."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.model.digests import Sha256
from freezegate.model.evidence import EffectKind, Plan
from freezegate.model.ledger import VarianceClass
from freezegate.model.observation import NoObservation, Seen, Unobserved
from freezegate.model.run import Side, outcomes_of
from freezegate.model.window import Stopped, Window, WindowRun
from freezegate.policy.messages import Folders
from freezegate.policy.variance import variance_class
from freezegate.policy.window import planned_order
from freezegate.witness.inherited import first_change, put_back, take_inherited
from freezegate.witness.installed import take_installed
from freezegate.witness.interruption import (
    ending_signals_raise,
    ending_signals_wait,
)
from freezegate.witness.inventory import changed_paths, take_inventory, untold_paths
from freezegate.witness.kept_rows import KeptRows
from freezegate.witness.leftovers import PREFIX, folder_lock, remove_leftovers
from freezegate.witness.outcome import KEEP_TO_TMP_PATH, OWN_TREE
from freezegate.witness.process import (
    CollectRequest,
    FileRequest,
    RunRequest,
    collect_ids,
    observe_file,
    observe_run,
)
from freezegate.witness.removal import remove_folder
from freezegate.witness.strays import end_strays
from freezegate.witness.trees import build_pair, rebuild_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from freezegate.model.ids import TestId
    from freezegate.model.observation import FileObservation, Observation
    from freezegate.model.paths import RepoPath
    from freezegate.model.sample import PropertyAsked
    from freezegate.witness.inventory import Inventory
    from freezegate.witness.trees import Tree, TreeSource


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


class Trees:
    """Both built trees, in one folder that is gone in the end."""

    def __init__(
        self, base: TreeSource, candidate: TreeSource, folder: Path, kept: Path | None = None
    ) -> None:
        """Write both revisions below an empty folder; `kept` is a folder that no run may touch."""
        self.folder = folder
        self.kept = None if kept is None else KeptRows(kept)
        self.sources = {Side.BASE: base, Side.CANDIDATE: candidate}
        pair = build_pair(base, candidate, folder)
        self.sides: dict[Side, Tree] = {Side.BASE: pair.base, Side.CANDIDATE: pair.candidate}
        self._stand: dict[Side, Inventory] = {}
        self._identities: dict[Side, tuple[int, int, int] | None] = {}
        self._installed: dict[Path, Inventory] = {}
        self._inherited = take_inherited()
        for side in self.sides:
            self._take_stand(side)

    @property
    def folders(self) -> Folders:
        """The folders that may stand in messages, to be folded in signatures."""
        tops = [str(tree.top) for tree in self.sides.values()]
        return Folders(trees=tuple(tops), temporary=(str(self.folder),))

    def is_equal(self, path: str) -> bool:
        """Say whether both sides hold the same file at a path."""
        raw = path.encode("utf-8", "surrogateescape")
        base, candidate = (tree.files.get(raw) for tree in self.sides.values())
        return base is not None and base == candidate

    def digest(self, side: Side, path: RepoPath) -> Sha256 | None:
        """Return the digest of a file as it stands there now, None where it is no plain file."""
        whole = os.fsencode(self.sides[side].top) + b"/" + path.raw
        try:
            if not stat.S_ISREG(os.lstat(whole).st_mode):
                return None
            with open(whole, "rb") as file:
                return Sha256(hashlib.file_digest(file, "sha256").hexdigest())
        except OSError:
            return None

    def note_installed(self, python: Path) -> None:
        """Note what stands in an interpreter's own folders before its first run."""
        if python not in self._installed:
            self._installed[python] = take_installed(python)

    def settle(self, side: Side, seen: object = None) -> Unobserved | None:
        """Undo what a run left in its own tree; say so where it disturbed anything beside it.

        `seen` is what the run showed: a change of its tree that it did not tell of was made by
        somebody else. A tree that was touched is removed and written anew: nothing is ever written
        or removed through a link that a run put there. What lies outside a run's tree is nobody's
        to write: the other side's rows would be the run's doing.
        """
        altered = self._altered(side)  # first: the looks below would go by lowered limits
        try:
            disturbed = self._disturbance(side)
            changed = changed_paths(self._stand[side], take_inventory(self.sides[side].top))
            if disturbed is None and changed and isinstance(seen, Seen):
                disturbed = self._untold(side, changed, seen)
            if disturbed is None and changed:
                remove_folder(self.sides[side].top)
                rebuild_tree(self.sources[side], self.sides[side])
                self._take_stand(side)
        except OSError as error:
            disturbed = f"a tree that cannot be put back: {error.strerror or error}"
        return altered or (None if disturbed is None else _disturbed(side, disturbed))

    def forged(self) -> Unobserved | None:
        """Say so where somebody wrote among our rows since the last run: what a run had left."""
        forged = self.kept.undo_others() if self.kept else None
        return None if forged is None else _disturbed(Side.CANDIDATE, forged)

    def _altered(self, side: Side) -> Unobserved | None:
        """Say what a run changed of what the next one would inherit from us, and put it back."""
        now = take_inherited()
        change = first_change(self._inherited, now)
        put_back(self._inherited, now)
        return None if change is None else _disturbed_process(side, change)

    def _untold(self, side: Side, changed: set[bytes], seen: Seen) -> str | None:
        """Return what was changed in a run's tree without its telling.

        What processes that it told of make anew is put back in silence.
        """
        untold = untold_paths(changed, seen.writes)
        if any(effect.kind == EffectKind.SUBPROCESS for effect in seen.effects):
            untold &= self.sides[side].files.keys()
        return f"{min(untold)!a} changed, which it did not write itself" if untold else None

    def _disturbance(self, side: Side) -> str | None:
        """Return what a run on a side changed outside its tree, or of its tree as a whole."""
        tops = {each: tree.top for each, tree in self.sides.items()}
        for each, top in tops.items():
            if _identity(top) != self._identities[each]:
                return f"the {each}'s tree is not the folder any more that was built"
        forged = self.kept.undo_others() if self.kept else None
        if forged is not None:
            return forged
        strange = set(os.listdir(self.folder)) - {top.name for top in tops.values()}
        if strange:
            return f"{min(strange)!a} beside the trees"
        other = Side.BASE if side is Side.CANDIDATE else Side.CANDIDATE
        changed = changed_paths(self._stand[other], take_inventory(tops[other]))
        if changed:
            return f"{min(changed)!a} in the {other}'s tree was changed"
        for python, stood in self._installed.items():
            changed = changed_paths(stood, take_installed(python))
            if changed:
                return f"{min(changed)!a}, which {python} may load in every run, was changed"
        return None

    def _take_stand(self, side: Side) -> None:
        self._stand[side] = take_inventory(self.sides[side].top)
        self._identities[side] = _identity(self.sides[side].top)


def _identity(top: Path) -> tuple[int, int, int] | None:
    try:
        info = os.lstat(top)
    except OSError:
        return None
    return (stat.S_IFMT(info.st_mode), info.st_dev, info.st_ino)


def _disturbed(side: Side, got: str) -> Unobserved:
    return Unobserved(
        word=NoObservation.DISTURBED,
        got=f"a run of the {side} left: {got}",
        expected=OWN_TREE,
        remedy=KEEP_TO_TMP_PATH,
    )


def _disturbed_process(side: Side, got: str) -> Unobserved:
    return Unobserved(
        word=NoObservation.DISTURBED,
        got=f"after a run of the {side}, what every run inherits from freezegate: {got}",
        expected="runs that change limits, processors and priority of their own process alone",
        remedy="keep other processes' numbers (os.getppid) from os.sched_*, os.setpriority and "
        "resource.prlimit, and host name and clock as they are",
    )


@contextmanager
def built_trees(
    base: TreeSource, candidate: TreeSource, *, kept: Path | None = None
) -> Iterator[Trees]:
    """Build both trees in a fresh temporary folder; nothing of it is left, however this ends.

    What appears in the folder `kept` during a run disturbs it.
    """
    remove_leftovers()
    with ending_signals_raise(), ExitStack() as held:  # the lock is let go of in the end
        made: list[Path] = []
        try:
            with ending_signals_wait():
                made.append(Path(os.path.realpath(tempfile.mkdtemp(prefix=PREFIX))))
                held.enter_context(folder_lock(made[0]))
            yield Trees(base, candidate, made[0], kept)
        finally:
            with ending_signals_wait():
                for folder in made:
                    end_strays(str(folder))
                    remove_folder(folder)


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
