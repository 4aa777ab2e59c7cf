"""Where a host's repository, its settings and its log lie; asked without opening the repository."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from freezegate.errors import DecodeError, Unanswerable
from freezegate.formats.host import parse_host_settings
from freezegate.formats.strict_toml import MAX_TOML_BYTES
from freezegate.ledger.host_log import append_log
from freezegate.policy.globs import ref_matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from freezegate.model.host import HostSettings

SETTINGS_KEY = "freezegate.hostSettings"
DEFAULT_SETTINGS = "/etc/freezegate/host.toml"
_USUAL_LOG = "freezegate/log.jsonl"
_UNSET = 1  # git-config(1): the key is not there


class HostPlace(NamedTuple):
    """One repository on the host, by absolute paths."""

    repository: str
    settings_path: str
    settings: HostSettings

    @property
    def log(self) -> str:
        """The path of the log."""
        return self.settings.log or os.path.join(self.repository, _USUAL_LOG)

    def append(self, lines: Iterable[str]) -> None:
        """Append lines to the log; raises OSError. No folder is made but the usual log's."""
        if self.settings.log is None:
            os.makedirs(os.path.dirname(self.log), exist_ok=True)
        append_log(self.log, lines)


def find_host(environ: Mapping[str, str]) -> HostPlace:
    """Return the repository that git means here, with its settings; raises Unanswerable."""
    repository = _common(os.path.realpath(environ.get("GIT_DIR") or "."))
    path = settings_path(repository, environ)
    return HostPlace(repository, path, read_host_settings(path))


def _common(git_dir: str) -> str:
    """Return the directory that all work trees of a repository share (gitrepository-layout(5))."""
    try:
        with open(os.path.join(git_dir, "commondir")) as file:
            return os.path.realpath(os.path.join(git_dir, file.read(4096).rstrip("\n")))
    except OSError:
        return git_dir


def settings_path(repository: str, environ: Mapping[str, str]) -> str:
    """Return the path of the settings that `git config` names, else the usual one."""
    path = _ask_git_config(repository, environ) or DEFAULT_SETTINGS
    return os.path.join(repository, path)


def read_host_settings(path: str) -> HostSettings:
    """Read and decode settings; raises Unanswerable."""
    try:
        with open(path, "rb") as file:
            settings = parse_host_settings(file.read(MAX_TOML_BYTES + 1))
    except OSError as error:
        raise _no_settings(got=f"{error.strerror}: {path}") from None
    except DecodeError as fault:
        at = f", line {fault.line}" if fault.line else ""
        raise _no_settings(got=f"{path}{at} does not decode: {fault}") from None
    _refuse_open_parents(path, settings)
    return settings


def _refuse_open_parents(path: str, settings: HostSettings) -> None:
    """The tip of a parent comes in as a new protected ref, unjudged: it must have been judged."""
    for glob, parent in settings.parents:
        if not ref_matches(settings.protected, parent):
            raise _no_settings(
                got=f"{path}: [parents] {glob} names {parent}, which `protected` does not list"
            )


def _no_settings(*, got: str) -> Unanswerable:
    return Unanswerable(
        "repository.no_settings",
        got=got,
        expected="the settings of this host, docs/host.md",
    )


def _ask_git_config(repository: str, environ: Mapping[str, str]) -> str | None:
    """Ask git itself, by a bare spawn: importing `subprocess` takes longer than git does.

    What the pusher's session may bring in (GIT_CONFIG_PARAMETERS and its like) is left out.
    """
    kept = {key: environ[key] for key in ("HOME", "PATH", "XDG_CONFIG_HOME") if key in environ}
    command = ["git", "config", "--type=path", "--get", SETTINGS_KEY]
    read, write = os.pipe()
    try:
        pid = os.posix_spawnp(
            "git",
            command,
            kept | {"GIT_DIR": repository},
            file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)],
        )
        os.close(write)
        with os.fdopen(read, "rb") as said:
            path = os.fsdecode(said.read(4096)).rstrip("\n")
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except OSError as error:
        raise _no_settings(got=f"git cannot be asked where the settings are: {error}") from None
    if status not in (0, _UNSET):
        raise _no_settings(got=f"git config {SETTINGS_KEY} ended with status {status}")
    return path if status == 0 else None
