"""What install changed here, kept in the git directory so that it can be undone byte for byte."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from freezegate.errors import Unanswerable, UsageError
from freezegate.git.repository import common_dir, git_faults_refuse
from freezegate.ledger.regular_file import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator

    from freezegate.git.session import Session

_FILE_MODE, _HOOK_MODE = 0o644, 0o755


class Placed:
    """The changes of one repository's installs, in order; paths count from the git directory."""

    def __init__(self, session: Session, changes: list[dict[str, Any]]) -> None:
        """Continue the changes that a journal holds."""
        self._session = session
        self._root = Path(common_dir(session.repository))
        self._changes = changes

    @classmethod
    def open(cls, session: Session) -> Placed:
        """Read the journal; raises UsageError where it is damaged."""
        placed = cls(session, [])
        if os.path.lexists(placed._journal):
            placed._changes = _read(placed._journal)
        return placed

    @property
    def _journal(self) -> Path:
        return self._root / "freezegate" / "installed.json"

    def write(self, path: Path, data: bytes, *, executable: bool = False) -> None:
        """Write a file; what stood there is in the journal before anything is touched."""
        if path.is_symlink():
            msg = f"{path} is a symbolic link; put the file itself there, or edit it by hand"
            raise UsageError(msg)
        before = path.read_bytes() if path.exists() else None
        mode = path.stat().st_mode & 0o777 if path.exists() else None
        if before == data:
            return
        self._note(path, before, mode, data)
        _replace(path, data, _HOOK_MODE if executable else (mode or _FILE_MODE))

    def move(self, path: Path, to: Path) -> None:
        """Copy a file beside its place, its bytes and mode as they are."""
        mode = path.stat().st_mode & 0o777
        self.write(to, path.read_bytes(), executable=True)
        to.chmod(mode)

    def configure(self, key: str, value: str) -> None:
        """Set a key of the repository's own configuration and note the file's old bytes."""
        path = self._root / "config"
        config = self._session.repository.config
        if key in config and config[key] == value:
            return
        if path.is_symlink():
            msg = f"{path} is a symbolic link; set it by hand: git config {key} {value}"
            raise UsageError(msg)
        before, mode = path.read_bytes(), path.stat().st_mode & 0o777
        old = str(config[key]) if key in config else None
        try:
            with git_faults_refuse():
                config[key] = value
        except Unanswerable as stop:
            msg = f"cannot set {key} in {path}: {stop.got}; nothing was placed"
            raise UsageError(msg) from None
        self._note(path, before, mode, path.read_bytes(), key=key, value=old)

    def undo(self) -> Iterator[str]:
        """Take every change back, the last first, and yield what was done."""
        if not self._changes:
            yield "nothing was installed here"
            return
        self._refuse_later_edits()
        for change in reversed(self._changes):
            yield self._restore(change)
        self._journal.unlink(missing_ok=True)

    def _note(
        self,
        path: Path,
        before: bytes | None,
        mode: int | None,
        after: bytes,
        *,
        key: str = "",
        value: str | None = None,
    ) -> None:
        self._changes.append(
            {
                "path": os.path.relpath(path, self._root),
                "before": None if before is None else base64.b64encode(before).decode(),
                "mode": mode,
                "after": hashlib.sha256(after).hexdigest(),
                "key": key,
                "value": value,
            }
        )
        text = json.dumps({"version": 1, "changes": self._changes}, indent=2) + "\n"
        _replace(self._journal, text.encode(), _FILE_MODE)

    def _path(self, change: dict[str, Any]) -> Path:
        return Path(os.path.normpath(self._root / change["path"]))

    def _refuse_later_edits(self) -> None:
        """Nothing is touched where somebody edited a file since: their work would be lost."""
        latest = {change["path"]: change for change in self._changes}
        for change in latest.values():
            path = self._path(change)
            expected = (change["after"], _old(change), None)
            if not change["key"] and _digest(path) not in expected:
                msg = (
                    f"{path} was edited since install; take freezegate out of it by hand (where "
                    "pre-commit put its own hook there: pre-commit uninstall, then again)"
                )
                raise UsageError(msg)

    def _restore(self, change: dict[str, Any]) -> str:
        path, key = self._path(change), change["key"]
        if _digest(path) == _old(change):
            return f"{path} is as it was"
        if key and _digest(path) != change["after"]:
            return self._restore_key(key, change["value"])
        if change["before"] is None:
            path.unlink(missing_ok=True)
            return f"removed {path}"
        _replace(path, base64.b64decode(change["before"]), change["mode"])
        return f"restored {path}"

    def _restore_key(self, key: str, value: str | None) -> str:
        config = self._session.repository.config
        if value is not None:
            config[key] = value
            return f"set {key} to {value} again"
        if key in config:
            del config[key]
        return f"unset {key}"


def _read(journal: Path) -> list[dict[str, Any]]:
    keys = {"path", "before", "mode", "after", "key", "value"}
    try:
        changes = json.loads(read_regular(journal) or b"")["changes"]
        if all(set(change) == keys for change in changes):
            return list(changes)
    except (ValueError, KeyError, TypeError, OSError):
        pass
    msg = f"{journal} is damaged; put the hooks back by hand and remove it"
    raise UsageError(msg)


def _digest(path: Path) -> str | None:
    try:
        data = read_regular(path)
    except OSError:  # put there since, whatever it is
        return "another thing than a file"
    return None if data is None else hashlib.sha256(data).hexdigest()


def _old(change: dict[str, Any]) -> str | None:
    before = change["before"]
    return None if before is None else hashlib.sha256(base64.b64decode(before)).hexdigest()


def _replace(path: Path, data: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.freezegate-new")
    beside.unlink(missing_ok=True)
    with beside.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.chmod(mode)
    os.replace(beside, path)
