"""Where may `--output` write? Told before the runs, which take their time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from freezegate.errors import UsageError
from freezegate.git.repository import common_dir
from freezegate.git.work_tree import work_tree

if TYPE_CHECKING:
    from freezegate.git.session import Session


def writable_output(session: Session, name: str) -> Path:
    """Return the whole path of a file that may be written; raises UsageError else.

    A path counts from the current folder. What git tracks, what stands under `.freeze/` and the
    git directory are nobody's output.
    """
    path = Path(os.path.realpath(os.path.dirname(os.path.abspath(name)))) / os.path.basename(name)
    fault = _fault(session, path)
    if fault is not None:
        msg = (
            f"--output {name!a} {fault}; expected a new file, or one that git does not track, in a "
            "folder that you may write: --output ../scores.json"
        )
        raise UsageError(msg)
    return path


def _fault(session: Session, path: Path) -> str | None:
    top = Path(os.path.realpath(work_tree(session)))
    notes = {Path(os.path.realpath(common_dir(session.repository))), top / ".git"}
    notes.add(Path(os.path.realpath(session.repository.path)))
    if path.is_dir() or not path.name:
        return "is a folder"
    if path.is_relative_to(top / ".freeze"):
        return "is under .freeze/, where only files of freezegate may stand"
    if any(path.is_relative_to(folder) for folder in notes):
        return "is in the git directory"
    if path.is_relative_to(top) and _is_tracked(session, str(path.relative_to(top))):
        return "is a file that git tracks"
    if not path.parent.is_dir():
        return "is in a folder that does not exist"
    if not os.access(path.parent, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        return "cannot be written"
    return None


def _is_tracked(session: Session, path: str) -> bool:
    return path in session.repository.index or session.is_in_head(path)
