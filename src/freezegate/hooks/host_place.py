"""Where a host's repository, its settings and its log lie; asked without opening the repository."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from freezegate.errors import DecodeError, Unanswerable
from freezegate.formats.host import parse_host_settings
from freezegate.formats.strict_toml import MAX_TOML_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from freezegate.model.host import HostSettings

SETTINGS_KEY = "freezegate.hostSettings"
DEFAULT_SETTINGS = "/etc/freezegate/host.toml"
_UNSET = 1  # git-config(1): the key is not there


class HostPlace(NamedTuple):
    """One repository on the host, by absolute paths."""

    repository: str
    settings_path: str
    settings: HostSettings

    @property
    def log(self) -> str:
        """The path of the log; a relative one counts from the git directory."""
        return os.path.join(self.repository, self.settings.log)


def find_host(environ: Mapping[str, str]) -> HostPlace:
    """Return the repository that git means here, with its settings; raises Unanswerable."""
    repository = os.path.realpath(environ.get("GIT_DIR") or ".")
    path = settings_path(repository, environ)
    return HostPlace(repository, path, read_host_settings(path))


def settings_path(repository: str, environ: Mapping[str, str]) -> str:
    """Return the path of the settings that `git config` names, else the usual one."""
    path = _ask_git_config(repository, environ) or DEFAULT_SETTINGS
    return os.path.join(repository, path)


def read_host_settings(path: str) -> HostSettings:
    """Read and decode settings; raises Unanswerable."""
    try:
        with open(path, "rb") as file:
            return parse_host_settings(file.read(MAX_TOML_BYTES + 1))
    except OSError as error:
        raise _no_settings(got=f"{error.strerror}: {path}") from None
    except DecodeError as fault:
        at = f", line {fault.line}" if fault.line else ""
        raise _no_settings(got=f"{path}{at} does not decode: {fault}") from None


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
