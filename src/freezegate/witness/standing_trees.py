"""Both built trees between two runs: they are what they were, or the window ends."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from freezegate.model.digests import Sha256
from freezegate.model.evidence import EffectKind
from freezegate.model.observation import NoObservation, Seen, Unobserved
from freezegate.model.run import Side
from freezegate.policy.messages import Folders
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
from freezegate.witness.removal import remove_folder
from freezegate.witness.strays import end_strays
from freezegate.witness.trees import build_pair, rebuild_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.model.paths import RepoPath
    from freezegate.witness.inventory import Inventory
    from freezegate.witness.trees import Tree, TreeSource


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
