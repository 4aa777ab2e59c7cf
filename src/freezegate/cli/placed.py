"""What install changed here, kept in the git directory so that it can be undone byte for byte."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from freezegate.errors import UsageError
from freezegate.git.repository import common_dir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.git.session import Session

_FILE_MODE, _HOOK_MODE = 0o644, 0o755


class Placed:
    """The changes of one repository's installs, in order."""

    def __init__(self, session: Session, journal: Path, changes: list[dict[str, Any]]) -> None:
        """Continue the journal that lies at a path."""
        self._session = session
        self._journal = journal
        self._changes = changes

    @classmethod
    def open(cls, session: Session) -> Placed:
        """Read the journal; raises UsageError where it is damaged."""
        journal = Path(common_dir(session.repository)) / "freezegate" / "installed.json"
        if not journal.exists():
            return cls(session, journal, [])
        try:
            changes = json.loads(journal.read_text(encoding="utf-8"))["changes"]
            return cls(session, journal, list(changes))
        except (ValueError, KeyError, TypeError):
            msg = f"{journal} is damaged; put the hooks back by hand and remove it"
            raise UsageError(msg) from None

    def write(self, path: Path, data: bytes, *, executable: bool = False) -> None:
        """Write a file and note what stood there."""
        before = path.read_bytes() if path.exists() else None
        mode = path.stat().st_mode & 0o777 if path.exists() else None
        if before == data:
            return
        self._changes.append(
            {
                "path": str(path),
                "before": None if before is None else base64.b64encode(before).decode(),
                "mode": mode,
                "after": hashlib.sha256(data).hexdigest(),
            }
        )
        _replace(path, data, _HOOK_MODE if executable else (mode or _FILE_MODE))

    def move(self, path: Path, to: Path) -> None:
        """Move a file beside its place, its bytes and mode as they are."""
        data, mode = path.read_bytes(), path.stat().st_mode & 0o777
        self.write(to, data, executable=True)
        to.chmod(mode)

    def configure(self, key: str, value: str) -> None:
        """Set a key of the repository's own configuration and note the file's old bytes."""
        path = Path(common_dir(self._session.repository)) / "config"
        config = self._session.repository.config
        if key in config and config[key] == value:
            return
        before = path.read_bytes()
        config[key] = value
        self._changes.append(
            {
                "path": str(path),
                "before": base64.b64encode(before).decode(),
                "mode": path.stat().st_mode & 0o777,
                "after": hashlib.sha256(path.read_bytes()).hexdigest(),
                "key": key,
            }
        )

    def save(self) -> None:
        """Write the journal."""
        self._journal.parent.mkdir(exist_ok=True)
        text = json.dumps({"version": 1, "changes": self._changes}, indent=2) + "\n"
        _replace(self._journal, text.encode(), _FILE_MODE)

    def undo(self) -> Iterator[str]:
        """Take every change back, the last first, and yield what was done."""
        if not self._changes:
            yield "nothing was installed here"
            return
        self._refuse_later_edits()
        for change in reversed(self._changes):
            yield _restore(change, self._session)
        self._journal.unlink(missing_ok=True)

    def _refuse_later_edits(self) -> None:
        """Nothing is touched where somebody edited a file since: their work would be lost."""
        latest = {change["path"]: change for change in self._changes}
        for path, change in latest.items():
            if "key" not in change and not _is_as_left(change):
                msg = f"{path} was edited since install; take freezegate out of it by hand"
                raise UsageError(msg)


def _is_as_left(change: dict[str, Any]) -> bool:
    path = Path(change["path"])
    return path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == change["after"]


def _restore(change: dict[str, Any], session: Session) -> str:
    path = Path(change["path"])
    if "key" in change and not _is_as_left(change):
        if change["key"] in session.repository.config:
            del session.repository.config[change["key"]]
        return f"unset {change['key']}"
    if change["before"] is None:
        path.unlink(missing_ok=True)
        return f"removed {path}"
    _replace(path, base64.b64decode(change["before"]), change["mode"])
    return f"restored {path}"


def _replace(path: Path, data: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.freezegate-new")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.chmod(mode)
    os.replace(beside, path)
